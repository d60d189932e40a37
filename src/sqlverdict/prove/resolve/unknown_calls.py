"""Calls of unknown functions in a resolved tree: what a proof must leave as it is.

Such a function may tell apart what a rule takes for the same (``execute/common_text.py``):

* Two numbers that are equal, 1.0 and 1.00, or an integer and a decimal: so an argument keeps its
  type from the first tree to the last; one whose equal values may differ stays the same column, or
  the same sum of that column.
* A row for which it fails: so no call that may fail gets lost, and each is evaluated on the same
  rows. That is clear where it stands in the SELECT list of the whole query, unless rows are cut off
  behind it: PostgreSQL computes the list before it sorts. Then both queries must cut rows off
  there. Elsewhere both queries must have the same sources and conditions around it, in the same
  order: PostgreSQL computes ``b <> 0 AND a / b > 1`` from the left.

SQLite has no unknown functions. Its JSON functions fail for a text that is no JSON, NTILE for a
number that is not above 0 ...: the second holds for them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.execute.common_text import UNKNOWN_FUNCTION
from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.common_type import keeps_type
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    column_name,
    columns_in,
    conditions,
    is_aggregate,
    is_grouped,
    is_limited,
    items,
    nodes_in,
)
from sqlverdict.prove.resolve.engine_limits.own_types import exact_type
from sqlverdict.prove.resolve.engine_limits.text_collations import may_take_no_patterns
from sqlverdict.prove.resolve.scope import Unsupported

ZONED = "timestamp with time zone"
"""A kind of value of which a part is one, and a text of it a text."""
DIGITS = "digits"
"""The kind of functions that write a date or timestamp in digits, each part of one length: to a
collation such texts are equal where they are the same. Beside other texts they are like any."""
GROUP_TEXT = "shown"
"""The kind of the function that gives one text for all that a collation takes for the same: the one
that a group shows (``folding.py``)."""
CHANGED = "a rule changes what a function reads that may tell equal values apart"
DROPPED = "a rule drops an expression that may fail"
ELSEWHERE = "an expression that may fail is evaluated on other rows"

_EXACT = ("integer", "text", "boolean", "date", "time", "timestamp", "uuid")
_SCALED = re.compile(r"(?:numeric|decimal) ?\(\d+, ?\d+\)|timestamp with time zone|timestamptz")
"""Types whose equal values are the same, beside those."""
_PLAIN = r"(?:smallint|integer|bigint|boolean|date|timestamp|varchar|text)"
_NESTED = re.compile(rf"{_PLAIN}\[\]|struct\(\w+ {_PLAIN}(?:, \w+ {_PLAIN})*\)")
"""Lists and structures of such values."""
_SHORT = frozenset({"smallint", "int2", "int", "int4", "integer", "serial"})
_NUMBERS = frozenset({"integer", "real", "number", "boolean", "null"})
_SAFE_KINDS = {
    "typed": _NUMBERS | {"date", "time", "timestamp", "uuid", ZONED},
    "numeric": _NUMBERS,
    "whole": _NUMBERS - {"real", "number"},
}
"""The kinds of values for which a call of a risk never fails."""
_SAFE_JSON = frozenset({"json_valid", "json_error_position"})
_FAILING = frozenset({"match", "ntile", "nthvalue", "windowspec", "zeroblob", "load_extension"})
_PASSED = frozenset({"kind", "expressions", "from_", "order", "with_"})


@dataclass(frozen=True)
class UnknownCalls:
    """The calls of unknown functions in a tree.

    Attributes:
        arguments: What each function reads.
        fragile: The functions that may fail.
        places: The sources and conditions around those, where rows may be missing otherwise.
    """

    arguments: dict[str, frozenset[tuple[str, ...]]]
    fragile: frozenset[str]
    places: frozenset[str]

    def objection(self, last: UnknownCalls) -> str | None:
        """Why rules may not turn a tree with these calls into one with others."""
        if any(self.arguments.get(name) != read for name, read in last.arguments.items()):
            return CHANGED
        return DROPPED if self.fragile != last.fragile else None


NO_CALLS = UnknownCalls({}, frozenset(), frozenset())


def unknown_calls(tree: Expr, facts: Facts) -> UnknownCalls:
    """The calls of unknown functions in a resolved tree.

    Raises:
        Unsupported: an argument may be any of several equal values.
    """
    if not facts.record.typed:
        return _failing_calls(tree)
    calls = [node for node in nodes_in(tree) if isinstance(node, exp.Anonymous)]
    if not calls:
        return NO_CALLS
    reader = _Arguments(facts)
    arguments: dict[str, set[tuple[str, ...]]] = {}
    fragile, places = set(), set()
    for call in calls:
        arguments.setdefault(str(call.this), set()).add(reader.read(call))
        if reader.may_fail(call):
            fragile.add(str(call.this))
            places.add(_context(call))
    return UnknownCalls(
        {name: frozenset(read) for name, read in arguments.items()},
        frozenset(fragile),
        frozenset(places - {""}),
    )


def _failing_calls(tree: Expr) -> UnknownCalls:
    """The calls in SQLite that may fail, of which each is told by its name and their number."""
    calls = [node for node in nodes_in(tree) if _may_fail(node)]
    numbers = Counter(call.key for call in calls)
    fragile = frozenset(f"{name} {number}" for name, number in numbers.items())
    return UnknownCalls({}, fragile, frozenset(map(_context, calls)) - {""})


def _may_fail(node: Expr) -> bool:
    """Whether an operation in SQLite fails for some values."""
    if isinstance(node, exp.Escape):
        sign = node.expression
        return not (isinstance(sign, exp.Literal) and sign.is_string and len(sign.this) == 1)
    name = str(node.this).lower() if isinstance(node, exp.Anonymous) else node.key
    is_json = isinstance(node, exp.Func) and name.startswith("json") and name not in _SAFE_JSON
    return is_json or name in _FAILING


def call_kind(call: exp.Anonymous, kinds: AbstractSet[str]) -> str:
    """The kind of value that an unknown function gives.

    Args:
        call: A call of it.
        kinds: The kinds of its arguments.

    Raises:
        Unsupported: it is another function.
    """
    name = UNKNOWN_FUNCTION.fullmatch(str(call.this))
    if name is None:
        raise Unsupported(f"the function {call.this}")
    if name["kind"] == "difference" and kinds == {"date"}:
        return "number"
    if name["kind"] in ("arithmetic", "difference"):
        return "number" if kinds <= {"number", "null"} else "other"
    if name["kind"] in ("varchar", GROUP_TEXT):
        return "text"
    if (name["kind"] == "text" and "other" in kinds) or (
        name["kind"] == "timestamp" and kinds & {"other", ZONED}
    ):
        # A part of an interval is one.
        return "other"
    if name["kind"] == DIGITS or (name["kind"] == "text" and "collated" in kinds):
        return "collated"
    return name["kind"]


def gives_digits(node: Expr) -> bool:
    """Whether a node is the call of a function that writes a date or timestamp in digits."""
    return _is_call(node, DIGITS)


def is_shown_text(node: Expr) -> bool:
    """Whether a node is the text that a group shows for all that a collation takes for the same."""
    return _is_call(node, GROUP_TEXT)


def _is_call(node: Expr, kind: str) -> bool:
    name = UNKNOWN_FUNCTION.fullmatch(str(node.this)) if isinstance(node, exp.Anonymous) else None
    return name is not None and name["kind"] == kind


class _Arguments:
    """What calls read."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.copies = Counter(map(fold, facts.bases.values()))

    def read(self, call: exp.Anonymous) -> tuple[str, ...]:
        """The types of a call's arguments, or the columns where equal values may differ."""
        if is_shown_text(call):
            return ()  # It gives one text for equal ones.
        return tuple(self._read(argument, False) for argument in call.expressions)

    def may_fail(self, call: exp.Anonymous) -> bool:
        """Whether a call fails for some values of its arguments."""
        name = UNKNOWN_FUNCTION.fullmatch(str(call.this))
        if may_take_no_patterns(call, self.facts):
            return True
        if name is None or name["risk"] == "total":
            return False
        if name["risk"] == "joined":
            # An array of arrays takes no value of another form beside it.
            return any(self._may_be_array(column) for column in columns_in(call))
        safe = _SAFE_KINDS.get(name["risk"])
        return safe is None or not all(self._is_among(each, safe) for each in call.expressions)

    def _may_be_array(self, column: exp.Column) -> bool:
        label, name = column_name(column)
        table = self.facts.table(label)
        own = table.column(name) if table is not None else None
        if own is not None:
            return "[" in own.type
        inner = self.facts.projection(column)
        return inner is None or any(map(self._may_be_array, columns_in(inner)))

    def _is_among(self, node: Expr, kinds: AbstractSet[str]) -> bool:
        """Whether a value is of one of these kinds."""
        match node:
            case exp.Count() | exp.Null():
                return True
            case exp.Literal():
                return not node.is_string and ("number" in kinds or node.this.isdigit())
            case exp.Sum() | exp.Avg() if "number" not in kinds:
                return isinstance(node, exp.Sum) and self._is_among(node.this, kinds)
            case exp.Max() | exp.Min():
                return self._is_among(node.this, kinds)
            case exp.Case():
                results = [branch.args["true"] for branch in node.args["ifs"]]
                results.append(node.args.get("default") or exp.null())
                return all(self._is_among(result, kinds) for result in results)
            case exp.Anonymous():
                name = UNKNOWN_FUNCTION.fullmatch(str(node.this))
                return name is not None and name["kind"] in kinds
            case exp.Column():
                inner = self.facts.projection(node)
                if inner is not None:
                    return self._is_among(inner, kinds)
                return self._values(node) in kinds
            case exp.Subquery() if isinstance(node.this, exp.Select):
                return self._is_among(node.this.expressions[0], kinds)
        operations = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Sum, exp.Avg, exp.Distinct)
        return isinstance(node, operations) and (
            "number" in kinds
            or all(self._is_among(each, kinds) for each in node.iter_expressions())
        )

    def _values(self, node: exp.Column) -> str:
        label, name = column_name(node)
        table = self.facts.table(label)
        column = table.column(name) if table is not None else None
        if table is None or column is None:
            return "other"
        values = column_values(table, column, self.facts.dialect)
        return exact_type(table, name, self.facts.record) or values if values == "other" else values

    def _read(self, node: Expr, summed: bool) -> str:
        match node:
            case exp.Column():
                return self._column(node, summed)
            case exp.Null():
                return "null"
            case exp.Count():
                return "bigint"
            case exp.Literal():
                is_short = not node.is_string and node.this.isdigit() and len(node.this) < 10
                return "integer" if is_short else repr(node.this)
            case exp.Sum() | exp.Avg() if not isinstance(node.this, exp.Distinct):
                inner = self._read(node.this, True)
                is_short = isinstance(node, exp.Sum) and inner in _SHORT
                return "bigint" if is_short else f"{node.key}({inner})"
            case exp.Max() | exp.Min() | exp.Distinct():
                inner_node = node.expressions[0] if isinstance(node, exp.Distinct) else node.this
                return self._read(inner_node, summed and isinstance(node, exp.Distinct) is False)
            case exp.Case():
                results = [branch.args["true"] for branch in node.args["ifs"]]
                results.append(node.args.get("default") or exp.null())
                read = {self._read(result, summed) for result in results} - {"null"}
                return " or ".join(sorted(read)) or "null"
            case exp.Nullif() if keeps_type(node.this, node.expression, self.facts):
                return self._read(node.this, summed)
            case exp.Subquery() if isinstance(node.this, exp.Select):
                return self._read(node.this.expressions[0], summed)
            case exp.Subquery():
                raise Unsupported("a function of a set operation's value")
        parts = [self._read(part, summed) for part in node.iter_expressions()]
        name = str(node.this) if isinstance(node, exp.Anonymous) else node.key
        return f"{name}({', '.join(parts)})"

    def _column(self, node: exp.Column, summed: bool) -> str:
        label, name = column_name(node)
        table = self.facts.table(label)
        # Rows are folded behind WHERE and ON.
        clause = node.find_ancestor(exp.Where, exp.Join, exp.Query)
        folds = not summed and clause is not None and _folds(clause)
        if table is None:
            inner = self.facts.projection(node)
            if inner is None:
                raise Unsupported("a function of a column that several queries give")
            read = self._read(inner, summed)
            if folds and "." in read:
                raise Unsupported("a function of a value that may be equal to another one")
            return read
        column = table.column(name)
        declared = " ".join(column.type.lower().split()) if column is not None else ""
        values = self._values(node)
        is_exact = values in _EXACT or values == exact_type(table, name, self.facts.record)
        if is_exact or _SCALED.fullmatch(declared) or _NESTED.fullmatch(declared):
            return declared
        if folds or self.copies[fold(table.name)] > 1:
            raise Unsupported("a function of a value that may be equal to another one")
        return f"{fold(table.name)}.{name}"


def _folds(select: Expr) -> bool:
    """Whether a SELECT shows one of several equal values."""
    return isinstance(select, exp.Select) and (
        is_grouped(select) or bool(select.args.get("distinct"))
    )


def _context(call: Expr) -> str:
    """The sources and conditions around a call; "" where it is evaluated on the rows shown."""
    clause = call.find_ancestor(exp.Filter, exp.Select)
    # DuckDB computes what an aggregate reads for the rows, too, that FILTER leaves out.
    texts = ["a FILTER"] if isinstance(clause, exp.Filter) else []
    node: Expr = call
    while (select := node.find_ancestor(exp.Select)) is not None:
        part = node
        while part.parent is not select and part.parent is not None:
            part = part.parent
        is_plain = node is call and part.arg_key in ("expressions", "group", "order")
        if is_plain:
            texts += _cuts(select)
        elif not _passes(select):
            texts.append(_around(select, part))
        node = select
    return " in ".join(texts)


def _cuts(select: exp.Select) -> list[str]:
    """Where rows are cut off of which the SELECT list may be computed before."""
    cuts = ["a LIMIT"] if is_limited(select) else []
    inner = (item.this for item in items(select) if isinstance(item, exp.Subquery))
    cuts += ["limited rows" for query in inner if any(map(is_limited, nodes_in(query)))]
    # Engines compute a HAVING of grouped columns before they aggregate.
    late = (
        is_aggregate(node) or isinstance(node, exp.Query)
        for each in conditions(select, "having")
        for node in nodes_in(each)
    )
    return [*cuts, "a HAVING"] if any(late) else cuts


def _passes(select: exp.Select) -> bool:
    """Whether a SELECT shows all rows of one source."""
    used = {name for name, value in select.args.items() if value}
    if "where" in used and not select.args["where"].find(exp.Column, exp.Query):
        used.discard("where")
    return used <= _PASSED


def _around(select: exp.Select, part: Expr) -> str:
    names = ("from_", "joins", "where", "group", "having", "limit", "offset")
    values = [select.args.get(name) for name in names]
    flat = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return f"{part.arg_key} of {' '.join(each.sql() for each in flat if each)}"
