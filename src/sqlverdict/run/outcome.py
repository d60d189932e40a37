"""The outcome of a case: judgement, scores, and its line in the run log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from sqlverdict.evidence import (
    Contradicted,
    Evidence,
    Failed,
    Judged,
    Related,
    Tested,
    Undecided,
    fault_of,
)
from sqlverdict.evidence_parts import LoggedAnswers, StageFailure
from sqlverdict.records import (
    RESULT_SCHEMA,
    Fault,
    Judgement,
    Prediction,
    Reason,
    Result,
)
from sqlverdict.run.attempt import TOOLKIT, Blame
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.task import Task
from sqlverdict.runlog.log import encode_fields
from sqlverdict.verdicts import toolkit_failure

if TYPE_CHECKING:
    from sqlverdict.run.judging.asking import JudgeQuestion

_MAY_GO_AWAY = (Fault.ENGINE, Fault.TOOLKIT)
_SEEN = (Tested, Related)
"""Evidence that two answers were seen: nobody's fault."""


class PairFinding(msgspec.Struct, frozen=True, dict=True):
    """What was found out about a pair of queries; the same wherever the pair turns up.

    Attributes:
        judgement: What the evidence amounts to, before any judge was asked.
        evidence: The evidence.
        scores: The values of the metrics that need no judge, by label.
        timings: Seconds.
        questions: What a judge is to be asked; empty: nothing, and the finding is complete.
        repeatable: False where a limit in seconds, a process that died, or an answer that may
            change by itself had a part in it.
        answers: What both queries returned; ``None``: nothing was run.
    """

    judgement: Judgement
    evidence: tuple[Evidence, ...]
    scores: Mapping[str, float | None]
    timings: Mapping[str, float]
    questions: tuple[JudgeQuestion, ...] = ()
    repeatable: bool = True
    answers: LoggedAnswers | None = None

    @cached_property
    def final(self) -> bool:
        """Whether another run would find the same: nothing in it rests on what may go away."""
        lasting = self.repeatable and self.judgement.fault not in _MAY_GO_AWAY
        if lasting and all(map(_is_final, self.evidence)):
            return True
        # The same command goes on behind a contradiction, and does not stop at it for ever.
        return self.contradiction is not None

    @property
    def contradiction(self) -> Contradicted | None:
        """Where a proof meets a refutation: such a finding stops the run."""
        return next((piece for piece in self.evidence if isinstance(piece, Contradicted)), None)


def _is_final(evidence: Evidence) -> bool:
    if isinstance(evidence, _SEEN):
        return not evidence.cut_by_time
    if fault_of(evidence) in _MAY_GO_AWAY or evidence.cut_by_time:
        return False
    match evidence:
        case Judged():
            return Reason.JUDGE_UNAVAILABLE not in evidence.reasons
        case (
            Undecided(failure=StageFailure() as failure) | Failed(failure=StageFailure() as failure)
        ):
            return not failure.may_go_away
    return True


class MetricValue(NamedTuple):
    """The value of a metric for one pair.

    Attributes:
        value: The value; ``None``: unscored.
        final: Whether it would be the same another time.
    """

    value: float | None
    final: bool


def crash_finding(task: Task, plan: RunPlan, blame: Blame) -> PairFinding:
    """The outcome of a case on which our own code failed: unscored, and counted apart.

    Where it was the prediction's own text that we cannot handle, it counts as one that fails.
    """
    labels = [spec.label for spec in plan.specs]
    if blame.by_prediction:
        failure = StageFailure("case", blame.why, blame.may_go_away, blame="prediction")
        reasons = (Reason.UNSUPPORTED_FEATURE,)
        failed = Failed(TOOLKIT, reasons, blame.message, query="prediction", failure=failure)
        judgement = plan.decide(task.case, task.prediction, (failed,))
        # No metric has a value where there is no right answer.
        zero = 0.0 if task.case.answerable else None
        return PairFinding(judgement, (failed,), dict.fromkeys(labels, zero), {})
    undecided = Undecided(
        TOOLKIT,
        (Reason.TOOLKIT_ERROR,),
        blame.message,
        fault=Fault.TOOLKIT,
        failure=StageFailure("case", blame.why, blame.may_go_away),
    )
    return PairFinding(toolkit_failure(), (undecided,), dict.fromkeys(labels), {})


class LogLine(msgspec.Struct, frozen=True):
    """A task's finished line for the run log."""

    system: int
    index: int
    text: bytes


Log = Callable[[Sequence[LogLine]], None]
"""Takes finished lines into the run log."""


@dataclass(frozen=True)
class Pending:
    """A task whose line the coordinator writes: it waits for a judge, or stops the run."""

    task: Task
    finding: PairFinding


Done = LogLine | Pending
"""What a worker makes of a task."""


def done(task: Task, line: bytes | PairFinding) -> Done:
    """A finished line, or a finding that the coordinator looks at, with its task."""
    if isinstance(line, bytes):
        return LogLine(task.system, task.index, line)
    return Pending(task, line)


def result_of(task: Task, finding: PairFinding) -> Result:
    """The result of a task, as the run log has it."""
    return Result(**_fields(task, finding), timings=finding.timings)


def encode_line(task: Task, finding: PairFinding) -> bytes:
    """The log line of a :class:`~sqlverdict.records.Result`, written without building one."""
    fields = _fields(task, finding)
    try:
        return encode_fields(fields, finding.timings)
    except UnicodeEncodeError:
        # Half a surrogate pair is no text; it is kept visible, so that nothing is lost.
        return encode_fields(_speakable(fields), finding.timings)


def _fields(task: Task, finding: PairFinding) -> dict[str, Any]:
    """The fields of a result, all but the timings, which a line has behind its checksum."""
    case, prediction = task.case, task.prediction
    judgement, evidence = finding.judgement, finding.evidence
    fields: dict[str, Any] = {
        "index": task.index,
        "id": case.id,
        "db_id": case.db_id,
        "question": case.question,
        "gold": case.logged_golds,
        "prediction": logged_prediction(prediction),
        "abstained": prediction.abstained,
        "verdict": judgement.verdict,
        "fault": judgement.fault,
        "scores": finding.scores,
        "reasons": judgement.reasons,
        "evidence": evidence,
        "answerable": case.answerable,
        "difficulty": case.difficulty,
        "confidence": prediction.confidence,
        "message": _message(evidence),
        "tags": case.tags,
        "schema": RESULT_SCHEMA,
        "database": task.digest,
        "inputs": task.inputs,
        "final": finding.final,
        "situation": judgement.situation,
        "p_right": judgement.p_right,
        "p_basis": judgement.p_basis,
        "answers": finding.answers,
    }
    if prediction.usage is not None:
        fields["usage"] = prediction.usage
    if case.knowledge:
        fields["knowledge"] = case.knowledge
    if case.session:
        fields |= case.turn_fields
    return fields


def logged_prediction(prediction: Prediction) -> str | None:
    """What was predicted, as the log has it."""
    if prediction.answer is not None:
        return prediction.answer.title
    return prediction.sql if prediction.sql is not None else prediction.raw


def _message(evidence: Sequence[Evidence]) -> str:
    return next((piece.message for piece in evidence if piece.message), "")


def _speakable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_speakable(key): _speakable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_speakable(inner) for inner in value]
    if isinstance(value, msgspec.Struct):
        return _speakable(msgspec.to_builtins(value))
    return value
