"""The rows of the first rank are the same with gaps between ranks and without.

Statement
    SELECT d.x FROM (SELECT x, DENSE_RANK() OVER w AS r FROM t) AS d WHERE d.r = 1
    ==   SELECT d.x FROM (SELECT x, RANK() OVER w AS r FROM t) AS d WHERE d.r = 1

Holds when
    The rank is used in comparisons alone that ask whether it is the first: r = 1, r <= 1, r < 2.

Why
    Both ranks begin with 1 and count the rows, or the values, before a row: none for these rows.

Limits
    Any other rank may differ, and so may one that is shown.

Source
    House rule, met in published predictions.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import column_name, columns_in, items, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_FIRST = {exp.EQ: 1, exp.LTE: 1, exp.LT: 2}
_DENSE = "SELECT x.k FROM (SELECT k, DENSE_RANK() OVER (ORDER BY v) AS r FROM t) x WHERE x.r {}"
_GAPS = _DENSE.replace("DENSE_RANK", "RANK")


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(_DENSE.format("= 1"), _GAPS.format("= 1")),
        Pair(_DENSE.format("<= 1"), _GAPS.format("= 1")),
    ],
    different=[
        Pair(_DENSE.format("= 2"), _GAPS.format("= 2"), because="two rows may share the first"),
    ],
)
def first_rank_is_first(node: exp.Select, facts: Facts) -> Expr | None:
    """Rank with gaps, and ask for the first rank by =."""
    del facts
    for item in items(node):
        for name, window in _ranks(item):
            uses = [each for each in columns_in(node) if column_name(each) == (item.alias, name)]
            tests = [each.parent for each in uses if _asks_for_first(each)]
            if not tests or len(tests) != len(uses):
                continue
            is_dense = isinstance(window.this, exp.DenseRank)
            if not is_dense and all(isinstance(test, exp.EQ) for test in tests):
                continue
            if is_dense:
                window.set("this", exp.Rank())
            for column in uses:
                first = exp.EQ(this=column.copy(), expression=exp.Literal.number(1))
                if column.parent is not None:
                    column.parent.replace(first)
            return node
    return None


def _ranks(item: Expr) -> Iterator[tuple[str, exp.Window]]:
    """The columns of a derived table that are ranks, which begin with 1."""
    inner = item.this if isinstance(item, exp.Subquery) else None
    for number, output in enumerate(inner.expressions if isinstance(inner, exp.Select) else ()):
        if (
            isinstance(output, exp.Window)
            and isinstance(output.this, exp.Rank | exp.DenseRank | exp.RowNumber)
            and not output.this.expressions
            and output.args.get("order") is not None
        ):
            yield f"c{number}", output


def _asks_for_first(column: exp.Column) -> bool:
    test = column.parent
    return (
        isinstance(test, exp.EQ | exp.LTE | exp.LT)
        and test.this is column
        and whole_number(test.expression) == _FIRST[type(test)]
    )
