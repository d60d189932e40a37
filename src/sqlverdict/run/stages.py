"""The stages that make evidence about a case, in their order: the cheapest first, never a verdict.

Each is a function from the inputs of a case to evidence. A stage that fails by a bug of ours takes
nothing else with it.
"""

from __future__ import annotations

from msgspec.structs import replace

from sqlverdict.evidence import (
    Evidence,
    Failed,
    Proved,
    Recorded,
    Refuted,
    Related,
    Undecided,
    relations_of,
)
from sqlverdict.parse.tokens import normalised
from sqlverdict.reasons import Reason
from sqlverdict.records import Answer, Comparison, Outcome
from sqlverdict.refute.witness import Witness
from sqlverdict.run.attempt import Attempt
from sqlverdict.run.compare_stage import (
    compare_with_golds,
    difference_evidence,
    match_evidence,
    open_evidence,
)
from sqlverdict.run.contradictions import contradiction, explained_by_order
from sqlverdict.run.inputs import StageInputs
from sqlverdict.run.refute_stage import add_searches, refute_case, search_evidence
from sqlverdict.run.refuter import Refuter

_RECORD = "record"
_NOTHING_RAN = "no metric of this run executes queries"


def gather_evidence(inputs: StageInputs, refuter: Refuter) -> tuple[Evidence, ...]:
    """All evidence about an answerable case; without an answer, whether it can be scored at all."""
    plan = inputs.plan
    if not inputs.case.answerable:
        return ()
    if not inputs.prediction.responds:
        compared = Comparison(False)
        if plan.executes:
            compared = compare_with_golds(inputs, plan.decides_by)
        return (open_evidence(inputs, compared),) if compared.equal is None else ()
    stages = _from_answers if plan.executes else _from_texts
    return (*stages(inputs, refuter), *_from_elsewhere(inputs))


def _from_texts(inputs: StageInputs, refuter: Refuter) -> tuple[Evidence, ...]:
    """What can be said where no query is run."""
    del refuter
    errors: list[Evidence] = []
    proof = _proof_evidence(inputs, errors) if inputs.plan.proves else None
    return (proof if proof is not None else _by_text(inputs), *errors)


def _by_text(inputs: StageInputs) -> Evidence:
    text = normalised(inputs.prediction_text)
    if any(normalised(gold) == text for gold in inputs.case.golds):
        return Proved("parse", same_text=True)
    return Undecided("parse", message=_NOTHING_RAN)


def _from_answers(inputs: StageInputs, refuter: Refuter) -> tuple[Evidence, ...]:
    """What can be said where both queries are run."""
    plan = inputs.plan
    compared = compare_with_golds(inputs, plan.decides_by)
    evidence: list[Evidence] = []
    errors: list[Evidence] = []
    proof = None
    if plan.proves and _none_failed(inputs):
        proof = _proof_evidence(inputs, errors)
    if proof is not None:
        evidence.append(proof)
    if compared.equal:
        evidence.append(match_evidence(inputs, errors))
        if plan.refutes and (proof is None or plan.tests_proofs):
            evidence += search_evidence(inputs, refuter, errors)
    elif compared.equal is None:
        evidence.append(open_evidence(inputs, compared))
        if plan.refutes and proof is None and Reason.TIE_UNDETERMINED in compared.reasons:
            # That it fits a tie here says little: without ties the two may differ.
            evidence += search_evidence(inputs, refuter, errors)
    else:
        difference = difference_evidence(inputs, compared, errors)
        if plan.refutes and plan.explains and isinstance(difference, Related):
            difference = add_searches(inputs, refuter, difference, errors)
        evidence.append(difference)
    if proof is not None:
        evidence = _beside_answers(inputs, refuter, proof, evidence)
    annotates = plan.explains and plan.annotates and inputs.has_queries
    if annotates:
        for position, each in enumerate(evidence):
            with Attempt("tags", errors):
                evidence[position] = _add_tags(inputs, each)
    evidence = _mark_first(inputs, evidence)
    if annotates and inputs.case.recorded_answers is None:
        # A verdict looks at the evidence before; this only says what to look at twice.
        from sqlverdict.run.signs_stage import look_for_signs

        evidence += look_for_signs(inputs, errors)
    return (*evidence, *errors)


def _proof_evidence(inputs: StageInputs, errors: list[Evidence]) -> Proved | Undecided | None:
    """As the stage has it, which runs without proofs need not load."""
    from sqlverdict.run.prove_stage import proof_evidence

    return proof_evidence(inputs, errors)


def _none_failed(inputs: StageInputs) -> bool:
    """Whether neither side failed by itself; without a database a proof still says all."""
    return _ran(inputs.answer()) and any(_ran(gold) for gold in inputs.golds())


def _ran(outcome: Outcome) -> bool:
    return isinstance(outcome, Answer) or outcome.fault is not None


def _beside_answers(
    inputs: StageInputs, refuter: Refuter, proof: Proved | Undecided, evidence: list[Evidence]
) -> list[Evidence]:
    """The evidence with the proof compared with it: a contradiction, or a proof that is not used.

    A witness is legal under the declared schema, and so contradicts any proof. The real
    database contradicts one whose facts it keeps, unless the answers depend on the order of
    rows. Where a fact could not be checked, answers that differ decide.
    """
    refuted = any(isinstance(piece, Refuted) for piece in evidence)
    witness = refute_case(inputs, refuter) if refuted else None
    if not isinstance(witness, Witness):
        witness = None
        differ = any(isinstance(piece, Related) or _is_failed(piece) for piece in evidence)
        if not differ or not isinstance(proof, Proved) or inputs.case.recorded_answers is not None:
            return evidence
        if explained_by_order(inputs):
            return evidence
        if proof.unchecked:
            from sqlverdict.prove.evidence import declared_only

            return [declared_only(proof) if piece is proof else piece for piece in evidence]
    sql, schema = inputs.prediction.sql or "", inputs.schema()
    folder = inputs.plan.contradictions
    return [*evidence, contradiction(inputs.case, sql, proof, witness, schema, folder)]


def _is_failed(evidence: Evidence) -> bool:
    return isinstance(evidence, Failed) and evidence.query == "prediction"


def _add_tags(inputs: StageInputs, evidence: Evidence) -> Evidence:
    """The evidence with what differs between the queries, where it says that they do."""
    of_gold = isinstance(evidence, Failed) and evidence.query != "prediction"
    if of_gold or not isinstance(evidence, Refuted | Related | Failed):
        return evidence
    # Tags load the parser, which is slow; runs without them need not wait.
    from sqlverdict.compare.tags import find_difference

    gold = inputs.case.golds[0]
    tags, words = find_difference(
        gold,
        inputs.prediction.sql or "",
        inputs.schema(),
        relations=[relation.kind for relation in relations_of([evidence])],
        reasons=map(str, evidence.reasons),
        dialect=inputs.query(gold).dialect,
    )
    # Of several golds another one may be meant.
    in_words = words if len(inputs.case.golds) == 1 else ""
    return replace(evidence, tags=tuple(tags), in_words=in_words)


def _mark_first(inputs: StageInputs, evidence: list[Evidence]) -> list[Evidence]:
    """The evidence; its first piece says where a clock is read, or neither query has a value."""
    golds = [gold for gold in inputs.golds() if isinstance(gold, Answer)]
    reads_clock, both_empty = any(gold.volatile for gold in golds), False
    record = inputs.case.recorded_answers
    known = record is None or (record.has_results and record.whole)
    if known and any(map(_is_empty, golds)):
        answer = inputs.answer()
        both_empty = isinstance(answer, Answer) and _is_empty(answer)
    may_change = not inputs.source.lasting
    if not reads_clock and not both_empty and not may_change:
        return evidence
    first, *rest = evidence
    marks = {"gold_reads_clock": reads_clock, "both_empty": both_empty, "may_change": may_change}
    return [replace(first, **marks), *rest]


def _is_empty(answer: Answer) -> bool:
    """Whether an answer has no value: no row, or NULLs alone, as a sum over no row has."""
    return not any(cell is not None for row in answer.rows for cell in row)


def _from_elsewhere(inputs: StageInputs) -> tuple[Evidence, ...]:
    """What a record adds without deciding anything: opinions, and a result that is not ours."""
    record, plan = inputs.case.recorded, inputs.plan
    if record is None:
        return ()
    if record.use == "other_prediction":
        message = "the record is about another prediction and is not used"
        return (Recorded(_RECORD, message=message, unused=True),)
    equal, differs = None, False
    if record.use == "beside" and record.equal is not None and plan.executes:
        ours, equal = compare_with_golds(inputs, plan.preset).equal, record.equal
        differs = ours is not None and ours != equal
    if not record.verdicts and equal is None:
        return ()
    return (Recorded(_RECORD, verdicts=dict(record.verdicts), equal=equal, differs=differs),)
