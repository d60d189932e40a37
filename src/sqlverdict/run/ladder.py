"""All evidence there is about a case: cheapest first, each stage once, never a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sqlverdict.compare.related.constants import constant_columns
from sqlverdict.compare.related.relate import relate
from sqlverdict.harmless import harmless
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import (
    RECORD,
    RECORD_DIFFERS,
    RECORD_UNUSED,
    Answer,
    Comparison,
    Evidence,
    Failure,
    Fault,
    Outcome,
    Reason,
    Relation,
    Rung,
)
from sqlverdict.run.isolate import attempt
from sqlverdict.run.item import RunItem, is_cut
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.prove_stage import SOUND
from sqlverdict.run.signs_stage import look_for_signs

_GOLD_FAILED = frozenset(
    {Reason.GOLD_EXECUTION_ERROR, Reason.GOLD_EXECUTION_TIMEOUT, Reason.GOLD_SUSPECT}
)
_MATCH = Evidence(Rung.TESTED, "compare", True, detail={"databases": 1})
_RECORDED_MATCH = Evidence(Rung.TESTED, "compare", True, detail={"databases": 1, "recorded": True})
_COUNTS = frozenset({"ordinary", "ungraded"})
"""Grades of witnesses on which a relation has to hold: data with nothing unusual in them."""
_NOTHING_RAN = {"message": "no metric of this run executes queries"}


def gather(item: RunItem, stages: RunPlan) -> tuple[Evidence, ...]:
    """All evidence about an answered, answerable case; none about others."""
    case, prediction = item.case, item.prediction
    if not case.answerable or not (prediction.sql or "").strip():
        return ()
    return (*_found_here(item, stages), *_from_elsewhere(item, stages))


def _from_elsewhere(item: RunItem, stages: RunPlan) -> tuple[Evidence, ...]:
    """What a record adds without deciding anything: opinions, and a result that is not ours."""
    record = item.case.recorded
    if record is None:
        return ()
    if record.use == "other_prediction":
        why = "the record is about another prediction and is not used"
        detail: dict[str, Any] = {RECORD_UNUSED: True, "message": why}
        return (Evidence(Rung.UNKNOWN, RECORD, detail=detail),)
    detail = {"verdicts": dict(record.verdicts)} if record.verdicts else {}
    if record.use == "beside" and record.equal is not None and stages.executes:
        ours = item.compare(stages.preset).equal
        detail["equal"] = record.equal
        if ours is not None and ours != record.equal:
            detail[RECORD_DIFFERS] = True
    return (Evidence(Rung.UNKNOWN, RECORD, detail=detail),) if detail else ()


def _found_here(item: RunItem, stages: RunPlan) -> tuple[Evidence, ...]:
    if not stages.executes:
        failed: list[Evidence] = []
        proof = attempt("prove", lambda: _proof(item), failed) if stages.proves else None
        return (proof,) if proof is not None else (_by_text(item), *failed)
    compared = item.compare(stages.decides_by)
    found: list[Evidence] = []
    errors: list[Evidence] = []
    proof = None
    if stages.proves and _none_failed(item):
        proof = attempt("prove", lambda: _proof(item), errors)
    if proof is not None:
        found.append(proof)
    if compared.equal:
        found.append(_match(item, stages, errors))
        if stages.refutes and (proof is None or stages.tests_proofs):
            searched = attempt("refute", lambda: _searched(item), errors)
            found += [searched] if searched is not None else []
    elif compared.equal is None:
        found.append(_open(item, compared))
        if stages.refutes and proof is None and Reason.TIE_UNDETERMINED in compared.reasons:
            # That it fits a tie here says little: without ties the two may differ.
            searched = attempt("refute", lambda: _searched(item), errors)
            found += [searched] if searched is not None else []
    else:
        different = _different(item, compared, errors)
        if stages.refutes and stages.explains:
            look = partial(_related_elsewhere, item, different)
            different = attempt("refute", look, errors) or different
            look = partial(_generated, item, different)
            different = attempt("generated", look, errors) or different
        found.append(different)
    if proof is not None:
        found = _beside_answers(item, proof, found, stages)
    if stages.explains:
        found = [attempt("tags", partial(_tagged, item, each), errors) or each for each in found]
    found = _marked(item, found)
    if stages.explains and item.case.recorded_answers is None:
        # A verdict looks at the evidence before; this only says what to look at twice.
        found += look_for_signs(item, errors)
    return (*found, *errors)


def _marked(item: RunItem, found: list[Evidence]) -> list[Evidence]:
    """The evidence; its first piece says where a gold reads the clock, or neither has a value."""
    golds = [gold for gold in item.golds() if isinstance(gold, Answer)]
    marks = {"gold_reads_clock": True} if any(gold.volatile for gold in golds) else {}
    record = item.case.recorded_answers
    known = record is None or (record.has_results and record.whole)
    if known and any(map(_is_empty, golds)):
        answer = item.answer()
        if isinstance(answer, Answer) and _is_empty(answer):
            marks["both_empty"] = True
    if not marks:
        return found
    first, *rest = found
    return [replace(first, detail={**first.detail, **marks}), *rest]


def _is_empty(answer: Answer) -> bool:
    """Whether an answer has no value: no row, or NULLs alone, as a sum over no row has."""
    return not any(cell is not None for row in answer.rows for cell in row)


def _tagged(item: RunItem, found: Evidence) -> Evidence:
    """The evidence with what differs between the queries, where it says that they do."""
    if found.agrees is not False or found.rung not in (Rung.REFUTED, Rung.RELATED):
        return found
    from sqlverdict.compare.tags import find_tags

    relations = [str(relation["kind"]) for relation in found.detail.get("relations") or ()]
    gold, prediction = item.case.golds[0], item.prediction.sql or ""
    tags = find_tags(
        gold, prediction, item.schema(), relations=relations, reasons=map(str, found.reasons)
    )
    logged = [{"name": tag.name, "detail": tag.detail} for tag in tags]
    return replace(found, detail={**found.detail, "tags": logged})


def _none_failed(item: RunItem) -> bool:
    """Whether neither side failed by itself; without a database a proof still says all."""
    return _ran(item.answer()) and any(_ran(gold) for gold in item.golds())


def _ran(outcome: Outcome) -> bool:
    return isinstance(outcome, Answer) or outcome.fault is not None


def _proof(item: RunItem) -> Evidence | None:
    # The prover loads the parser, which is slow; runs without it need not wait.
    from sqlverdict.prove.evidence import evidence_of

    found = item.prove(SOUND)
    shown = found.proved or getattr(found, "declared", None) is not None
    return evidence_of(found) if shown else None


def _match(item: RunItem, stages: RunPlan, errors: list[Evidence]) -> Evidence:
    found = _MATCH if item.case.recorded_answers is None else _RECORDED_MATCH
    if not stages.explains or not attempt("constants", lambda: _is_constant(item), errors):
        return found
    return replace(found, detail={**found.detail, "constant_prediction": True})


def _is_constant(item: RunItem) -> bool:
    """Whether no column of the prediction's answer reads a row, and some column of a gold does."""
    dialect = item.pair().dialect
    sides = []
    texts = (item.prediction.sql or "", *item.case.golds)
    for sql, outcome in zip(texts, (item.answer(), *item.golds()), strict=True):
        if not isinstance(outcome, Answer) or not outcome.columns:
            return False
        width = len(outcome.columns)
        sides.append(constant_columns(sql, dialect, width) == tuple(range(width)))
    return sides[0] and not any(sides[1:])


def _searched(item: RunItem) -> Evidence:
    # The search loads the parser, which is slow; runs without it need not wait.
    from sqlverdict.refute.explain.sentence import evidence_of
    from sqlverdict.refute.trial.null_probe import null_in_aggregate
    from sqlverdict.refute.witness import Witness

    found = item.refute()
    evidence = evidence_of(found)
    more: dict[str, object] = {}
    if isinstance(found, Witness) and found.grade == "needs_null" and null_in_aggregate(found):
        more["null_in_aggregate"] = True
    file = item.witness_file()
    if file:
        more["file"] = file
    return replace(evidence, detail={**evidence.detail, **more}) if more else evidence


def _by_text(item: RunItem) -> Evidence:
    text = normalised(item.prediction.sql or "")
    if any(normalised(gold) == text for gold in item.case.golds):
        return Evidence(Rung.PROVED, "parse", True, detail={"identical": "text"})
    return Evidence(Rung.UNKNOWN, "parse", detail=_NOTHING_RAN)


def _cut(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Says that a limit in seconds, or a process that died, decided it: another run may differ."""
    return {"cut_by_time": True} if any(map(is_cut, outcomes)) else {}


def _open(item: RunItem, compared: Comparison) -> Evidence:
    fault = None
    if _GOLD_FAILED.intersection(compared.reasons):
        fault = Fault.GOLD
    elif Reason.DATABASE_UNAVAILABLE in compared.reasons:
        fault = Fault.ENGINE
    elif Reason.TOOLKIT_ERROR in compared.reasons:
        fault = Fault.TOOLKIT
    detail = {"message": compared.message} if compared.message else {}
    if fault is Fault.GOLD:
        detail |= _cut(item.golds())
    return Evidence(Rung.UNKNOWN, "compare", None, compared.reasons, fault, detail)


def _different(item: RunItem, compared: Comparison, errors: list[Evidence]) -> Evidence:
    prediction = item.answer()
    if isinstance(prediction, Failure):
        detail = {"failed": "prediction", "message": prediction.message, **_cut([prediction])}
        return Evidence(Rung.RELATED, "execute", False, compared.reasons, detail=detail)
    gold = next((found for found in item.golds() if isinstance(found, Answer)), None)
    record = item.case.recorded_answers
    whole = record is None or record.whole
    relations: Sequence[Relation] = ()
    if gold is not None and whole:
        pair = item.pair()
        relations = attempt("relate", lambda: relate(gold, prediction, pair), errors) or ()
    shape = {
        "gold": [len(gold.rows), len(gold.columns)] if gold is not None else None,
        "prediction": [len(prediction.rows), len(prediction.columns)],
    }
    found: dict[str, Any] = {
        "shape": shape,
        "relations": [{"kind": r.kind, "detail": r.detail} for r in relations],
    }
    if record is not None and not record.has_results:
        del found["shape"]
    if record is not None:
        found |= {"recorded": True, "whole": record.whole, "ordered": record.ordered}
    return Evidence(Rung.RELATED, "compare", False, compared.reasons, detail=found)


def _related_elsewhere(item: RunItem, different: Evidence) -> Evidence:
    """The evidence, with what a search says about the relation that makes it harmless.

    A relation may hold by luck, as a match may: it is held against other databases too.
    """
    kind = harmless(item.case, different)
    relations = list(different.detail.get("relations") or ())
    place = next((n for n, found in enumerate(relations) if found["kind"] == kind), None)
    if kind is None or place is None:
        return different
    detail = relations[place]["detail"]
    found = item.refute_relation(Relation(kind, detail))
    if found is None:
        return different
    # The search loads the parser, which is slow; runs without it need not wait.
    from sqlverdict.refute.explain.sentence import evidence_of

    searched = evidence_of(found)
    counts = searched.rung is Rung.REFUTED and searched.detail["grade"] in _COUNTS
    note = {"broken": searched.detail} if counts else {"elsewhere": searched.detail}
    relations[place] = {"kind": kind, "detail": {**detail, **note}}
    cut = {"cut_by_time": True} if searched.detail.get("cut_by_time") else {}
    if cut or (searched.agrees is None and searched.reasons):
        cut["unsearched"] = True
    return replace(different, detail={**different.detail, "relations": relations, **cut})


def _generated(item: RunItem, different: Evidence) -> Evidence:
    """The evidence; of answers that are not at hand, with what generated databases show."""
    record = item.case.recorded_answers
    if record is None or record.whole or different.detail.get("failed"):
        return different
    found = item.relate()
    if found is None:
        return different
    return replace(different, detail={**different.detail, "generated": found})


def _beside_answers(
    item: RunItem, proof: Evidence, found: list[Evidence], stages: RunPlan
) -> list[Evidence]:
    """The evidence with a proof held against it: a contradiction, or a proof that gives way.

    A witness is legal under the declared schema, and so contradicts any proof. The real
    database contradicts one whose facts it keeps, unless the answers depend on the order of
    rows. Where a fact could not be checked, answers that differ decide.
    """
    from sqlverdict.prove.evidence import declared_only
    from sqlverdict.refute.witness import Witness
    from sqlverdict.run.contradictions import contradiction, explained_by_order

    witness = item.refute() if any(each.rung is Rung.REFUTED for each in found) else None
    differ = any(each.rung is Rung.RELATED and each.agrees is False for each in found)
    if not isinstance(witness, Witness):
        witness = None
        if not differ or proof.rung is not Rung.PROVED or item.case.recorded_answers is not None:
            return found
        if explained_by_order(item):
            return found
        if proof.detail.get("unchecked"):
            return [declared_only(proof) if each is proof else each for each in found]
    sql, schema = item.prediction.sql or "", item.schema()
    saved = contradiction(item.case, sql, proof, witness, schema, stages.contradictions)
    return [*found, saved]
