"""The search for a witness on an engine other than SQLite.

First a screen: both queries are translated and searched on SQLite, which is much faster. What it
finds, the engine itself must confirm, with the queries as they were written. Where nothing is
found, or nothing is confirmed, instances are made as usual and tried on the engine.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset
from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.engine import Engine, Scratch
from sqlverdict.execute.servers.patience import is_passing, patiently
from sqlverdict.files.references import is_server
from sqlverdict.files.text import count
from sqlverdict.parse.qualified import with_plain_names
from sqlverdict.parse.schema import Schema, with_whole_keys
from sqlverdict.parse.schemas.column_types import with_collations_in_types
from sqlverdict.records import (
    Answer,
    Contract,
    ParseFailure,
    ParseResult,
    Query,
    Reason,
)
from sqlverdict.refute.data.grade import ORDINARY, Grader, severity, ungraded
from sqlverdict.refute.data.real_rows import real_rows
from sqlverdict.refute.explain.sentence import names_cause, sentence
from sqlverdict.refute.explain.spellings import (
    engine_spelling,
    with_engine_names,
    with_fitted_cells,
)
from sqlverdict.refute.frozen_pair import frozen_pair
from sqlverdict.refute.read import refusal
from sqlverdict.refute.search import refute_queries
from sqlverdict.refute.shrink import Shrinker
from sqlverdict.refute.target.chosen_texts import Places, chosen_places
from sqlverdict.refute.target.fit import fit_rows
from sqlverdict.refute.target.lite import Mirror, lite_expression
from sqlverdict.refute.target.pair import EnginePair, engine_pair, pair_generator
from sqlverdict.refute.target.trial import EngineTrial, Scratches, check_alike, unrunnable_pair
from sqlverdict.refute.trial.pair_trial import Difference
from sqlverdict.refute.witness import (
    Content,
    Instance,
    NotRefuted,
    Refutation,
    SearchBudget,
    Witness,
)

_AFTER_SCREEN = 40
"""How many instances are tried on the engine where the screen found no difference: two rounds of
the rotation, for what the two engines see differently."""
_MORE_ORDINARY = 40
"""How many more instances the screen tries for a better witness once it has one: two rounds too.
On Spider, of 240 witnesses three were less ordinary than after four rounds."""
_ALL_TABLES = 40
"""A schema of up to so many tables is made as a whole, once for all pairs."""
_PROBES = 10
"""On so many instances a query that fails on empty tables is tried before it counts as one that
always fails."""
_LOSSES = 2
"""So many servers may one search lose."""
_REEXAMINED = 4
"""How many differences without a determined answer are looked at again."""
_SHRINK = 60
"""How many smaller instances are tried on the engine; one takes milliseconds there."""


class EngineSearch:
    """Searches on one database of an engine.

    Args:
        engine: The engine.
        database: The reference of the real database; ``None`` where only a schema is known.
        schema: Its tables.
        trust_role: On a server, queries run as the role of the reference, whatever it may do.
        scratch: A database on another server of the same engine and version, which answers
            instead of the server of the real database.
    """

    def __init__(
        self,
        engine: Engine,
        database: str | None,
        schema: Schema,
        *,
        trust_role: bool = False,
        scratch: str | None = None,
    ) -> None:
        schema = with_collations_in_types(with_whole_keys(schema))
        self._engine, self._schema, self._database = engine, schema, database
        self._near = scratch or database
        self._is_alike = scratch is None
        """Whether the server that answers is known to answer as that of the real database."""
        self._scratches = Scratches(engine, self._near, trust_role=trust_role)
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
        now: datetime | None = None,
    ) -> Refutation:
        """A small legal database on which the two queries differ, or that none was found.

        Args:
            gold: The gold query.
            prediction: The predicted query.
            budget: How many instances, how much work, which seed.
            preset: When two answers are the same.
            contract: What the case asks of answers.
            now: What the clock shows to queries that read it; ``None``: a fixed moment.
        """
        # Not folded: letter case counts in some dialects where it does not in SQLite.
        if gold.sql.strip() == prediction.sql.strip():
            return NotRefuted(0, message="the two queries are the same text")
        if (objection := self._schema.objection) is not None:
            return NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE, message=objection)
        # The scratch database has every table under its one plain name, and so has a witness.
        gold, prediction = (with_plain_names(each, self._schema) for each in (gold, prediction))
        not_refuted = refusal.unreadable([gold, prediction])
        if isinstance(gold, ParseFailure) or isinstance(prediction, ParseFailure):
            assert not_refuted is not None, "a text that does not parse is unreadable"
            return not_refuted
        text_choices = chosen_places(gold, prediction, self._schema)
        frozen = frozen_pair(gold, prediction, self._schema, now)
        if frozen is not None:
            gold, prediction = frozen.gold, frozen.prediction
        refutation = self._refute(gold, prediction, budget, preset, contract, text_choices)
        return refutation if frozen is None else frozen.as_written(refutation)

    def _refute(
        self,
        gold: Query,
        prediction: Query,
        budget: SearchBudget | None,
        preset: str | Preset,
        contract: Contract | None,
        text_choices: tuple[Places, Places],
    ) -> Refutation:
        """As :meth:`refute`, for queries that do not read the clock."""
        pair = engine_pair(gold, prediction, self._schema)
        rules = PRESETS.get(preset) if isinstance(preset, str) else preset
        budget = budget or SearchBudget()
        for _ in range(_LOSSES):
            try:
                scratch = self._patient_scratch(pair.part)
                trial = EngineTrial(scratch, gold, prediction, rules, contract, text_choices)
                why_not = self._unrunnable(pair, trial, budget)
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
        if self._near is not None and not self._is_alike:
            check_alike(self._engine, self._near, self._database)
            self._is_alike = True
        if self._near is None or not is_server(self._near):
            return self._scratch(part)
        return patiently(self._near, partial(self._scratch, part))

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

    def _search(
        self,
        pair: EnginePair,
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
            spellings = [
                engine_spelling(each, lite_expression) for each in (pair.gold, pair.prediction)
            ]
            words = sentence(screen, contract=contract, spellings=spellings)
            words = with_fitted_cells(words, pair.part, screen.instance.rows, rows)
            words = with_engine_names(words, pair.part, self._engine.dialect)
            difference = trial.determined_difference(rows)
            if difference is not None:
                about = self._regraded(pair, replace(screen, sentence=words), rows)
                witness = self._witness(pair, trial, difference, about)
                if names_cause(words):
                    return witness
                # What the two return is to be what they return on this engine.
                return replace(witness, sentence=sentence(witness, contract=contract))
            if screen.kind == "undetermined_prediction":
                first = trial.difference(rows)
                open_pair = trial.open_answer(pair.gold, pair.part, [first] if first else [])
                if open_pair is not None:
                    return self._witness(pair, trial, open_pair[0], screen, open_pair[1])
        searched = screen is not None and isinstance(screen, NotRefuted) and screen.instances > 0
        most = min(budget.instances, _AFTER_SCREEN) if searched else budget.instances
        return self._on_engine(pair, trial, budget, most, instances)

    def _screen(
        self, pair: EnginePair, preset: Preset, contract: Contract | None, budget: SearchBudget
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

    def _unrunnable(
        self, pair: EnginePair, trial: EngineTrial, budget: SearchBudget
    ) -> NotRefuted | None:
        """Why the queries cannot be searched; one may fail where tables are empty, and run else."""
        why_not = unrunnable_pair(trial)
        if why_not is None or why_not.reason is not Reason.EXECUTION_ERROR:
            return why_not
        generator = pair_generator(pair, budget.seed)
        for number in range(_PROBES):
            rows = fit_rows(generator.instance(number), pair.part, self._engine.dialect)
            if trial.both_answer(rows):
                return None
        return why_not

    def _on_engine(
        self, pair: EnginePair, trial: EngineTrial, budget: SearchBudget, most: int, instances: int
    ) -> Refutation:
        """The search on the engine itself."""
        generator, grader = pair_generator(pair, budget.seed), self._grader(pair)
        cost = partial(severity, grader)
        undetermined, number, databases = 0, 0, 0
        best: Difference | None = None
        left_open: list[Difference] = []
        least = ORDINARY
        while number < most:
            rows = fit_rows(generator.instance(number), pair.part, self._engine.dialect)
            number += 1
            rejected = trial.rejected
            first = trial.difference(rows)
            instances += trial.rejected == rejected
            if first is None or (best is not None and cost(rows) >= least):
                continue
            difference = trial.determined_difference(rows)
            if difference is None:
                undetermined += 1
                left_open += [first] if len(left_open) < _REEXAMINED else []
                continue
            shrinker = Shrinker(
                generator.constraints, trial.differs_determined, _SHRINK, lambda _: cost, cost
            )
            small = shrinker.fewer(rows)
            last = trial.determined_difference(small) if small is not None else None
            best, least = last or difference, cost((last or difference).rows)
            databases = instances
            if least == ORDINARY:
                break
            most = min(most, number + _MORE_ORDINARY)
        if best is None:
            # A division by the number of rows fails there, and nowhere else.
            best, databases = trial.determined_difference({}), instances + 1
        if best is not None:
            return self._new_witness(pair, trial, best, grader, databases)
        open_pair = trial.open_answer(
            pair.gold, pair.part, left_open, (generator.constraints, _SHRINK)
        )
        if open_pair is not None:
            grader = self._grader(pair, only_gold=True)
            return self._new_witness(pair, trial, open_pair[0], grader, instances, open_pair[1])
        if refusal.is_often(trial.stopped, instances):
            message = f"the prediction was stopped at a limit on {count(trial.stopped, 'database')}"
            return NotRefuted(
                0, 0, Reason.EXECUTION_TIMEOUT, message, cut_by_time=True, blame="prediction"
            )
        if most and not instances:
            message = f"{self._engine.name} took none of the generated databases"
            return NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE, message=message)
        return NotRefuted(instances, undetermined)

    def _grader(self, pair: EnginePair, *, only_gold: bool = False) -> Grader | None:
        """What says how ordinary rows are; ``None`` where the queries cannot be translated.

        ``only_gold``: only a tie of the gold's own ranking is unusual.
        """
        if pair.lite is None:
            return None
        file = self._mirror.file_with(pair.part) if self._mirror is not None else None
        real = real_rows(file, pair.lite_part).regularities if file is not None else None
        gold, prediction = pair.lite
        ranked = (gold.sql,) if only_gold else None
        return Grader(pair.lite_part, real, gold.sql, prediction.sql, ranked=ranked)

    def _regraded(self, pair: EnginePair, screen: Witness, rows: Content) -> Witness:
        """A witness with the grade of the rows that the engine takes: a day may be a moment now."""
        grader = self._grader(pair)
        assert grader is not None, "a screen has queries in SQLite's words"
        grade, broken = grader.grade(Instance(pair.lite_part, rows))
        return replace(screen, grade=grade, broken=broken)

    def _new_witness(
        self,
        pair: EnginePair,
        trial: EngineTrial,
        difference: Difference,
        grader: Grader | None,
        instances: int,
        other: Answer | None = None,
    ) -> Witness:
        """A witness that the engine alone has shown."""
        instance = Instance(pair.lite_part, difference.rows)
        grade, broken = grader.grade(instance) if grader is not None else ungraded(instance)
        about = Witness(
            pair.gold.sql,
            pair.prediction.sql,
            instance,
            difference.gold,
            difference.prediction,
            (),
            instances_tried=instances,
            grade=grade,
            broken=broken,
        )
        return self._witness(pair, trial, difference, about, other)

    def _witness(
        self,
        pair: EnginePair,
        trial: EngineTrial,
        difference: Difference,
        about: Witness,
        other: Answer | None = None,
    ) -> Witness:
        """The witness as the engine shows it; ``about`` says how it was found and its grade.

        ``other`` is another answer that the prediction may give.
        """
        rows: Content = {table: rows for table, rows in difference.rows.items() if rows}
        return replace(
            about,
            gold_sql=pair.gold.sql,
            prediction_sql=pair.prediction.sql,
            instance=Instance(trial.declaration(self._schema), rows),
            gold=difference.gold,
            prediction=difference.prediction,
            reasons=difference.comparison.reasons,
            kind="different" if other is None else "undetermined_prediction",
            other=other,
            engine=self._engine.name,
            in_queries=trial.in_queries,
        )
