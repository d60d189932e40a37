"""The search for a witness on an engine other than SQLite.

First a screen: both queries are translated and searched on SQLite, which is much faster. What it
finds, the engine itself must confirm, with the queries as they were written. Where nothing is
found, or nothing is confirmed, instances are made as usual and tried on the engine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset
from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.engine import Engine, Scratch
from sqlverdict.execute.servers.patience import is_passing, patiently
from sqlverdict.files.references import is_server
from sqlverdict.files.text import count
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.records import (
    Contract,
    Failure,
    ParseFailure,
    ParseResult,
    Query,
    Reason,
)
from sqlverdict.refute.explain.sentence import sentence
from sqlverdict.refute.make.generator import InstanceGenerator
from sqlverdict.refute.read import refusal
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.read.part import schema_part
from sqlverdict.refute.search import refute_queries
from sqlverdict.refute.shrink import Content, Shrinker
from sqlverdict.refute.target.fit import fit_rows
from sqlverdict.refute.target.lite import Mirror, lite_query, lite_schema
from sqlverdict.refute.target.trial import EngineTrial, Scratches
from sqlverdict.refute.trial.pair_trial import Difference
from sqlverdict.refute.witness import Instance, NotRefuted, Refutation, SearchBudget, Witness

_AFTER_SCREEN = 40
"""How many instances are tried on the engine where the screen found no difference: two rounds of
the rotation, for what the two engines see differently."""
_MORE_ORDINARY = 40
"""How many more instances the screen tries for a better witness once it has one: two rounds too.
On Spider, of 240 witnesses three were less ordinary than after four rounds."""
_ALL_TABLES = 40
"""A schema of up to so many tables is made as a whole, once for all pairs."""
_LOSSES = 2
"""So many servers may one search lose."""
_SHRINK = 60
"""How many smaller instances are tried on the engine; one takes milliseconds there."""


@dataclass(frozen=True)
class _EnginePair:
    """The two queries on a part of the schema, as the engine has them and as SQLite would."""

    gold: Query
    prediction: Query
    part: Schema
    lite_part: Schema
    lite: tuple[Query, Query] | None


class EngineSearch:
    """Searches on one database of an engine.

    Args:
        engine: The engine.
        database: The reference of the real database; ``None`` where only a schema is known.
        schema: Its tables.
        trust_role: On a server, queries run as the role of the reference, whatever it may do.
    """

    def __init__(
        self, engine: Engine, database: str | None, schema: Schema, *, trust_role: bool = False
    ) -> None:
        self._engine, self._schema, self._database = engine, schema, database
        self._scratches = Scratches(engine, database, trust_role=trust_role)
        self._mirror = (
            Mirror(engine, database, schema, trust_role=trust_role)
            if database is not None
            else None
        )
        self._needs_parts = False

    def close(self) -> None:
        """Remove the scratch databases and the copies of rows."""
        self._scratches.close()
        if self._mirror is not None:
            self._mirror.close()

    def refute(
        self,
        gold: ParseResult,
        prediction: ParseResult,
        *,
        budget: SearchBudget | None = None,
        preset: str | Preset = DEFAULT_PRESET,
        contract: Contract | None = None,
    ) -> Refutation:
        """A small legal database on which the two queries differ, or that none was found.

        Args:
            gold: The gold query.
            prediction: The predicted query.
            budget: How many instances, how much work, which seed.
            preset: When two answers are the same.
            contract: What the case asks of answers.
        """
        # Not folded: letter case counts in some dialects where it does not in SQLite.
        if gold.sql.strip() == prediction.sql.strip():
            return NotRefuted(0, message="the two queries are the same text")
        not_refuted = refusal.unreadable([gold, prediction])
        if isinstance(gold, ParseFailure) or isinstance(prediction, ParseFailure):
            assert not_refuted is not None, "a text that does not parse is unreadable"
            return not_refuted
        pair = self._pair(gold, prediction)
        rules = PRESETS.get(preset) if isinstance(preset, str) else preset
        budget = budget or SearchBudget()
        for _ in range(_LOSSES):
            try:
                scratch = self._patient_scratch(pair.part)
                trial = EngineTrial(scratch, gold, prediction, rules, contract)
                why_not = _unrunnable(trial)
                return why_not or self._search(pair, trial, rules, contract, budget)
            except (DatabaseError, SchemaError) as error:
                self._scratches.close()
                message = str(error)
                if not is_passing(error):
                    return NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE, message=message)
        reason = Reason.DATABASE_UNAVAILABLE
        return NotRefuted(0, reason=reason, message=message, cut_by_time=True)

    def _patient_scratch(self, part: Schema) -> Scratch:
        """A scratch database; a server that restarts is waited for."""
        if self._database is None or not is_server(self._database):
            return self._scratch(part)
        return patiently(self._database, partial(self._scratch, part))

    def _scratch(self, part: Schema) -> Scratch:
        """A scratch database with the tables of a part, or of all: to make one takes long."""
        if len(self._schema.tables) <= _ALL_TABLES and not self._needs_parts:
            try:
                return self._scratches.of(self._schema)
            except DatabaseError as error:
                if is_passing(error):
                    raise
                # One table that cannot be made must not spoil the pairs of the others.
                self._needs_parts = True
        return self._scratches.of(part)

    def _pair(self, gold: Query, prediction: Query) -> _EnginePair:
        part = schema_part(self._schema, (*gold.tables, *prediction.tables))
        lite_gold, lite_prediction = lite_query(gold), lite_query(prediction)
        lite = None
        if lite_gold is not None and lite_prediction is not None:
            lite = (lite_gold, lite_prediction)
        lite_part = lite_schema(part, self._engine.dialect)
        return _EnginePair(gold, prediction, part, lite_part, lite)

    def _search(
        self,
        pair: _EnginePair,
        trial: EngineTrial,
        preset: Preset,
        contract: Contract | None,
        budget: SearchBudget,
    ) -> Refutation:
        screen = self._screen(pair, preset, contract, budget)
        instances = 0
        if isinstance(screen, Witness):
            instances = 1
            rows = fit_rows(screen.instance.rows, pair.part, self._engine.dialect)
            difference = trial.determined_difference(rows)
            if difference is not None:
                words = sentence(screen, contract=contract)
                return self._witness(pair, difference, replace(screen, sentence=words))
        searched = screen is not None and isinstance(screen, NotRefuted) and screen.instances > 0
        most = min(budget.instances, _AFTER_SCREEN) if searched else budget.instances
        return self._on_engine(pair, trial, budget, most, instances)

    def _screen(
        self, pair: _EnginePair, preset: Preset, contract: Contract | None, budget: SearchBudget
    ) -> Refutation | None:
        """What the search on SQLite finds; ``None`` where the queries cannot be translated."""
        if pair.lite is None:
            return None
        real = self._mirror.file_with(pair.part) if self._mirror is not None else None
        return refute_queries(
            *pair.lite,
            pair.lite_part,
            budget=budget,
            preset=preset,
            contract=contract,
            database=real,
            more=_MORE_ORDINARY,
        )

    def _on_engine(
        self, pair: _EnginePair, trial: EngineTrial, budget: SearchBudget, most: int, instances: int
    ) -> Refutation:
        """The search on the engine itself."""
        queries = pair.lite or (pair.gold, pair.prediction)
        readings = [read_query(query, pair.lite_part) for query in queries]
        facts = facts_of(pair.lite_part)
        generator = InstanceGenerator(
            pair.lite_part, facts, readings[0].merge(readings[1]), budget.seed
        )
        undetermined = 0
        for number in range(most):
            rows = fit_rows(generator.instance(number), pair.part, self._engine.dialect)
            rejected = trial.rejected
            first = trial.difference(rows)
            instances += trial.rejected == rejected
            if first is None:
                continue
            difference = trial.determined_difference(rows)
            if difference is None:
                undetermined += 1
                continue
            shrinker = Shrinker(generator.constraints, trial.differs_determined, _SHRINK)
            small = shrinker.fewer(rows)
            last = trial.determined_difference(small) if small is not None else None
            first_witness = Witness(
                pair.gold.sql,
                pair.prediction.sql,
                Instance(pair.part, {}),
                difference.gold,
                difference.prediction,
                (),
                instances_tried=instances,
            )
            return self._witness(pair, last or difference, first_witness)
        if refusal.is_often(trial.stopped, instances):
            message = f"the prediction was stopped at a limit on {count(trial.stopped, 'database')}"
            return NotRefuted(
                0, 0, Reason.EXECUTION_TIMEOUT, message, cut_by_time=True, blame="prediction"
            )
        if most and not instances:
            message = f"{self._engine.name} took none of the generated databases"
            return NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE, message=message)
        return NotRefuted(instances, undetermined)

    def _witness(self, pair: _EnginePair, difference: Difference, about: Witness) -> Witness:
        """The witness as the engine shows it; ``about`` says how it was found and its grade."""
        rows: Content = {table: rows for table, rows in difference.rows.items() if rows}
        return replace(
            about,
            gold_sql=pair.gold.sql,
            prediction_sql=pair.prediction.sql,
            instance=Instance(self._schema, rows),
            gold=difference.gold,
            prediction=difference.prediction,
            reasons=difference.comparison.reasons,
            kind="different",
            other=None,
            engine=self._engine.name,
        )


def _unrunnable(trial: EngineTrial) -> NotRefuted | None:
    """Queries that cannot run at all on this schema are not the search's business."""
    for which, outcome in trial.on_empty_tables():
        if isinstance(outcome, Failure):
            message = f"the {which}: {outcome.message}"
            return NotRefuted(0, reason=outcome.reason, message=message, blame=which)
        if outcome.volatile:
            message = f"the {which} depends on the clock or on chance"
            unable = Reason.UNSUPPORTED_FEATURE
            return NotRefuted(0, reason=unable, message=message, blame=which)
    return None
