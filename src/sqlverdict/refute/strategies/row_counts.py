"""As many rows as the queries count to.

Makes
    As many row sets as a count in HAVING or LIMIT says, one less, or one or two more. Without a
    count in the queries, three or four row sets.

Separates
    HAVING COUNT(*) > n against >= n, LIMIT n against LIMIT n + 1 or no LIMIT, OFFSET, a total
    that must not pass a bound.

Example
    Totals from 10 to 12 against totals from 10 to 11: they differ on exactly 12 rows.

Costs
    Two turns. As many rows a table as the count; counts up to 30 always, up to 1000 in the first
    60 instances.
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
                "Nearly all rows match, because rows that a filter drops do not count; shared "
                "partners make groups."
            ),
            turn=8,
            row_sets=3,
            matching=0.9,
            shared=0.6,
            by_count=True,
        ),
        InstanceProfile(
            why=(
                "More shared partners and some missing rows: one group near the count and a "
                "few small ones."
            ),
            turn=14,
            row_sets=4,
            matching=0.85,
            shared=0.8,
            missing=0.1,
            by_count=True,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold="SELECT COUNT(*) FROM person HAVING COUNT(*) BETWEEN 10 AND 12",
        prediction="SELECT COUNT(*) FROM person HAVING COUNT(*) BETWEEN 10 AND 11",
        instances=15,
        seed=1,
    ),
)
def row_counts(builder: InstanceBuilder) -> None:
    """Add as many row sets as the queries count to."""
    add_row_sets(builder)
