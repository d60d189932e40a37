"""Two parents that differ in their key alone, with fewer children each than a third.

Makes
    Three parents with their children. The first two have the same values in every column that
    joins nothing, and ``n`` children each; the third has other values and ``n + 1`` children. ``n``
    is a count in the queries, or 2.

Separates
    GROUP BY a name against GROUP BY a key, DISTINCT names against DISTINCT keys, IN over names. All
    that ranks or counts groups.

Example
    The person with the most visits, grouped by key and by name: by name the two of one name
    together beat the third.

Costs
    One turn. Three times as many rows a table as the count says, 26 a parent at most; seven without
    a count.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.records import Cell
from sqlverdict.refute.make.instance_builder import MOST_ROWS, InstanceBuilder, InstanceProfile
from sqlverdict.refute.strategy import StrategyExample, strategy

_SCHEMA = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, person INTEGER REFERENCES person (id), place TEXT);
"""
_RANKING = (
    "SELECT p.name FROM person p JOIN visit v ON v.person = p.id"
    " GROUP BY {key} ORDER BY COUNT(*) DESC LIMIT 1"
)

_PARENTS = 3
"""Two duplicates, and a third that beats each of them and not both together."""
_FEWEST_CHILDREN = 2
"""With one child each, two duplicates would only tie with the third's two."""


@strategy(
    profiles=[
        InstanceProfile(
            why="All values but the keys are set; parents that are added later meet conditions.",
            turn=5,
            matching=1.0,
        ),
    ],
    example=StrategyExample(
        schema=_SCHEMA,
        gold=_RANKING.format(key="p.id"),
        prediction=_RANKING.format(key="p.name"),
        instances=22,
    ),
    exact=True,
)
def duplicate_parents(builder: InstanceBuilder) -> None:
    """Add the children of three parents; the first two have the same values."""
    plan, class_of = builder.plan, builder.joining.class_of
    children = max(builder.choice(plan.counts or [_FEWEST_CHILDREN]), _FEWEST_CHILDREN)
    keys = [_distinct(values) for values in builder.joining.values]
    values = {
        column: _distinct((*plan.pools[column].good, *plan.pools[column].plain))
        for table in plan.tables
        for _, column in plan.varied[table.name]
        if column not in class_of
    }
    first = {column: cells[0] for column, cells in values.items()}
    second = {column: cells[1] for column, cells in values.items()}
    parents = ((first, children), (first, children), (second, children + 1))
    for parent, (constants, count) in enumerate(parents):
        builder.use_pattern(constants)
        for _ in range(min(count, MOST_ROWS // _PARENTS)):
            for table in plan.tables:
                builder.add_row(table, [key[parent] for key in keys])


def _distinct(values: Sequence[Cell]) -> Sequence[Cell]:
    """A value for each parent, different ones if there are that many."""
    distinct = list(dict.fromkeys(values))
    return [distinct[n % len(distinct)] for n in range(_PARENTS)]
