"""The search for a witness as a stage: which budget, which bank, and where witnesses go.

The search loads the parser and its strategies, which is slow: its modules are imported inside the
functions that need them, and runs without a search need not wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset
from sqlverdict.compare.related.under_relation import UnderRelation
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.evidence import Evidence, Refuted, Related, Undecided
from sqlverdict.evidence_parts import GeneratedRelation
from sqlverdict.execute.engine import ENGINES, content_digest
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.files.references import file_of
from sqlverdict.harmless import find_harmless
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.assumed import assumed_schema
from sqlverdict.records import Case, ParseResult, Query, Reason, Relation
from sqlverdict.refute.witness import NotRefuted, Refutation, SearchBudget, Witness
from sqlverdict.run.attempt import attempt
from sqlverdict.run.compare_stage import compare_with_golds
from sqlverdict.run.inputs import PATIENCE, StageInputs, engine_of_case
from sqlverdict.run.options import SearchOptions
from sqlverdict.run.plan import RunPlan

if TYPE_CHECKING:
    from sqlverdict.refute.bank.store import Bank
    from sqlverdict.refute.target.search import EngineSearch

_REFUTE = "refute"
_RELATION_SHARE = 2
"""A relation gets one database of so many that a match gets. On Spider dev with four published
systems 21 of 101 relations are luck: of 500 databases, the first 78 show all of these."""
_USUAL_GRADES = frozenset({"ordinary", "ungraded"})
"""Grades of witnesses on which a relation has to hold: data with nothing unusual in them."""


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
        self, case: Case, golds: Sequence[ParseResult], prediction: ParseResult, schema: Schema
    ) -> Refutation:
        """A witness against every gold of the case, or that there is none."""
        refutation: Refutation = NotRefuted(0, message="the case has no gold")
        for gold in golds:
            refutation = self._search(gold, prediction, schema, case)
            if isinstance(refutation, NotRefuted):
                return refutation
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
        """A search with another engine than SQLite as the judge."""
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


def refute_case(inputs: StageInputs, refuter: Refuter) -> Refutation:
    """A witness against every gold, or that none was found; it is kept in the run's folder."""
    return inputs.once((_REFUTE, "case"), partial(_refute, inputs, refuter))


def _refute(inputs: StageInputs, refuter: Refuter) -> Refutation:
    source = inputs.source
    if source.answers_alone:
        return NotRefuted(0, reason=source.reason, message=source.answers_alone)
    if not inputs.plan.refutes:
        return NotRefuted(0, message="this run does not search for witnesses")
    golds, prediction = inputs.gold_queries(), inputs.predicted_query()
    schema = inputs.find_schema()
    if isinstance(schema, NotRefuted):
        return schema
    work = partial(refuter.refute, inputs.case, golds, prediction, schema)

    def watched() -> Refutation:
        refutation = source.watched(f"refute {prediction.sql}", work, more=PATIENCE)
        return _in_words(inputs, refutation or _stopped())

    # A bank has other instances for the next case.
    banked = refuter.options.bank is not None
    refutation = watched() if banked else inputs.once_a_pair((_REFUTE,), watched, _lasts)
    if inputs.witnesses is not None and isinstance(refutation, Witness):
        _write_witness(inputs, refutation, inputs.witnesses)
    return refutation


def _in_words(inputs: StageInputs, refutation: Refutation) -> Refutation:
    """The same; a witness that is written to a file and to the log has its sentence, made once.

    Under a contract the file has a sentence of its own.
    """
    if not isinstance(refutation, Witness) or refutation.sentence:
        return refutation
    if not inputs.plan.annotates or inputs.case.contract is not None:
        return refutation
    from sqlverdict.refute.explain.sentence import sentence

    return replace(refutation, sentence=sentence(refutation))


def _lasts(refutation: Refutation | None) -> bool:
    """Whether no clock had a part in it, neither the search's own nor one that queries read."""
    if refutation is None or refutation.cut_by_time:
        return False
    return not (isinstance(refutation, Witness) and refutation.now)


def _stopped() -> NotRefuted:
    message = "it ran for too long, and its process was ended"
    return NotRefuted(0, 0, Reason.BUDGET_EXHAUSTED, message, cut_by_time=True)


def bars_search(inputs: StageInputs) -> bool:
    """Whether the prediction's text alone prevents a search for a witness."""
    return any(
        isinstance(refutation, NotRefuted) and refutation.blame == "prediction"
        for refutation in inputs.results_of(_REFUTE)
    )


def witness_name(case: Case, prediction: str) -> str:
    """The name of a witness's files: systems may share a folder, so the prediction is in it."""
    digest = blake2b(fold_sql(prediction).encode("utf-8", "backslashreplace"), digest_size=4)
    return f"{case.id}-{digest.hexdigest()}"


def _write_witness(inputs: StageInputs, witness: Witness, folder: Path) -> None:
    from sqlverdict.refute.target.script import write_script
    from sqlverdict.refute.witness_files import write

    name = witness_name(inputs.case, inputs.prediction.sql or "")
    into = write if ENGINES.get(witness.engine).in_python else write_script
    into(witness, folder, name, contract=inputs.case.contract)


def search_evidence(
    inputs: StageInputs, refuter: Refuter, errors: list[Evidence]
) -> list[Evidence]:
    """What a search for a witness says; nothing where it fails, which is among the errors."""
    evidence = attempt(_REFUTE, partial(_evidence, inputs, refuter), errors)
    return [] if evidence is None else [evidence]


def _evidence(inputs: StageInputs, refuter: Refuter) -> Evidence:
    from sqlverdict.refute.explain.evidence import refutation_evidence
    from sqlverdict.refute.trial.null_probe import null_in_aggregate
    from sqlverdict.refute.witness_files import safe_name

    refutation = refute_case(inputs, refuter)
    evidence = refutation_evidence(refutation, in_words=inputs.plan.annotates)
    if not isinstance(evidence, Refuted) or not isinstance(refutation, Witness):
        return evidence
    needs_null = refutation.grade == "needs_null"
    name = safe_name(witness_name(inputs.case, inputs.prediction.sql or ""))
    return structs.replace(
        evidence,
        null_in_aggregate=needs_null and null_in_aggregate(refutation),
        file=f"{name}.sql" if inputs.witnesses is not None else "",
    )


def add_searches(
    inputs: StageInputs, refuter: Refuter, difference: Related, errors: list[Evidence]
) -> Related:
    """The difference, with what other databases say about it."""
    look = partial(_related_elsewhere, inputs, refuter, difference)
    difference = attempt(_REFUTE, look, errors) or difference
    record = inputs.case.recorded_answers
    if record is None or record.whole:
        return difference
    # Of answers that are not at hand, generated databases show how the queries relate.
    generated = attempt("generated", partial(_relate, inputs), errors)
    return structs.replace(difference, generated=generated)


def _related_elsewhere(inputs: StageInputs, refuter: Refuter, difference: Related) -> Related:
    """The evidence, with what a search says about the relation that makes it harmless.

    A relation may hold by luck, as a match may: it is held against other databases too.
    """
    relation = find_harmless(inputs.case, difference) or _match_of_metric(inputs, difference)
    if relation is None:
        return difference
    work = partial(_refute_relation, inputs, refuter, relation)
    refutation = inputs.once((_REFUTE, "relation"), work)
    if refutation is None:
        return difference
    from sqlverdict.refute.explain.evidence import refutation_evidence

    searched = refutation_evidence(refutation, in_words=inputs.plan.annotates)
    if isinstance(searched, Refuted) and searched.grade in _USUAL_GRADES:
        searched_relation = structs.replace(relation, broken=searched)
    else:
        searched_relation = structs.replace(relation, elsewhere=searched)
    position = difference.relations.index(relation)
    before, after = difference.relations[:position], difference.relations[position + 1 :]
    unmade = isinstance(searched, Undecided) and bool(searched.reasons)
    return structs.replace(
        difference,
        relations=(*before, searched_relation, *after),
        cut_by_time=searched.cut_by_time,
        unsearched=searched.cut_by_time or unmade,
    )


def _match_of_metric(inputs: StageInputs, difference: Related) -> Relation | None:
    """What a metric of the run does not compare, where it calls the answers the same.

    Another ORDER BY than the gold's would keep a search away from ``ex[bird]`` otherwise.
    """
    parameters = sorted({spec.parameter for spec in inputs.plan.specs} - {DEFAULT_PRESET})
    presets = [name for name in parameters if PRESETS.has(name)]
    if not any(compare_with_golds(inputs, name).equal for name in presets):
        return None
    trivial = (each for each in difference.relations if RELATIONS.get(each.kind).trivial)
    return next(trivial, None)


def _refute_relation(
    inputs: StageInputs, refuter: Refuter, relation: Relation
) -> Refutation | None:
    """A database on which the relation does not hold; ``None`` where the search was stopped."""
    source = inputs.source
    if source.answers_alone:
        return NotRefuted(0, reason=source.reason, message=source.answers_alone)
    gold, prediction = inputs.gold_queries()[0], inputs.predicted_query()
    schema = inputs.find_schema()
    if isinstance(schema, NotRefuted):
        return schema
    work = partial(refuter.refute_relation, inputs.case, gold, prediction, schema, relation)
    key = (_REFUTE, relation.kind, repr(relation.detail))

    def watched() -> Refutation | None:
        return source.watched(f"refute {relation.kind} {prediction.sql}", work, more=PATIENCE)

    return inputs.once_a_pair(key, watched, _lasts)


def _relate(inputs: StageInputs) -> GeneratedRelation | None:
    """How the two queries relate on generated databases; ``None`` where it cannot be said."""
    from sqlverdict.refute.related import relate_on_instances

    if inputs.source.answers_alone:
        return None
    gold, prediction = inputs.gold_queries()[0], inputs.predicted_query()
    schema = inputs.schema()
    if schema is None:
        queries = [each for each in (gold, prediction) if isinstance(each, Query)]
        schema = assumed_schema(inputs.case.db_id, queries)
    search = inputs.plan.search
    budget = search.budget if search is not None else None
    work = partial(relate_on_instances, gold, prediction, schema, budget=budget)
    relation = inputs.source.watched(f"relate {prediction.sql}", work, more=PATIENCE)
    if relation is None:
        return None
    parts = (relation.instances, relation.columns, relation.rows, relation.overlap)
    return GeneratedRelation(*parts, schema.source == "assumed", relation.missing)
