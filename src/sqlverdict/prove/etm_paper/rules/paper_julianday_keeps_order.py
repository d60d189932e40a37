"""Ordering by the day number of a date is ordering by the date.

Statement
    SELECT _ FROM _ ORDER BY JULIANDAY(c)   ==   SELECT _ FROM _ ORDER BY c

Holds when
    It is the only term of ORDER BY.

Why
    Dates as ISO text sort as their day numbers do.

Limits
    Other text does not: JULIANDAY('1/2/2020') is NULL, and sorts first however the text sorts.
    '2020-01-01' and '2020-01-01 00:00' have one day number and are two texts.

Source
    ETM (Ascoli et al.), table 3, rule 17.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("17",),
    schema="CREATE TABLE t (k INTEGER, v TEXT)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v = '2020-01-01' ORDER BY JULIANDAY(v)",
            "SELECT k FROM t WHERE v = '2020-01-01' ORDER BY v",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t ORDER BY JULIANDAY(v) DESC",
            "SELECT k FROM t ORDER BY v",
            because="one of them goes downwards",
        ),
    ],
    corners=[
        Pair(
            "SELECT v FROM t ORDER BY JULIANDAY(v)",
            "SELECT v FROM t ORDER BY v",
            because="text that is no date has no day number, and NULL comes first",
        ),
    ],
)
def paper_julianday_keeps_order(node: exp.Order, facts: Facts) -> Expr | None:
    """Order by the date itself."""
    del facts
    if len(node.expressions) != 1 or not isinstance(node.parent, exp.Select):
        return None
    term = node.expressions[0]
    call = term.this
    if not isinstance(call, exp.Anonymous) or str(call.this).lower() != "julianday":
        return None
    if not call.expressions:
        return None
    term.set("this", call.expressions[0])
    return node
