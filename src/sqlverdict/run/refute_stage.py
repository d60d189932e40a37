"""The search for a witness as a stage: which schema, which budget, which bank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset
from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.engine import ENGINES, Engine, engine_for
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.servers.patience import is_passing, patiently
from sqlverdict.files.references import file_of, is_server
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, ParseResult, Reason, Relation
from sqlverdict.refute.witness import NotRefuted, Refutation, Witness
from sqlverdict.run.options import SearchOptions

if TYPE_CHECKING:
    from sqlverdict.refute.bank.store import Bank
    from sqlverdict.refute.target.search import EngineSearch
    from sqlverdict.run.plan import RunPlan


class Refuter:
    """Searches for the cases of one process, by the plan of their run."""

    def __init__(self, plan: RunPlan) -> None:
        self.plan = plan
        self.options = plan.search or SearchOptions()
        self._bank: Bank | None = None
        self._searches: dict[str, EngineSearch] = {}

    def close(self) -> None:
        """Remove what searches on other engines have made, and close the bank, which is trimmed."""
        for search in self._searches.values():
            search.close()
        self._searches.clear()
        bank, self._bank = self._bank, None
        if bank is not None:
            bank.close()

    def refute(
        self, case: Case, golds: Sequence[ParseResult], prediction: ParseResult
    ) -> Refutation:
        """A witness against every gold of the case, or that there is none."""
        schema = self.schema(case)
        if isinstance(schema, NotRefuted):
            return schema
        refutation: Refutation = NotRefuted(0, message="the case has no gold")
        for gold in golds:
            refutation = self._search(gold, prediction, schema, case)
            if isinstance(refutation, NotRefuted):
                return refutation
        return refutation

    def refute_relation(
        self, case: Case, gold: ParseResult, prediction: ParseResult, relation: Relation
    ) -> Refutation:
        """A database on which the prediction does not relate to the gold like that.

        Such a witness is about the relation: it goes neither into the folder nor the bank.
        """
        from sqlverdict.compare.related.under_relation import UnderRelation
        from sqlverdict.refute.search import refute_queries

        schema = self.schema(case)
        if isinstance(schema, NotRefuted):
            return schema
        preset = UnderRelation(relation)
        if self._engine(case).search != "in_memory":
            return self._on_engine(gold, prediction, schema, case, preset)
        return refute_queries(
            gold,
            prediction,
            schema,
            budget=self.options.budget,
            preset=preset,
            contract=case.contract,
            database=_real_file(case),
        )

    def _search(
        self, gold: ParseResult, prediction: ParseResult, schema: Schema, case: Case
    ) -> Refutation:
        if self._engine(case).search != "in_memory":
            return self._on_engine(gold, prediction, schema, case, PRESETS.get(DEFAULT_PRESET))
        # The search is slow to load; runs without it need not wait.
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
    ) -> Refutation:
        """A search with another engine than SQLite as the judge."""
        from sqlverdict.refute.target.search import EngineSearch

        key = case.database or case.db_id
        search = self._searches.get(key)
        if search is None:
            search = self._searches[key] = EngineSearch(
                self._engine(case), case.database, schema, trust_role=self.plan.limits.trust_role
            )
        budget, contract = self.options.budget, case.contract
        return search.refute(gold, prediction, budget=budget, preset=preset, contract=contract)

    def _engine(self, case: Case) -> Engine:
        """The engine that opens the case's database; without one, that of the run."""
        return engine_for(ENGINES.get(self.plan.engine), case.database or "")

    def schema(self, case: Case) -> Schema | NotRefuted:
        """The schema given for the case's database, else that of its file."""
        in_plan = self.plan.schemas.get(case.db_id)
        if in_plan is not None:
            return with_null_keys(in_plan) if self.plan.null_keys else in_plan
        if case.database is None:
            return NotRefuted(0, reason=Reason.DATABASE_UNAVAILABLE, message="no schema is known")
        try:
            engine = self._engine(case)
            digest = "" if is_server(case.database) else engine.digest(case.database) or ""
            reading = partial(_read, engine.name, case.database, digest)
            server = is_server(case.database)
            declared = patiently(case.database, reading) if server else reading()
            return with_null_keys(declared) if self.plan.null_keys else declared
        except (SchemaError, DatabaseError, OSError) as error:
            return NotRefuted(
                0,
                reason=Reason.DATABASE_UNAVAILABLE,
                message=str(error),
                cut_by_time=is_passing(error),
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


def witness_name(case: Case, prediction: str) -> str:
    """The name of a witness's files: systems may share a folder, so the prediction is in it."""
    digest = blake2b(fold_sql(prediction).encode("utf-8", "backslashreplace"), digest_size=4)
    return f"{case.id}-{digest.hexdigest()}"


@lru_cache(maxsize=256)
def _read(engine: str, database: str, digest: str) -> Schema:
    del digest  # A schema is that of the file as it is now, and not as it was.
    return ENGINES.get(engine).schema(database)


@lru_cache(maxsize=256)
def with_null_keys(schema: Schema) -> Schema:
    """The schema under SQLite's letter: a declared primary key may hold NULL."""
    return replace(schema, null_keys=True)
