"""Rows whose partner in a join is missing.

Makes
    Three row sets, in which each table lacks its row now and then. References that a foreign key
    demands get their parents all the same, so the children are what is missing most.

Separates
    JOIN against LEFT JOIN, COUNT(*) against COUNT(column) after an outer join, NOT IN against a
    join, a table that is joined and not needed.

Example
    Visits of each person, counted by COUNT(v.id) and by COUNT(*): they differ where a person has
    none.

Costs
    Two turns, at most three rows a table each.
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
                "One row in seven is missing: one partner of three row sets usually, seldom "
                "the whole set. Shared partners make the counts differ from 0 and 1."
            ),
            turn=2,
            row_sets=3,
            shared=0.7,
            missing=0.15,
        ),
        InstanceProfile(
            why=(
                "Twice as many missing rows, with some NULL references and joins that lead "
                "nowhere: the three ways to have no partner."
            ),
            turn=10,
            row_sets=3,
            matching=0.7,
            near=0.2,
            null=0.1,
            shared=0.6,
            missing=0.3,
            unjoined=0.1,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold=(
            "SELECT p.name, COUNT(v.id) FROM person p LEFT JOIN visit v ON v.person = "
            "p.id GROUP BY p.id"
        ),
        prediction=(
            "SELECT p.name, COUNT(*) FROM person p LEFT JOIN visit v ON v.person = p.id "
            "GROUP BY p.id"
        ),
        instances=3,
        seed=1,
    ),
)
def missing_partners(builder: InstanceBuilder) -> None:
    """Add row sets of which rows are missing."""
    add_row_sets(builder)
