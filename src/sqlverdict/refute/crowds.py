"""Instances in which groups stand beside each other: what ranks or counts groups parts here."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.records import Cell
from sqlverdict.refute.draft import MOST_ROWS, Draft
from sqlverdict.refute.modes import RIVALS

_NULL_HABIT, _SAME_HABIT, _NULL_GROUP = 0.15, 0.5, 0.3


def twins(draft: Draft) -> None:
    """Two parents alike in all but their key, with fewer children each than a third.

    Together they have more: what groups by a name and what groups by a key part ways.
    """
    count = draft.rng.choice(draft.plan.counts or [2])
    sizes = (max(count, 2), max(count, 2), max(count, 2) + 1)
    keys = [_three(values) for values in draft.plan.class_values]
    pools = draft.plan.pools
    for number, size in enumerate(sizes):
        look = {
            place: _three((*pools[place].good, *pools[place].plain))[number // 2]
            for table in draft.plan.tables
            for _, place in draft.plan.varied[table.name]
            if place not in draft.plan.class_of
        }
        draft.fixed = look
        for _ in range(min(size, MOST_ROWS // 3)):
            for table in draft.plan.tables:
                draft.add(table, [key[number] for key in keys])


def rivals(draft: Draft) -> None:
    """Groups of different sizes, each with its own habits: the same, NULL, or anything.

    What ranks groups by one measure and what ranks them by another part ways.
    """
    rng, plan = draft.rng, draft.plan
    draft.mode = RIVALS
    group = rng.choice(plan.groups)
    joined = plan.class_of.get(group)
    pool = plan.pools[group]
    names = _three((*pool.good, *pool.plain) if joined is None else plan.class_values[joined])
    if pool.nullable and rng.random() < _NULL_GROUP:
        names = [None, *names[1:]]
    sizes = rng.sample((1, 2, 3, 4), rng.choice((2, 2, 3)))
    if plan.counts and rng.random() < 0.5:
        sizes[0] = rng.choice(plan.counts) + rng.choice((0, 1))
    for name, size in zip(names, sizes, strict=False):
        draft.fixed = {}
        for place in (place for table in plan.tables for _, place in plan.varied[table.name]):
            habit = rng.random()
            if habit < _NULL_HABIT and plan.pools[place].nullable:
                draft.fixed[place] = None
            elif habit < _SAME_HABIT and place not in plan.class_of:
                draft.fixed[place] = draft.value(plan.pools[place])
        draft.fixed[group] = name
        # Each row takes the next value of a join, or all take one: the first is asked for.
        steps = [rng.choice((0, 0, 1)) for _ in plan.class_values]
        starts = [rng.choice((0, 0, 0, 1, 2)) for _ in plan.class_values]
        for number in range(size):
            values = [
                known[(start + step * number) % len(known)]
                for known, start, step in zip(plan.class_values, starts, steps, strict=True)
            ]
            if joined is not None:
                values[joined] = name
            for table in plan.tables:
                draft.add(table, values)


def _three(values: Sequence[Cell]) -> Sequence[Cell]:
    """Three values, different if there are that many."""
    distinct = list(dict.fromkeys(values))
    return [distinct[n % len(distinct)] for n in range(3)]
