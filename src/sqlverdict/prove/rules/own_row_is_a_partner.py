"""A row is a partner of itself.

Statement
    SELECT a.x FROM t AS a WHERE EXISTS (SELECT 1 FROM t AS b WHERE b.y = a.y)
    ==   SELECT a.x FROM t AS a WHERE a.y IS NOT NULL
    SELECT a.x FROM t AS a WHERE NOT EXISTS (SELECT 1 FROM t AS b WHERE b.y = a.y)
    ==   SELECT a.x FROM t AS a WHERE a.y IS NULL
    SELECT DISTINCT a.x FROM t AS a, t AS b WHERE b.y = a.y
    ==   SELECT DISTINCT a.x FROM t AS a WHERE a.y IS NOT NULL

Holds when
    Each condition on the partner compares one column of both rows for equality, or is one that the
    row itself must meet, too. In the second form it makes no difference how often a row occurs, and
    nothing else mentions b.

Why
    A row that passes has a partner: itself. Where y is NULL there is none.

Limits
    A condition that the row itself need not meet is a question about other rows: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import multiplicity_is_idle
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import drop_item, is_flat, split_items, uses
from sqlverdict.prove.reasoning.same_rows import plain_source, sees_row
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    any_of,
    conditions,
    has_subquery,
    is_grouped,
    labels_in,
    set_conditions,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Exists, exp.Join),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t b WHERE b.v = t.v)",
            "SELECT k FROM t WHERE v IS NOT NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE k > 1 AND NOT EXISTS"
            " (SELECT 1 FROM t b WHERE b.v = t.v AND b.k > 1)",
            "SELECT k FROM t WHERE k > 1 AND v IS NULL",
        ),
        Pair(
            "SELECT DISTINCT a.k FROM t a JOIN t b ON a.v = b.v WHERE a.k > 1 AND b.k > 1",
            "SELECT DISTINCT k FROM t WHERE v IS NOT NULL AND k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t b WHERE b.v = t.v AND b.k > 1)",
            "SELECT k FROM t WHERE v IS NOT NULL",
            because="the row itself may not meet the condition on k",
        ),
    ],
)
def own_row_is_a_partner(node: exp.Select, facts: Facts) -> Expr | None:
    """Ask for a value instead."""
    own = conditions(node)
    if not own or not is_flat(node):
        return None
    inner, _ = split_items(node)
    for index, condition in enumerate(own):
        test = condition.this if isinstance(condition, exp.Not) else condition
        query = test.this if isinstance(test, exp.Exists) else None
        label = plain_source(query, facts)
        if query is None or label is None or is_grouped(query):
            continue
        if any(map(has_subquery, conditions(query))):
            continue
        for item in inner:
            needed = _needed(conditions(query), label, item.alias, node, facts)
            if needed is not None:
                rest = [*own[:index], *own[index + 1 :]]
                has_values = _has_values(needed)
                if test is not condition:
                    nulls = [each.this for each in has_values]
                    has_values = [any_of(nulls) if nulls else exp.Boolean(this=False)]
                set_conditions(node, [*rest, *has_values])
                return node
    bases = [facts.bases.get(item.alias) for item in inner]
    if len(set(bases)) == len(bases) or not multiplicity_is_idle(node):
        return None
    for item in inner:
        tests = [part for part in own if item.alias in labels_in(part)]
        if any(map(has_subquery, tests)) or uses(node, item.alias, tests) or not tests:
            continue
        for other in inner:
            needed = _needed(tests, item.alias, other.alias, node, facts)
            if other is not item and needed is not None:
                rest = [part for part in own if not any(part is test for test in tests)]
                drop_item(node, item.alias)
                set_conditions(node, [*rest, *_has_values(needed)])
                return node
    return None


def _needed(
    tests: list[Expr], inner: str, outer: str, node: exp.Select, facts: Facts
) -> set[ColumnName] | None:
    """The columns that must have a value for a row to be its own partner."""
    if facts.bases.get(inner) is None or facts.bases.get(inner) != facts.bases.get(outer):
        return None
    return sees_row(tests, inner, outer, node)


def _has_values(columns: Iterable[ColumnName]) -> list[Expr]:
    return [
        exp.Not(this=exp.Is(this=resolved(*name), expression=exp.Null()))
        for name in sorted(columns)
    ]
