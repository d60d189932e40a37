"""Values that are all different, without ties.

Makes
    Row sets in which each column takes the next of its values, from a random start: three of
    them, or as many as a count in the queries says.

Separates
    OFFSET, the n-th largest, LIMIT over distinct values, COUNT(DISTINCT column) against a bound:
    all that ties would leave undetermined.

Example
    The fifth youngest person against the sixth. With random ages two of them tie, and neither
    answer is determined.

Costs
    Two turns; three rows a table, or as many as the count.
"""

from __future__ import annotations

from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.row_sets import add_row_sets
from sqlverdict.refute.strategy import StrategyExample, strategy

_SCHEMA = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, city TEXT);
"""


@strategy(
    profiles=[
        InstanceProfile(
            why="Three rows are enough for a first, a middle and a last one.",
            turn=12,
            row_sets=3,
            matching=0.95,
            in_sequence=True,
        ),
        InstanceProfile(
            why="As many different values as a LIMIT or OFFSET asks for.",
            turn=15,
            row_sets=3,
            matching=0.95,
            in_sequence=True,
            by_count=True,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold="SELECT id FROM person ORDER BY age LIMIT 1 OFFSET 4",
        prediction="SELECT id FROM person ORDER BY age LIMIT 1 OFFSET 5",
        instances=16,
        seed=3,
    ),
)
def value_sequences(builder: InstanceBuilder) -> None:
    """Add row sets whose values are in sequence."""
    add_row_sets(builder)
