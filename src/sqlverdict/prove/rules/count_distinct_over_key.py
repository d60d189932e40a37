"""COUNT(DISTINCT x) counts every value where no two rows of a group share it.

Statement
    SELECT COUNT(DISTINCT k) FROM t               ==   SELECT COUNT(k) FROM t
    SELECT g, COUNT(DISTINCT k) FROM t GROUP BY g ==   SELECT g, COUNT(k) FROM t GROUP BY g

Holds when
    x, together with the grouping columns, contains a key (UNIQUE and NOT NULL) of every source,
    by way of equalities and keys; x itself may be NULL.

Why
    Two rows of a group with the same x would be the same row.

Limits
    A source without a key may repeat x.

Source
    House rule; ETM (Ascoli et al.) lacks it: COUNT(DISTINCT key).
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import determines_row, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import column_name, enclosing, labels
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)),)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT COUNT(DISTINCT k) FROM t", "SELECT COUNT(k) FROM t", KEY),
        Pair(
            "SELECT v, COUNT(DISTINCT k) FROM t GROUP BY v",
            "SELECT v, COUNT(k) FROM t GROUP BY v",
            KEY,
        ),
    ],
    different=[
        Pair("SELECT COUNT(DISTINCT v) FROM t", "SELECT COUNT(v) FROM t", KEY, because="v repeats"),
    ],
)
def count_distinct_over_key(node: exp.Count, facts: Facts) -> Expr | None:
    """Drop DISTINCT."""
    inner = node.this
    if not isinstance(inner, exp.Distinct) or len(inner.expressions) != 1:
        return None
    column = inner.expressions[0]
    select = enclosing(node)
    if not isinstance(column, exp.Column) or not isinstance(select, exp.Select):
        return None
    if column.text("table") not in labels(select) or isinstance(node.parent, exp.Window):
        return None
    group = select.args.get("group")
    test = exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
    columns = {column_name(column)} | plain_columns(group.expressions if group is not None else ())
    # A NULL is counted by neither, so UNIQUE is enough for the column itself.
    if not determines_row(select, facts, columns, also=[test]):
        return None
    node.set("this", column)
    return node
