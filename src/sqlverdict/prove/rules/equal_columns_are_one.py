"""Columns that WHERE makes equal may stand for each other.

Statement
    SELECT b.y FROM a, b WHERE a.x = b.y   ==   SELECT a.x FROM a, b WHERE a.x = b.y

Holds when
    The equality is a conjunct of WHERE or of an inner join, and both columns have the same
    declared type: INTEGER, REAL or TEXT.

Why
    In every row that passes, the two hold the same value, and of the same type: so does every
    expression of them.

Limits
    Columns of different types may be equal and print differently ('1' and 1.0); NUMERIC columns
    hold what they are given. Both are left alone.

Source
    ETM (Ascoli et al.), rule 19, with the types added.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import chosen_columns, classes_of, equality
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, substitute
from sqlverdict.prove.reasoning.shape import (
    column_name,
    columns_in,
    conditions,
    items,
    set_conditions,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.EQ,),
    paper=("19",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w REAL)",
    equal=[
        Pair("SELECT t.k FROM t JOIN u ON t.k = u.k", "SELECT u.k FROM t JOIN u ON t.k = u.k"),
        Pair(
            "SELECT t.v FROM t, u, t AS s WHERE t.k = u.k AND u.k = s.k AND s.k > 1",
            "SELECT t.v FROM t, u, t AS s WHERE t.k = u.k AND t.k = s.k AND u.k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT t.k / 2 FROM t JOIN u ON t.k = u.w",
            "SELECT u.w / 2 FROM t JOIN u ON t.k = u.w",
            because="3 / 2 is 1 and 3.0 / 2 is 1.5",
        ),
    ],
)
def equal_columns_are_one(node: exp.Select, facts: Facts) -> Expr | None:
    """Use one column of each class, and state each equality with it."""
    if not is_flat(node):
        return None
    # The joins are flat, so every equality is a condition of WHERE.
    equalities = [(condition, equality(condition, facts)) for condition in conditions(node)]
    classes = classes_of(pair for _, pair in equalities)
    if not classes:
        return None
    representatives = {
        name: first for name, first in chosen_columns(node, facts, classes).items() if name != first
    }
    new_pairs = [(first, other) for other, first in sorted(representatives.items())]
    old_pairs = [sorted(pair) for _, pair in equalities if pair is not None]
    others = [condition for condition, pair in equalities if pair is None]
    stating = {
        id(side)
        for condition, pair in equalities
        if pair is not None
        for side in (condition.this, condition.expression)
    }
    # A derived table may name a column from outside, but none of the sources beside it.
    derived = [item for item in items(node) if isinstance(item, exp.Subquery)]
    inside = {id(column) for item in derived for column in columns_in(item)}
    stale = any(
        column_name(column) in representatives
        and id(column) not in stating
        and id(column) not in inside
        for column in columns_in(node)
    )
    if not stale and sorted(old_pairs) == sorted(sorted(pair) for pair in new_pairs):
        return None
    set_conditions(node, others)
    substitute(node, {name: resolved(*first) for name, first in representatives.items()}, inside)
    new_equalities = [
        exp.EQ(this=resolved(*first), expression=resolved(*other)) for first, other in new_pairs
    ]
    set_conditions(node, [*new_equalities, *conditions(node)])
    return node
