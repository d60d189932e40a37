"""Several rows that join the same partner.

Makes
    Four row sets that nearly always reuse the join values of earlier ones: one parent with
    several children, and now and then a second parent with one.

Separates
    COUNT against COUNT DISTINCT after a join, a join against IN, sums that a join multiplies, the
    largest group against the smallest.

Example
    The most visits of one person against the fewest: both are 1 unless a person has several and
    another has not.

Costs
    One turn, at most four rows a table.
"""

from __future__ import annotations

from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.row_sets import add_row_sets
from sqlverdict.refute.strategy import StrategyExample, strategy

_SCHEMA = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, city TEXT);
CREATE TABLE visit (
  id INTEGER PRIMARY KEY, person INTEGER REFERENCES person (id), place TEXT, cost INTEGER
);
"""


@strategy(
    profiles=[
        InstanceProfile(
            why=(
                "With four row sets and a chance of 0.85, one parent has two to four children "
                "and another often one: groups of different sizes."
            ),
            turn=4,
            row_sets=4,
            matching=0.9,
            near=0.05,
            shared=0.85,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold="SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM visit GROUP BY person)",
        prediction="SELECT MIN(n) FROM (SELECT COUNT(*) AS n FROM visit GROUP BY person)",
        instances=5,
    ),
)
def shared_partners(builder: InstanceBuilder) -> None:
    """Add row sets that share partners."""
    add_row_sets(builder)
