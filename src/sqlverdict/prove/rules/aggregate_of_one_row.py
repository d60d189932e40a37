"""An aggregate over a group of one row is that row's value.

Statement
    SELECT k, SUM(x), MAX(y), COUNT(*) FROM t GROUP BY k   ==   SELECT k, x, y, 1 FROM t GROUP BY k

Holds when
    The grouping columns contain a key of every source; SUM is over a column declared INTEGER or
    REAL. In a comparison both sides are numbers, or both are text.

Why
    No two rows agree on the grouping columns, so every group is one row. The sum of one number,
    and the greatest of one value, is that value, NULL included.

Limits
    AVG makes a real number, and COUNT(x) asks for NULL: both are left alone. A column takes part
    in conversions, an aggregate does not: hence the word on comparisons.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.dependencies import determines_row, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import aggregates_in, has_window, output_nodes
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Group,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k, SUM(v) FROM t GROUP BY k", "SELECT k, v FROM t", KEY),
        Pair(
            "SELECT k FROM t GROUP BY k HAVING MAX(v) > 2 ORDER BY COUNT(*), MIN(v)",
            "SELECT k FROM t WHERE v > 2 ORDER BY v",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT v, SUM(k) FROM t GROUP BY v",
            "SELECT v, k FROM t",
            KEY,
            because="several rows may share v",
        ),
    ],
)
def aggregate_of_one_row(node: exp.Select, facts: Facts) -> Expr | None:
    """Put the value."""
    group = node.args.get("group")
    if group is None or has_window(node):
        return None
    calls = [c for c in aggregates_in(output_nodes(node)) if not isinstance(c.parent, exp.Filter)]
    replacements = [(call, value) for call in calls if (value := _value(call, facts)) is not None]
    if not replacements or not determines_row(node, facts, plain_columns(group.expressions)):
        return None
    for call, value in replacements:
        call.replace(value)
    return node


def _value(call: Expr, facts: Facts) -> Expr | None:
    """What an aggregate over one row is; ``None`` where that is not known."""
    if isinstance(call, exp.Count) and isinstance(call.this, exp.Star):
        return exp.Literal.number(1)
    inner = call.this
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner = inner.expressions[0]
    if not isinstance(inner, exp.Column) or not isinstance(call, exp.Sum | exp.Max | exp.Min):
        return None
    if isinstance(call, exp.Sum) and facts.kind(inner) not in ("integer", "real"):
        return None
    if not facts.is_unconverted(call):
        return None
    value: Expr = counted_copy(inner)
    return value
