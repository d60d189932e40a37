"""Makes the instances of one pair of queries: the strategies take turns.

The instance's number decides the strategy; the number and the seed decide the random draws.

At the end every reference of an instance gets its parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from sqlverdict.execute.in_memory import ScratchDatabase
from sqlverdict.files.thread_cache import cache_by_thread
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.records import Cell
from sqlverdict.refute.make.constraints import KeyLink
from sqlverdict.refute.make.instance_builder import InstanceBuilder
from sqlverdict.refute.make.plan import InstancePlan
from sqlverdict.refute.make.values import takes
from sqlverdict.refute.read.reading import QueryReading
from sqlverdict.refute.strategy import rotation, turn_of
from sqlverdict.refute.witness import Content

_SELF_REFERENCES = 4
"""How long a chain of parents may be in a table that references itself."""
_GENERATORS = 4
"""How many generators keep their instances: pairs of one gold come one after the other."""
_NULL_REFERENCE = 0.2
"""How often a reference without a parent becomes NULL instead of getting one."""


def add_parents(builder: InstanceBuilder) -> None:
    """Give every reference its parent; where that fails, drop the child."""
    links = builder.plan.links
    # A reference that was whole stays so until its table gets rows, or a cell of it or of its
    # parents changes: when these happened last, and when each reference was looked at.
    grown: dict[str, int] = {}
    changed: dict[str, int] = {}
    looked_at, now = [-1] * len(links), 0
    # A chain of parents is at most as long as there are references, but for one to itself.
    for _ in range(len(links) + _SELF_REFERENCES):
        before = now
        for n, link in enumerate(links):
            if looked_at[n] >= max(grown.get(link.table, 0), changed.get(link.parent, 0)):
                continue
            looked_at[n] = now
            if _add_parents(builder, link):
                now += 1
                grown[link.parent] = grown[link.table] = changed[link.table] = now
        if now == before:
            return
    while sum([_drop_orphans(builder, link) for link in links]):
        pass


def _orphans(builder: InstanceBuilder, link: KeyLink) -> list[list[Cell]]:
    children = builder.rows.get(link.table)
    if not children:
        return []
    parents = builder.rows.get(link.parent, ())
    if len(link.child) == 1:
        (child,), (key,) = link.child, link.key
        values = {row[key] for row in parents}
        return [r for r in children if r[child] is not None and r[child] not in values]
    known = {tuple([row[n] for n in link.key]) for row in parents}
    orphans = []
    for row in children:
        value = tuple([row[n] for n in link.child])
        if None not in value and value not in known:
            orphans.append(row)
    return orphans


def _add_parents(builder: InstanceBuilder, link: KeyLink) -> bool:
    orphans = _orphans(builder, link)
    if not orphans:
        return False
    plan = builder.plan
    parent = plan.constraints.tables[link.parent]
    keys = {n: plan.pools[(parent.name, parent.columns[n].name)] for n in link.key}
    for row in orphans:
        if link.nullable and not builder.exact and builder.rng.random() < _NULL_REFERENCE:
            for n in link.child:
                row[n] = None
            continue
        fresh = list(plan.blanks[parent.name])
        for n, column in plan.varied[parent.name]:
            fresh[n] = builder.value(column)
        for n, source in zip(link.key, link.child, strict=True):
            if not takes(keys[n].kind, row[source]):
                # A text that refers to a number.
                row[source] = keys[n].plain[0]
            fresh[n] = row[source]
        builder.keep(parent, fresh)
    return True


def _drop_orphans(builder: InstanceBuilder, link: KeyLink) -> bool:
    orphans = _orphans(builder, link)
    if not orphans:
        return False
    builder.drop(link.table, orphans)
    return True


class InstanceGenerator(InstancePlan):
    """Makes the instances of one pair of queries, each once."""

    @cached_property
    def _instances(self) -> dict[int, Content]:
        return {}

    def instance(self, number: int) -> Content:
        """The rows of an instance, by table; nobody may change it."""
        rows = self._instances.get(number)
        if rows is None:
            rows = self._instances[number] = self._make(number)
        return rows

    def _make(self, number: int) -> Content:
        turns, (strategy, profile) = rotation(), turn_of(self, number)
        base = turns[number % len(turns)].profile
        builder = InstanceBuilder(self, number, base, profile, len(turns), strategy.exact)
        strategy.fill(builder)
        add_parents(builder)
        return {name: tuple(map(tuple, rows)) for name, rows in builder.rows.items()}


class _ReadingKey:
    """A reading that equals every other with the same content."""

    def __init__(self, reading: QueryReading) -> None:
        self.reading = reading
        # 1, 1.0 and True are equal, and not the same values.
        self._content = repr(reading)

    def __hash__(self) -> int:
        return hash(self._content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ReadingKey) and other._content == self._content


def shared_generator(
    schema: Schema,
    facts: frozenset[Fact],
    reading: QueryReading,
    seed: int,
    scratch: ScratchDatabase | None,
) -> InstanceGenerator:
    """A generator, with the instances that it made for an earlier pair that reads the same.

    Predictions for one gold often differ in what no instance depends on: in names, in DISTINCT, in
    the form of a subquery. The arguments are those of :class:`InstancePlan`.
    """
    return _generator(schema, facts, _ReadingKey(reading), seed, scratch)


@cache_by_thread(_GENERATORS)
def _generator(
    schema: Schema,
    facts: frozenset[Fact],
    key: _ReadingKey,
    seed: int,
    scratch: ScratchDatabase | None,
) -> InstanceGenerator:
    return InstanceGenerator(schema, facts, key.reading, seed, scratch)


def values_by_column(generator: InstanceGenerator) -> Mapping[ColumnRef, tuple[Cell, ...]]:
    """The values that the queries name for each column, for other sources of instances."""
    return {
        column: (*pool.good, *pool.near)
        for column, pool in generator.pools.items()
        if pool.good or pool.near
    }
