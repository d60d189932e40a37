"""Instances that obey the facts, made of scenes in which the queries have something to find.

A scene is one row for each table, its join columns sharing values and its compared columns
taking values that satisfy the comparisons: it gives the gold query something to return.
Instances are a few scenes with one thing or another gone wrong in them: a value just beside
a border, a NULL, a missing partner, a tie, a duplicate, an empty table. Which, is decided by
the instance's number; the random numbers by the seed.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlverdict.records import Cell, Row
from sqlverdict.refute.make.groups import rivals, twins
from sqlverdict.refute.make.instance_builder import InstanceBuilder
from sqlverdict.refute.make.parents import close
from sqlverdict.refute.make.plan import InstancePlan
from sqlverdict.refute.read.columns import Place

_COPIED = 0.7


class InstanceGenerator(InstancePlan):
    """Makes the instances of one pair of queries."""

    def instance(self, number: int) -> dict[str, tuple[Row, ...]]:
        """The rows of an instance, by table."""
        draft = InstanceBuilder(self, number)
        if draft.rivals:
            rivals(draft)
        elif draft.mode.twins:
            twins(draft)
        else:
            _scenes(draft)
        close(draft)
        return {name: tuple(map(tuple, rows)) for name, rows in draft.content.items()}


def _scenes(draft: InstanceBuilder) -> None:
    """A few scenes, with what the mode lets go wrong."""
    rng, mode, plan, drop = draft.rng, draft.mode, draft.plan, draft.mode.drop
    copies, classes = plan.reading.copies, range(len(draft.joining.values))
    empty = {table.name for table in plan.tables if mode.empty and rng.random() < mode.empty}
    for number in range(draft.scenes):
        draft.scene = number
        values = [draft.class_value(n) for n in classes]
        for table in plan.tables:
            if table.name in empty or (drop and rng.random() < drop):
                continue
            draft.add(table, values)
            if copies.get(table.name, 1) > 1 and rng.random() < _COPIED:
                draft.add(table, values)


def values_by_place(generator: InstanceGenerator) -> Mapping[Place, tuple[Cell, ...]]:
    """The values that the queries name for each column, for other sources of instances."""
    return {
        place: (*pool.good, *pool.near)
        for place, pool in generator.pools.items()
        if pool.good or pool.near
    }
