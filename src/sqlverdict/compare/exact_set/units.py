"""Expressions and conditions as texts that can be compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlverdict.compare.exact_set.names import SelectScope, Unit, short_unit, word

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

Nested = Callable[["Expr", SelectScope], Unit]
"""Reads a query inside an expression."""

_COMPARISONS = {"eq": "=", "neq": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_MIRRORED = {"=": "=", "!=": "!=", ">": "<", ">=": "<=", "<": ">", "<=": ">="}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


@dataclass(frozen=True)
class ReadingRules:
    """What counts while a query is read.

    Attributes:
        values: Whether the values that conditions compare with count.
        distinct: Whether DISTINCT inside aggregates counts.
        same: Columns that count as another column.
    """

    values: bool
    distinct: bool
    same: Mapping[Unit, Unit] = field(default_factory=dict)


class ConditionUnit(NamedTuple):
    """One condition; the operands on the right are None where values do not count."""

    negated: bool
    operator: str
    left: Unit
    first: Unit | None = None
    second: Unit | None = None


class Conditions(NamedTuple):
    """Conditions in the order of the text, and the AND or OR between each two of them."""

    conditions: tuple[ConditionUnit, ...] = ()
    links: tuple[str, ...] = ()


class Units:
    """Reads expressions the way a :class:`ReadingRules` says."""

    def __init__(self, reading: ReadingRules, nested: Nested) -> None:
        self._reading = reading
        self._nested = nested
        # Spider replaces columns and drops DISTINCT on the left of a condition alone.
        verbatim = ReadingRules(reading.values, True)
        self._verbatim = self if reading == verbatim else Units(verbatim, nested)

    def unit(self, node: Expr, scope: SelectScope, *, alias_first: bool = False) -> Unit:
        """One expression.

        Args:
            node: The expression.
            scope: What its names mean.
            alias_first: Whether an output column's alias hides a column, as in ORDER BY.
        """
        from sqlglot import exp

        node = node.unalias().unnest() if isinstance(node, exp.Alias | exp.Paren) else node
        if isinstance(node, exp.Column):
            return self._column(node, scope, alias_first)
        if isinstance(node, exp.Query):
            return short_unit(f"({self._nested(node, scope)})")
        if isinstance(node, exp.Literal):
            return _literal(node)
        if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
            return f"-{_literal(node.this)}"
        if isinstance(node, exp.Star) and not any(node.args.values()):
            return "*"
        if isinstance(node, exp.Identifier):
            return word(node.name)
        if node.key in _ARITHMETIC:
            left = self.unit(node.this, scope, alias_first=alias_first)
            right = self.unit(node.args["expression"], scope, alias_first=alias_first)
            return short_unit(f"({left} {_ARITHMETIC[node.key]} {right})")
        if isinstance(node, exp.AggFunc) and isinstance(node.this, exp.Distinct):
            inner = self._values(node.this.expressions, scope)
            distinct = "distinct " if self._reading.distinct else ""
            return short_unit(f"{node.key}({distinct}{inner}{self._rest(node, scope)})")
        if isinstance(node, exp.AggFunc) and isinstance(node.this, exp.Expr):
            inner = self.unit(node.this, scope, alias_first=alias_first)
            return short_unit(f"{node.key}({inner}{self._rest(node, scope)})")
        return short_unit(f"{node.key}[{self._arguments(node.args, scope, alias_first)}]")

    def conditions(self, node: Expr, scope: SelectScope) -> Conditions:
        """What AND and OR connect, without regard to parentheses."""
        from sqlglot import exp

        units: list[ConditionUnit] = []
        links: list[str] = []
        # A chain of ANDs is a deep tree; a stack takes any depth.
        left: list[Expr | str] = [node]
        while left:
            part = left.pop()
            if isinstance(part, str):
                links.append(part)
                continue
            part = part.unnest()
            if isinstance(part, exp.And | exp.Or):
                left += [part.right, part.key, part.left]
            else:
                units.append(self._condition(part, scope))
        return Conditions(tuple(units), tuple(links))

    def equality(self, left: Unit | None, right: Unit | None, name: str) -> ConditionUnit:
        """What USING says of two columns of that name."""
        left, right = left or f"?.{word(name)}", right or f"?.{word(name)}"
        first = right if self._reading.values else None
        return ConditionUnit(False, "=", self._reading.same.get(left, left), first)

    def _condition(self, node: Expr, scope: SelectScope) -> ConditionUnit:
        from sqlglot import exp

        negated = False
        while isinstance(node, exp.Not):
            negated = not negated
            node = node.this.unnest()
        if isinstance(node, exp.And | exp.Or):
            return ConditionUnit(negated, "group", short_unit(repr(self.conditions(node, scope))))
        escape: Expr | None = None
        if isinstance(node, exp.Escape):
            node, escape = node.this, node.expression
        if node.args.get("negate"):
            negated = not negated
        if isinstance(node, exp.Exists):
            return ConditionUnit(negated, "exists", "", self._operand(node.this, scope))
        if isinstance(node, exp.Between):
            low, high = (self._operand(node.args[bound], scope) for bound in ("low", "high"))
            return ConditionUnit(negated, "between", self.unit(node.this, scope), low, high)
        if isinstance(node, exp.In):
            return ConditionUnit(
                negated, "in", self.unit(node.this, scope), self._members(node, scope)
            )
        if isinstance(node, exp.Binary) and isinstance(node, exp.Predicate):
            return self._comparison(node, negated, escape, scope)
        return ConditionUnit(negated, "true", self.unit(node, scope))

    def _comparison(
        self, node: Expr, negated: bool, escape: Expr | None, scope: SelectScope
    ) -> ConditionUnit:
        operator = _COMPARISONS.get(node.key, node.key)
        left, right = node.this.unnest(), node.args["expression"].unnest()
        backwards = _is_value(left, scope) and not _is_value(right, scope)
        if operator in _MIRRORED and backwards:
            operator, left, right = _MIRRORED[operator], right, left
        second = self._operand(escape, scope) if escape is not None else None
        return ConditionUnit(
            negated, operator, self.unit(left, scope), self._operand(right, scope), second
        )

    def _members(self, node: Expr, scope: SelectScope) -> Unit | None:
        """The right side of IN: a query, a list, or a table's name."""
        query = node.args.get("query")
        if query is not None:
            return self._operand(query, scope)
        members = [self._operand(member, scope) for member in node.expressions]
        if all(member is None for member in members):
            table = node.args.get("field")
            return None if table is None else self._verbatim.unit(table, scope)
        return short_unit(f"[{', '.join(sorted(member or '' for member in members))}]")

    def _operand(self, node: Expr, scope: SelectScope) -> Unit | None:
        """What a condition compares with: a query always counts, all else if values do."""
        from sqlglot import exp

        node = node.unnest()
        if self._reading.values or isinstance(node, exp.Query) or node.find(exp.Query):
            return self._verbatim.unit(node, scope)
        return None

    def _column(self, node: Any, scope: SelectScope, alias_first: bool) -> Unit:
        from sqlglot import exp

        name = node.name
        if isinstance(node.this, exp.Star):
            return scope.qualified(node.table, "*")
        if node.table:
            column = scope.qualified(node.table, name)
        else:
            plain, aliased = scope.find(name), scope.aliased(name)
            match = (aliased or plain) if alias_first else (plain or aliased)
            if match is None and _is_string(node):
                return json.dumps(name)
            column = match or scope.guess(name)
        return self._reading.same.get(column, column)

    def _rest(self, node: Expr, scope: SelectScope) -> Unit:
        """The arguments of an aggregate besides the first: a separator, an order."""
        others = {name: value for name, value in node.args.items() if name != "this"}
        text = self._arguments(others, scope, False)
        return f"; {text}" if text else ""

    def _arguments(
        self, arguments: Mapping[str, Any], scope: SelectScope, alias_first: bool
    ) -> Unit:
        parts = []
        for name in sorted(arguments):
            value = arguments[name]
            # Flags that are off and lists that are empty are not written by anyone; big_int and
            # safe are what the parser notes for the dialect.
            if value is None or value is False or value == [] or name in ("big_int", "safe"):
                continue
            parts.append(f"{name}={self._value(value, scope, alias_first)}")
        return ", ".join(parts)

    def _value(self, value: Any, scope: SelectScope, alias_first: bool) -> Unit:
        from sqlglot import exp

        if isinstance(value, exp.Expr):
            return self.unit(value, scope, alias_first=alias_first)
        if isinstance(value, list):
            return f"[{self._values(value, scope, alias_first)}]"
        return word(str(value))

    def _values(self, values: list[Any], scope: SelectScope, alias_first: bool = False) -> Unit:
        return ", ".join(self._value(value, scope, alias_first) for value in values)


def _is_value(node: Any, scope: SelectScope) -> bool:
    from sqlglot import exp

    if isinstance(node, exp.Neg):
        node = node.this
    if isinstance(node, exp.Column):
        return _is_string(node) and scope.find(node.name) is None
    return isinstance(node, exp.Literal | exp.Null | exp.Boolean)


def _is_string(node: Any) -> bool:
    """Whether a column is written as a word in double quotes, which may be a string."""
    return not node.table and bool(node.this.args.get("quoted"))


def _literal(node: Any) -> Unit:
    if node.is_string:
        return json.dumps(node.this)
    try:
        return repr(float(node.this))
    except ValueError:
        return word(node.this)
