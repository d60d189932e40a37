"""COUNT(DISTINCT x) counts every value where no two rows of a group share it.

Statement
    SELECT COUNT(DISTINCT k) FROM t               ==   SELECT COUNT(k) FROM t
    SELECT g, COUNT(DISTINCT k) FROM t GROUP BY g ==   SELECT g, COUNT(k) FROM t GROUP BY g
    COUNT(DISTINCT CASE WHEN c THEN k END)        ==   COUNT(CASE WHEN c THEN k END)

Holds when
    x, together with the grouping columns, contains a key (UNIQUE and NOT NULL) of every source,
    by way of equalities and keys; x itself may be NULL. In a CASE all results are x or NULL.

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
        Pair(
            "SELECT COUNT(DISTINCT CASE WHEN v > 1 THEN k END), COUNT(*) FROM t",
            "SELECT COUNT(CASE WHEN v > 1 THEN k END), COUNT(*) FROM t",
            KEY,
        ),
    ],
    different=[
        Pair("SELECT COUNT(DISTINCT v) FROM t", "SELECT COUNT(v) FROM t", KEY, because="v repeats"),
        Pair(
            "SELECT COUNT(DISTINCT CASE WHEN v > 1 THEN k ELSE 0 END), COUNT(*) FROM t",
            "SELECT COUNT(CASE WHEN v > 1 THEN k ELSE 0 END), COUNT(*) FROM t",
            KEY,
            because="0 repeats",
        ),
    ],
)
def count_distinct_over_key(node: exp.Count, facts: Facts) -> Expr | None:
    """Drop DISTINCT."""
    inner = node.this
    if not isinstance(inner, exp.Distinct) or len(inner.expressions) != 1:
        return None
    value = inner.expressions[0]
    column = _counted_column(value)
    select = enclosing(node)
    if column is None or not isinstance(select, exp.Select):
        return None
    if column.text("table") not in labels(select) or isinstance(node.parent, exp.Window):
        return None
    group = select.args.get("group")
    test = exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
    columns = {column_name(column)} | plain_columns(group.expressions if group is not None else ())
    # A NULL is counted by neither, so UNIQUE is enough for the column itself.
    if not determines_row(select, facts, columns, also=[test]):
        return None
    node.set("this", value)
    return node


def _counted_column(value: Expr) -> exp.Column | None:
    """The column whose values are counted, of all rows or of those that a CASE picks."""
    if isinstance(value, exp.Column):
        return value
    if not isinstance(value, exp.Case) or value.this is not None:
        return None
    results = [branch.args["true"] for branch in value.args["ifs"]]
    results.append(value.args.get("default") or exp.null())
    columns = [each for each in results if not isinstance(each, exp.Null)]
    if not columns or any(each != columns[0] for each in columns):
        return None
    return columns[0] if isinstance(columns[0], exp.Column) else None
