"""What happens to one case: the stages in order, one call each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.compare.relations import relate
from sqlverdict.execute.canonical import canonical
from sqlverdict.execute.desk import Desk
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import (
    RESULT_SCHEMA,
    Answer,
    Comparison,
    Evidence,
    Failure,
    Fault,
    Judgement,
    Reason,
    Rung,
)
from sqlverdict.report.runlog import encode_result
from sqlverdict.run.item import DeskItem
from sqlverdict.run.refuter import Refuter, Refuting
from sqlverdict.run.task import Task
from sqlverdict.score.metric import MetricSpec, score_case
from sqlverdict.verdicts import judge, toolkit_failure

_GOLD_FAILED = frozenset({Reason.GOLD_EXECUTION_ERROR, Reason.GOLD_EXECUTION_TIMEOUT})
_REMEMBERED = 20_000
_LONG = 4_000
_NOTHING_RAN = {"message": "no metric of this run executes queries"}


@dataclass(frozen=True)
class _Finding:
    """What was found out about a pair of queries; the same wherever the pair turns up."""

    judgement: Judgement
    evidence: tuple[Evidence, ...]
    scores: dict[str, float | None]
    timings: dict[str, float]


class Examiner:
    """Works on one task after the other, for a given set of metrics.

    Systems often give the same query to the same case, and trainers do so all the time: a
    pair that was examined before is not examined again. Timed metrics are never remembered.
    """

    def __init__(self, specs: Sequence[MetricSpec], refuting: Refuting | None = None) -> None:
        self.specs = tuple(specs)
        self._refuter = Refuter(refuting) if refuting is not None else None
        self.executes = any("answers" in spec.metric.needs for spec in specs)
        self._remembers = not any("timing" in spec.metric.needs for spec in specs)
        # A plug-in metric may look at anything that the item shows; a witness's file is named
        # after its case.
        ours = all(type(s.metric).__module__.startswith("sqlverdict.score.") for s in specs)
        self._looks_at_queries_alone = ours and refuting is None
        self._known: dict[tuple[object, ...], _Finding] = {}

    def __call__(self, task: Task, desk: Desk) -> bytes:
        """The task's line for the run log. Never raises."""
        try:
            return _line(task, self._find(task, desk))
        except Exception as error:  # noqa: BLE001 - the border: a bug of ours is not the model's
            return self.crashed(task, f"{type(error).__name__}: {error}")

    def _find(self, task: Task, desk: Desk) -> _Finding:
        case, prediction = task.case, task.prediction
        if not self._remembers or not prediction.sql or len(prediction.sql) > _LONG:
            return self._examine(task, desk)
        place: tuple[object, ...] = (
            case.database,
            case.db_id,
            case.golds,
            case.answerable,
            case.contract,
            canonical(prediction.sql),
        )
        if not self._looks_at_queries_alone:
            place += (case.id, case.question, prediction.confidence, prediction.samples)
        finding = self._known.get(place)
        if finding is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            finding = self._examine(task, desk)
            # What the engine says of a failed query repeats its spelling.
            if not any(found.by == "execute" for found in finding.evidence):
                self._known[place] = finding
        return finding

    def _examine(self, task: Task, desk: Desk) -> _Finding:
        item = DeskItem(task.case, task.prediction, desk, self._refuter)
        evidence = gather(item, self.executes, refutes=self._refuter is not None)
        return _Finding(
            judge(task.case, task.prediction, evidence),
            evidence,
            {spec.label: score_case(spec, item).value for spec in self.specs},
            _timings(item) if evidence and self.executes else {},
        )

    def crashed(self, task: Task, why: str) -> bytes:
        """The line of a case on which we failed ourselves: unscored, and counted apart."""
        detail = {"message": f"sqlverdict failed on this case: {why}. Please report it."}
        reasons = (Reason.TOOLKIT_ERROR,)
        evidence = Evidence(Rung.UNKNOWN, "toolkit", None, reasons, Fault.TOOLKIT, detail)
        scores: dict[str, float | None] = dict.fromkeys(spec.label for spec in self.specs)
        return _line(task, _Finding(toolkit_failure(), (evidence,), scores, {}))


def gather(item: DeskItem, executes: bool, *, refutes: bool = False) -> tuple[Evidence, ...]:
    """All evidence there is about an answered, answerable case."""
    case, prediction = item.case, item.prediction
    if not case.answerable or not (prediction.sql or "").strip():
        return ()
    if not executes:
        return (_by_text(item),)
    compared = item.compare(DEFAULT_PRESET)
    if compared.equal:
        tested = Evidence(Rung.TESTED, "compare", True, detail={"databases": 1})
        return (tested, _searched(item)) if refutes else (tested,)
    if compared.equal is None:
        return (_open(compared),)
    return (_different(item, compared),)


def _searched(item: DeskItem) -> Evidence:
    # The search loads the parser, which is slow; runs without it need not wait.
    from sqlverdict.refute.explain import evidence_of

    evidence = evidence_of(item.refute())
    file = item.witness_file()
    return replace(evidence, detail={**evidence.detail, "file": file}) if file else evidence


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
    found = {"shape": shape, "relations": [{"kind": r.kind, "detail": r.detail} for r in relations]}
    return Evidence(Rung.RELATED, "compare", False, compared.reasons, detail=found)


def _timings(item: DeskItem) -> dict[str, float]:
    golds = item.golds()
    return {
        "gold": round(sum(gold.seconds for gold in golds), 6),
        "prediction": round(item.answer().seconds, 6),
    }


def _line(task: Task, finding: _Finding) -> bytes:
    """The log line of a :class:`~sqlverdict.records.Result`, written without building one."""
    case, prediction = task.case, task.prediction
    judgement, evidence = finding.judgement, finding.evidence
    fields: dict[str, Any] = {
        "index": task.index,
        "id": case.id,
        "db_id": case.db_id,
        "question": case.question,
        "gold": case.golds,
        "prediction": prediction.sql if prediction.sql is not None else prediction.raw,
        "abstained": prediction.abstained,
        "verdict": judgement.verdict,
        "fault": judgement.fault,
        "scores": finding.scores,
        "reasons": judgement.reasons,
        "evidence": evidence,
        "timings": finding.timings,
        "answerable": case.answerable,
        "difficulty": case.difficulty,
        "confidence": prediction.confidence,
        "message": next((e.detail["message"] for e in evidence if "message" in e.detail), ""),
        "tags": case.tags,
        "schema": RESULT_SCHEMA,
    }
    try:
        return encode_result(fields)
    except UnicodeEncodeError:
        # Half a surrogate pair is no text; it is kept visible, so that nothing is lost.
        return encode_result(_speakable(fields))


def _speakable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_speakable(key): _speakable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_speakable(inner) for inner in value]
    return _speakable(asdict(value)) if isinstance(value, Evidence) else value
