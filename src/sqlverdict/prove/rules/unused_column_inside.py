"""A derived table's column that nobody uses can be left out.

Statement
    SELECT AVG(d.n) FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS d
    ==   SELECT AVG(d.n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY k) AS d

Holds when
    The derived table is one SELECT without DISTINCT, and stays an aggregate query where it is
    one.

Why
    Without DISTINCT its rows do not depend on what is selected.

Limits
    Columns of set operations are left alone.

Source
    House rule, for common table expressions that select more than is used.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import substitute
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    columns_in,
    is_grouped,
    items,
    source_label,
    whole_number,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT AVG(n) FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS d",
            "SELECT AVG(n) FROM (SELECT COUNT(*) AS n, MAX(v) FROM t GROUP BY k) AS d",
        ),
        Pair(
            "SELECT COUNT(*) FROM (SELECT v FROM t GROUP BY v, k LIMIT 3) AS d",
            "SELECT COUNT(*) FROM (SELECT k FROM t GROUP BY v, k LIMIT 3) AS d",
        ),
    ],
    different=[
        Pair(
            "SELECT COUNT(*) FROM (SELECT DISTINCT k, v FROM t) AS d",
            "SELECT COUNT(*) FROM (SELECT DISTINCT k FROM t) AS d",
            because="DISTINCT looks at every column",
        ),
    ],
)
def unused_column_inside(node: exp.Select, facts: Facts) -> Expr | None:
    """Leave it out."""
    del facts
    for item in items(node):
        inner = item.this if isinstance(item, exp.Subquery) else None
        if not isinstance(inner, exp.Select) or inner.args.get("distinct"):
            continue
        label, width = item.alias, len(inner.expressions)
        used = {column.name for column in columns_in(node) if source_label(column) == label}
        numbers = [number for number in range(width) if f"c{number}" in used]
        if len(numbers) == width or not _select(inner, numbers):
            continue
        renumbering = {
            (label, f"c{old}"): resolved(label, f"c{new}") for new, old in enumerate(numbers)
        }
        substitute(node, renumbering)
        return node
    return None


def _select(inner: exp.Select, numbers: list[int]) -> bool:
    """Let a query select these columns alone; false where that is not possible, or is so."""
    before = inner.expressions
    outputs: list[Expr] = [before[number] for number in numbers]
    if not outputs:
        if len(before) == 1 and whole_number(before[0]) == 1:
            return False
        outputs = [exp.Literal.number(1)]
    # Without GROUP BY it is an aggregate query by the aggregates that it selects.
    alone = inner.args.get("group") is None and is_grouped(inner)
    if alone and next(aggregates_in(outputs), None) is None:
        return False
    inner.set("expressions", outputs)
    return True
