"""Many rows with only two values a column.

Makes
    Six or nine row sets whose columns hold the first two of their plain values, so that
    combinations of values repeat.

Separates
    DISTINCT against none, GROUP BY with a column too many or too few, UNION against UNION ALL,
    groups by two columns.

Example
    DISTINCT over three columns against a GROUP BY with a fourth: they differ where two rows agree
    in three columns only.

Costs
    Two turns, six and nine rows a table.
"""

from __future__ import annotations

from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.row_sets import add_row_sets
from sqlverdict.refute.strategy import StrategyExample, strategy

_SCHEMA = """
CREATE TABLE person (
  id INTEGER PRIMARY KEY, name TEXT, age INTEGER, city TEXT, height INTEGER
);
"""


@strategy(
    profiles=[
        InstanceProfile(
            why="Six rows over two values: two columns repeat in most instances, and still vary.",
            turn=9,
            row_sets=6,
            shared=0.6,
            missing=0.15,
            few_values=True,
        ),
        InstanceProfile(
            why="Nine rows, for three columns that must repeat together.",
            turn=19,
            row_sets=9,
            matching=0.9,
            near=0.05,
            shared=0.75,
            missing=0.2,
            few_values=True,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold="SELECT DISTINCT name, age, city FROM person",
        prediction="SELECT name, age, city FROM person GROUP BY name, age, city, height",
        instances=10,
    ),
)
def few_values(builder: InstanceBuilder) -> None:
    """Add row sets of few values."""
    add_row_sets(builder)
