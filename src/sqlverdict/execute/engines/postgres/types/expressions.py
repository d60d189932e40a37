"""The type of an expression of PostgreSQL, by the types of its columns.

What always fails because of a type is :class:`WrongType`; what has no type that is known here goes
on as such, and ``unsure`` says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlverdict.execute.engines.postgres.common.expressions import (
    OWN_SCHEMA,
    enum_name,
    function_of,
    is_const,
    is_own,
)
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside
from sqlverdict.execute.engines.postgres.types.candidates import (
    NoCandidate,
    choose,
    element_of,
    result_of,
)
from sqlverdict.execute.engines.postgres.types.coercions import (
    can_coerce,
    common_type,
    is_list,
    is_polymorphic,
)
from sqlverdict.execute.engines.postgres.types.literals import has_field, is_no_value, is_value
from sqlverdict.execute.engines.postgres.types.scope import TypeScope
from sqlverdict.execute.engines.postgres.types.signatures import (
    NOT_KNOWN,
    UNTYPED,
    Signature,
    can_compare,
    catalogue,
)
from sqlverdict.parse.tokens import word_set

_CONSTANTS: Final = {"sval": UNTYPED, "boolval": "bool", "bsval": "bit", "isnull": UNTYPED}
_CLOCK: Final = {
    "date": "date",
    "time": "timetz",
    "timestamp": "timestamptz",
    "localtime": "time",
    "localtimestamp": "timestamp",
}
_FIELDS: Final = word_set("extract date_part date_trunc")
_LARGEST = 2**63
_BETWEEN: Final = ("AEXPR_BETWEEN", "AEXPR_NOT_BETWEEN", "AEXPR_BETWEEN_SYM")
_COLLATED: Final = ("text", "varchar", "bpchar", "name", UNTYPED, NOT_KNOWN)
_CHOICES: Final = {
    "case_expr": "CASE",
    "coalesce_expr": "COALESCE",
    "min_max_expr": "GREATEST",
    "a_array_expr": "ARRAY",
}


class WrongType(Exception):
    """A query that always fails because of the types of its expressions."""


class ExpressionTypes(ABC):
    """The types of the expressions of one statement.

    Attributes:
        unsure: The first thing whose type is not known.
    """

    def __init__(self) -> None:
        self.unsure: str | None = None

    @abstractmethod
    def columns(self, select: Any, outer: TypeScope) -> list[str] | None:
        """The types of a query's columns; ``None`` where they are not known."""

    def not_known(self, what: str) -> str:
        """The type that is not known, which is remembered."""
        self.unsure = self.unsure or what
        return NOT_KNOWN

    def of(self, node: Any, scope: TypeScope) -> str:
        """The type of an expression.

        Raises:
            WrongType: the expression always fails.
        """
        kind = node.WhichOneof("node")
        own = getattr(node, kind)
        match kind:
            case "a_const":
                return _constant_type(own)
            case "column_ref":
                return self._column(own, scope)
            case "a_expr":
                return self._operation(own, scope)
            case "func_call":
                return self._call(own, scope)
            case "type_cast":
                return self._cast(own, scope)
            case "sub_link":
                return self._query(own, scope)
            case "case_expr" | "coalesce_expr" | "min_max_expr" | "a_array_expr":
                return self._choice(node, scope)
            case "bool_expr":
                for part in own.args:
                    self.condition(part, scope, enum_name(own, "boolop").partition("_")[0])
                return "bool"
            case "boolean_test":
                self.condition(own.arg, scope, "IS TRUE")
                return "bool"
            case "null_test":
                self.of(own.arg, scope)
                return "bool"
            case "sqlvalue_function":
                name = enum_name(own, "op").removeprefix("SVFOP_").removesuffix("_N").lower()
                return _CLOCK.get(name.removeprefix("current_"), "name")
            case "collate_clause":
                inner = self.of(own.arg, scope)
                if inner.removesuffix("[]") not in _COLLATED:
                    raise WrongType(f"a collation of type {inner}")
                return inner
            case "a_indirection":
                return self._part(own, scope)
        for part in nodes_inside(own):
            if part.WhichOneof("node") not in ("string", "list", "json_output"):
                self.of(part, scope)
        return self.not_known(f"the type of {kind}")

    def condition(self, node: Any, scope: TypeScope, where: str) -> None:
        """A condition must be a truth value."""
        own = self.of(node, scope)
        if own == NOT_KNOWN:
            self.not_known(f"a condition of {where}")
        elif own not in ("bool", UNTYPED):
            raise WrongType(f"argument of {where} is of type {own}, not boolean")
        self.read(node, own, "bool")

    def read(self, node: Any, own: str, wanted: str) -> None:
        """A text in quotes is read as a value of the type that is wanted."""
        if own == UNTYPED and node is not None and is_const(node) and not node.a_const.isnull:
            text = str(node.a_const.sval.sval)
            if is_no_value(text, wanted):
                raise WrongType(f"invalid input syntax for type {wanted}: {text!r}")
            if not is_value(text, wanted):
                self.not_known(f"whether {text!r} is a value of type {wanted}")

    def compared(self, own: str, where: str, *, sort: bool) -> None:
        """Values that are grouped or sorted need an equality or an order."""
        if own == NOT_KNOWN:
            self.not_known(f"the order of a type in {where}")
        elif own != UNTYPED and not can_compare(own, sort=sort):
            raise WrongType(f"{where} of type {own}")

    def common(self, nodes: Sequence[Any], types: Sequence[str], where: str) -> str:
        """The one type of several expressions."""
        if NOT_KNOWN in types:
            return self.not_known(f"the type of {where}")
        own = common_type(types)
        if own is None:
            raise WrongType(f"{where} types {' and '.join(sorted(set(types)))} cannot be matched")
        for node, each in zip(nodes, types, strict=True):
            self.read(node, each, own)
        return own

    def _column(self, column: Any, scope: TypeScope) -> str:
        names = [each.string.sval for each in column.fields if each.WhichOneof("node") == "string"]
        if len(names) < len(column.fields):
            return self.not_known("a star as a value")
        own = scope.find(names[-1], names[-2] if len(names) > 1 else "")
        return self.not_known(f"the type of {names[-1]}") if own in (None, NOT_KNOWN) else str(own)

    def operator(self, name: str, nodes: Sequence[Any], types: Sequence[str]) -> str:
        """The type that an operator gives for operands of these types."""
        candidates = catalogue().operators.get(name)
        if candidates is None:
            return self.not_known(f"the operator {name}")
        if NOT_KNOWN in types:
            self.not_known(f"the operator {name} of a type that is not known")
            results = {result for declared, result in candidates if len(declared) == len(types)}
            return results.pop() if len(results) == 1 else NOT_KNOWN
        return self._chosen(candidates, nodes, types, f"operator does not exist: {name}")

    def _chosen(
        self,
        candidates: Sequence[Signature],
        nodes: Sequence[Any],
        types: Sequence[str],
        what: str,
        *,
        operator: bool = True,
    ) -> str:
        try:
            signature = choose(candidates, types, operator=operator)
            result = result_of(signature, types)
        except NoCandidate as error:
            raise WrongType(f"{what} of {', '.join(types) or 'nothing'}") from error
        for node, own, wanted in zip(nodes, types, signature[0], strict=False):
            if "range" in wanted:
                self.read(node, own, wanted)
            elif is_polymorphic(wanted) and wanted != "any":
                element = element_of(signature[0], types, compatible="compatible" in wanted)
                self.read(node, own, f"{element}[]" if is_list(wanted) else str(element))
            else:
                self.read(node, own, "text" if wanted == "any" else wanted)
        return self.not_known(what) if result == NOT_KNOWN else result

    def _operation(self, operation: Any, scope: TypeScope) -> str:
        kind, name = enum_name(operation, "kind"), operation.name[-1].string.sval
        if len(operation.name) > 1 and operation.name[0].string.sval != OWN_SCHEMA:
            return self.not_known("an operator of a schema")
        left, right = operation.lexpr, operation.rexpr
        if kind == "AEXPR_IN":
            return self._members(left, right.list.items, name, scope)
        if kind in ("AEXPR_OP_ANY", "AEXPR_OP_ALL"):
            return self._array_members(left, right, name, scope)
        if kind.startswith(_BETWEEN):
            for end in right.list.items:
                for sign in (">=", "<="):
                    self._pair(left, end, sign, scope)
            return "bool"
        if not operation.HasField("lexpr"):
            return self.operator(name, [right], [self.of(right, scope)])
        if kind == "AEXPR_NULLIF":
            self._pair(left, right, "=", scope)
            types = [self.of(each, scope) for each in (left, right)]
            return next((own for own in types if own != UNTYPED), "text")
        if kind in ("AEXPR_DISTINCT", "AEXPR_NOT_DISTINCT"):
            return self._pair(left, right, "=", scope)
        return self._pair(left, right, name, scope)

    def _pair(self, left: Any, right: Any, name: str, scope: TypeScope) -> str:
        """An operator between two expressions, or between the parts of two rows."""
        sides = [each for each in (left, right) if each.WhichOneof("node") == "row_expr"]
        rows = [each.row_expr.args for each in sides]
        if len(rows) == 2:
            if len(rows[0]) != len(rows[1]):
                raise WrongType("rows of different lengths are compared")
            for one, other in zip(*rows, strict=True):
                self._pair(one, other, name, scope)
            return "bool"
        nodes = [left, right]
        return self.operator(name, nodes, [self.of(each, scope) for each in nodes])

    def _members(self, left: Any, items: Sequence[Any], name: str, scope: TypeScope) -> str:
        constants = [each for each in items if not _has_column(each)]
        if left.WhichOneof("node") != "row_expr" and len(constants) > 1:
            # The members become an array, if they have one type with what they are compared with.
            types = [self.of(each, scope) for each in (left, *constants)]
            common = None if NOT_KNOWN in types else common_type(types)
            if common is not None:
                for node, own in zip(constants, types[1:], strict=True):
                    self.read(node, own, common)
                self.operator(name, [left, left], [types[0], common])
                items = [each for each in items if _has_column(each)]
        for each in items:
            self._pair(left, each, name, scope)
        return "bool"

    def _array_members(self, left: Any, right: Any, name: str, scope: TypeScope) -> str:
        own, array = self.of(left, scope), self.of(right, scope)
        if NOT_KNOWN in (own, array):
            return self.not_known(f"the operator {name} ANY") and "bool"
        if array == UNTYPED:
            self.operator(name, [left, left], [own, own])
            self.read(right, UNTYPED, f"{own}[]")
        elif not array.endswith("[]"):
            raise WrongType("ANY or ALL of something other than an array")
        elif self.operator(name, [left, right], [own, array.removesuffix("[]")]) != "bool":
            raise WrongType("ANY or ALL of an operator that gives no truth value")
        return "bool"

    def _call(self, call: Any, scope: TypeScope) -> str:
        name = function_of(call)
        types = [self.of(each, scope) for each in call.args]
        if call.HasField("agg_filter"):
            self.condition(call.agg_filter, scope, "FILTER")
        self.order(call.agg_order, scope)
        if call.HasField("over"):
            self.window(call.over, scope)
        if call.agg_distinct:
            for own in types:
                self.compared(own, "DISTINCT", sort=True)
        if not is_own(call) or call.func_variadic or call.agg_within_group:
            return self.not_known(f"the function {name}")
        if name == "count" and call.agg_star:
            return "int8"
        known = catalogue()
        candidates = known.functions.get(name)
        is_exact = any(declared == tuple(types) for declared, _ in candidates or ())
        if len(types) == 1 and known.declared.get(name) == name and not is_exact:
            # The name of a type is a cast, where it is no function of such a value.
            return self._as(call.args[0], types[0], name)
        if candidates is None or call.agg_star:
            return self.not_known(f"the function {name}")
        if NOT_KNOWN in types:
            self.not_known(f"the function {name} of a type that is not known")
            results = {result for _, result in candidates}
            own = results.pop()
            return NOT_KNOWN if results or is_polymorphic(own) else own
        if name in _FIELDS and len(types) > 1:
            self._field(name, call.args[0], types[1])
        what = f"function does not exist: {name}"
        return self._chosen(candidates, call.args, types, what, operator=False)

    def _field(self, name: str, field: Any, own: str) -> None:
        text = str(field.a_const.sval.sval).lower() if is_const(field) else ""
        taken = "timestamp" if name == "date_trunc" and own == "date" else own
        if not has_field(text, taken):
            self.not_known(f"whether {name} takes {text!r} out of a value of type {own}")

    def order(self, terms: Iterable[Any], scope: TypeScope) -> None:
        """The terms of an ORDER BY that see no aliases."""
        for term in terms:
            self.compared(self.of(term.sort_by.node, scope), "ORDER BY", sort=True)

    def window(self, window: Any, scope: TypeScope) -> None:
        """What stands behind OVER, or in WINDOW."""
        for term in window.partition_clause:
            self.compared(self.of(term, scope), "PARTITION BY", sort=True)
        self.order(window.order_clause, scope)
        for offset in ("start_offset", "end_offset"):
            if window.HasField(offset):
                self.of(getattr(window, offset), scope)
                self.not_known("the frame of a window")

    def _cast(self, cast: Any, scope: TypeScope) -> str:
        target = _type_named(cast.type_name)
        if cast.arg.WhichOneof("node") == "a_array_expr" and target.endswith("[]"):
            for each in cast.arg.a_array_expr.elements:
                if each.WhichOneof("node") != "a_array_expr":
                    self._as(each, self.of(each, scope), target.removesuffix("[]"))
            return target
        return self._as(cast.arg, self.of(cast.arg, scope), target)

    def _as(self, node: Any, own: str, target: str) -> str:
        if NOT_KNOWN in (own, target):
            return self.not_known(f"a cast to {target}") and target
        if not can_coerce(own, target, "e"):
            raise WrongType(f"cannot cast type {own} to {target}")
        self.read(node, own, target)
        return target

    def _query(self, link: Any, scope: TypeScope) -> str:
        kind = enum_name(link, "sub_link_type")
        types = self.columns(link.subselect.select_stmt, scope)
        if kind == "EXISTS_SUBLINK":
            return "bool"
        if types is None:
            return self.not_known("the columns of a query")
        if kind in ("EXPR_SUBLINK", "ARRAY_SUBLINK"):
            is_list_of = kind == "ARRAY_SUBLINK" and not types[0].endswith("[]")
            return f"{types[0]}[]" if is_list_of and types[0] != NOT_KNOWN else types[0]
        left = link.testexpr
        parts = list(left.row_expr.args) if left.WhichOneof("node") == "row_expr" else [left]
        if len(parts) != len(types):
            raise WrongType("IN of a query with another number of columns")
        name = link.oper_name[-1].string.sval if link.oper_name else "="
        for part, own in zip(parts, types, strict=True):
            self.operator(name, [part], [self.of(part, scope), own])
        return "bool"

    def _choice(self, node: Any, scope: TypeScope) -> str:
        kind = node.WhichOneof("node")
        own = getattr(node, kind)
        where = _CHOICES[kind]
        if kind == "case_expr":
            for branch in own.args:
                if own.HasField("arg"):
                    types = [self.of(each, scope) for each in (own.arg, branch.case_when.expr)]
                    types[0] = "text" if types[0] == UNTYPED else types[0]
                    self.operator("=", [own.arg, branch.case_when.expr], types)
                else:
                    self.condition(branch.case_when.expr, scope, "CASE WHEN")
            results = [branch.case_when.result for branch in own.args]
            results[:0] = [own.defresult] * own.HasField("defresult")
        elif kind == "a_array_expr":
            results = list(own.elements)
            if not results:
                raise WrongType("cannot determine type of empty array")
        else:
            results = list(own.args)
        common = self.common(results, [self.of(each, scope) for each in results], where)
        if kind == "min_max_expr":
            self.compared(common, where, sort=True)
        if kind == "a_array_expr" and not common.endswith("[]") and common != NOT_KNOWN:
            return f"{common}[]"
        return common

    def _part(self, part: Any, scope: TypeScope) -> str:
        """An element of an array, or a value of a document."""
        own = self.of(part.arg, scope)
        for step in part.indirection:
            if step.WhichOneof("node") != "a_indices" or step.a_indices.is_slice:
                return self.not_known("a part of a value")
            index = self.of(step.a_indices.uidx, scope)
            if own.endswith("[]"):
                if index != UNTYPED and not can_coerce(index, "int4", "a"):
                    raise WrongType("array subscript must have type integer")
                own = own.removesuffix("[]")
            elif own != "jsonb":
                return self.not_known("a part of a value")
        return own


def _constant_type(constant: Any) -> str:
    kind = constant.WhichOneof("val")
    if kind == "ival":
        return "int4"
    if kind == "fval":
        digits = str(constant.fval.fval)
        return "int8" if digits.isdigit() and int(digits) < _LARGEST else "numeric"
    return _CONSTANTS.get("isnull" if constant.isnull else str(kind), UNTYPED)


def _has_column(node: Any) -> bool:
    kind = node.WhichOneof("node")
    return kind == "column_ref" or any(map(_has_column, nodes_inside(getattr(node, kind))))


def _type_named(name: Any) -> str:
    """The type that a cast names."""
    plain = str(name.names[-1].string.sval)
    known = name.names[0].string.sval in (plain, OWN_SCHEMA) and not name.setof
    own = catalogue().declared.get(plain, NOT_KNOWN) if known else NOT_KNOWN
    return own if not name.array_bounds or own == NOT_KNOWN else f"{own}[]"
