"""Comparison as a stage: whether the answers match, and how they relate where they do not."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.compare.log_answers import answer_shape, log_answers
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS
from sqlverdict.compare.related.constants import constant_columns
from sqlverdict.compare.related.relate import relate
from sqlverdict.evidence import (
    Evidence,
    Failed,
    Related,
    Relation,
    Tested,
    Undecided,
    relations_of,
)
from sqlverdict.evidence_parts import AnswerShapes, LoggedAnswers
from sqlverdict.reasons import Fault, Reason
from sqlverdict.records import LIMIT_REASONS, Answer, Comparison, Failure
from sqlverdict.run.answer_sources import RecordedAnswers, is_cut
from sqlverdict.run.attempt import Attempt
from sqlverdict.run.inputs import StageInputs

_COMPARE = "compare"
"""The name of this stage in evidence (``by``)."""
_GOLD_FAILED = frozenset(
    {Reason.GOLD_EXECUTION_ERROR, Reason.GOLD_EXECUTION_TIMEOUT, Reason.GOLD_SUSPECT}
)


def compare_with_golds(inputs: StageInputs, preset: str, database: str | None = None) -> Comparison:
    """The prediction against the golds: equal if it equals any of them."""
    key = (_COMPARE, preset, database)
    comparison: Comparison | None = inputs.results.get(key)
    if comparison is None:
        comparison = inputs.results[key] = _compare(inputs, preset, database)
    return comparison


def _compare(inputs: StageInputs, preset: str, database: str | None) -> Comparison:
    source = inputs.source
    if isinstance(source, RecordedAnswers):
        return _as_recorded(inputs, source, preset, database)
    best: Comparison | None = None
    for index in range(len(inputs.gold_texts)):
        comparison = _compare_one(inputs, preset, database or inputs.database, index)
        if comparison.equal:
            return comparison
        if best is None or _rank(comparison) > _rank(best):
            best = comparison
    assert best is not None, "an answerable case has a gold"
    return best


def _compare_one(inputs: StageInputs, name: str, database: str, index: int) -> Comparison:
    preset, source = PRESETS.get(name), inputs.source
    gold_sql, prediction_sql = preset.prepare(inputs.gold_sql(index), inputs.prediction_sql)
    gold = source.gold_on(database, gold_sql, index)
    if isinstance(gold, Failure):
        return _gold_failed(gold)
    if not inputs.prediction.responds:
        return Comparison(False, (Reason.NO_SQL_PRODUCED,))
    prediction = source.prediction_on(database, prediction_sql)
    if isinstance(prediction, Failure):
        return _prediction_failed(prediction)
    pair = source.pair(database, gold_sql, prediction_sql, index)
    try:
        return preset.compare(gold, prediction, pair)
    except Exception as error:  # noqa: BLE001 - the border: a bug of ours, or a text beyond us
        why = f"the answers could not be compared: {type(error).__name__}"
    try:
        preset.compare(gold, gold, source.pair(database, gold_sql, gold_sql, index))
    except Exception:  # noqa: BLE001 - the gold alone fails too: not the prediction's fault
        return Comparison(None, (Reason.TOOLKIT_ERROR,), message=f"{why}. Please report it.")
    return Comparison(False, (Reason.UNSUPPORTED_FEATURE,), message=why)


def _rank(comparison: Comparison) -> int:
    """Among golds none of which is equal: open beats different beats failed."""
    if comparison.equal is False:
        return 2
    return 0 if _GOLD_FAILED.intersection(comparison.reasons) else 3


def _gold_failed(gold: Failure) -> Comparison:
    if gold.fault is not None or gold.reason is Reason.GOLD_SUSPECT:
        return Comparison(None, (gold.reason,), message=gold.message)
    late = gold.reason in LIMIT_REASONS
    reason = Reason.GOLD_EXECUTION_TIMEOUT if late else Reason.GOLD_EXECUTION_ERROR
    return Comparison(None, (reason,), message=f"{gold.reason}: {gold.message}")


def _prediction_failed(prediction: Failure) -> Comparison:
    equal = None if prediction.fault is not None else False
    return Comparison(equal, (prediction.reason,), message=prediction.message)


def _as_recorded(
    inputs: StageInputs, source: RecordedAnswers, preset: str, database: str | None
) -> Comparison:
    """Whether the answers matched, as recorded.

    Where the record says whether they match, it does not depend on the preset: order and
    duplicates, on which presets differ, may be lost. Whole answers of which it says nothing are
    compared.
    """
    if database is not None and database != inputs.database:
        return Comparison(None, (Reason.DATABASE_UNAVAILABLE,), message="only one is recorded")
    record = source.record
    (gold, *_), prediction = record.golds, record.prediction
    if isinstance(gold, Failure):
        reason = gold.reason if gold.fault is not None else Reason.GOLD_EXECUTION_ERROR
        return Comparison(None, (reason,), message=gold.message)
    if not inputs.prediction.responds:
        return Comparison(False, (Reason.NO_SQL_PRODUCED,))
    if isinstance(prediction, Failure):
        return _prediction_failed(prediction)
    if record.equal is None:
        return PRESETS.get(preset).compare(gold, prediction, inputs.pair())
    if record.equal:
        return Comparison(True)
    return Comparison(False, _recorded_reasons(inputs, source))


def _recorded_reasons(inputs: StageInputs, source: RecordedAnswers) -> tuple[Reason, ...]:
    """How the recorded answers differ, as far as they show it."""
    record = source.record
    gold = _first_answer(inputs)
    prediction = record.prediction
    if gold is None or not isinstance(prediction, Answer) or not record.whole:
        return (Reason.VALUE_MISMATCH,)
    if gold.rows and not prediction.rows:
        return (Reason.EMPTY_RESULT,)
    compared = PRESETS.get(DEFAULT_PRESET).compare(gold, prediction, inputs.pair())
    return compared.reasons or (Reason.VALUE_MISMATCH,)


def _first_answer(inputs: StageInputs) -> Answer | None:
    """The answer of the first gold that has one."""
    return next((outcome for outcome in inputs.golds() if isinstance(outcome, Answer)), None)


def match_evidence(inputs: StageInputs, errors: list[Evidence]) -> Tested:
    """That the answers match; under policies that explain, whether the prediction is a constant."""
    constant = False
    if inputs.plan.explains:
        with Attempt("constants", errors):
            constant = _is_constant(inputs)
    recorded = inputs.case.recorded_answers is not None
    return Tested(_COMPARE, recorded=recorded, constant_prediction=constant)


def _is_constant(inputs: StageInputs) -> bool:
    """Whether no column of the prediction's answer reads a row, and some column of a gold does."""
    dialect = inputs.pair().dialect
    sides = []
    texts = (inputs.prediction_text, *inputs.gold_texts)
    for sql, outcome in zip(texts, (inputs.answer(), *inputs.golds()), strict=True):
        if not isinstance(outcome, Answer) or not outcome.columns:
            return False
        width = len(outcome.columns)
        sides.append(constant_columns(sql, dialect, width) == tuple(range(width)))
    return sides[0] and not any(sides[1:])


def open_evidence(inputs: StageInputs, compared: Comparison) -> Failed | Undecided:
    """Why the answers could not be compared."""
    reasons, message = compared.reasons, compared.message
    if _GOLD_FAILED.intersection(reasons):
        cut = any(map(is_cut, inputs.golds()))
        return Failed(_COMPARE, reasons, message, cut, query="gold")
    fault = None
    if Reason.DATABASE_UNAVAILABLE in reasons:
        fault = Fault.ENGINE
    elif Reason.TOOLKIT_ERROR in reasons:
        fault = Fault.TOOLKIT
    return Undecided(_COMPARE, reasons, message, fault=fault)


def difference_evidence(
    inputs: StageInputs, compared: Comparison, errors: list[Evidence]
) -> Related | Failed:
    """How the answers differ, or that the prediction fails."""
    prediction = inputs.answer()
    if isinstance(prediction, Failure):
        cut, reasons = is_cut(prediction), compared.reasons
        return Failed("execute", reasons, prediction.message, cut, query="prediction")
    gold = _first_answer(inputs)
    record = inputs.case.recorded_answers
    whole = record is None or record.whole
    relations: Sequence[Relation] = ()
    if gold is not None and whole:
        pair = inputs.pair()
        with Attempt("relate", errors):
            relations = relate(gold, prediction, pair)
    shape = None
    if record is None or record.has_results:
        shape = AnswerShapes(None if gold is None else answer_shape(gold), answer_shape(prediction))
    return Related(
        _COMPARE,
        compared.reasons,
        shape=shape,
        relations=tuple(relations),
        recorded=record is not None,
        whole=whole,
        ordered=record is None or record.ordered,
    )


def logged_answers(inputs: StageInputs, evidence: Sequence[Evidence]) -> LoggedAnswers | None:
    """What the run log keeps of both answers; ``None`` where there are none to show.

    Args:
        inputs: The case.
        evidence: The evidence about it.
    """
    record = inputs.case.recorded_answers
    if record is not None and not (record.whole and record.has_results):
        return None
    compared = compare_with_golds(inputs, inputs.plan.decides_by)
    columns: Sequence[int | None] | None = compared.columns
    if not compared.equal:
        columns = next((each.proof.columns for each in relations_of(evidence)), None)
    matched = bool(compared.equal)
    return log_answers(inputs.golds(), inputs.answer(), matched=matched, columns=columns)
