"""Groups whose mean lies on the other side of a border than one of their rows.

Makes
    Two or three groups by a column of GROUP BY, or one where the queries do not group. The column
    of which the two queries take different aggregates lies around a number that the queries name,
    or an ordinary one: a row just below and one far above, a row just above and one far below, one
    value in all rows, or NULL.

Separates
    AVG, MIN, MAX, SUM and TOTAL of one column from each other: in HAVING, in ORDER BY with LIMIT,
    and beside a subquery. Values drawn one by one are mostly on one side of the number, and then
    so are all aggregates of them.

Example
    Places whose mean price is below 10 against places that have a price below 10.

Costs
    One of five instances after the first round, where the queries take different aggregates of
    one column; none elsewhere. Two to six rows a table.
"""

from __future__ import annotations

from math import floor

from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell
from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.plan import InstancePlan
from sqlverdict.refute.make.pool import ValuePool
from sqlverdict.refute.make.values import nth, takes
from sqlverdict.refute.strategy import StrategyExample, strategy

_FILTER = "SELECT place FROM visit GROUP BY place HAVING {aggregate}(cost) < 10"

_EVERY, _TURN = 5, 4
"""One of five instances; ``competing_groups`` has two others."""
_PATTERNS: tuple[tuple[int | None, ...], ...] = (
    *((-1, 3), (1, -3), (-1, -1, 5)),
    *((0,), (2,), (2, 2), (-2, -2, -2)),
    (None,),
)
"""Distances of a group's rows from the number, or no value. The first three have their mean on the
other side of it than one row; a group of one value lies between the mean and the greatest or least
of another; without values TOTAL is 0, and the others are NULL."""
_GROUPS = (2, 2, 3)
"""How many groups there are; two are enough for most rankings."""
_ORDINARY = (3, 10, -10)
"""The number where the queries name none: a small one, and two from which no pattern reaches 0."""
_LARGEST = 2**53
"""Beyond it the distances are lost in floating-point numbers, and columns of integers end soon."""


def _replaces(plan: InstancePlan, number: int, first_round: int) -> bool:
    # The first round is the same for all queries.
    return bool(plan.uneven) and number >= first_round and number % _EVERY == _TURN


@strategy(
    profiles=[
        InstanceProfile(
            why="What the queries filter should be there: every row of a group counts.",
            matching=0.95,
            near=0.05,
        ),
    ],
    example=StrategyExample(
        schema="CREATE TABLE visit (id INTEGER PRIMARY KEY, place TEXT, cost INTEGER);",
        gold=_FILTER.format(aggregate="AVG"),
        prediction=_FILTER.format(aggregate="MIN"),
        instances=40,
    ),
    replaces=_replaces,
    exact=True,
)
def uneven_groups(builder: InstanceBuilder) -> None:
    """Add groups of different patterns; one where the queries do not group."""
    plan, joining = builder.plan, builder.joining
    column = builder.choice(plan.uneven)
    centre = _centre(builder, column)
    group = builder.choice(plan.groups) if plan.groups else None
    patterns = builder.rng.sample(_PATTERNS, 1 if group is None else builder.choice(_GROUPS))
    for number, pattern in enumerate(patterns):
        constants: dict[ColumnRef, Cell] = {}
        # Rows of a group join the same partners, and each group has its own.
        join_values = [nth(values, number) for values in joining.values]
        if group is not None and group not in joining.class_of:
            pool = plan.pools[group]
            keys = [*dict.fromkeys((*pool.good, *pool.plain))]
            constants[group] = nth(keys, number, closed=pool.closed)
        for distance in pattern:
            constants[column] = _stored(plan.pools[column], centre, distance)
            builder.use_pattern(constants)
            for table in plan.tables:
                builder.add_row(table, join_values)


def _centre(builder: InstanceBuilder, column: ColumnRef) -> float:
    """A number that the queries compare the column with, or an ordinary one."""
    numbers = [
        hint.value
        for hint in builder.plan.reading.hints
        if hint.column_ref == column and isinstance(hint.value, int | float)
    ]
    return builder.choice([n for n in numbers if abs(n) <= _LARGEST] or _ORDINARY)


def _stored(pool: ValuePool, centre: float, distance: int | None) -> Cell:
    """The value at a distance from the number, as the column holds it."""
    if distance is None and pool.nullable:
        return None
    number = centre + (distance or 0)
    if pool.kind == "TEXT":
        return str(number)
    return number if takes(pool.kind, number) else floor(number)
