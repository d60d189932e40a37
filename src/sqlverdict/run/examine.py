"""One case from its task to its line: inputs, evidence, outcome."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from sqlverdict.evidence import Evidence, OpenQuestion, Refuted
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Result, Verdict
from sqlverdict.run.attempt import STORAGE, Attempt, Blame, error_text, stand_ins
from sqlverdict.run.compare_stage import logged_answers
from sqlverdict.run.inputs import StageInputs
from sqlverdict.run.memory import ResultMemory, is_of_any_spelling
from sqlverdict.run.outcome import (
    MetricValue,
    PairFinding,
    crash_finding,
    encode_line,
    result_of,
)
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.refuter import Refuter
from sqlverdict.run.scoring import MetricItem, MetricScorer
from sqlverdict.run.stages import gather_evidence
from sqlverdict.run.task import Task, TaskQueries
from sqlverdict.runlog.folder import copy_witness
from sqlverdict.score.metric import uses_opinions
from sqlverdict.verdicts import POLICIES, Policy, situation_to_judge

if TYPE_CHECKING:
    from sqlverdict.run.judging.asking import JudgeQuestion

_REMEMBERED = 20_000
"""How many findings a process of a run remembers."""


class Examiner:
    """Examines one task after the other, by the plan of the run.

    Systems often give the same query to the same case: a pair that was examined before is not
    examined again.

    Args:
        plan: What is done.
        folders: The folder of each system's run.
        memory: That of a scorer, which keeps results itself; by default findings are kept here.
    """

    def __init__(
        self,
        plan: RunPlan,
        folders: Sequence[Path] = (),
        *,
        memory: ResultMemory | None = None,
    ) -> None:
        self.plan = plan
        self.folders = tuple(folders)
        self._remembers = memory is None
        self._memory = ResultMemory(plan, _REMEMBERED) if memory is None else memory
        self._refuter = Refuter(plan)
        by_answers = plan.specs[0].metric.needs <= {"answers"}
        self._value_by_answers = self._memory.keys.alone and by_answers and not plan.proves

    def close(self) -> None:
        """Close what was opened for searches."""
        self._refuter.close()

    def __call__(self, task: Task, runner: QueryRunner) -> bytes | PairFinding:
        """The task's line for the run log, or a finding for the coordinator. Never raises.

        The coordinator sees to findings with open questions, and to contradictions.
        """
        finding = self._safely(task, runner)
        try:
            if self.plan.refutes:
                self._share_witness(task, finding)
            for_coordinator = finding.questions or (self.plan.proves and finding.contradiction)
            return finding if for_coordinator else encode_line(task, finding)
        except Exception as error:  # noqa: BLE001 - the border: a bug of ours ends no run
            return encode_line(task, self._failure(task, runner, error))

    def result(self, task: Task, runner: QueryRunner) -> Result:
        """The task's result, as the run log would have it. Never raises; asks no judge."""
        return result_of(task, self._safely(task, runner))

    def value(self, task: Task, runner: QueryRunner) -> MetricValue:
        """The value of the first metric; no judge is asked.

        Evidence is gathered only where the value rests on it. Never raises.
        """
        spec = self.plan.specs[0]
        if self._value_by_answers:
            with suppress(Exception):
                inputs = StageInputs(task.case, task.prediction, runner, self.plan)
                item = MetricItem(inputs, self._refuter)
                scored = MetricScorer(item, runner, self._refuter).score(spec)
                if scored.score.value is not None and not scored.notes:
                    return MetricValue(scored.score.value, inputs.is_final and scored.repeatable)
        result = self.result(task, runner)
        return MetricValue(result.scores[spec.label], result.final)

    def needs(self, task: Task) -> TaskQueries:
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

    def crashed(self, task: Task, blame: Blame) -> PairFinding:
        """The outcome of a case on which our own code failed."""
        return crash_finding(task, self.plan, blame)

    def _safely(self, task: Task, runner: QueryRunner) -> PairFinding:
        """What is found out about a task. Never raises."""
        try:
            return self._remembered(task, runner)
        except Exception as error:  # noqa: BLE001 - the border: a bug of ours ends no run
            return self._failure(task, runner, error)

    def _failure(self, task: Task, runner: QueryRunner, error: Exception) -> PairFinding:
        """We failed on the whole case: by the prediction's text, unless the gold does it alone."""
        by_prediction = not isinstance(error, STORAGE) and any(
            self._is_scored(structs.replace(task, prediction=stand_in), runner)
            for stand_in in stand_ins(task.case)
        )
        return self.crashed(task, Blame(by_prediction, error_text(error)))

    def _is_scored(self, task: Task, runner: QueryRunner) -> bool:
        try:
            judgement = self._remembered(task, runner).judgement
        except Exception:  # noqa: BLE001 - the same bug, met with the gold alone
            return False
        return judgement.verdict is not Verdict.UNSCORED

    def _remembered(self, task: Task, runner: QueryRunner) -> PairFinding:
        """What was found out about the pair before, or is now."""
        if not self._remembers:
            return self._examine(task, runner)
        case, prediction = task.case, task.prediction
        engine = runner.engine_for(case.database or "")
        key = self._memory.keys.of_finding(case, prediction, task.digest, engine)
        finding: PairFinding | None = None if key is None else self._memory.get(key)
        if finding is None:
            finding = self._examine(task, runner)
            if key is not None and finding.final and is_of_any_spelling(finding.evidence):
                self._memory.put(key, finding, len(prediction.sql or ""))
        return finding

    def _examine(self, task: Task, runner: QueryRunner) -> PairFinding:
        plan, case, prediction = self.plan, task.case, task.prediction
        folder = self._witness_folder(task.system)
        inputs = StageInputs(case, prediction, runner, plan, folder, self._memory, task.digest)
        evidence = gather_evidence(inputs, self._refuter)
        errors: list[Evidence] = []
        answers = None
        ran = bool(evidence) and plan.executes and prediction.responds
        if ran and plan.logs:
            with Attempt("rows", errors):
                answers = logged_answers(inputs, evidence)
            evidence += tuple(errors)
        policy = POLICIES[plan.policy]
        to_ask: tuple[JudgeQuestion, ...] = ()
        if plan.asking is not None:
            # Briefs load what judges need; runs without one need not wait.
            from sqlverdict.run.judging.briefs import questions

            to_ask = questions(inputs, evidence, plan.asking, plan.preset, policy)
        elif plan.explains:
            evidence += _would_ask(task, evidence, policy)
        judgement = plan.decide(case, prediction, evidence)
        item = MetricItem(inputs, self._refuter, evidence, judgement)
        scorer = MetricScorer(item, runner, self._refuter)
        scores: dict[str, float | None] = {}
        repeatable = True
        for spec in plan.specs:
            # With a question open, what hangs on the reply is scored when it is there.
            if not to_ask or not uses_opinions(spec.metric):
                scored = scorer.score(spec)
                scores[spec.label] = scored.score.value
                evidence += scored.notes
                repeatable = repeatable and scored.repeatable
        timings = _timings(inputs) if ran else {}
        final = inputs.is_final and repeatable
        return PairFinding(judgement, evidence, scores, timings, to_ask, final, answers)

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


def _would_ask(task: Task, evidence: tuple[Evidence, ...], policy: Policy) -> tuple[Evidence, ...]:
    """What a judge would have been asked, where there is none."""
    open_ = situation_to_judge(task.case, task.prediction, evidence, policy)
    if open_ is None:
        return ()
    return (OpenQuestion("policy", question=open_.row.question, situation=str(open_)),)


def _timings(inputs: StageInputs) -> dict[str, float]:
    return {
        "gold": round(sum(gold.seconds for gold in inputs.golds()), 6),
        "prediction": round(inputs.answer().seconds, 6),
    }
