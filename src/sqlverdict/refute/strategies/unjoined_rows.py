"""Join columns with values of their own.

Makes
    Four to eight row sets in which a join column takes a value as if it joined nothing: on the
    border of a comparison, or a corner of its type. Only here do such values reach join columns.

Separates
    Conditions on join columns, joins on one of two key columns, outer joins in both directions.

Example
    A condition `code > 0` on a join column, which the prediction lacks: zero and negative codes
    join nothing.

Costs
    Three turns, four to eight rows a table. The last profile is the largest that is not made for
    a count.
"""

from __future__ import annotations

from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.row_sets import add_row_sets
from sqlverdict.refute.strategy import StrategyExample, strategy

_SCHEMA = """
CREATE TABLE item (id INTEGER PRIMARY KEY, code INTEGER NOT NULL);
CREATE TABLE price (id INTEGER PRIMARY KEY, code INTEGER NOT NULL, amount INTEGER);
"""


@strategy(
    profiles=[
        InstanceProfile(
            why=(
                "One join value in five is free, and one row in five missing: a row with a "
                "wrong partner beside one with none."
            ),
            turn=7,
            row_sets=4,
            matching=0.6,
            near=0.2,
            odd=0.1,
            shared=0.5,
            missing=0.2,
            unjoined=0.2,
        ),
        InstanceProfile(
            why="More rows and none missing: wrong partners alone, among groups that are shared.",
            turn=18,
            row_sets=6,
            matching=0.6,
            near=0.2,
            shared=0.7,
            null=0.05,
            unjoined=0.2,
        ),
        InstanceProfile(
            why=(
                "All faults at once in many rows, for differences that need several of them "
                "together."
            ),
            turn=21,
            row_sets=8,
            matching=0.5,
            near=0.3,
            odd=0.1,
            shared=0.8,
            null=0.1,
            missing=0.3,
            unjoined=0.3,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold="SELECT i.id FROM item i LEFT JOIN price p ON p.code = i.code WHERE i.code > 0",
        prediction="SELECT i.id FROM item i LEFT JOIN price p ON p.code = i.code",
        instances=22,
        seed=1,
    ),
)
def unjoined_rows(builder: InstanceBuilder) -> None:
    """Add row sets whose joins fail now and then."""
    add_row_sets(builder)
