"""Rows that satisfy every condition and every join.

Makes
    Two rows for each table. Join columns agree within a row set and differ between row sets.
    Nearly every compared column satisfies its comparison.

Separates
    Queries that differ wherever they return something: other columns, other order of columns,
    another aggregate, a missing DISTINCT where values repeat.

Example
    Twelve conditions that must hold at once, and another output column. Strategies that let more
    values miss a condition seldom return a row.

Costs
    One turn: the first instance of every search, with two rows a table.
"""

from __future__ import annotations

from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.row_sets import add_row_sets
from sqlverdict.refute.strategy import StrategyExample, strategy

_SCHEMA = """
CREATE TABLE parcel (
  id INTEGER PRIMARY KEY, c1 INTEGER, c2 INTEGER, c3 INTEGER, c4 INTEGER, c5 INTEGER, c6 INTEGER,
  c7 INTEGER, c8 INTEGER, c9 INTEGER, c10 INTEGER, c11 INTEGER, c12 INTEGER
);
"""


@strategy(
    profiles=[
        InstanceProfile(
            why=(
                "Two row sets that share nothing, so no join multiplies rows; one value in "
                "twenty misses, so that a condition that only one query has may show at once."
            ),
            turn=0,
            row_sets=2,
            matching=0.95,
            near=0.05,
            shared=0.0,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold=(
            "SELECT id FROM parcel WHERE c1 = 10 AND c2 = 20 AND c3 = 30 AND c4 = 40 AND "
            "c5 = 50 AND c6 = 60 AND c7 = 70 AND c8 = 80 AND c9 = 90 AND c10 = 100 AND "
            "c11 = 110 AND c12 = 120"
        ),
        prediction=(
            "SELECT c1 FROM parcel WHERE c1 = 10 AND c2 = 20 AND c3 = 30 AND c4 = 40 AND "
            "c5 = 50 AND c6 = 60 AND c7 = 70 AND c8 = 80 AND c9 = 90 AND c10 = 100 AND "
            "c11 = 110 AND c12 = 120"
        ),
        instances=2,
    ),
)
def matching_rows(builder: InstanceBuilder) -> None:
    """Add row sets that match."""
    add_row_sets(builder)
