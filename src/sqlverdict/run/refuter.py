"""Searches for witnesses by the plan of a run: which budget, which bank, which engine.

The search loads the parser and its strategies, which is slow: its modules are imported inside the
functions that need them, and runs without a search need not wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset
from sqlverdict.compare.related.relate import UnderRelation
from sqlverdict.execute.engine import content_digest
from sqlverdict.files.references import file_of
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Failure, Outcome, ParseResult, Reason, Relation
from sqlverdict.refute.witness import NotRefuted, Refutation, SearchBudget, Witness
from sqlverdict.run.inputs import engine_of_case
from sqlverdict.run.options import SearchOptions
from sqlverdict.run.plan import RunPlan

if TYPE_CHECKING:
    from sqlverdict.refute.bank.store import Bank
    from sqlverdict.refute.target.search import EngineSearch

_FAILS = frozenset({Reason.EXECUTION_ERROR, Reason.GOLD_EXECUTION_ERROR})
"""Why no search is made against a gold that gives no answer."""
_RELATION_SHARE = 2
"""A relation gets one database of so many that a match gets. On Spider dev with four published
systems 21 of 101 relations are luck: of 500 databases, the first 78 show all of these."""


class Refuter:
    """Searches for the cases of one process, by the plan of their run."""

    def __init__(self, plan: RunPlan) -> None:
        self.plan = plan
        self.options = plan.search or SearchOptions()
        self._bank: Bank | None = None
        self._searches: dict[str, tuple[tuple[Schema, str], EngineSearch]] = {}
        """The search on each database, with the schema and the digest that it was opened for."""

    def close(self) -> None:
        """Remove what searches on other engines have made, and close the bank, which is trimmed."""
        for _, search in self._searches.values():
            search.close()
        self._searches.clear()
        bank, self._bank = self._bank, None
        if bank is not None:
            bank.close()

    def refute(
        self,
        case: Case,
        golds: Sequence[ParseResult],
        prediction: ParseResult,
        schema: Schema,
        outcomes: Sequence[Outcome],
    ) -> Refutation:
        """A witness against every gold of the case, or that there is none.

        Beside others, a gold that fails on the real database and wherever a search tries it has no
        answer that the prediction could give.
        """
        refutation: Refutation = NotRefuted(0, message="the case has no gold")
        for gold, outcome in zip(golds, outcomes, strict=True):
            result = self._search(gold, prediction, schema, case)
            fails = isinstance(outcome, Failure) and outcome.fault is None
            if isinstance(result, Witness):
                refutation = result
            elif not fails or result.reason not in _FAILS or result.blame != "gold":
                return result
            elif isinstance(refutation, NotRefuted):
                refutation = result
        return refutation

    def refute_relation(
        self,
        case: Case,
        gold: ParseResult,
        prediction: ParseResult,
        schema: Schema,
        relation: Relation,
    ) -> Refutation:
        """A database on which the prediction does not relate to the gold like that.

        Such a witness is about the relation: it goes neither into the folder nor the bank.
        """
        from sqlverdict.refute.search import refute_queries

        preset, usual = UnderRelation(relation), self.options.budget
        # Queries that look alike have their own share, which stays as it is.
        budget = replace(
            usual,
            instances=max(1, usual.instances // _RELATION_SHARE),
            alike=max(1, usual.alike // _RELATION_SHARE),
        )
        if engine_of_case(case, self.plan).search != "in_memory":
            return self._on_engine(gold, prediction, schema, case, preset, budget)
        return refute_queries(
            gold,
            prediction,
            schema,
            budget=budget,
            preset=preset,
            contract=case.contract,
            database=_real_file(case),
            now=self.plan.now,
        )

    def _search(
        self, gold: ParseResult, prediction: ParseResult, schema: Schema, case: Case
    ) -> Refutation:
        if engine_of_case(case, self.plan).search != "in_memory":
            preset = PRESETS.get(DEFAULT_PRESET)
            return self._on_engine(gold, prediction, schema, case, preset, self.options.budget)
        from sqlverdict.refute.search import refute_queries

        bank = self._open_bank()
        database = _real_file(case)
        refutation = refute_queries(
            gold,
            prediction,
            schema,
            budget=self.options.budget,
            contract=case.contract,
            first=bank.instances(schema) if bank is not None else (),
            database=database,
            now=self.plan.now,
        )
        if self.plan.explains and _may_be_bettered(refutation):
            from sqlverdict.refute.trial.null_probe import probe_nulls

            better = probe_nulls(
                gold,
                prediction,
                schema,
                budget=self.options.budget,
                contract=case.contract,
                database=database,
                now=self.plan.now,
            )
            if isinstance(better, Witness):
                refutation = better
            elif better is not None:
                refutation = replace(refutation, cut_by_time=True)
        if bank is not None and isinstance(refutation, Witness):
            bank.add(refutation)
        return refutation

    def _on_engine(
        self,
        gold: ParseResult,
        prediction: ParseResult,
        schema: Schema,
        case: Case,
        preset: Preset,
        budget: SearchBudget,
    ) -> Refutation:
        """A search on databases of another engine than SQLite."""
        from sqlverdict.refute.target.search import EngineSearch

        key, engine = case.database or case.db_id, engine_of_case(case, self.plan)
        # A search has copies of the database's tables and rows: another content is another search.
        content = schema, content_digest(engine, case.database) if case.database else ""
        opened, search = self._searches.get(key, (None, None))
        if search is None or opened != content:
            if search is not None:
                search.close()
            trust_role = self.plan.limits.trust_role
            search = EngineSearch(
                engine,
                case.database,
                schema,
                trust_role=trust_role,
                scratch=self.options.scratch,
            )
            self._searches[key] = content, search
        return search.refute(
            gold,
            prediction,
            budget=budget,
            preset=preset,
            contract=case.contract,
            now=self.plan.now,
        )

    def _open_bank(self) -> Bank | None:
        if self._bank is None and self.options.bank is not None:
            from sqlverdict.refute.bank.store import Bank

            self._bank = Bank(self.options.bank)
        return self._bank


def _real_file(case: Case) -> Path | None:
    database = file_of(case.database) if case.database else None
    return database if database is not None and database.is_file() else None


def _may_be_bettered(refutation: Refutation) -> bool:
    """Whether a NULL in an aggregate would tell more than what was found."""
    if isinstance(refutation, Witness):
        return refutation.grade not in ("ordinary", "ungraded")
    # Text that is the same, and queries that do not run, are not the probe's business.
    return refutation.instances > 0
