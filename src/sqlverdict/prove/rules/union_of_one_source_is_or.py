"""The UNION of two selections from the same source is their OR.

Statement
    SELECT x FROM a WHERE p UNION SELECT x FROM a WHERE q
    ==   SELECT DISTINCT x FROM a WHERE p OR q

Holds when
    Both sides select the same expressions from the same sources, without grouping, LIMIT or
    outer joins, and their conditions hold the same conjuncts but for one part on each side.

Why
    UNION folds copies, so it does not matter that a row of a may pass both conditions.

Limits
    UNION ALL keeps copies; it is left alone.

Source
    ETM (Ascoli et al.), rules 3 and 21, with copies in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, substitute
from sqlverdict.prove.reasoning.shape import (
    all_inner,
    all_of,
    conditions,
    has_window,
    is_grouped,
    is_limited,
    items,
    set_conditions,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import tree_key


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("3", "21"),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v = 1 UNION SELECT k FROM t WHERE v = 2",
            "SELECT DISTINCT k FROM t WHERE v = 1 OR v = 2",
        ),
        Pair("SELECT k FROM t UNION SELECT k FROM t", "SELECT DISTINCT k FROM t"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v = 1 UNION ALL SELECT k FROM t WHERE v = 2",
            "SELECT DISTINCT k FROM t WHERE v = 1 OR v = 2",
            because="UNION ALL keeps copies",
        ),
    ],
)
def union_of_one_source_is_or(node: exp.Union, facts: Facts) -> Expr | None:
    """Write one selection."""
    left, right = node.this, node.expression
    if not node.args.get("distinct") or node.args.get("order") is not None or is_limited(node):
        return None
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
    ours, rest = conditions(left), conditions(other)
    either = [all_of(side) for side in (ours, rest) if side]
    set_conditions(left, [exp.Or(this=either[0], expression=either[1])] if len(either) == 2 else [])
    left.set("distinct", exp.Distinct())
    return left  # type: ignore[no-any-return]


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
