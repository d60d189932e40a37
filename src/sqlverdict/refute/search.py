"""find_witness: search for a legal database on which two queries differ.

The engine itself is the judge: every instance is loaded and both queries are run. Instances
come from the bank first, then from the strategies in turn, with one of real rows after every
fourth (``sources.py``). The budget counts instances and work, so that the same call gives the
same result on any machine; seconds are a safety net, and a result that they cut says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset
from sqlverdict.errors import SchemaError
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.files.thread_cache import cache_by_thread
from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Contract, ParseFailure, ParseResult, Query
from sqlverdict.refute.data.grade import SEVERITY, Grader, tie_scratch
from sqlverdict.refute.data.real_rows import real_rows
from sqlverdict.refute.data.regularities import Regularities
from sqlverdict.refute.make.generator import InstanceGenerator
from sqlverdict.refute.meter import Meter
from sqlverdict.refute.read import refusal
from sqlverdict.refute.read.constants import read
from sqlverdict.refute.read.part import part_of
from sqlverdict.refute.shrink import Content, Cost, Differ, Shrinker
from sqlverdict.refute.sources import InstanceSources
from sqlverdict.refute.trial.difference import BEST, Difference, Rank, SmallDifference
from sqlverdict.refute.trial.pair_trial import PairTrial
from sqlverdict.refute.trial.scratch_database import ScratchDatabase, warm_scratch
from sqlverdict.refute.witness import (
    Instance,
    NotRefuted,
    Origin,
    Refutation,
    SearchBudget,
    Witness,
)

_MORE_ORDINARY = 80
"""How many more instances are tried for a better witness once there is one, more ordinary or
more telling: more than three rounds of the rotation, so that each strategy has several chances."""
_REEXAMINED = 8
"""How many differences are examined again where none is determined; a few, because each of them is
shrunk."""


def find_witness(
    gold: str,
    prediction: str,
    schema: Schema,
    *,
    facts: frozenset[Fact] | None = None,
    budget: SearchBudget | None = None,
    preset: str | Preset = DEFAULT_PRESET,
    contract: Contract | None = None,
    first: Iterable[Instance] = (),
    database: Path | None = None,
    without: Collection[str] = (),
) -> Refutation:
    """Search for a small legal database on which the two queries differ.

    Args:
        gold: The gold query, as text.
        prediction: The predicted query, as text.
        schema: The tables.
        facts: What every database must obey; by default all that the schema declares. Any
            subset may be given.
        budget: How many instances, how much work, which seed.
        preset: When two answers are the same; a preset's name, or one made for the pair.
        contract: What the case asks of answers.
        first: Instances to try before any is made.
        database: The real database: a witness is graded by what its data show.
        without: Names of strategies that make no instances in this search; the others make the
            instances that they make otherwise.

    Returns:
        A shrunk witness, or how many instances were tried without one.
    """
    return refute_queries(
        parse(gold),
        parse(prediction),
        schema,
        facts=facts,
        budget=budget,
        preset=preset,
        contract=contract,
        first=first,
        database=database,
        without=without,
    )


def refute_queries(
    gold: ParseResult,
    prediction: ParseResult,
    schema: Schema,
    *,
    facts: frozenset[Fact] | None = None,
    budget: SearchBudget | None = None,
    preset: str | Preset = DEFAULT_PRESET,
    contract: Contract | None = None,
    first: Iterable[Instance] = (),
    database: Path | None = None,
    without: Collection[str] = (),
    more: int = _MORE_ORDINARY,
) -> Refutation:
    """As :func:`find_witness`, for queries that are parsed already.

    ``more``: how many more instances are tried for a better witness once there is one.
    """
    if fold_sql(gold.sql) == fold_sql(prediction.sql):
        return NotRefuted(0, message="the two queries are the same text")
    not_refuted = refusal.unreadable((gold, prediction))
    if not_refuted is not None:
        return not_refuted
    queries = [query for query in (gold, prediction) if not isinstance(query, ParseFailure)]
    part = part_of(schema, (*queries[0].tables, *queries[1].tables))
    if facts is not None and part is not schema:
        names = {table.name for table in part.tables}
        facts = frozenset(fact for fact in facts if fact.table in names)
    try:
        search = _WitnessSearch(
            (queries[0], queries[1]), part, facts, budget or SearchBudget(), preset, contract
        )
        refutation: Refutation | None = refusal.unrunnable(
            search.scratches[0], gold.sql, prediction.sql
        )
        if refutation is None:
            refutation = search.run(first, database, without, more)
    except SchemaError as error:
        return refusal.no_database(error)
    if isinstance(refutation, Witness):
        return replace(refutation, instance=Instance(schema, refutation.instance.rows))
    return refutation


@cache_by_thread(64)
def scratches_for(
    schema: Schema, facts: frozenset[Fact] | None
) -> tuple[frozenset[Fact], tuple[ScratchDatabase, ScratchDatabase]]:
    """What the pairs of a schema share: the facts, and scratch databases for instances."""
    # The second is without keys: an INTEGER PRIMARY KEY would put rows back into its order.
    scratches = (warm_scratch(schema, facts, False), warm_scratch(schema, frozenset(), True))
    return facts_of(schema) if facts is None else facts, scratches


class _WitnessSearch:
    """One search."""

    def __init__(
        self,
        queries: tuple[Query, Query],
        schema: Schema,
        facts: frozenset[Fact] | None,
        budget: SearchBudget,
        preset: str | Preset,
        contract: Contract | None,
    ) -> None:
        gold, prediction = queries
        self.gold, self.prediction = gold.sql, prediction.sql
        self.schema, self.budget = schema, budget
        self.facts, self.scratches = scratches_for(schema, facts)
        ours, theirs = read(gold, schema), read(prediction, schema)
        reading = ours.merge(theirs)
        alike = ours.reads_like(theirs) and gold.features == prediction.features
        self.instances = max(1, budget.instances // budget.alike) if alike else budget.instances
        self.generator = InstanceGenerator(
            schema, self.facts, reading, budget.seed, self.scratches[0] if facts is None else None
        )
        needed = [*reading.tables, *self.generator.blanks]
        refusal.check_tables(
            self.scratches[0].missing, schema, (self.gold, self.prediction), needed, ours.tables
        )
        self.trial = PairTrial(
            queries,
            schema,
            self.scratches,
            self.generator.constraints.links,
            PRESETS.get(preset) if isinstance(preset, str) else preset,
            contract,
        )
        self.query_values = frozenset(hint.value for hint in reading.hints)
        self.meter = Meter(budget, self.scratches)
        self._real: Regularities | None = None
        self.instances_tried = 0
        self.undetermined = 0
        self.origin: Origin = "search"
        self._left_open: list[tuple[Difference, Origin, int]] = []
        self._differences: list[tuple[Difference, Origin, int]] = []

    def run(
        self,
        first: Iterable[Instance],
        database: Path | None,
        without: Collection[str],
        more: int,
    ) -> Refutation:
        """Try instances until one separates the queries, or the budget is spent."""
        # The real data are mined once for all pairs: this pair does not pay for it.
        self._real = None if database is None else real_rows(database, self.schema).regularities
        self.meter = Meter(self.budget, (*self.scratches, tie_scratch(self.schema)))
        best: SmallDifference | None = None
        left = self.instances
        facts, scratch = self.facts, self.scratches[0]
        sources = InstanceSources(
            self.generator, facts, self.budget, self.instances, database, scratch, without
        )
        for origin, rows in sources(self._of_part(first)):
            if left <= 0 or self.meter.over:
                break
            left -= 1
            self.instances_tried += 1
            self.origin = origin
            difference = self.trial.legal_difference(rows)
            if difference is None:
                continue
            if len(self._differences) < _REEXAMINED:
                self._differences.append((difference, origin, self.instances_tried))
            small = self._small(difference, self._grader, None if best is None else best.rank)
            if small is None:
                continue
            best = small
            if best.rank == BEST:
                break
            left = min(left, more)
            sources.ordinary = database is not None
        if best is None and not self.meter.over:
            best = self._determined_beside()
        if (best is None or best.cost > (0, 0)) and not self.meter.over:
            # An answer left open on ordinary data says more than a difference on unusual data.
            witness = self._undetermined()
            if witness is not None and (best is None or SEVERITY[witness.grade] == 0):
                return witness
        stopped, number = self.trial.stopped, self.instances_tried
        # Where it is often stopped, data that are only unusual may be all that it shows.
        if best is not None and (best.cost[0] == 0 or not refusal.is_often(stopped, number)):
            return self._witness(best, self._simple(best, self._grader), self._grader)
        return refusal.not_refuted(number, self.undetermined, stopped, self.meter)

    def _of_part(self, first: Iterable[Instance]) -> Iterator[Instance]:
        """Instances without the tables that neither query touches."""
        names = {table.name for table in self.schema.tables}
        for instance in first:
            rows = {name: rows for name, rows in instance.rows.items() if name in names}
            yield Instance(self.schema, rows)

    def _small(
        self, difference: Difference, grader: Grader, below: Rank | None
    ) -> SmallDifference | None:
        """The same difference on fewer rows, if it is a determined one of a lower rank.

        Where no difference was undetermined so far, the few rows that are left are tested first:
        they have few orders. Once there is a witness, that is tested last of all.
        """
        trial = self.trial
        if below is None and self.undetermined and not trial.is_determined(difference):
            self._leave_open(difference)
            return None

        def hopeless(rows: Content) -> bool:
            return below is not None and (grader.least(Instance(self.schema, rows)), 0, 0) >= below

        for differ in self._differs(difference):
            rows = self._shrinker(differ, grader).fewer(difference.rows, hopeless)
            if rows is None:
                return None
            cost = self._cost(rows, grader)
            if below is not None and (*cost, 0) >= below:
                return None
            last = trial.determined_difference(rows)
            if last is not None:
                small = SmallDifference(last, cost, self.origin, self.instances_tried)
                return None if below is not None and small.rank >= below else small
            if not trial.is_determined(difference):
                self._leave_open(difference)
                return None
        return None

    def _differs(self, difference: Difference) -> tuple[Differ, Differ]:
        """Whether rows show the difference still, without and with determined answers."""
        telling = not difference.says_the_same
        return (
            partial(self.trial.differs, telling=telling),
            partial(self.trial.differs_determined, telling=telling),
        )

    def _leave_open(self, difference: Difference) -> None:
        self.undetermined += 1
        if len(self._left_open) < _REEXAMINED:
            self._left_open.append((difference, self.origin, self.instances_tried))

    def _determined_beside(self) -> SmallDifference | None:
        """A determined difference beside an undetermined one: one row less may break a tie."""
        grader = self._grader
        for difference, origin, number in self._left_open:
            _, differ = self._differs(difference)
            shrinker = self._shrinker(differ, grader)
            rows = shrinker.one_less(difference.rows)
            if rows is None:
                continue
            small = self.trial.determined_difference(shrinker.fewer(rows) or rows)
            if small is not None:
                return SmallDifference(small, self._cost(small.rows, grader), origin, number)
        return None

    def _undetermined(self) -> Witness | None:
        """A database on which the prediction leaves open what the gold decides."""
        trial = self.trial
        if trial.is_prediction_order_free:
            return None
        left_open = [entry[0] for entry in self._left_open]
        others = [d for d in self._differences if all(d[0] is not each for each in left_open)]
        for difference, origin, number in (*self._left_open, *others):
            if trial.second_answer(difference) is None:
                continue
            # Only a tie of the gold's own ranking is unusual: the prediction chose its own.
            grader = Grader(
                self.schema, self._real, self.gold, self.prediction, ranked=(self.gold,)
            )
            shrinker = self._shrinker(trial.leaves_open, grader)
            rows = shrinker.fewer(difference.rows) or difference.rows
            rows = shrinker.simpler(rows, self._cost(rows, grader), self.query_values)
            last = trial.stored(trial.legal_difference(rows) or difference)
            other = trial.second_answer(last)
            if other is not None:
                small = SmallDifference(last, self._cost(last.rows, grader), origin, number)
                witness = self._witness(small, last, grader)
                return replace(witness, kind="undetermined_prediction", other=other)
        return None

    def _simple(self, small: SmallDifference, grader: Grader) -> Difference:
        """The same difference with simple values."""
        for differ in self._differs(small.difference):
            shrinker = self._shrinker(differ, grader)
            rows = shrinker.simpler(small.difference.rows, small.cost, self.query_values)
            simple = self.trial.determined_difference(rows)
            if simple is not None:
                return simple
        return small.difference

    def _shrinker(self, differ: Differ, grader: Grader) -> Shrinker:
        """A shrinker that keeps instances as ordinary as they are."""
        return Shrinker(
            self.generator.constraints,
            differ,
            self.budget.shrink,
            lambda rows: partial(self._cost, grader=grader.within(Instance(self.schema, rows))),
            partial(self._cost, grader=grader),
            self._is_over,
        )

    def _is_over(self) -> bool:
        return self.meter.over

    def _cost(self, rows: Content, grader: Grader) -> Cost:
        self.meter.spend(grader.weight * sum(map(len, rows.values())))
        return grader.cost(Instance(self.schema, rows))

    def _witness(self, best: SmallDifference, last: Difference, grader: Grader) -> Witness:
        instance = Instance(self.schema, {t: r for t, r in last.rows.items() if r})
        grade, broken = grader.grade(instance)
        return Witness(
            self.gold,
            self.prediction,
            instance,
            last.gold,
            last.prediction,
            last.comparison.reasons,
            best.origin,
            best.instances_tried,
            grade,
            broken,
            cut_by_time=self.meter.late,
        )

    @cached_property
    def _grader(self) -> Grader:
        return Grader(self.schema, self._real, self.gold, self.prediction)
