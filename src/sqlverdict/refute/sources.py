"""Where the instances of a search come from: the bank, real rows, and the generator.

Once a difference is found that is not ordinary beside the real data, the rest of the search asks
whether there is an ordinary one: then the generator makes rows like the real ones. What these
show of single columns becomes facts and values; what they show of several is left to the grade.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

from sqlverdict.execute.in_memory import ScratchDatabase
from sqlverdict.files.thread_cache import cache_by_thread
from sqlverdict.parse.facts import Fact, NotNull, References, Unique
from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Row
from sqlverdict.refute.data.mine.across import Inclusion
from sqlverdict.refute.data.mine.columns import FewValues, NeverNull, Repeatless
from sqlverdict.refute.data.mine.kind import ColumnRegularity
from sqlverdict.refute.data.real_rows import RealRows, real_rows
from sqlverdict.refute.data.regularities import Regularities
from sqlverdict.refute.make.generator import InstanceGenerator, values_by_column
from sqlverdict.refute.make.pool import ValuePool
from sqlverdict.refute.strategy import rotation, turn_of
from sqlverdict.refute.witness import Content, Instance, Origin, SearchBudget

_FROM_BANK = 40
"""How many instances of the bank are tried first: a tenth of the usual budget."""
_REAL_EVERY = 4
"""One instance in so many is made of real rows."""
_PAIRS = 4
"""For how many pairs instances are kept: those of one gold come one after the other."""
_PLAIN = 4
"""How many real values are plain ones, as many as a column has otherwise."""


class InstanceSources:
    """The instances of one search, in the order in which they are tried.

    Attributes:
        ordinary: Whether only instances like the real data are wanted from now on.
    """

    def __init__(
        self,
        generator: InstanceGenerator,
        facts: frozenset[Fact],
        budget: SearchBudget,
        instances: int,
        database: Path | None,
        scratch: ScratchDatabase,
        without: Collection[str] = (),
    ) -> None:
        self._generator, self._facts, self._budget = generator, facts, budget
        self._instances, self._database, self._scratch = instances, database, scratch
        self._without = without
        self.ordinary = False

    def __call__(self, first: Iterable[Instance]) -> Iterator[tuple[Origin, Content]]:
        """The bank's, then the generator's with one of real rows among every few."""
        for instance in islice(first, _FROM_BANK):
            yield "bank", dict(instance.rows)
        real = self._real()
        likely: Iterator[Content] | None = None
        for number in range(self._instances):
            if self._without and self._strategy(number) in self._without:
                continue
            if self.ordinary and likely is None:
                likely = self._likely()
            rows = None if likely is None else next(likely, None)
            yield "search", self._generator.instance(number) if rows is None else rows
            if number % _REAL_EVERY == _REAL_EVERY - 1:
                sample = next(real, None)
                if sample is not None:
                    yield "real", dict(sample.rows)

    def _strategy(self, number: int) -> str:
        return turn_of(self._generator, number).strategy.name

    def _real(self) -> Iterator[Instance]:
        if self._database is None:
            return
        generator = self._generator
        real = real_rows(self._database, generator.schema)
        yield from _of_real_rows(generator, self._database, real, self._instances // _REAL_EVERY)

    def _likely(self) -> Iterator[Content]:
        """Instances like the real data."""
        if self._database is None:
            return
        real = real_rows(self._database, self._generator.schema)
        likely = _likely_generator(self._generator, self._facts, real, self._scratch)
        # Not the first round: it is the same for all queries, and has no competing groups.
        for number in range(len(rotation()), len(rotation()) + self._instances):
            yield likely.instance(number)


class _InstanceSequence:
    """Instances that are made when they are first asked for, and kept for the next pair."""

    def __init__(self, instances: Iterator[Instance]) -> None:
        self._rest = instances
        self._instances: list[Instance] = []

    def __iter__(self) -> Iterator[Instance]:
        for number in count():
            if number == len(self._instances):
                instance = next(self._rest, None)
                if instance is None:
                    return
                self._instances.append(instance)
            yield self._instances[number]


# A generator stands for what its pair reads, and real rows for one content of a database.
@cache_by_thread(_PAIRS)
def _of_real_rows(
    generator: InstanceGenerator, database: Path, real: RealRows, most: int
) -> _InstanceSequence:
    from sqlverdict.refute.data.mutate import real_instances

    del real
    instances = real_instances(
        database,
        generator.schema,
        [table.name for table in generator.tables],
        values_by_column(generator),
        seed=generator.seed,
        count=most,
    )
    return _InstanceSequence(instances)


@cache_by_thread(_PAIRS)
def _likely_generator(
    generator: InstanceGenerator,
    facts: frozenset[Fact],
    real: RealRows,
    scratch: ScratchDatabase,
) -> InstanceGenerator:
    return InstanceGenerator(
        generator.schema,
        facts | likely_facts(real.regularities),
        generator.reading,
        generator.seed,
        scratch,
        shape=lambda pools: likely_pools(pools, generator.reading.used, real),
    )


def likely_facts(regularities: Regularities) -> frozenset[Fact]:
    """What the real data show as if it were declared."""
    facts: set[Fact] = {NotNull(*member.column_refs[0]) for member in regularities.of(NeverNull)}
    facts |= {
        Unique(m.column_refs[0][0], (m.column_refs[0][1],)) for m in regularities.of(Repeatless)
    }
    for inclusion in regularities.of(Inclusion):
        (table, column), (parent, key) = inclusion.column_refs
        facts.add(References(table, (column,), parent, (key,)))
    return frozenset(facts)


def likely_pools(
    pools: Mapping[ColumnRef, ValuePool], used: Iterable[ColumnRef], real: RealRows
) -> dict[ColumnRef, ValuePool]:
    """The pools with real values for ordinary ones, and without what the real data never hold."""
    likely = dict(pools)
    for column_ref in used:
        pool = pools[column_ref]
        about = real.regularities.about(*column_ref)
        column = [member for member in about if isinstance(member, ColumnRegularity)]
        values = real.values(column_ref)
        plain = values[:_PLAIN] or _without_breaks(pool.plain, column) or pool.plain
        likely[column_ref] = replace(
            pool,
            good=_without_breaks(pool.good, column) or pool.good,
            near=_without_breaks(pool.near, column),
            plain=plain,
            odd=values[_PLAIN:] or plain,
            closed=any(isinstance(member, FewValues) for member in column),
        )
    return likely


def _without_breaks(values: Row, regularities: Sequence[ColumnRegularity]) -> Row:
    """The values that break nothing of what the data show of their column."""
    return tuple(
        value for value in values if all(member.keeps((value,)) for member in regularities)
    )
