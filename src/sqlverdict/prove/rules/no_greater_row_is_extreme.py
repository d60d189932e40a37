"""A row that no row exceeds has the greatest value.

Statement
    SELECT a.y FROM t AS a
    WHERE a.x IS NOT NULL AND NOT EXISTS (SELECT 1 FROM t AS b WHERE b.x > a.x)
    ==   SELECT a.y FROM t AS a WHERE a.x IS NOT NULL AND a.x = (SELECT MAX(b.x) FROM t AS b)

Holds when
    x has one order, in which equal values are the same (integers, reals, texts, days, moments,
    decimals of one scale), and is never NULL, or WHERE lets no NULL pass; the same for columns that
    the two rows are compared in for equality. Any other condition of the inner query is one that
    the outer query has, too. With < it is MIN.

Why
    The outer row is one of the rows that are compared, so that it has the greatest value if no
    other exceeds it.

Limits
    Where x may be NULL no row exceeds it, and it is not equal to the greatest value, either: left
    alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.same_rows import plain_source, sees_row
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    column_name,
    conditions,
    has_subquery,
    is_grouped,
    is_padded,
    items,
    labels,
    set_conditions,
    source_label,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.reasoning.strict import rejects_null
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Exists,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.v > t.v)",
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
            (NotNull("t", "v"),),
        ),
        Pair(
            "SELECT v FROM t WHERE v > 0 AND k > 1"
            " AND NOT EXISTS (SELECT 1 FROM t b WHERE t.v > b.v AND b.k = t.k)",
            "SELECT v FROM t WHERE v > 0 AND k > 1"
            " AND v = (SELECT MIN(v) FROM t b WHERE b.k = t.k)",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.v > t.v)",
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
            because="no row exceeds a NULL",
        ),
    ],
)
def no_greater_row_is_extreme(node: exp.Select, facts: Facts) -> Expr | None:
    """Compare with the extreme."""
    own = conditions(node)
    for index, condition in enumerate(own):
        test = condition.this if isinstance(condition, exp.Not) else None
        query = test.this if isinstance(test, exp.Exists) else None
        label = plain_source(query, facts)
        if (
            query is None
            or label is None
            or is_grouped(query)
            or any(map(has_subquery, conditions(query)))
        ):
            continue
        tests = conditions(query)
        rest = [*own[:index], *own[index + 1 :]]
        for number, part in enumerate(tests):
            match = _exceeds(part, label, node, facts)
            if match is None:
                continue
            theirs, ours, above = match
            others = [*tests[:number], *tests[number + 1 :]]
            needed = sees_row(others, label, source_label(ours), node)
            if needed is None or not all(
                _has_value(name, node, rest, facts) for name in {*needed, column_name(ours)}
            ):
                facts.cited.clear()
                continue
            set_conditions(query, others)
            call = exp.Max(this=theirs) if above else exp.Min(this=theirs)
            query.set("expressions", [call])
            extreme = exp.EQ(this=ours, expression=exp.Subquery(this=query))
            set_conditions(node, [*rest, extreme])
            return node
    return None


def _exceeds(
    test: Expr, label: str, node: exp.Select, facts: Facts
) -> tuple[Expr, exp.Column, bool] | None:
    """The two columns of ``b.x > a.x``, the inner one first, and whether it asks for a greater."""
    if not isinstance(test, exp.GT | exp.LT):
        return None
    theirs, ours, above = test.this, test.expression, isinstance(test, exp.GT)
    if not isinstance(theirs, exp.Column) or not isinstance(ours, exp.Column):
        return None
    if source_label(ours) == label:
        theirs, ours, above = ours, theirs, not above
    outer = source_label(ours)
    if source_label(theirs) != label or outer not in labels(node) or theirs.name != ours.name:
        return None
    if facts.bases.get(outer) != facts.bases[label] or not has_one_order(ours, facts):
        return None
    return theirs, ours, above


def _has_value(name: ColumnName, node: exp.Select, filters: list[Expr], facts: Facts) -> bool:
    """Whether a column is not NULL in the rows that pass other conditions."""
    column = resolved(*name)
    if any(rejects_null(condition, column) for condition in filters):
        return True
    item = next(item for item in items(node) if item.alias == name[0])
    fact = facts.not_null(*name)
    if fact is None or is_padded(item):
        return False
    facts.cite(fact)
    return True
