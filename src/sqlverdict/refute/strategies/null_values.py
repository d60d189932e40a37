"""NULL in columns that may be NULL.

Makes
    Two rows for each table. A fifth of the values are NULL, or two fifths; in join columns half
    as many.

Separates
    COUNT(*) against COUNT(column), NOT of a comparison against its opposite, NOT IN against NOT
    EXISTS, a sum against a total.

Example
    NOT age > 18 against EXCEPT: NULL is kept by one of them.

Costs
    Two turns, two rows a table each.
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
            why="One value in five is NULL, so that the other conditions of the row still hold.",
            turn=3,
            row_sets=2,
            matching=0.75,
            null=0.2,
            shared=0.4,
        ),
        InstanceProfile(
            why=(
                "Two values in five, for differences that need two NULLs in a row or a column "
                "of NULLs."
            ),
            turn=16,
            row_sets=2,
            null=0.4,
            shared=0.6,
            missing=0.1,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold="SELECT id FROM person WHERE NOT age > 18",
        prediction="SELECT id FROM person EXCEPT SELECT id FROM person WHERE age > 18",
        instances=4,
        seed=3,
    ),
)
def null_values(builder: InstanceBuilder) -> None:
    """Add row sets with NULLs."""
    add_row_sets(builder)
