"""The sum of at most one row is its greatest value.

Statement
    SELECT SUM(x) FROM t WHERE k = 3   ==   SELECT MAX(x) FROM t WHERE k = 3

Holds when
    The query shows the sum of a column of integers, reads tables alone, and does not group. Its
    conditions leave at most one row: they fix a UNIQUE column set of each source.

Why
    Of one row both are its x, and of none both are NULL.

Limits
    A sum in arithmetic has another type than its values in some engines: left alone. So is a sum
    under DISTINCT or FILTER.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import determines_row, outer_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items, labels, source_label
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)),)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT SUM(v) FROM t WHERE k = 3", "SELECT MAX(v) FROM t WHERE k = 3", KEY),
        Pair("SELECT MIN(v) FROM t WHERE k = 3", "SELECT MAX(v) FROM t WHERE k = 3", KEY),
    ],
    different=[
        Pair(
            "SELECT SUM(v) FROM t WHERE k > 3",
            "SELECT MAX(v) FROM t WHERE k > 3",
            KEY,
            because="there may be several rows",
        ),
    ],
)
def sum_of_at_most_one_row(node: exp.Select, facts: Facts) -> Expr | None:
    """Take the greatest value."""
    if any(node.args.get(part) for part in ("group", "having")) or not items(node):
        return None
    if not all(isinstance(item, exp.Table) for item in items(node)):
        return None
    calls = [
        call
        for call in node.expressions
        if isinstance(call, exp.Sum | exp.Min)
        and isinstance(call.this, exp.Column)
        and not call.expressions
        and source_label(call.this) in labels(node)
        and facts.kind(call.this) == "integer"
    ]
    if not calls or not determines_row(node, facts, outer_columns(node)):
        facts.cited.clear()
        return None
    for call in calls:
        call.replace(exp.Max(this=call.this))
    return node
