"""find_witness: search for a legal database on which two queries differ.

The engine itself decides: every instance is loaded and both queries are run. Instances
come from the bank first, then from the strategies in turn, with one of real rows after every
fourth (``sources.py``). The budget counts instances and work, so that the same call gives the
same result on any machine; seconds are a safety net, and a result that they cut says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset
from sqlverdict.errors import SchemaError
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.in_memory import ScratchDatabase, warm_scratch
from sqlverdict.files.thread_cache import cache_by_thread
from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, with_whole_keys
from sqlverdict.records import Contract, ParseFailure, ParseResult, Query
from sqlverdict.refute.data.grade import SEVERITY, tie_scratch
from sqlverdict.refute.data.real_rows import real_rows
from sqlverdict.refute.frozen_pair import frozen_pair
from sqlverdict.refute.make.generator import shared_generator
from sqlverdict.refute.meter import Meter
from sqlverdict.refute.read import refusal
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.read.part import schema_part
from sqlverdict.refute.reduce import WitnessReducer
from sqlverdict.refute.sources import InstanceSources
from sqlverdict.refute.trial.pair_trial import BEST, PairTrial, Separation, SmallDifference
from sqlverdict.refute.witness import (
    Instance,
    NotRefuted,
    Refutation,
    SearchBudget,
    Witness,
)

_MORE_ORDINARY = 80
"""How many more instances are tried for a better witness once there is one, more ordinary or
clearer: more than three rounds of the rotation, so that each strategy has several chances."""


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
    now: datetime | None = None,
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
        now: What the clock shows to queries that read it; ``None``: a fixed moment.

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
        now=now,
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
    now: datetime | None = None,
) -> Refutation:
    """As :func:`find_witness`, for queries that are parsed already.

    ``more``: how many more instances are tried for a better witness once there is one.
    """
    if fold_sql(gold.sql) == fold_sql(prediction.sql):
        return NotRefuted(0, message="the two queries are the same text")
    not_refuted = refusal.unreadable((gold, prediction))
    if not_refuted is not None:
        return not_refuted
    schema = with_whole_keys(schema)
    frozen = frozen_pair(gold, prediction, schema, now)
    if frozen is not None:
        gold, prediction = frozen.gold, frozen.prediction
    queries = [query for query in (gold, prediction) if not isinstance(query, ParseFailure)]
    part = schema_part(schema, (*queries[0].tables, *queries[1].tables))
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
        refutation = replace(refutation, instance=Instance(schema, refutation.instance.rows))
    return refutation if frozen is None else frozen.as_written(refutation)


@cache_by_thread(64)
def scratches_for(
    schema: Schema, facts: frozenset[Fact] | None
) -> tuple[frozenset[Fact], tuple[ScratchDatabase, ScratchDatabase]]:
    """What the pairs of a schema share: the facts, and scratch databases for instances."""
    # The second is without keys: an INTEGER PRIMARY KEY would put rows back into its order.
    scratches = (warm_scratch(schema, facts, False), warm_scratch(schema, frozenset(), True))
    return facts_of(schema) if facts is None else facts, scratches


class _WitnessSearch:
    """One search for a witness of one pair."""

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
        self.schema, self.budget = schema, budget
        self.facts, self.scratches = scratches_for(schema, facts)
        ours, theirs = read_query(gold, schema), read_query(prediction, schema)
        reading = ours.merge(theirs)
        alike = ours.reads_like(theirs) and gold.features == prediction.features
        self.instances = max(1, budget.instances // budget.alike) if alike else budget.instances
        self.generator = shared_generator(
            schema, self.facts, reading, budget.seed, self.scratches[0] if facts is None else None
        )
        needed = [*reading.tables, *self.generator.blanks]
        refusal.check_tables(
            self.scratches[0].missing, schema, (gold.sql, prediction.sql), needed, ours.tables
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
        # Both queries are tried on them before the search begins.
        for scratch in self.scratches:
            scratch.begin()

    def run(
        self,
        first: Iterable[Instance],
        database: Path | None,
        without: Collection[str],
        more: int,
    ) -> Refutation:
        """Try instances until one separates the queries, or the budget is spent."""
        # The real data are mined once for all pairs: this pair does not pay for it.
        real = None if database is None else real_rows(database, self.schema).regularities
        meter = Meter(self.budget, (*self.scratches, tie_scratch(self.schema)))
        constraints = self.generator.constraints
        reducer = WitnessReducer(
            self.trial, self.schema, constraints, real, self.query_values, self.budget, meter
        )
        sources = InstanceSources(
            self.generator,
            self.facts,
            self.budget,
            self.instances,
            database,
            self.scratches[0],
            without,
        )
        best: SmallDifference | None = None
        left, instances_tried = self.instances, 0
        for origin, rows in sources(self._of_part(first)):
            if left <= 0 or meter.over:
                break
            left -= 1
            instances_tried += 1
            difference = self.trial.legal_difference(rows)
            if difference is None:
                continue
            separation = Separation(difference, origin, instances_tried)
            small = reducer.small(separation, None if best is None else best.rank)
            if small is None:
                continue
            best = small
            if best.rank == BEST:
                break
            left = min(left, more)
            sources.ordinary = database is not None
        if best is None and not meter.over:
            best = reducer.determined_beside()
        if (best is None or best.cost > (0, 0)) and not meter.over:
            # An answer left open on ordinary data says more than a difference on unusual data.
            witness = reducer.undetermined_witness()
            if witness is not None and (best is None or SEVERITY[witness.grade] == 0):
                return witness
        stopped = self.trial.stopped
        # Where it is often stopped, data that are only unusual may be all that it shows.
        if best is not None and (
            best.cost[0] == 0 or not refusal.is_often(stopped, instances_tried)
        ):
            return reducer.witness(best)
        by_prediction = self.trial.takes_far_more and 2 * instances_tried < self.instances
        return refusal.not_refuted(
            instances_tried, reducer.undetermined, stopped, meter, by_prediction=by_prediction
        )

    def _of_part(self, first: Iterable[Instance]) -> Iterator[Instance]:
        """Instances without the tables that neither query touches."""
        names = {table.name for table in self.schema.tables}
        for instance in first:
            rows = {name: rows for name, rows in instance.rows.items() if name in names}
            yield Instance(self.schema, rows)
