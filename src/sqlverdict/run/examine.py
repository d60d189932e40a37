"""What happens to one case: evidence is gathered, judged and scored, and a line written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from sqlverdict.dialects import dialect_of
from sqlverdict.evidence import Evidence, Failed, OpenQuestion, Refuted, Undecided
from sqlverdict.evidence_parts import StageFailure
from sqlverdict.execute.engine import Engine
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.policies import POLICIES, Policy
from sqlverdict.records import (
    RESULT_SCHEMA,
    Case,
    Fault,
    Judgement,
    Prediction,
    Reason,
    Result,
)
from sqlverdict.run.isolate import (
    STORAGE,
    TOOLKIT,
    MetricScorer,
    attempt,
    case_works,
    name_of,
)
from sqlverdict.run.item import RunItem
from sqlverdict.run.ladder import gather, keep_answers
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.pool.batches import Needs
from sqlverdict.run.pool.deaths import Blame
from sqlverdict.run.refute_stage import Refuter
from sqlverdict.run.task import MetricValue, PairFinding, Task
from sqlverdict.runlog.folder import copy_witness
from sqlverdict.runlog.log import encode_fields
from sqlverdict.score.metric import listens_to_judge
from sqlverdict.verdicts import situation_to_judge, toolkit_failure

_REMEMBERED = 20_000
_LONG = 4_000
_WHAT_DECIDES = attrgetter(
    "database",
    "db_id",
    "golds",
    "answerable",
    "contract",
    "script",
    "gold_database",
    "question",
)
"""What of a case decides the finding about a prediction."""


class Examiner:
    """Examines one task after the other, by the plan of the run.

    Systems often give the same query to the same case, and trainers do so all the time: a
    pair that was examined before is not examined again. Timed metrics are never remembered.

    Args:
        plan: What is done.
        folders: The folder of each system's run.
    """

    def __init__(self, plan: RunPlan, folders: Sequence[Path] = ()) -> None:
        self.plan = plan
        self.folders = tuple(folders)
        self._refuter = Refuter(plan)
        # A plug-in metric may look at anything that the item shows; a witness's file is named
        # after its case; a policy and a judge look at the question.
        ours = all(type(s.metric).__module__.startswith("sqlverdict.score.") for s in plan.specs)
        alone = not plan.refutes and not plan.explains and plan.asking is None
        self._looks_at_queries_alone = ours and alone
        by_answers = plan.specs[0].metric.needs <= {"answers"}
        self._value_by_answers = ours and alone and by_answers and not plan.proves
        self._known: dict[tuple[object, ...], PairFinding] = {}

    def close(self) -> None:
        """Let go of what was opened for searches."""
        self._refuter.close()

    def __call__(self, task: Task, runner: QueryRunner) -> bytes | PairFinding:
        """The task's line for the run log, or a finding for the coordinator. Never raises.

        The coordinator sees to findings with open questions, and to contradictions.
        """
        try:
            return self._line(task, runner)
        except Exception as error:  # noqa: BLE001 - the border: a bug of ours ends no run
            return encode_line(task, self._failure(task, runner, error))

    def result(self, task: Task, runner: QueryRunner) -> Result:
        """The task's result, as the run log would have it. Never raises; asks no judge."""
        try:
            finding = self._find(task, runner)
        except Exception as error:  # noqa: BLE001 - the border: a bug of ours ends no training
            finding = self._failure(task, runner, error)
        return Result(**_fields(task, finding), timings=finding.timings)

    def value(self, task: Task, runner: QueryRunner) -> MetricValue:
        """The value of the first metric; no judge is asked.

        Evidence is gathered only where the value rests on it. Never raises.
        """
        spec = self.plan.specs[0]
        if self._value_by_answers:
            with suppress(Exception):
                item = self._item(task, runner, None)
                scored = self._scorer(task, runner).score(spec, item)
                if scored.score.value is not None and not scored.notes:
                    return MetricValue(scored.score.value, item.repeatable and item.lasting)
        result = self.result(task, runner)
        return MetricValue(result.scores[spec.label], result.final)

    def _line(self, task: Task, runner: QueryRunner) -> bytes | PairFinding:
        finding = self._find(task, runner)
        if self.plan.refutes:
            self._share_witness(task, finding)
        for_coordinator = finding.questions or (self.plan.proves and finding.contradiction)
        return finding if for_coordinator else encode_line(task, finding)

    def _failure(self, task: Task, runner: QueryRunner, error: Exception) -> PairFinding:
        """We failed on the whole case: by the prediction's text, unless the gold does it alone."""

        def examine(case: Case, prediction: Prediction) -> Judgement:
            return self._find(
                structs.replace(task, case=case, prediction=prediction), runner
            ).judgement

        by_prediction = not isinstance(error, STORAGE) and case_works(task.case, examine)
        return self._crash(task, Blame(by_prediction, name_of(error)))

    def needs(self, task: Task) -> Needs:
        """The queries that the task needs in any case."""
        case, prediction = task.case, task.prediction
        runs = self.plan.executes and case.answerable and case.recorded_answers is None
        # These run on databases of their own.
        apart = case.script is not None or case.gold_database is not None
        if not case.database or not runs or apart:
            return "", (), ()
        golds = () if case.gold_answers else case.golds
        if prediction.answer is not None or not prediction.responds:
            return case.database, golds, golds
        return case.database, (*golds, prediction.sql or ""), golds

    def _find(self, task: Task, runner: QueryRunner) -> PairFinding:
        case, prediction = task.case, task.prediction
        no_query = not prediction.sql or prediction.answer is not None
        if self.plan.times or no_query or len(prediction.sql or "") > _LONG:
            return self._examine(task, runner)
        key: tuple[object, ...] = (
            *_WHAT_DECIDES(case),
            task.digest,
            case.tags.get("category"),
            _text_key(prediction.sql or "", runner.engine_for(case.database or "")),
        )
        beyond_queries = case.recorded is not None or bool(case.gold_answers)
        if not self._looks_at_queries_alone or beyond_queries:
            key += (case.id, prediction.confidence, prediction.samples)
        finding = self._known.get(key)
        if finding is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            finding = self._examine(task, runner)
            # What the engine says of a failed query repeats its spelling. What rests on the clock
            # may be different the next time.
            if finding.final and "execute" not in [piece.by for piece in finding.evidence]:
                self._known[key] = finding
        return finding

    def _examine(self, task: Task, runner: QueryRunner) -> PairFinding:
        case, prediction = task.case, task.prediction
        item = self._item(task, runner, self._witness_folder(task.system))
        evidence = gather(item, self.plan)
        errors: list[Evidence] = []
        answers = None
        ran = bool(evidence) and self.plan.executes and prediction.responds
        if ran and self.plan.logs:
            keep = partial(keep_answers, item, self.plan, evidence)
            answers = attempt("rows", keep, errors)
            evidence += tuple(errors)
        policy = POLICIES[self.plan.policy]
        to_ask: tuple[Any, ...] = ()
        if self.plan.asking is not None:
            # Briefs load what judges need; runs without one need not wait.
            from sqlverdict.run.judging.briefs import questions

            to_ask = questions(item, evidence, self.plan.asking, self.plan.preset, policy)
        elif self.plan.explains:
            evidence += _would_ask(task, evidence, policy)
        judgement = self.plan.decide(case, prediction, evidence)
        item.settle(evidence, judgement)
        scores: dict[str, float | None] = {}
        scorer = self._scorer(task, runner)
        for spec in self.plan.specs:
            # With a question open, what hangs on the reply is scored when it is there.
            if not to_ask or not listens_to_judge(spec.metric):
                scored = scorer.score(spec, item)
                scores[spec.label] = scored.score.value
                evidence += scored.notes
        return PairFinding(
            judgement,
            evidence,
            scores,
            _timings(item) if ran else {},
            to_ask,
            item.repeatable and item.lasting,
            answers,
        )

    def _scorer(self, task: Task, runner: QueryRunner) -> MetricScorer:
        """Scores by metrics; what stands in for the prediction is run likewise."""

        def stand_in(case: Case, prediction: Prediction) -> RunItem:
            stand_in = structs.replace(task, case=case, prediction=prediction)
            return self._item(stand_in, runner, None)

        return MetricScorer(stand_in)

    def _item(self, task: Task, runner: QueryRunner, folder: Path | None) -> RunItem:
        parts = (task.case, task.prediction, runner, self._refuter, folder)
        if task.case.gold_answers or task.prediction.answer is not None:
            from sqlverdict.run.result_item import ResultItem

            return ResultItem(*parts)
        if task.case.script is not None:
            from sqlverdict.run.scripted_item import ScriptedItem

            return ScriptedItem(*parts)
        if task.case.gold_database is not None:
            from sqlverdict.run.two_engines import TwoEnginesItem

            return TwoEnginesItem(*parts)
        if task.case.recorded_answers is None:
            return RunItem(*parts)
        from sqlverdict.run.recorded import RecordedItem

        return RecordedItem(*parts)

    def _witness_folder(self, system: int) -> Path | None:
        """Where the witnesses of a system's run go; a relative folder lies in the run's."""
        search = self.plan.search
        if search is None or search.folder is None:
            return None
        return self.folders[system] / search.folder if self.folders else search.folder

    def _share_witness(self, task: Task, finding: PairFinding) -> None:
        """Systems may share a finding; each run has its witness all the same."""
        own = self._witness_folder(task.system)
        witnesses = (piece for piece in finding.evidence if isinstance(piece, Refuted))
        file = next((witness.file for witness in witnesses if witness.file), "")
        if own is None or not file or (own / file).exists():
            return
        others = {self._witness_folder(system) for system in range(len(self.folders))} - {own}
        for other in sorted(filter(None, others)):
            copy_witness(file, other, own)

    def crashed(self, task: Task, blame: Blame) -> bytes:
        """The line of a case on which we failed ourselves: unscored, and counted apart."""
        return encode_line(task, self._crash(task, blame))

    def crashed_result(self, task: Task, blame: Blame) -> Result:
        """The same as a result."""
        return Result(**_fields(task, self._crash(task, blame)))

    def _crash(self, task: Task, blame: Blame) -> PairFinding:
        """What becomes of a case on which we failed ourselves.

        Where it was the prediction's own text that we cannot handle, it counts as one that fails.
        """
        passing = blame.may_go_away
        if blame.by_prediction:
            failure = StageFailure("case", blame.why, passing, blame="prediction")
            reasons = (Reason.UNSUPPORTED_FEATURE,)
            failed = Failed(TOOLKIT, reasons, blame.message, query="prediction", failure=failure)
            judgement = self.plan.decide(task.case, task.prediction, (failed,))
            # No metric has a value where there is no right answer.
            zero = 0.0 if task.case.answerable else None
            values = dict.fromkeys((spec.label for spec in self.plan.specs), zero)
            return PairFinding(judgement, (failed,), values, {})
        undecided = Undecided(
            TOOLKIT,
            (Reason.TOOLKIT_ERROR,),
            blame.message,
            fault=Fault.TOOLKIT,
            failure=StageFailure("case", blame.why, passing),
        )
        scores: dict[str, float | None] = dict.fromkeys(spec.label for spec in self.plan.specs)
        return PairFinding(toolkit_failure(), (undecided,), scores, {})


def _text_key(sql: str, engine: Engine) -> str:
    """What texts of one meaning share; only SQLite's rules for quotes are known here."""
    return fold_sql(sql) if dialect_of(engine.dialect).plain_tokens else sql


def _would_ask(task: Task, evidence: tuple[Evidence, ...], policy: Policy) -> tuple[Evidence, ...]:
    """What a judge would have been asked, where there is none."""
    open_ = situation_to_judge(task.case, task.prediction, evidence, policy)
    if open_ is None:
        return ()
    return (OpenQuestion("policy", question=open_.row.question, situation=str(open_)),)


def _timings(item: RunItem) -> dict[str, float]:
    golds = item.golds()
    return {
        "gold": round(sum(gold.seconds for gold in golds), 6),
        "prediction": round(item.answer().seconds, 6),
    }


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
        "prediction": _text(prediction),
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
    return fields


def _text(prediction: Prediction) -> str | None:
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
