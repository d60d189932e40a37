"""Tables without rows.

Makes
    Two row sets, and three tables in ten stay empty. Parents of references are added afterwards.

Separates
    A table that is joined and not needed, NOT IN and ALL over nothing, aggregates of no row (0
    against NULL).

Example
    Three further tables in FROM, which change nothing unless one of them is empty.

Costs
    One turn, at most two rows a table.
"""

from __future__ import annotations

from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.row_sets import add_row_sets
from sqlverdict.refute.strategy import StrategyExample, strategy

_SCHEMA = """
CREATE TABLE room (id INTEGER PRIMARY KEY, size INTEGER);
CREATE TABLE guest (id INTEGER PRIMARY KEY, age INTEGER);
CREATE TABLE meal (id INTEGER PRIMARY KEY, price INTEGER);
CREATE TABLE shift (id INTEGER PRIMARY KEY, hours INTEGER);
"""


@strategy(
    profiles=[
        InstanceProfile(
            why=(
                "Three tables in ten: of two or three tables usually one is empty and one is "
                "not. Two row sets that match, so that the other tables return something."
            ),
            turn=20,
            row_sets=2,
            matching=0.9,
            null=0.1,
            shared=0.5,
            missing=0.3,
            empty=0.3,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold="SELECT DISTINCT room.size FROM room, guest, meal, shift",
        prediction="SELECT DISTINCT size FROM room",
        instances=21,
    ),
)
def empty_tables(builder: InstanceBuilder) -> None:
    """Add row sets, with empty tables."""
    add_row_sets(builder)
