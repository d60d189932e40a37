"""find_witness: search for a legal database on which two queries differ.

The engine itself is the judge: every instance is loaded and both queries are run. Instances
come from the bank, from mutated real rows, and from the generator, in that order. The budget
counts instances and work, so that the same call gives the same result on any machine; seconds
are a safety net, and a result that they cut says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset, QueryPair
from sqlverdict.errors import SchemaError
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.records import (
    Answer,
    Comparison,
    Contract,
    Failure,
    Outcome,
    ParseFailure,
    Query,
)
from sqlverdict.refute.data.grade import SEVERITY, Grader, tie_arena
from sqlverdict.refute.data.real_rows import real_rows
from sqlverdict.refute.data.regularities import Regularities
from sqlverdict.refute.make.constraints import is_closed
from sqlverdict.refute.make.generator import InstanceGenerator
from sqlverdict.refute.meter import Meter
from sqlverdict.refute.read import refusal
from sqlverdict.refute.read.constants import read
from sqlverdict.refute.read.part import part_of
from sqlverdict.refute.shrink import Content, Cost, Shrinker
from sqlverdict.refute.sources import Sources
from sqlverdict.refute.trial.determined import is_determined, second_answer
from sqlverdict.refute.trial.difference import Difference, SmallDifference, is_whole
from sqlverdict.refute.trial.order_free import is_order_free
from sqlverdict.refute.trial.scratch_database import ScratchDatabase, warm_arena
from sqlverdict.refute.witness import (
    Instance,
    NotRefuted,
    Origin,
    Refutation,
    SearchBudget,
    Witness,
)

_BETTER = 80
"""How many more instances are tried for a more ordinary witness once one is found."""
_BETTER_BLIND = 6
"""The same without real data to be ordinary beside."""
_SETTLED = 8
"""How many undetermined differences are looked at once more where there is no other."""


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
) -> Refutation:
    """Search for a small legal database on which the two queries differ.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: The tables.
        facts: What every database must obey; by default all that the schema declares. Any
            subset may be given.
        budget: How many instances, how much work, which seed.
        preset: When two answers are the same; a preset's name, or one made for the pair.
        contract: The case's own wishes.
        first: Instances to try before any is made.
        database: The real database: a witness is graded by what its data show.

    Returns:
        A shrunk witness, or how many instances were tried without one.
    """
    chosen = budget or SearchBudget()
    if fold_sql(gold) == fold_sql(prediction):
        return NotRefuted(0, message="the two queries are the same text")
    parsed = [parse(gold), parse(prediction)]
    refused = refusal.unreadable(parsed)
    if refused is not None:
        return refused
    queries = [query for query in parsed if not isinstance(query, ParseFailure)]
    part = part_of(schema, (*queries[0].tables, *queries[1].tables))
    if facts is not None and part is not schema:
        names = {table.name for table in part.tables}
        facts = frozenset(fact for fact in facts if fact.table in names)
    try:
        hunt = _WitnessSearch(queries[0], queries[1], part, facts, chosen, preset, contract)
        refused = refusal.unrunnable(hunt.arenas[0], gold, prediction)
        found = hunt.run(first, database) if refused is None else refused
    except SchemaError as error:
        return refusal.unmade(error)
    if isinstance(found, Witness):
        return replace(found, instance=Instance(schema, found.instance.rows))
    return found


@lru_cache(maxsize=64)
def arenas_for(
    schema: Schema, facts: frozenset[Fact] | None
) -> tuple[frozenset[Fact], tuple[ScratchDatabase, ScratchDatabase]]:
    """What the pairs of a schema share: the facts, and arenas on which to try instances."""
    # The second is without keys: an INTEGER PRIMARY KEY would put rows back into its order.
    arenas = (warm_arena(schema, facts, False), warm_arena(schema, frozenset(), True))
    return facts_of(schema) if facts is None else facts, arenas


class _WitnessSearch:
    """One search."""

    def __init__(
        self,
        gold: Query,
        prediction: Query,
        schema: Schema,
        facts: frozenset[Fact] | None,
        budget: SearchBudget,
        preset: str | Preset,
        contract: Contract | None,
    ) -> None:
        self.queries = (gold, prediction)
        self.gold, self.prediction = gold.sql, prediction.sql
        self.dialect = gold.dialect
        self.schema, self.budget, self.contract = schema, budget, contract
        self.facts, self.arenas = arenas_for(schema, facts)
        self.preset = PRESETS.get(preset) if isinstance(preset, str) else preset
        ours, theirs = read(gold, schema), read(prediction, schema)
        reading = ours.merge(theirs)
        alike = ours.looks_like(theirs) and gold.features == prediction.features
        self.instances = max(1, budget.instances // budget.alike) if alike else budget.instances
        self.generator = InstanceGenerator(
            schema, self.facts, reading, budget.seed, self.arenas[0] if facts is None else None
        )
        needed = [*reading.tables, *self.generator.blanks]
        missing, asked = self.arenas[0].missing, (self.gold, self.prediction)
        refusal.check_made(missing, schema, asked, needed, ours.tables)
        self.named = frozenset(hint.value for hint in reading.hints)
        self.meter = Meter(budget, self.arenas)
        self._real: Regularities | None = None
        self.tried = 0
        self.undetermined = 0
        self.stopped = 0
        self.origin: Origin = "search"
        self._open: list[tuple[Difference, Origin, int]] = []
        self._differences: list[tuple[Difference, Origin, int]] = []

    def run(self, first: Iterable[Instance], database: Path | None) -> Refutation:
        """Try instances until one tells the queries apart, or the budget is spent."""
        # The real data are looked at once for all pairs: that is not this pair's to pay for.
        self._real = None if database is None else real_rows(database, self.schema).regularities
        self.meter = Meter(self.budget, (*self.arenas, tie_arena(self.schema)))
        best: SmallDifference | None = None
        left = self.instances
        facts, arena = self.facts, self.arenas[0]
        sources = Sources(self.generator, facts, self.budget, self.instances, database, arena)
        for origin, rows in sources(self._of_part(first)):
            if left <= 0 or self.meter.over:
                break
            left -= 1
            self.tried += 1
            self.origin = origin
            found = self._glance(rows)
            if found is None:
                continue
            if len(self._differences) < _SETTLED:
                self._differences.append((found, origin, self.tried))
            small = self._small(found, self._grader, None if best is None else best.cost)
            if small is None:
                continue
            best = small
            if best.cost == (0, 0):
                break
            left = min(left, _BETTER if database is not None else _BETTER_BLIND)
            sources.ordinary = database is not None
        if best is None and not self.meter.over:
            best = self._settled()
        if (best is None or best.cost > (0, 0)) and not self.meter.over:
            # An answer left open on ordinary data says more than a difference on unusual data.
            witness = self._undetermined()
            if witness is not None and (best is None or SEVERITY[witness.grade] == 0):
                return witness
        # Where it is often stopped, data that are only unusual may be all that it shows.
        if best is not None and (
            best.cost[0] == 0 or not refusal.is_often(self.stopped, self.tried)
        ):
            return self._witness(best, self._grader)
        return refusal.ended(self.tried, self.undetermined, self.stopped, self.meter)

    def _of_part(self, first: Iterable[Instance]) -> Iterator[Instance]:
        """Instances without the tables that neither query touches."""
        names = {table.name for table in self.schema.tables}
        for instance in first:
            rows = {name: rows for name, rows in instance.rows.items() if name in names}
            yield Instance(self.schema, rows)

    def _try(self, rows: Content) -> Difference | None:
        """The difference between the two queries on these rows, if it is a real one."""
        found = self._glance(rows)
        if found is None or not self._is_determined(found):
            return None
        # As the engine stores them: 1 is '1' in a column of texts.
        self.arenas[0].load(found.rows)
        return replace(found, rows=self.arenas[0].kept(found.rows))

    def _is_determined(self, found: Difference) -> bool:
        answered = isinstance(found.gold, Answer) and isinstance(found.prediction, Answer)
        if answered and self._order_free:
            return True
        asked = ((self.gold, found.gold), (self.prediction, found.prediction))
        return is_determined(*asked, found.rows, self.arenas, self.preset, self.dialect)

    @cached_property
    def _order_free(self) -> bool:
        return all(is_order_free(query, self.schema) for query in self.queries)

    def _glance(self, rows: Content) -> Difference | None:
        """A difference on these rows, determined or not."""
        found = self._difference(rows)
        if found is None:
            return None
        arena = self.arenas[0]
        kept = rows if arena.whole and arena.literal else arena.kept(rows)
        # A CHECK may have kept a parent out; then the instance is not legal.
        links = self.generator.ground.links
        if not is_closed(kept, links):
            return None
        parents = {link.parent for table in kept for link in links.get(table, ())}
        return None if parents and arena.orphaned(parents) else replace(found, rows=kept)

    def _difference(self, rows: Content) -> Difference | None:
        """A difference on these rows, or on those of them that the engine takes in."""
        arena = self.arenas[0]
        arena.load(rows)
        gold, prediction = arena.run(self.gold), arena.run(self.prediction)
        if (
            isinstance(gold, Answer)
            and isinstance(prediction, Answer)
            and gold.rows == prediction.rows
        ):
            return None
        self.stopped += isinstance(gold, Answer) and refusal.is_stopped(prediction)
        comparison = self._compare(gold, prediction)
        if comparison is None or comparison.equal is not False:
            return None
        return Difference(rows, gold, prediction, comparison)

    def _compare(self, gold: Outcome, prediction: Outcome) -> Comparison | None:
        if isinstance(gold, Failure) or isinstance(prediction, Failure):
            failed = [o for o in (gold, prediction) if isinstance(o, Failure)]
            if len(failed) == 2 or refusal.is_stopped(failed[0]):
                return None
            return Comparison(False, (failed[0].reason,), message=failed[0].message)
        pair = QueryPair(
            self.gold, self.prediction, self.dialect, self.contract, self.arenas[0].run
        )
        return self.preset.compare(gold, prediction, pair)

    def _small(
        self, found: Difference, grader: Grader, below: Cost | None
    ) -> SmallDifference | None:
        """The same difference on fewer rows, if it is a determined one that costs less.

        Where no difference was undetermined so far, the few rows that are left are asked first:
        they have few orders. Once there is a witness, that is asked last of all.
        """
        if below is None and self.undetermined and not self._is_determined(found):
            self._leave_open(found)
            return None

        def hopeless(rows: Content) -> bool:
            return below is not None and (grader.least(Instance(self.schema, rows)), 0) >= below

        for differ in (self._at_a_glance, self._with_care):
            rows = self._shrinker(differ, grader).fewer(found.rows, hopeless)
            cost = None if rows is None else self._cost(rows, grader)
            if rows is None or cost is None or (below is not None and cost >= below):
                return None
            small = self._try(rows)
            if small is not None:
                return SmallDifference(small, cost, self.origin, self.tried)
            if not self._is_determined(found):
                self._leave_open(found)
                return None
        return None

    def _leave_open(self, found: Difference) -> None:
        self.undetermined += 1
        if len(self._open) < _SETTLED:
            self._open.append((found, self.origin, self.tried))

    def _settled(self) -> SmallDifference | None:
        """A determined difference beside an undetermined one: one row less may break a tie."""
        grader = self._grader
        for found, origin, tried in self._open:
            shrinker = self._shrinker(self._with_care, grader)
            rows = shrinker.one_less(found.rows)
            small = None if rows is None else self._try(shrinker.fewer(rows) or rows)
            if small is not None:
                return SmallDifference(small, self._cost(small.rows, grader), origin, tried)
        return None

    def _undetermined(self) -> Witness | None:
        """A database on which the prediction leaves open what the gold decides."""
        if is_order_free(self.queries[1], self.schema):
            return None
        others = [d for d in self._differences if all(d[0] is not o[0] for o in self._open)]
        for found, origin, tried in (*self._open, *others):
            if self._second_answer(found) is None:
                continue
            # Only a tie of the gold's own ranking is unusual: the prediction chose its own.
            grader = Grader(
                self.schema, self._real, self.gold, self.prediction, ranked=(self.gold,)
            )
            shrinker = self._shrinker(self._leaves_open, grader, ordinary=True)
            rows = shrinker.fewer(found.rows) or found.rows
            rows = shrinker.simpler(rows, self._cost(rows, grader), self.named)
            last = self._glance(rows) or found
            self.arenas[0].load(last.rows)
            last = replace(last, rows=self.arenas[0].kept(last.rows))
            other = self._second_answer(last)
            if other is not None:
                small = SmallDifference(last, self._cost(last.rows, grader), origin, tried)
                witness = self._described(small, last, grader)
                return replace(witness, kind="undetermined_prediction", other=other)
        return None

    def _leaves_open(self, rows: Content) -> bool:
        found = self._glance(rows)
        if found is None or not is_whole(found, rows):
            return False
        return self._second_answer(found) is not None

    def _second_answer(self, found: Difference) -> Answer | None:
        """Another answer that the prediction may give, where the gold gives only one."""
        asked = ((self.gold, found.gold), (self.prediction, found.prediction))
        return second_answer(*asked, found.rows, self.arenas, self.preset, self.dialect)

    def _simple(self, small: SmallDifference, grader: Grader) -> Difference:
        """The same difference with simple values."""
        for differ in (self._at_a_glance, self._with_care):
            shrinker = self._shrinker(differ, grader, ordinary=True)
            simple = self._try(shrinker.simpler(small.found.rows, small.cost, self.named))
            if simple is not None:
                return simple
        return small.found

    def _shrinker(
        self, differ: Callable[[Content], bool], grader: Grader, *, ordinary: bool = False
    ) -> Shrinker:
        """What makes instances small, and keeps them as ordinary as they are if it must."""
        # Without real data there is nothing to stay ordinary beside: few rows come first.
        kept = ordinary or grader.has_real_data
        cost = (lambda rows: self._cost(rows, grader)) if kept else None
        return Shrinker(self.generator.ground, differ, self.budget.shrink, cost, self._is_over)

    def _is_over(self) -> bool:
        return self.meter.over

    def _at_a_glance(self, rows: Content) -> bool:
        return self._difference(rows) is not None and self.arenas[0].whole

    def _with_care(self, rows: Content) -> bool:
        return is_whole(self._try(rows), rows)

    def _cost(self, rows: Content, grader: Grader) -> Cost:
        self.meter.spend(grader.weight * sum(map(len, rows.values())))
        return grader.cost(Instance(self.schema, rows))

    def _witness(self, best: SmallDifference, grader: Grader) -> Witness:
        """The difference with simple values and its grade."""
        return self._described(best, self._simple(best, grader), grader)

    def _described(self, best: SmallDifference, last: Difference, grader: Grader) -> Witness:
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
            best.tried,
            grade,
            broken,
            cut_by_time=self.meter.late,
        )

    @cached_property
    def _grader(self) -> Grader:
        return Grader(self.schema, self._real, self.gold, self.prediction)
