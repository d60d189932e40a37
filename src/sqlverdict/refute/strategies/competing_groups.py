"""Groups of different sizes, each with its own pattern of values.

Makes
    Two or three groups of one to four rows by a column of GROUP BY, or one more group than a LIMIT
    takes, or a group as large as a count in the queries. In each group a column is NULL, the same,
    different in every row, or free.

Separates
    Rankings by different measures: COUNT(*) against COUNT(column), COUNT DISTINCT, SUM, AVG or MAX;
    another LIMIT; HAVING on another measure. They part here without a tie.

Example
    The place with the most different prices against the place with the most prices.

Costs
    Two of five instances after the first round, where a query groups; none elsewhere. About seven
    rows a table, more where the queries count further.
"""

from __future__ import annotations

from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell
from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.make.plan import InstancePlan
from sqlverdict.refute.make.values import nth
from sqlverdict.refute.strategy import StrategyExample, strategy

_RANKING = "SELECT place FROM visit GROUP BY place ORDER BY {measure} DESC LIMIT 1"

_EVERY, _TURNS = 5, (1, 3)
"""Two of five instances: where queries group, what is ranked matters most, and the other
strategies still come often enough."""
_MOST_GROUPS = 12
"""The largest LIMIT or count that the number of groups follows."""
_LIMIT_GROUPS = 0.25
"""How often there is one group more than a LIMIT takes."""
_FEW_GROUPS = (2, 2, 3)
"""How many groups there are otherwise; two are enough for most rankings."""
_FEW_ROWS = (1, 2, 3, 4)
"""How large these are, each another."""
_COUNT_SIZE = 0.5
"""How often the first group is as large as a count in the queries."""
_BEYOND_COUNT = (0, 1)
"""How many rows more than the count it has."""
_NULL_GROUP = 0.3
"""How often the first group's key is NULL, where it may be."""
_NULL_COLUMN = 0.15
"""How often a column is NULL in a whole group: aggregates pass over it."""
_LARGE_GROUP = 8
"""From this size on no column is NULL throughout: a large group is made for its count."""
_SAME_UP_TO = 0.5
"""Below this draw, and not NULL, a column is the same in a whole group."""
_SEQUENCE_ABOVE = 0.8
"""Above this draw a column takes another value in each row of a group; in between any value."""
_STEPS = (0, 0, 1)
"""How a join value moves from row to row; usually not, so that a group joins one partner."""
_STARTS = (0, 0, 0, 1, 2)
"""Which join value a group starts with; usually the first, which the queries ask for."""


def _replaces(plan: InstancePlan, number: int, first_round: int) -> bool:
    # The first round is the same for all queries.
    return bool(plan.groups) and number >= first_round and number % _EVERY in _TURNS


@strategy(
    profiles=[
        InstanceProfile(
            why="What the queries filter should be there, or there is nothing to rank.",
            matching=0.95,
            near=0.05,
        ),
    ],
    example=StrategyExample(
        schema="CREATE TABLE visit (id INTEGER PRIMARY KEY, place TEXT, cost INTEGER);",
        gold=_RANKING.format(measure="COUNT(DISTINCT cost)"),
        prediction=_RANKING.format(measure="COUNT(cost)"),
        instances=54,
    ),
    replaces=_replaces,
    exact=True,
)
def competing_groups(builder: InstanceBuilder) -> None:
    """Add one group after the other."""
    rng, plan, joining = builder.rng, builder.plan, builder.joining
    group = builder.choice(plan.groups)
    join_class = joining.class_of.get(group)
    pool = plan.pools[group]
    sizes = _sizes(builder)
    known = [*pool.good, *pool.plain] if join_class is None else joining.values[join_class]
    distinct = [*dict.fromkeys(known)]
    if pool.closed and join_class is None:
        sizes = sizes[: len(distinct)]
    keys = [nth(distinct, n) for n in range(len(sizes))]
    if pool.nullable and rng.random() < _NULL_GROUP:
        keys[0] = None
    for key, size in zip(keys, sizes, strict=True):
        _use_pattern(builder, group, key, size)
        steps = [builder.choice(_STEPS) for _ in joining.values]
        starts = [builder.choice(_STARTS) for _ in joining.values]
        for number in range(size):
            builder.step = number
            join_values = [
                nth(values, start + step * number)
                for values, start, step in zip(joining.values, starts, steps, strict=True)
            ]
            if join_class is not None:
                join_values[join_class] = key
            for table in plan.tables:
                builder.add_row(table, join_values)


def _use_pattern(builder: InstanceBuilder, group: ColumnRef, key: Cell, size: int) -> None:
    """Each column of a group is the same, NULL, in sequence or free."""
    plan, class_of = builder.plan, builder.joining.class_of
    constants: dict[ColumnRef, Cell] = {}
    sequences: set[ColumnRef] = set()
    builder.use_pattern(constants, sequences)
    for column in (column for table in plan.tables for _, column in plan.varied[table.name]):
        draw = builder.rng.random()
        if draw < _NULL_COLUMN and size < _LARGE_GROUP and plan.pools[column].nullable:
            constants[column] = None
        elif draw < _SAME_UP_TO and column not in class_of:
            constants[column] = builder.value(column)
        elif draw > _SEQUENCE_ABOVE:
            sequences.add(column)
    constants[group] = key


def _sizes(builder: InstanceBuilder) -> list[int]:
    """How large the groups are: more of them than a LIMIT, larger than a count, or just unequal."""
    rng, counts = builder.rng, builder.plan.counts
    few = [count for count in counts if 1 < count < _MOST_GROUPS]
    if few and rng.random() < _LIMIT_GROUPS:
        groups = builder.choice(few) + 1
        return rng.sample(range(1, groups + 1), groups)
    sizes = rng.sample(_FEW_ROWS, builder.choice(_FEW_GROUPS))
    if counts and rng.random() < _COUNT_SIZE:
        sizes[0] = builder.choice(counts) + builder.choice(_BEYOND_COUNT)
    if builder.large:
        sizes[0] = builder.large + builder.choice(_BEYOND_COUNT)
    return sizes
