"""Instances in which groups stand beside each other: what ranks or counts groups parts here."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.records import Cell
from sqlverdict.refute.make.instance_builder import MOST_ROWS, InstanceBuilder
from sqlverdict.refute.make.modes import RIVALS
from sqlverdict.refute.make.values import nth

_MOST_GROUPS, _LARGE_GROUP = 12, 8
_NULL_HABIT, _SAME_HABIT, _LINED_HABIT, _NULL_GROUP = 0.15, 0.5, 0.8, 0.3


def twins(draft: InstanceBuilder) -> None:
    """Two parents alike in all but their key, with fewer children each than a third.

    Together they have more: what groups by a name and what groups by a key part ways.
    """
    count = draft.choice(draft.plan.counts or [2])
    sizes = (max(count, 2), max(count, 2), max(count, 2) + 1)
    keys = [_three(values) for values in draft.joining.values]
    pools = draft.plan.pools
    for number, size in enumerate(sizes):
        look = {
            place: _three((*pools[place].good, *pools[place].plain))[number // 2]
            for table in draft.plan.tables
            for _, place in draft.plan.varied[table.name]
            if place not in draft.joining.class_of
        }
        draft.fixed = look
        for _ in range(min(size, MOST_ROWS // 3)):
            for table in draft.plan.tables:
                draft.add(table, [key[number] for key in keys])


def rivals(draft: InstanceBuilder) -> None:
    """Groups of different sizes, each with its own habits: the same, NULL, or anything.

    What ranks groups by one measure and what ranks them by another part ways.
    """
    rng, plan, joining = draft.rng, draft.plan, draft.joining
    draft.mode = RIVALS
    group = draft.choice(plan.groups)
    joined = joining.class_of.get(group)
    pool = plan.pools[group]
    sizes = _sizes(draft)
    known = [*pool.good, *pool.plain] if joined is None else joining.values[joined]
    distinct = [*dict.fromkeys(known)]
    if pool.closed and joined is None:
        sizes = sizes[: len(distinct)]
    names = [nth(distinct, n) for n in range(len(sizes))]
    if pool.nullable and rng.random() < _NULL_GROUP:
        names[0] = None
    for name, size in zip(names, sizes, strict=True):
        draft.fixed, draft.lined = {}, set()
        for place in (place for table in plan.tables for _, place in plan.varied[table.name]):
            habit = rng.random()
            if habit < _NULL_HABIT and size < _LARGE_GROUP and plan.pools[place].nullable:
                draft.fixed[place] = None
            elif habit < _SAME_HABIT and place not in joining.class_of:
                draft.fixed[place] = draft.value(place)
            elif habit > _LINED_HABIT:
                draft.lined.add(place)
        draft.fixed[group] = name
        # Each row takes the next value of a join, or all take one: the first is asked for.
        steps = [draft.choice((0, 0, 1)) for _ in joining.values]
        starts = [draft.choice((0, 0, 0, 1, 2)) for _ in joining.values]
        for number in range(size):
            draft.scene = number
            values = [
                nth(known, start + step * number)
                for known, start, step in zip(joining.values, starts, steps, strict=True)
            ]
            if joined is not None:
                values[joined] = name
            for table in plan.tables:
                draft.add(table, values)


def _sizes(draft: InstanceBuilder) -> list[int]:
    """How large the groups are: more of them than a LIMIT, larger than a count, or just unequal."""
    rng, counts = draft.rng, draft.plan.counts
    few = [count for count in counts if 1 < count < _MOST_GROUPS]
    if few and rng.random() < 0.25:
        groups = draft.choice(few) + 1
        return rng.sample(range(1, groups + 1), groups)
    sizes = rng.sample((1, 2, 3, 4), draft.choice((2, 2, 3)))
    if counts and rng.random() < 0.5:
        sizes[0] = draft.choice(counts) + draft.choice((0, 1))
    if draft.large:
        sizes[0] = draft.large + draft.choice((0, 1))
    return sizes


def _three(values: Sequence[Cell]) -> Sequence[Cell]:
    """Three values, different if there are that many."""
    distinct = list(dict.fromkeys(values))
    return [distinct[n % len(distinct)] for n in range(3)]
