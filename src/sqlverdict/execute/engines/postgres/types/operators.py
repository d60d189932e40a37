"""The types that operators of PostgreSQL give, and what is read of texts in quotes beside them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

from sqlverdict.execute.engines.postgres.common.expressions import (
    OWN_SCHEMA,
    enum_name,
    is_const,
)
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside
from sqlverdict.execute.engines.postgres.types.candidates import (
    NoCandidate,
    choose_signature,
    element_of,
    result_type,
)
from sqlverdict.execute.engines.postgres.types.coercions import (
    common_type,
    is_array,
    is_polymorphic,
)
from sqlverdict.execute.engines.postgres.types.constants import constant_number, has_room
from sqlverdict.execute.engines.postgres.types.literals import is_literal_of, is_no_literal_of
from sqlverdict.execute.engines.postgres.types.scope import TypeScope
from sqlverdict.execute.engines.postgres.types.signatures import (
    NOT_KNOWN,
    UNTYPED,
    Signature,
    can_compare,
    catalogue,
)

_BETWEEN: Final = ("AEXPR_BETWEEN", "AEXPR_NOT_BETWEEN", "AEXPR_BETWEEN_SYM")


class WrongType(Exception):
    """A query that always fails because of the types of its expressions."""


class OperatorTypes(ABC):
    """The types of operations in one statement.

    Attributes:
        unsure: The first thing whose type is not known.
    """

    def __init__(self) -> None:
        self.unsure: str | None = None

    @abstractmethod
    def of(self, node: Any, scope: TypeScope) -> str:
        """The type of an expression.

        Raises:
            WrongType: the expression always fails.
        """

    def not_known(self, what: str) -> str:
        """The type that is not known, which is remembered."""
        self.unsure = self.unsure or what
        return NOT_KNOWN

    def read(self, node: Any, own: str, target: str) -> None:
        """A text in quotes is read as a value of the type that is wanted."""
        if own == UNTYPED and node is not None and is_const(node) and not node.a_const.isnull:
            text = str(node.a_const.sval.sval)
            if is_no_literal_of(text, target):
                raise WrongType(f"invalid input syntax for type {target}: {text!r}")
            if not is_literal_of(text, target):
                self.not_known(f"whether {text!r} is a value of type {target}")

    def with_room(self, node: Any, target: str, *sizes: int) -> str:
        """A type, which must have room for the number that a query writes."""
        number = constant_number(node)
        if number is not None and not has_room(number, target, *sizes):
            raise WrongType(f"{number} is out of range for type {target}")
        return target

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

    def operator(self, name: str, nodes: Sequence[Any], types: Sequence[str]) -> str:
        """The type that an operator gives for operands of these types."""
        candidates = catalogue().operators.get(name)
        if candidates is None:
            return self.not_known(f"the operator {name}")
        if NOT_KNOWN in types:
            self.not_known(f"the operator {name} of a type that is not known")
            results = {result for declared, result in candidates if len(declared) == len(types)}
            return results.pop() if len(results) == 1 else NOT_KNOWN
        return self.result_of_call(candidates, nodes, types, f"operator does not exist: {name}")

    def result_of_call(
        self,
        candidates: Sequence[Signature],
        nodes: Sequence[Any],
        types: Sequence[str],
        what: str,
        *,
        operator: bool = True,
    ) -> str:
        """The type that one of several signatures gives for values of these types.

        Args:
            candidates: The signatures of one name.
            nodes: The values: what is read of texts in quotes among them depends on it.
            types: Their types.
            what: What is wrong where none takes them.
            operator: Whether they are those of an operator.
        """
        try:
            signature = choose_signature(candidates, types, operator=operator)
            result = result_type(signature, types)
        except NoCandidate as error:
            raise WrongType(f"{what} of {', '.join(types) or 'nothing'}") from error
        for node, own, target in zip(nodes, types, signature[0], strict=False):
            if "range" in target:
                pairs = zip(signature[0], types, strict=False)
                ranges = (each for kind, each in pairs if kind == target and each != UNTYPED)
                self.read(node, own, next(ranges, target))
            elif is_polymorphic(target) and target != "any":
                element = element_of(signature[0], types, compatible="compatible" in target)
                self.read(node, own, f"{element}[]" if is_array(target) else str(element))
            else:
                self.read(node, own, "text" if target == "any" else target)
        return self.not_known(what) if result == NOT_KNOWN else result

    def operation(self, operation: Any, scope: TypeScope) -> str:
        """The type of an operation, or of what has an operator inside: IN, BETWEEN, LIKE."""
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
        if name in ("/", "%") and constant_number(right) == 0 and constant_number(left) is not None:
            raise WrongType("division by zero")
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


def _has_column(node: Any) -> bool:
    kind = node.WhichOneof("node")
    return kind == "column_ref" or any(map(_has_column, nodes_inside(getattr(node, kind))))
