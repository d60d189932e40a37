"""Makes the instances of one pair of queries: the strategies take turns.

The instance's number decides the strategy; the number and the seed decide the random draws.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlverdict.records import Cell, Row
from sqlverdict.refute.make.instance_builder import InstanceBuilder
from sqlverdict.refute.make.parents import add_parents
from sqlverdict.refute.make.plan import InstancePlan
from sqlverdict.refute.read.columns import ColumnRef
from sqlverdict.refute.strategy import rotation, turn_of


class InstanceGenerator(InstancePlan):
    """Makes the instances of one pair of queries."""

    def instance(self, number: int) -> dict[str, tuple[Row, ...]]:
        """The rows of an instance, by table."""
        turns, (strategy, profile) = rotation(), turn_of(self, number)
        base = turns[number % len(turns)].profile
        builder = InstanceBuilder(self, number, base, profile, len(turns), strategy.exact)
        strategy.fill(builder)
        add_parents(builder)
        return {name: tuple(map(tuple, rows)) for name, rows in builder.rows.items()}


def values_by_column(generator: InstanceGenerator) -> Mapping[ColumnRef, tuple[Cell, ...]]:
    """The values that the queries name for each column, for other sources of instances."""
    return {
        column: (*pool.good, *pool.near)
        for column, pool in generator.pools.items()
        if pool.good or pool.near
    }
