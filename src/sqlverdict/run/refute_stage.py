"""The search for a witness as a stage: what is searched, and where witnesses go.

The search loads the parser and its strategies, which is slow: its modules are imported inside the
functions that need them, and runs without a search need not wait.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path

from msgspec import structs

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.evidence import Evidence, Refuted, Related, Undecided
from sqlverdict.evidence_parts import GeneratedRelation
from sqlverdict.execute.engine import ENGINES
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.harmless import find_harmless
from sqlverdict.parse.schemas.assumed import assumed_schema
from sqlverdict.records import Case, Query, Reason, Relation
from sqlverdict.refute.witness import NotRefuted, Refutation, Witness
from sqlverdict.run.attempt import Attempt
from sqlverdict.run.compare_stage import compare_with_golds
from sqlverdict.run.inputs import PATIENCE, StageInputs
from sqlverdict.run.refuter import Refuter

_REFUTE = "refute"
_USUAL_GRADES = frozenset({"ordinary", "ungraded"})
"""Grades of witnesses on which a relation has to hold: data with nothing unusual in them."""


def refute_case(inputs: StageInputs, refuter: Refuter) -> Refutation:
    """A witness against every gold, or that none was found; it is kept in the run's folder."""
    refutation: Refutation | None = inputs.results.get((_REFUTE, "case"))
    if refutation is None:
        refutation = inputs.results[_REFUTE, "case"] = _refute(inputs, refuter)
    return refutation


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
    refutation: Refutation | None = inputs.recall((_REFUTE,))
    if refutation is None:
        work = partial(refuter.refute, inputs.case, golds, prediction, schema, inputs.golds())
        refutation = source.watched(f"refute {prediction.sql}", work, more=PATIENCE)
        refutation = _in_words(inputs, refutation or _stopped())
        # A bank has other instances for the next case.
        if _lasts(refutation) and refuter.options.bank is None:
            inputs.remember((_REFUTE,), refutation)
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
        for (stage, *_), refutation in inputs.results.items()
        if stage == _REFUTE
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
    with Attempt(_REFUTE, errors):
        return [_evidence(inputs, refuter)]
    return []


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
    with Attempt(_REFUTE, errors):
        difference = _related_elsewhere(inputs, refuter, difference)
    record = inputs.case.recorded_answers
    if record is None or record.whole:
        return difference
    # Of answers that are not at hand, generated databases show how the queries relate.
    with Attempt("generated", errors):
        return structs.replace(difference, generated=_relate(inputs))
    return difference


def _related_elsewhere(inputs: StageInputs, refuter: Refuter, difference: Related) -> Related:
    """The evidence, with what a search says about the relation that makes it harmless.

    A relation may hold by luck, as a match may: it is held against other databases too.
    """
    relation = find_harmless(inputs.case, difference) or _match_of_metric(inputs, difference)
    if relation is None:
        return difference
    refutation: Refutation | None = inputs.results.get((_REFUTE, "relation"))
    if refutation is None:
        refutation = _refute_relation(inputs, refuter, relation)
        inputs.results[_REFUTE, "relation"] = refutation
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
    what = (_REFUTE, relation.kind, repr(relation.detail))
    refutation: Refutation | None = inputs.recall(what)
    if refutation is None:
        work = partial(refuter.refute_relation, inputs.case, gold, prediction, schema, relation)
        name = f"refute {relation.kind} {prediction.sql}"
        refutation = source.watched(name, work, more=PATIENCE)
        if _lasts(refutation):
            inputs.remember(what, refutation)
    return refutation


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
