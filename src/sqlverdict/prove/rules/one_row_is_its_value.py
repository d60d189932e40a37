"""To equal the value of at most one row is to be IN it.

Statement
    WHERE x = (SELECT y FROM b WHERE b.k = 3)   ==   WHERE x IN (SELECT y FROM b WHERE b.k = 3)

Holds when
    The inner query gives at most one row: its conditions fix a UNIQUE column set of each
    of its sources. The condition stands where only truth counts.

Why
    Without a row the value is NULL and the comparison is not true; IN is not true either.

Limits
    With several rows SQLite takes the first: left alone.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import at_most_one_row
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.shape import has_subquery, is_grouped, is_limited
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE k = (SELECT w FROM u WHERE u.k = 3)",
            "SELECT v FROM t WHERE k IN (SELECT w FROM u WHERE u.k = 3)",
            (Unique("u", ("k",)),),
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE k = (SELECT w FROM u WHERE u.k > 3)",
            "SELECT v FROM t WHERE k IN (SELECT w FROM u WHERE u.k > 3)",
            (Unique("u", ("k",)),),
            because="there may be several rows",
        ),
    ],
)
def one_row_is_its_value(node: exp.EQ, facts: Facts) -> Expr | None:
    """Write IN."""
    for value, query in ((node.this, node.expression), (node.expression, node.this)):
        if not isinstance(query, exp.Subquery) or not isinstance(query.this, exp.Select):
            continue
        inner = query.this
        if is_grouped(inner) or is_limited(inner) or has_subquery(value) or not in_filter(node):
            continue
        if at_most_one_row(inner, facts):
            return exp.In(this=value, query=query)
    return None
