"""The greatest value of at most one row is that row's value.

Statement
    (SELECT MAX(x) FROM b WHERE b.k = 3)   ==   (SELECT x FROM b WHERE b.k = 3)

Holds when
    It is a query for one value over FROM and WHERE alone, and x is a column. The conditions leave
    at most one row: they fix a UNIQUE column set of each source. The same for MIN, and for SUM of
    integers and reals. In a comparison both sides are numbers, or both are text.

Why
    Of one row the aggregate is its x, and without a row both are NULL.

Limits
    COUNT of no row is 0, and AVG makes a real: left alone. A column takes part in conversions, an
    aggregate does not: hence the word on comparisons.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import determines_row, outer_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_only_rows, items, labels, source_label
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v, (SELECT MAX(w) FROM u WHERE u.k = t.k) FROM t",
            "SELECT v, (SELECT w FROM u WHERE u.k = t.k) FROM t",
            (Unique("u", ("k",)),),
        ),
    ],
    different=[
        Pair(
            "SELECT v, (SELECT COUNT(w) FROM u WHERE u.k = t.k) FROM t",
            "SELECT v, (SELECT w FROM u WHERE u.k = t.k) FROM t",
            (Unique("u", ("k",)),),
            because="a count is no value",
        ),
    ],
)
def extreme_of_one_row_is_its_value(node: exp.Subquery, facts: Facts) -> Expr | None:
    """Take the value."""
    inner = node.this
    if node.alias or not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return None
    if isinstance(node.parent, exp.In | exp.Exists | exp.SetOperation | exp.From | exp.Join):
        return None
    call = inner.expressions[0]
    if not isinstance(call, exp.Max | exp.Min | exp.Sum) or not isinstance(call.this, exp.Column):
        return None
    if not has_only_rows(inner) or not items(inner) or call.expressions:
        return None
    if source_label(call.this) not in labels(inner) or not facts.is_unconverted(node):
        return None
    if isinstance(call, exp.Sum) and facts.kind(call.this) not in ("integer", "real"):
        return None
    if not determines_row(inner, facts, outer_columns(inner)):
        return None
    inner.set("expressions", [call.this])
    return node
