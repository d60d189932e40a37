"""Rows that satisfy no condition.

Makes
    Five row sets in which most compared columns miss their comparison.

Separates
    An OR of conditions that was left out, NOT in the wrong position, counts of zero, answers that
    are empty.

Example
    Three conditions joined by OR, which the prediction lacks: they differ on a row that misses
    all three.

Costs
    One turn, at most five rows a table.
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
            why=(
                "Three values in ten match: a row misses three conditions with a chance of one "
                "third. Corners and NULLs miss in ways that plain values do not."
            ),
            turn=13,
            row_sets=5,
            matching=0.3,
            near=0.3,
            odd=0.1,
            null=0.05,
            shared=0.6,
            missing=0.2,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold=(
            "SELECT COUNT(*) FROM person WHERE name IN ('Ann', 'Bo') OR city IN ('Oslo', "
            "'Bergen') OR age IN (30, 40)"
        ),
        prediction="SELECT COUNT(*) FROM person",
        instances=14,
        seed=1,
    ),
)
def unmatched_rows(builder: InstanceBuilder) -> None:
    """Add row sets that match little."""
    add_row_sets(builder)
