"""What happens to one case: the stages in order, one call each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.compare.relations import relate
from sqlverdict.execute.desk import Desk
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import (
    Answer,
    Comparison,
    Evidence,
    Failure,
    Fault,
    Judgement,
    Reason,
    Result,
    Rung,
)
from sqlverdict.report.runlog import encode_result
from sqlverdict.run.item import DeskItem
from sqlverdict.run.local import Examine
from sqlverdict.run.task import Task
from sqlverdict.score.metric import MetricSpec, score_case
from sqlverdict.verdicts import judge, toolkit_failure

_GOLD_FAILED = frozenset({Reason.GOLD_EXECUTION_ERROR, Reason.GOLD_EXECUTION_TIMEOUT})
_NOTHING_RAN = {"message": "no metric of this run executes queries"}


def examiner(specs: Sequence[MetricSpec]) -> Examine:
    """The function that works on one task, for these metrics."""
    executes = any("answers" in spec.metric.needs for spec in specs)
    return partial(_examine, specs=tuple(specs), executes=executes)


def _examine(task: Task, desk: Desk, *, specs: tuple[MetricSpec, ...], executes: bool) -> bytes:
    item = DeskItem(task.case, task.prediction, desk)
    try:
        evidence = gather(item, executes)
        judgement = judge(task.case, task.prediction, evidence)
        scores = {spec.label: score_case(spec, item).value for spec in specs}
        timings = _timings(item) if evidence and executes else {}
    except Exception as error:  # noqa: BLE001 - the border: a bug of ours is never the model's fault
        return crashed(task, f"{type(error).__name__}: {error}", specs)
    return encode_result(_result(task, judgement, evidence, scores, timings))


def gather(item: DeskItem, executes: bool) -> tuple[Evidence, ...]:
    """All evidence there is about an answered, answerable case."""
    case, prediction = item.case, item.prediction
    if not case.answerable or not (prediction.sql or "").strip():
        return ()
    if not executes:
        return (_by_text(item),)
    compared = item.compare(DEFAULT_PRESET)
    if compared.equal:
        return (Evidence(Rung.TESTED, "compare", True, detail={"databases": 1}),)
    if compared.equal is None:
        return (_open(compared),)
    return (_different(item, compared),)


def _by_text(item: DeskItem) -> Evidence:
    text = normalised(item.prediction.sql or "")
    if any(normalised(gold) == text for gold in item.case.golds):
        return Evidence(Rung.PROVED, "parse", True, detail={"identical": "text"})
    return Evidence(Rung.UNKNOWN, "parse", detail=_NOTHING_RAN)


def _open(compared: Comparison) -> Evidence:
    fault = None
    if _GOLD_FAILED.intersection(compared.reasons):
        fault = Fault.GOLD
    elif Reason.DATABASE_UNAVAILABLE in compared.reasons:
        fault = Fault.ENGINE
    detail = {"message": compared.message} if compared.message else {}
    return Evidence(Rung.UNKNOWN, "compare", None, compared.reasons, fault, detail)


def _different(item: DeskItem, compared: Comparison) -> Evidence:
    prediction = item.answer()
    if isinstance(prediction, Failure):
        detail = {"failed": "prediction", "message": prediction.message}
        return Evidence(Rung.RELATED, "execute", False, compared.reasons, detail=detail)
    gold = next((found for found in item.golds() if isinstance(found, Answer)), None)
    relations = relate(gold, prediction, item.pair()) if gold is not None else ()
    shape = {
        "gold": [len(gold.rows), len(gold.columns)] if gold is not None else None,
        "prediction": [len(prediction.rows), len(prediction.columns)],
    }
    found = {"shape": shape, "relations": [asdict(relation) for relation in relations]}
    return Evidence(Rung.RELATED, "compare", False, compared.reasons, detail=found)


def _timings(item: DeskItem) -> dict[str, float]:
    golds = item.golds()
    return {
        "gold": round(sum(gold.seconds for gold in golds), 6),
        "prediction": round(item.answer().seconds, 6),
    }


def _result(
    task: Task,
    judgement: Judgement,
    evidence: tuple[Evidence, ...],
    scores: dict[str, float | None],
    timings: dict[str, float],
) -> Result:
    case, prediction = task.case, task.prediction
    message = next((str(e.detail["message"]) for e in evidence if "message" in e.detail), "")
    return Result(
        index=task.index,
        id=case.id,
        db_id=case.db_id,
        question=case.question,
        gold=case.golds,
        prediction=prediction.sql if prediction.sql is not None else prediction.raw,
        abstained=prediction.abstained,
        verdict=judgement.verdict,
        fault=judgement.fault,
        scores=scores,
        reasons=judgement.reasons,
        evidence=evidence,
        timings=timings,
        answerable=case.answerable,
        difficulty=case.difficulty,
        confidence=prediction.confidence,
        message=message,
        tags=case.tags,
    )


def crashed(task: Task, why: str, specs: Sequence[MetricSpec]) -> bytes:
    """The line of a case on which we failed ourselves: unscored, and counted apart."""
    detail = {"message": f"sqlverdict failed on this case: {why}. Please report it."}
    reasons = (Reason.TOOLKIT_ERROR,)
    evidence = Evidence(Rung.UNKNOWN, "toolkit", None, reasons, Fault.TOOLKIT, detail)
    scores: dict[str, float | None] = dict.fromkeys(spec.label for spec in specs)
    return encode_result(_result(task, toolkit_failure(), (evidence,), scores, {}))
