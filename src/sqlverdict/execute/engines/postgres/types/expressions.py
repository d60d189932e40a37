"""The type of an expression of PostgreSQL, by the types of its columns.

What always fails because of a type is :class:`WrongType`; what has no type that is known here goes
on as such, and ``unsure`` says so.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Final

from sqlverdict.execute.engines.postgres.common.expressions import (
    OWN_SCHEMA,
    enum_name,
    function_of,
    is_const,
    is_own,
)
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside
from sqlverdict.execute.engines.postgres.types.coercions import (
    can_coerce,
    is_polymorphic,
)
from sqlverdict.execute.engines.postgres.types.literals import has_field
from sqlverdict.execute.engines.postgres.types.operators import OperatorTypes, WrongType
from sqlverdict.execute.engines.postgres.types.scope import TypeScope
from sqlverdict.execute.engines.postgres.types.signatures import (
    NOT_KNOWN,
    UNTYPED,
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
_SYSTEM_COLUMNS: Final = word_set("ctid xmin xmax cmin cmax tableoid oid")
_LARGEST: Final = 2**63
_COLLATED: Final = ("text", "varchar", "bpchar", "name", UNTYPED, NOT_KNOWN)
_CHOICES: Final = {
    "case_expr": "CASE",
    "coalesce_expr": "COALESCE",
    "min_max_expr": "GREATEST",
    "a_array_expr": "ARRAY",
}


class ExpressionTypes(OperatorTypes):
    """The types of the expressions of one statement."""

    @abstractmethod
    def columns(self, select: Any, outer: TypeScope) -> list[str] | None:
        """The types of a query's columns; ``None`` where they are not known."""

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
                return self.with_room(node, self.operation(own, scope))
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

    def _column(self, column: Any, scope: TypeScope) -> str:
        names = [each.string.sval for each in column.fields if each.WhichOneof("node") == "string"]
        if len(names) < len(column.fields):
            return self.not_known("a star as a value")
        own = scope.find(names[-1], names[-2] if len(names) > 1 else "")
        if (
            own is None
            and len(names) == 1
            and not (names[0] in _SYSTEM_COLUMNS or scope.has_source(names[0]))
        ):
            raise WrongType(f"column does not exist: {names[0]}")
        return self.not_known(f"the type of {names[-1]}") if own in (None, NOT_KNOWN) else str(own)

    def _call(self, call: Any, scope: TypeScope) -> str:
        name = function_of(call)
        types = [self.of(each, scope) for each in call.args]
        if call.HasField("agg_filter"):
            self.condition(call.agg_filter, scope, "FILTER")
        self.order(call.agg_order, scope)
        if call.HasField("over"):
            self.window(call.over, scope)
            if call.agg_order or call.agg_distinct:
                raise WrongType(f"DISTINCT or ORDER BY in the window function {name}")
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
        return self.result_of_call(candidates, call.args, types, what, operator=False)

    def _field(self, name: str, field: Any, own: str) -> None:
        text = str(field.a_const.sval.sval).lower() if is_const(field) else ""
        source = "timestamp" if name == "date_trunc" and own == "date" else own
        if not has_field(text, source):
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
        own = self._as(cast.arg, self.of(cast.arg, scope), target)
        sizes = [each.a_const.ival.ival for each in cast.type_name.typmods if is_const(each)]
        return self.with_room(cast.arg, own, *sizes)

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
            if len(types) != 1:
                raise WrongType("a query that is a value and shows no column, or several")
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


def _type_named(name: Any) -> str:
    """The type that a cast names."""
    plain = str(name.names[-1].string.sval)
    known = name.names[0].string.sval in (plain, OWN_SCHEMA) and not name.setof
    own = catalogue().declared.get(plain, NOT_KNOWN) if known else NOT_KNOWN
    return own if not name.array_bounds or own == NOT_KNOWN else f"{own}[]"
