"""MIN and MAX choose no row for columns that are the same in the whole group.

Statement
    SELECT d.x FROM (SELECT a.x, MAX(b.y) FROM a JOIN b ON a.k = b.f GROUP BY a.k) AS d
    ==   SELECT a.x FROM a JOIN b ON a.k = b.f GROUP BY a.k

Holds when
    Every column that is shown beside the aggregates is determined by the grouping columns.

Why
    SQLite shows a column that is neither grouped by nor aggregated from the row that holds the
    MIN or MAX. Where all rows of the group have one value, it does not matter which row it is.

Limits
    Other columns depend on the row, and so on every MIN and MAX of the query.

Source
    SQLite's documentation, "Bare columns in an aggregate query".
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.bare import EXTREMES, bare_columns
from sqlverdict.prove.reasoning.dependencies import closure, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM (SELECT v, MAX(w) FROM t JOIN u ON v = f GROUP BY k) AS d",
            "SELECT v FROM (SELECT v, MIN(w) FROM t JOIN u ON v = f GROUP BY k) AS d",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM (SELECT v, MAX(k) FROM t GROUP BY v / 2) AS d",
            "SELECT v FROM (SELECT v, MIN(k) FROM t GROUP BY v / 2) AS d",
            because="each takes v from another row",
        ),
    ],
)
def extreme_beside_determined_column(node: exp.Select, facts: Facts) -> Expr | None:
    """Forget the choice."""
    if node.args.get(EXTREMES) is None:
        return None
    group = node.args.get("group")
    determined = closure(node, facts, plain_columns(group.expressions if group is not None else ()))
    if not plain_columns(bare_columns(node)) <= determined:
        return None
    node.set(EXTREMES, None)
    return node
