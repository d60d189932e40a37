"""Values just beside the border of a comparison.

Makes
    Three rows for each table. A quarter of the compared values, or nearly half of them, lie on a
    border or next to it: 17, 18 and 19 for a comparison with 18; other case, a space more or a
    letter less for a text.

Separates
    `>` against `>=`, `=` against LIKE, BETWEEN against two strict bounds, a condition that
    excludes one value and was left out.

Example
    Three conditions that each exclude one value; the prediction has none of them.

Costs
    Two turns, three rows a table each.
"""

from __future__ import annotations

from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.row_sets import add_row_sets
from sqlverdict.refute.strategy import StrategyExample, strategy

_SCHEMA = """
CREATE TABLE task (id INTEGER PRIMARY KEY, status TEXT, kind TEXT, owner TEXT);
"""


@strategy(
    profiles=[
        InstanceProfile(
            why=(
                "A quarter beside the border; the rest matches, so that the other conditions "
                "hold around the one that misses."
            ),
            turn=1,
            row_sets=3,
            matching=0.7,
            near=0.25,
            shared=0.5,
        ),
        InstanceProfile(
            why=(
                "Nearly half beside the border, for two conditions that must miss together; "
                "few shared partners and some missing rows, which the first profile lacks."
            ),
            turn=6,
            row_sets=3,
            matching=0.5,
            near=0.45,
            missing=0.1,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold=(
            "SELECT id FROM task WHERE status <> 'closed' AND kind <> 'test' AND owner <> 'nobody'"
        ),
        prediction="SELECT id FROM task",
        instances=3,
    ),
)
def near_misses(builder: InstanceBuilder) -> None:
    """Add row sets whose values often lie on a border."""
    add_row_sets(builder)
