"""Columns that a join sets equal may stand for one another.

Statement
    SELECT t1.c1 FROM t1 JOIN t2 ON t1.c1 = t2.c2   ==   SELECT t2.c2 FROM (the same)

Holds when
    The join is no outer one, and the equality is a conjunct of its ON.

Why
    In every row that the join makes the two have the same value.

Limits
    Equal is not the same: with a TEXT column '1.0' joined to a NUMERIC column 1, both sides of
    the join are equal and are shown as '1.0' and 1. Nor are the types of an INTEGER and a REAL.

Source
    ETM (Ascoli et al.), table 3, rule 19.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.constraints import is_not_null
from sqlverdict.prove.etm_paper.shapes import key, name_of, own_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import joins, parts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("19",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER, s TEXT)",
    equal=[
        Pair("SELECT t.k FROM t JOIN u ON t.k = u.k", "SELECT u.k FROM t JOIN u ON t.k = u.k"),
        Pair(
            "SELECT v FROM t JOIN u ON t.k = u.k WHERE u.k > 1",
            "SELECT v FROM t JOIN u ON t.k = u.k WHERE t.k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT t.k FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT u.k FROM t LEFT JOIN u ON t.k = u.k",
            because="u.k is NULL where t has no partner",
        ),
        Pair(
            "SELECT t.k FROM t JOIN u ON t.k < u.k",
            "SELECT u.k FROM t JOIN u ON t.k < u.k",
            because="the join does not set them equal",
        ),
    ],
    corners=[
        Pair(
            "SELECT t.k FROM t JOIN u ON t.k = u.s",
            "SELECT u.s FROM t JOIN u ON t.k = u.s",
            because="the number 1 and the text '1' are equal in the join, and are two values",
        ),
    ],
)
def paper_joined_columns_are_equal(node: exp.Select, facts: Facts) -> Expr | None:
    """Write the column that comes first in the alphabet; under COUNT the one never NULL."""
    equalities = [
        part
        for join in joins(node)
        if not join.args.get("side")
        for part in parts(join.args.get("on"))
        if isinstance(part, exp.EQ) and name_of(part.this) and name_of(part.expression)
    ]
    equality_keys = {key(part) for part in equalities}
    columns = [
        column
        for column in (own_columns(node) if equalities else ())
        if not isinstance(column.parent, exp.EQ) or key(column.parent) not in equality_keys
    ]
    changed = False
    for part in sorted(equalities, key=key, reverse=True):
        first, second = sorted((part.this, part.expression), key=key)
        for number, column in enumerate(columns):
            new = _better(column, first, second, facts)
            if new is not None:
                columns[number] = new.copy()
                column.replace(columns[number])
                changed = True
    return node if changed else None


def _better(
    column: exp.Column, first: exp.Column, second: exp.Column, facts: Facts
) -> exp.Column | None:
    """Which of two equal columns is written for one of them, where it is the other."""
    here = key(column)
    if here not in (key(first), key(second)) or key(first) == key(second):
        return None
    better = first
    if isinstance(column.parent, exp.Count | exp.Is):
        # Only whether it is NULL counts here, which the one that never is tells best.
        better = second if is_not_null(second, facts) and not is_not_null(first, facts) else first
    return better if key(better) != here else None
