"""One row, or one row of NULLs.

Makes
    One row for each table; in the second profile most of its values are NULL.

Separates
    Aggregates of one value (deviations, n - 1, AVG against MAX), COALESCE around an aggregate,
    divisions that become NULL.

Example
    A sum divided by n - 1, with and without a guard against zero.

Costs
    Two turns, one row per table: the cheapest instances.
"""

from __future__ import annotations

from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.row_sets import add_row_sets
from sqlverdict.refute.strategy import StrategyExample, strategy

_SCHEMA = """
CREATE TABLE sample (id INTEGER PRIMARY KEY, x REAL NOT NULL);
"""


@strategy(
    profiles=[
        InstanceProfile(
            why=(
                "One row that may be missing in some tables; one value in five lies beside a "
                "border, because one row has one chance."
            ),
            turn=11,
            row_sets=1,
            near=0.2,
            shared=0.0,
            missing=0.2,
        ),
        InstanceProfile(
            why="Four values in five are NULL: aggregates see no value, and the row is there.",
            turn=17,
            row_sets=1,
            null=0.8,
            shared=0.5,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold="SELECT SUM(x) / (COUNT(*) - 1) FROM sample",
        prediction="SELECT SUM(x) / MAX(COUNT(*) - 1, 1) FROM sample",
        instances=12,
        seed=1,
    ),
)
def single_row(builder: InstanceBuilder) -> None:
    """Add one row set."""
    add_row_sets(builder)
