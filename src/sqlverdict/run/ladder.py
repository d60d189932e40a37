"""All evidence there is about a case: cheapest first, each stage once, never a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from sqlverdict.compare.log_answers import log_answers
from sqlverdict.compare.related.constants import constant_columns
from sqlverdict.compare.related.relate import relate
from sqlverdict.evidence import (
    Evidence,
    Failed,
    Proved,
    Recorded,
    Refuted,
    Related,
    Relation,
    Tested,
    Undecided,
    relations_of,
)
from sqlverdict.evidence_parts import AnswerShapes, LoggedTag
from sqlverdict.harmless import find_harmless
from sqlverdict.logged_answers import LoggedAnswers
from sqlverdict.parse.tokens import normalised
from sqlverdict.reasons import Fault, Reason
from sqlverdict.records import Answer, Comparison, Failure, Outcome
from sqlverdict.run.isolate import attempt
from sqlverdict.run.item import RunItem, is_cut
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.prove_stage import SOUND
from sqlverdict.run.signs_stage import look_for_signs

_GOLD_FAILED = frozenset(
    {Reason.GOLD_EXECUTION_ERROR, Reason.GOLD_EXECUTION_TIMEOUT, Reason.GOLD_SUSPECT}
)
_COMPARE = "compare"
_RECORD = "record"
_USUAL_GRADES = frozenset({"ordinary", "ungraded"})
"""Grades of witnesses on which a relation has to hold: data with nothing unusual in them."""
_NOTHING_RAN = "no metric of this run executes queries"


def gather(item: RunItem, plan: RunPlan) -> tuple[Evidence, ...]:
    """All evidence about an answerable case; without an answer, whether it can be scored at all."""
    if not item.case.answerable:
        return ()
    if not item.prediction.responds:
        compared = item.compare(plan.decides_by) if plan.executes else Comparison(False)
        return (_undecided(item, compared),) if compared.equal is None else ()
    return (*_by_stages(item, plan), *_from_elsewhere(item, plan))


def keep_answers(
    item: RunItem, plan: RunPlan, evidence: Sequence[Evidence]
) -> LoggedAnswers | None:
    """What the run log keeps of both answers; ``None`` where there are none to show.

    Args:
        item: The case.
        plan: The plan of the run.
        evidence: What :func:`gather` found out about it.
    """
    record = item.case.recorded_answers
    if record is not None and not (record.whole and record.has_results):
        return None
    compared = item.compare(plan.decides_by)
    columns: Sequence[int | None] | None = compared.columns
    if not compared.equal:
        columns = next((each.proof.columns for each in relations_of(evidence)), None)
    return log_answers(item.golds(), item.answer(), matched=bool(compared.equal), columns=columns)


def _from_elsewhere(item: RunItem, plan: RunPlan) -> tuple[Evidence, ...]:
    """What a record adds without deciding anything: opinions, and a result that is not ours."""
    record = item.case.recorded
    if record is None:
        return ()
    if record.use == "other_prediction":
        message = "the record is about another prediction and is not used"
        return (Recorded(_RECORD, message=message, unused=True),)
    equal, differs = None, False
    if record.use == "beside" and record.equal is not None and plan.executes:
        ours, equal = item.compare(plan.preset).equal, record.equal
        differs = ours is not None and ours != equal
    if not record.verdicts and equal is None:
        return ()
    return (Recorded(_RECORD, verdicts=dict(record.verdicts), equal=equal, differs=differs),)


def _by_stages(item: RunItem, plan: RunPlan) -> tuple[Evidence, ...]:
    if not plan.executes:
        failed: list[Evidence] = []
        proof = _explained_proof(item, plan, failed) if plan.proves else None
        return (proof if proof is not None else _by_text(item), *failed)
    compared = item.compare(plan.decides_by)
    evidence: list[Evidence] = []
    errors: list[Evidence] = []
    proof = None
    if plan.proves and _none_failed(item):
        proof = _explained_proof(item, plan, errors)
    if proof is not None:
        evidence.append(proof)
    if compared.equal:
        evidence.append(_match(item, plan, errors))
        if plan.refutes and (proof is None or plan.tests_proofs):
            evidence += _search(item, errors)
    elif compared.equal is None:
        evidence.append(_undecided(item, compared))
        if plan.refutes and proof is None and Reason.TIE_UNDETERMINED in compared.reasons:
            # That it fits a tie here says little: without ties the two may differ.
            evidence += _search(item, errors)
    else:
        difference = _different(item, compared, errors)
        if plan.refutes and plan.explains and isinstance(difference, Related):
            look = partial(_related_elsewhere, item, difference)
            difference = attempt("refute", look, errors) or difference
            look = partial(_add_generated, item, difference)
            difference = attempt("generated", look, errors) or difference
        evidence.append(difference)
    if proof is not None:
        evidence = _beside_answers(item, proof, evidence, plan)
    if plan.explains and _has_queries(item):
        evidence = [
            attempt("tags", partial(_add_tags, item, each), errors) or each for each in evidence
        ]
    evidence = _mark_first(item, evidence)
    if plan.explains and item.case.recorded_answers is None and _has_queries(item):
        # A verdict looks at the evidence before; this only says what to look at twice.
        evidence += look_for_signs(item, errors)
    return (*evidence, *errors)


def _has_queries(item: RunItem) -> bool:
    """Whether both sides are queries, and none is a result alone."""
    return not item.case.gold_answers and item.prediction.answer is None


def _mark_first(item: RunItem, evidence: list[Evidence]) -> list[Evidence]:
    """The evidence; its first piece says where a clock is read, or neither query has a value."""
    golds = [gold for gold in item.golds() if isinstance(gold, Answer)]
    reads_clock, both_empty = any(gold.volatile for gold in golds), False
    record = item.case.recorded_answers
    known = record is None or (record.has_results and record.whole)
    if known and any(map(_is_empty, golds)):
        answer = item.answer()
        both_empty = isinstance(answer, Answer) and _is_empty(answer)
    if not reads_clock and not both_empty and item.lasting:
        return evidence
    first, *rest = evidence
    may_change = not item.lasting
    marks = {"gold_reads_clock": reads_clock, "both_empty": both_empty, "may_change": may_change}
    return [replace(first, **marks), *rest]


def _is_empty(answer: Answer) -> bool:
    """Whether an answer has no value: no row, or NULLs alone, as a sum over no row has."""
    return not any(cell is not None for row in answer.rows for cell in row)


def _add_tags(item: RunItem, evidence: Evidence) -> Evidence:
    """The evidence with what differs between the queries, where it says that they do."""
    of_gold = isinstance(evidence, Failed) and evidence.query != "prediction"
    if of_gold or not isinstance(evidence, Refuted | Related | Failed):
        return evidence
    from sqlverdict.compare.tags import find_difference

    gold = item.case.golds[0]
    tags, words = find_difference(
        gold,
        item.prediction.sql or "",
        item.schema(),
        relations=[relation.kind for relation in relations_of([evidence])],
        reasons=map(str, evidence.reasons),
        dialect=item.query(gold).dialect,
    )
    logged = tuple(LoggedTag(tag.name, tag.detail) for tag in tags)
    # Of several golds another one may be meant.
    return replace(evidence, tags=logged, in_words=words if len(item.case.golds) == 1 else "")


def _none_failed(item: RunItem) -> bool:
    """Whether neither side failed by itself; without a database a proof still says all."""
    return _ran(item.answer()) and any(_ran(gold) for gold in item.golds())


def _ran(outcome: Outcome) -> bool:
    return isinstance(outcome, Answer) or outcome.fault is not None


def _explained_proof(
    item: RunItem, plan: RunPlan, errors: list[Evidence]
) -> Proved | Undecided | None:
    """A proof as :func:`_proof` gives it, with the SQL that its steps change."""
    proof = attempt("prove", lambda: _proof(item), errors)
    if proof is None or not plan.explains:
        return proof
    return attempt("steps", lambda: _with_changes(item, proof), errors) or proof


def _proof(item: RunItem) -> Proved | Undecided | None:
    """A proof, also one under the declared schema alone; ``None`` where there is neither."""
    # The prover loads the parser, which is slow; runs without it need not wait.
    from sqlverdict.prove.evidence import evidence_of

    derivation = item.prove(SOUND)
    exists = derivation.proved or getattr(derivation, "declared", None) is not None
    return evidence_of(derivation) if exists else None


def _with_changes(item: RunItem, proof: Proved | Undecided) -> Proved | Undecided:
    """The proof with the SQL that its steps change.

    Raises:
        RejectedProof: the checker, which does it again, rejects it.
    """
    from sqlverdict.prove.changes import step_changes
    from sqlverdict.prove.proof import Proof

    derivation, schema = item.prove(SOUND), item.schema()
    derived = derivation if isinstance(derivation, Proof) else derivation.declared
    if derived is None or schema is None:
        return proof
    contract = item.case.contract
    fixed = contract is not None and contract.columns == "same_order"
    changes = step_changes(derived, schema, fixed_columns=fixed)
    match proof:
        case Undecided(declared=Proved() as declared):
            return replace(proof, declared=replace(declared, changes=changes))
        case Proved():
            return replace(proof, changes=changes)
    return proof


def _match(item: RunItem, plan: RunPlan, errors: list[Evidence]) -> Tested:
    constant = plan.explains and attempt("constants", lambda: _is_constant(item), errors)
    recorded = item.case.recorded_answers is not None
    return Tested(_COMPARE, recorded=recorded, constant_prediction=bool(constant))


def _is_constant(item: RunItem) -> bool:
    """Whether no column of the prediction's answer reads a row, and some column of a gold does."""
    dialect = item.pair().dialect
    sides = []
    texts = (item.prediction_text, *item.gold_texts)
    for sql, outcome in zip(texts, (item.answer(), *item.golds()), strict=True):
        if not isinstance(outcome, Answer) or not outcome.columns:
            return False
        width = len(outcome.columns)
        sides.append(constant_columns(sql, dialect, width) == tuple(range(width)))
    return sides[0] and not any(sides[1:])


def _search(item: RunItem, errors: list[Evidence]) -> list[Evidence]:
    """What a search for a witness says; nothing where it fails, which is among the errors."""
    evidence = attempt("refute", lambda: _search_evidence(item), errors)
    return [] if evidence is None else [evidence]


def _search_evidence(item: RunItem) -> Evidence:
    # The search loads the parser, which is slow; runs without it need not wait.
    from sqlverdict.refute.explain.evidence import evidence_of
    from sqlverdict.refute.trial.null_probe import null_in_aggregate
    from sqlverdict.refute.witness import Witness

    refutation = item.refute()
    evidence = evidence_of(refutation)
    if not isinstance(evidence, Refuted) or not isinstance(refutation, Witness):
        return evidence
    needs_null = refutation.grade == "needs_null"
    return replace(
        evidence,
        null_in_aggregate=needs_null and null_in_aggregate(refutation),
        file=item.witness_file() or "",
    )


def _by_text(item: RunItem) -> Evidence:
    text = normalised(item.prediction_text)
    if any(normalised(gold) == text for gold in item.case.golds):
        return Proved("parse", same_text=True)
    return Undecided("parse", message=_NOTHING_RAN)


def _undecided(item: RunItem, compared: Comparison) -> Failed | Undecided:
    reasons, message = compared.reasons, compared.message
    if _GOLD_FAILED.intersection(reasons):
        cut = any(map(is_cut, item.golds()))
        return Failed(_COMPARE, reasons, message, cut, query="gold")
    fault = None
    if Reason.DATABASE_UNAVAILABLE in reasons:
        fault = Fault.ENGINE
    elif Reason.TOOLKIT_ERROR in reasons:
        fault = Fault.TOOLKIT
    return Undecided(_COMPARE, reasons, message, fault=fault)


def _different(item: RunItem, compared: Comparison, errors: list[Evidence]) -> Related | Failed:
    prediction = item.answer()
    if isinstance(prediction, Failure):
        cut, reasons = is_cut(prediction), compared.reasons
        return Failed("execute", reasons, prediction.message, cut, query="prediction")
    gold = next((outcome for outcome in item.golds() if isinstance(outcome, Answer)), None)
    record = item.case.recorded_answers
    whole = record is None or record.whole
    relations: Sequence[Relation] = ()
    if gold is not None and whole:
        pair = item.pair()
        relations = attempt("relate", lambda: relate(gold, prediction, pair), errors) or ()
    shape = None
    if record is None or record.has_results:
        shape = AnswerShapes(_shape(gold) if gold is not None else None, _shape(prediction))
    return Related(
        _COMPARE,
        compared.reasons,
        shape=shape,
        relations=tuple(relations),
        recorded=record is not None,
        whole=whole,
        ordered=record is None or record.ordered,
    )


def _shape(answer: Answer) -> tuple[int, int]:
    return len(answer.rows), len(answer.columns)


def _related_elsewhere(item: RunItem, difference: Related) -> Related:
    """The evidence, with what a search says about the relation that makes it harmless.

    A relation may hold by luck, as a match may: it is held against other databases too.
    """
    relation = find_harmless(item.case, difference)
    if relation is None:
        return difference
    refutation = item.refute_relation(relation)
    if refutation is None:
        return difference
    # The search loads the parser, which is slow; runs without it need not wait.
    from sqlverdict.refute.explain.evidence import evidence_of

    searched = evidence_of(refutation)
    if isinstance(searched, Refuted) and searched.grade in _USUAL_GRADES:
        searched_relation = replace(relation, broken=searched)
    else:
        searched_relation = replace(relation, elsewhere=searched)
    position = difference.relations.index(relation)
    before, after = difference.relations[:position], difference.relations[position + 1 :]
    unmade = isinstance(searched, Undecided) and bool(searched.reasons)
    return replace(
        difference,
        relations=(*before, searched_relation, *after),
        cut_by_time=searched.cut_by_time,
        unsearched=searched.cut_by_time or unmade,
    )


def _add_generated(item: RunItem, difference: Related) -> Related:
    """The evidence; of answers that are not at hand, with what generated databases show."""
    record = item.case.recorded_answers
    if record is None or record.whole:
        return difference
    return replace(difference, generated=item.relate())


def _beside_answers(
    item: RunItem, proof: Proved | Undecided, evidence: list[Evidence], plan: RunPlan
) -> list[Evidence]:
    """The evidence with a proof held against it: a contradiction, or a proof that gives way.

    A witness is legal under the declared schema, and so contradicts any proof. The real
    database contradicts one whose facts it keeps, unless the answers depend on the order of
    rows. Where a fact could not be checked, answers that differ decide.
    """
    from sqlverdict.prove.evidence import declared_only
    from sqlverdict.refute.witness import Witness
    from sqlverdict.run.contradictions import contradiction, explained_by_order

    refuted = any(isinstance(piece, Refuted) for piece in evidence)
    witness = item.refute() if refuted else None
    if not isinstance(witness, Witness):
        witness = None
        differ = any(isinstance(piece, Related) or _is_failed(piece) for piece in evidence)
        if not differ or not isinstance(proof, Proved) or item.case.recorded_answers is not None:
            return evidence
        if explained_by_order(item):
            return evidence
        if proof.unchecked:
            return [declared_only(proof) if piece is proof else piece for piece in evidence]
    sql, schema = item.prediction.sql or "", item.schema()
    saved = contradiction(item.case, sql, proof, witness, schema, plan.contradictions)
    return [*evidence, saved]


def _is_failed(evidence: Evidence) -> bool:
    return isinstance(evidence, Failed) and evidence.query == "prediction"
