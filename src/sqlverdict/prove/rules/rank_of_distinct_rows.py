"""Ranks of rows that do not tie are row numbers.

Statement
    RANK() OVER (PARTITION BY p ORDER BY o)   ==   ROW_NUMBER() OVER (PARTITION BY p ORDER BY o)
    The same for DENSE_RANK().

Holds when
    No two rows of the query agree in p and o: these hold a key of each source, or columns that
    determine one. The query does not group.

Why
    Rows that do not tie have different ranks without gaps: 1, 2, 3 and so on.

Limits
    Of p and o only plain columns count.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.dependencies import determines_row, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import enclosing, is_grouped
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k, RANK() OVER (ORDER BY k) FROM t",
            "SELECT k, ROW_NUMBER() OVER (ORDER BY k) FROM t",
            (Unique("t", ("k",)), NotNull("t", "k")),
        ),
        Pair(
            "SELECT k, DENSE_RANK() OVER (PARTITION BY v ORDER BY k) FROM t",
            "SELECT k, ROW_NUMBER() OVER (PARTITION BY v ORDER BY k) FROM t",
            (Unique("t", ("k",)), NotNull("t", "k")),
        ),
    ],
    different=[
        Pair(
            "SELECT k, RANK() OVER (ORDER BY k) FROM t",
            "SELECT k, ROW_NUMBER() OVER (ORDER BY k) FROM t",
            because="two rows with the same k have the same rank",
        ),
    ],
)
def rank_of_distinct_rows(node: exp.Window, facts: Facts) -> Expr | None:
    """Number the rows."""
    order, select = node.args.get("order"), enclosing(node)
    if not isinstance(node.this, exp.Rank | exp.DenseRank) or node.this.expressions:
        return None
    if order is None or not isinstance(select, exp.Select) or is_grouped(select):
        return None
    terms = [*(node.args.get("partition_by") or ()), *(term.this for term in order.expressions)]
    if not determines_row(select, facts, plain_columns(terms)):
        facts.cited.clear()
        return None
    node.set("this", exp.RowNumber())
    return node
