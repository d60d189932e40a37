"""A FULL JOIN of which WHERE drops one kind of padded rows is a LEFT or RIGHT JOIN.

Statement
    FROM a FULL JOIN b ON p WHERE a.x > 1         ==   FROM a LEFT JOIN b ON p WHERE a.x > 1
    FROM a FULL JOIN b ON p WHERE b.x > 1         ==   FROM a RIGHT JOIN b ON p WHERE b.x > 1
    FROM a FULL JOIN b ON p WHERE b.k IS NULL     ==   FROM a LEFT JOIN b ON p WHERE b.k IS NULL

Holds when
    It is the only join. A conjunct of WHERE is never true where a column of one side is NULL; or it
    says that a column is NULL that is declared NOT NULL.

Why
    A FULL JOIN adds the rows of b without a partner, with NULL in every column of a, and the rows
    of a without a partner. A condition that no row of NULLs for a meets drops the first, and so
    does one that no row of b meets.

Limits
    With further joins the rows are padded anew: left alone.

Source
    House rule; a well-known simplification of outer joins.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    columns_in,
    conditions,
    has_subquery,
    items,
    joins,
    source_label,
)
from sqlverdict.prove.reasoning.strict import null_test, rejects_null
from sqlverdict.prove.rule import WITH_FULL_JOIN, Pair, rule


@rule(
    trust="proved",
    dialects=WITH_FULL_JOIN,
    needs=(exp.Join,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v, w FROM t FULL JOIN u ON t.k = u.k WHERE v > 1",
            "SELECT v, w FROM t LEFT JOIN u ON t.k = u.k WHERE v > 1",
        ),
        Pair(
            "SELECT v, w FROM t FULL JOIN u ON t.k = u.k WHERE w = 1 OR w = 2",
            "SELECT v, w FROM u LEFT JOIN t ON t.k = u.k WHERE w = 1 OR w = 2",
        ),
        Pair(
            "SELECT v FROM t FULL JOIN u ON t.k = u.k WHERE w IS NULL",
            "SELECT v FROM t LEFT JOIN u ON t.k = u.k WHERE w IS NULL",
            (NotNull("u", "w"),),
        ),
    ],
    different=[
        Pair(
            "SELECT v, w FROM t FULL JOIN u ON t.k = u.k WHERE v IS NULL",
            "SELECT v, w FROM t LEFT JOIN u ON t.k = u.k WHERE v IS NULL",
            because="rows of u without a partner pass",
        ),
    ],
)
def full_join_with_filter_is_one_sided(node: exp.Select, facts: Facts) -> Expr | None:
    """Make the join a one-sided one."""
    if len(joins(node)) != 1 or (joins(node)[0].side or "").upper() != "FULL":
        return None
    join = joins(node)[0]
    left, right = (item.alias for item in items(node))
    for condition in conditions(node):
        if has_subquery(condition):
            continue
        for label, side, other in ((left, "LEFT", "RIGHT"), (right, "RIGHT", "LEFT")):
            own = [c for c in columns_in(condition) if source_label(c) == label]
            if any(rejects_null(condition, column) for column in own):
                join.set("side", side)
                return node
            if _never_holds(condition, label, facts):
                join.set("side", other)
                return node
    return None


def _never_holds(condition: Expr, label: str, facts: Facts) -> bool:
    """Whether a condition is ``x IS NULL`` for a column of a source that never is, unpadded."""
    column = null_test(condition)
    if not isinstance(column, exp.Column) or source_label(column) != label:
        return False
    fact = facts.not_null(label, column.name)
    if fact is not None:
        facts.cite(fact)
    return fact is not None
