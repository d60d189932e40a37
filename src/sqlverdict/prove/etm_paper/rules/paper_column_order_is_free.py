"""The columns of a result may stand in any order.

Statement
    SELECT c1, c2 FROM t   ==   SELECT c2, c1 FROM t

Holds when
    Always; for the inner queries of a set operation, each side by itself.

Why
    A person who reads the answer sees the same values.

Limits
    Each side of a set operation is ordered by itself: ``SELECT a, b FROM t UNION SELECT a, b
    FROM u`` matches ``SELECT b, a FROM t UNION SELECT a, b FROM u``. With t = (1, 2) and
    u = (1, 2) the first has one row, the second two.

Source
    ETM (Ascoli et al.), table 1, P2.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import sort_key
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P2",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[Pair("SELECT k, v FROM t", "SELECT v, k FROM t")],
    different=[
        Pair("SELECT k, v FROM t", "SELECT k, k FROM t", because="v need not be k"),
        Pair("SELECT k FROM t", "SELECT k, k FROM t", because="a column is written twice"),
    ],
    corners=[
        Pair(
            "SELECT k, v FROM t UNION SELECT k, w FROM u",
            "SELECT v, k FROM t UNION SELECT k, w FROM u",
            because="the row (1, 2) of t is that of u only in one order",
        ),
    ],
)
def paper_column_order_is_free(node: exp.Select, facts: Facts) -> Expr | None:
    """Order the output columns by their text."""
    del facts
    ordered = sorted(node.expressions, key=sort_key)
    if all(before is after for before, after in zip(node.expressions, ordered, strict=True)):
        return None
    node.set("expressions", ordered)
    return node
