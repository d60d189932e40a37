"""The sides of INTERSECT and EXCEPT as a test for an equal row, those of UNION as one query."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, substitute
from sqlverdict.prove.reasoning.shape import (
    all_inner,
    column_name,
    conditions,
    has_window,
    is_grouped,
    is_limited,
    items,
    set_conditions,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.tree_key import tree_key


def existence(node: exp.SetOperation, facts: Facts) -> Expr | None:
    """A test for a row of the right side that equals the left side's row.

    The right side is changed only where the answer is not ``None``. NULLs must not meet: of each
    pair of columns one is never NULL, or the two are the same column of one row by a key.
    """
    left, right = node.this, node.expression
    if node.args.get("order") is not None or not node.args.get("distinct"):
        return None
    if not _is_plain(left) or not _is_plain(right) or not all_inner(left):
        return None
    met = list(zip(left.expressions, right.expressions, strict=True))
    pairs = [
        (ours, theirs)
        for ours, theirs in met
        if facts.comparable(ours, theirs) and (facts.never_null(ours) or facts.never_null(theirs))
    ]
    rest = [pair for pair in met if pair not in pairs]
    if not pairs or not all(_is_of_one_row(ours, theirs, pairs, facts) for ours, theirs in rest):
        return None
    equal = [exp.EQ(this=theirs, expression=counted_copy(ours)) for ours, theirs in pairs]
    set_conditions(right, [*conditions(right), *equal])
    right.set("expressions", [exp.Literal.number(1)])
    right.set("distinct", None)
    return exp.Exists(this=right)


def _is_of_one_row(
    ours: Expr, theirs: Expr, pairs: Sequence[tuple[Expr, Expr]], facts: Facts
) -> bool:
    """Whether two columns are one column of one row, for a key of their table is compared."""
    if not isinstance(ours, exp.Column) or not isinstance(theirs, exp.Column):
        return False
    (a, name), (b, other) = column_name(ours), column_name(theirs)
    if name != other or facts.bases.get(a) is None or facts.bases.get(a) != facts.bases.get(b):
        return False
    compared = {
        one.name
        for one, two in pairs
        if isinstance(one, exp.Column)
        and isinstance(two, exp.Column)
        and (column_name(one), column_name(two)) == ((a, one.name), (b, one.name))
    }
    for columns, fact in facts.uniques(a):
        if columns <= compared:
            facts.cite(fact)
            return True
    return False


def other_conditions(left: Expr, right: Expr, facts: Facts) -> list[Expr] | None:
    """The conditions of the right selection, over the sources of the left one.

    ``None`` where the two do not select the same from the same tables, each once, joined by inner
    joins and without grouping or LIMIT.
    """
    if not _is_plain(left) or not _is_plain(right):
        return None
    mine, theirs = items(left), items(right)
    tables = [facts.bases.get(item.alias) for item in (*mine, *theirs)]
    if None in tables or len(set(tables)) != len(mine) or len(mine) != len(theirs):
        return None
    if _bare(left) != _bare(right):
        return None
    by_table = {facts.bases[item.alias]: item.alias for item in mine}
    renamed = {item.alias: by_table[facts.bases[item.alias]] for item in theirs}
    other = counted_copy(right)
    columns = {
        (column.text("table"), column.name): resolved(renamed[column.text("table")], column.name)
        for column in other.find_all(exp.Column)
        if column.text("table") in renamed
    }
    substitute(other, columns)
    return conditions(other)


def _bare(select: Expr) -> str:
    """A SELECT without its conditions, as text."""
    copy = counted_copy(select)
    copy.set("where", None)
    copy.set("distinct", None)
    return tree_key(copy)


def _is_plain(query: Expr) -> bool:
    if not isinstance(query, exp.Select) or is_limited(query) or not items(query):
        return False
    return not is_grouped(query) and not has_window(query) and all_inner(query) and is_flat(query)
