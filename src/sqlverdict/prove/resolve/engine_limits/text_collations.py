"""Texts of several collations in one query, and texts whose collation may take no patterns.

PostgreSQL compares a column under the collation that the column beside it names: ``a.s < b.t`` says
nothing about the order of a.s and another text of its own collation. So where texts of two
collations meet, one may not stand for the other: in a comparison, a list, the branches of a CASE,
the sides of a set operation. Of two collations that both name, and of two in MySQL of which none
compares codes, the query fails.

A collation of the user's own may take different texts for equal. PostgreSQL has no LIKE for those,
no POSITION and no regular expressions, some for a row only and some for a query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.execute.common_text import UNKNOWN_FUNCTION
from sqlverdict.parse.schemas.column_types import column_values, declared_collation
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    COMPARISONS,
    column_name,
    columns_in,
    leaves,
    nodes_in,
)
from sqlverdict.prove.resolve.scope import Unsupported

_SYSTEM = re.compile(r"(?:[a-z]{2,3}|und)[-_].+")
"""What PostgreSQL calls its own collations: en_US, de-AT-x-icu."""
_JOINT = (
    *(*COMPARISONS, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In),
    *(exp.Coalesce, exp.Nullif),
)
_TEXT_PARTS = (
    *(exp.Lower, exp.Upper, exp.Substring, exp.DPipe, exp.Paren, exp.Max, exp.Min, exp.Window),
    *(exp.Coalesce, exp.Tuple, exp.Distinct),
)
"""Their values have the collations of all that they are made of."""
_TEXTS = frozenset({"text", "varchar", "collated", "other"})
"""Kinds of unknown functions that may give a text."""


def require_one_collation(tree: Expr, facts: Facts) -> None:
    """Refuse a resolved tree in which texts of several collations meet, or may take no pattern.

    Raises:
        Unsupported: there are some.
    """
    used = {name for column in columns_in(tree) for name in _of_column(column, facts)}
    for node in nodes_in(tree) if used - {""} else ():
        for operands in _meeting(node):
            if _clash({name for each in operands for name in _collations(each, facts)}, facts):
                raise Unsupported("texts of several collations beside each other")
        if isinstance(node, exp.Like) and may_take_no_patterns(node, facts):
            raise Unsupported("LIKE beside a text whose collation may have none")


def may_take_no_patterns(node: Expr, facts: Facts) -> bool:
    """Whether an expression reads a text under a collation of the user's own, in PostgreSQL."""
    return facts.record.strict_types and any(
        _is_collated(column, facts) and not _SYSTEM.fullmatch(name)
        for column in columns_in(node)
        for name in _of_column(column, facts)
    )


def _meeting(node: Expr) -> Iterator[list[Expr]]:
    """The values that an operation compares, or one of which it gives."""
    if isinstance(node, exp.In) and (query := node.args.get("query")) is not None:
        yield [node.this, query]
    elif isinstance(node, _JOINT):
        yield list(node.iter_expressions())
    elif isinstance(node, exp.Case):
        yield [part for part in (node.this, *(each.this for each in node.args["ifs"])) if part]
        yield _results(node)
    elif isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
        yield _results(node)
    elif isinstance(node, exp.SetOperation):
        yield from map(list, zip(*(side.expressions for side in leaves(node)), strict=True))


def _results(node: Expr) -> list[Expr]:
    branches = node.args["ifs"] if isinstance(node, exp.Case) else [node]
    results = [branch.args["true"] for branch in branches]
    default = node.args.get("default" if isinstance(node, exp.Case) else "false")
    return results if default is None else [*results, default]


def _collations(node: Expr, facts: Facts) -> set[str]:
    """The collations that a text may have; none where it is no text."""
    parts: Iterable[Expr] = ()
    if isinstance(node, exp.Column):
        return _of_column(node, facts)
    if isinstance(node, exp.Subquery | exp.Select | exp.SetOperation):
        query = node.unnest()
        parts = [output for side in leaves(query) for output in side.expressions]
    elif isinstance(node, exp.Case | exp.If):
        parts = _results(node)
    elif isinstance(node, exp.Nullif | exp.Filter):
        parts = [node.this]
    elif isinstance(node, exp.Anonymous):
        name = UNKNOWN_FUNCTION.fullmatch(str(node.this))
        parts = node.expressions if name is None or name["kind"] in _TEXTS else ()
    elif isinstance(node, _TEXT_PARTS):
        parts = node.iter_expressions()
    return {name for part in parts for name in _collations(part, facts)}


def _of_column(column: exp.Column, facts: Facts) -> set[str]:
    """The collations of a column: that of a table's text, or those of a derived table's outputs."""
    label, name = column_name(column)
    table = facts.table(label)
    own = table.column(name) if table is not None else None
    if table is not None and own is not None:
        is_text = column_values(table, own, facts.dialect) in ("text", "collated")
        return {declared_collation(table, own)} if is_text else set()
    source = facts.home(column) if table is None else None
    number = int(name[1:]) if name[1:].isdigit() else -1
    if source is None or not isinstance(source[1], exp.Subquery):
        return set()
    sides = [side for side in leaves(source[1].this) if 0 <= number < len(side.expressions)]
    return {each for side in sides for each in _collations(side.expressions[number], facts)}


def _clash(names: set[str], facts: Facts) -> bool:
    """Whether texts of these collations may not stand beside each other, or for each other."""
    exact = {name for name in names if facts.record.exact_collations.fullmatch(name)}
    if facts.record.exact_texts or len(exact) > 1:
        return len(names) > 1
    # MySQL takes the one that compares codes; two others of one character set make an error.
    others = {name for name in names if name and not name.endswith("_bin")}
    return len(others) > len({name.partition("_")[0] for name in others})


def _is_collated(column: exp.Column, facts: Facts) -> bool:
    return bool(names := _of_column(column, facts)) and not all(
        map(facts.record.exact_collations.fullmatch, names)
    )
