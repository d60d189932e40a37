"""What happens to one case: evidence is gathered, judged and scored, and a line written."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.confidence import NO_LABELS, Model
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.schema import Schema
from sqlverdict.policies import POLICIES, RESULTS, Policy
from sqlverdict.records import (
    RESULT_SCHEMA,
    Case,
    Evidence,
    Fault,
    Judgement,
    Prediction,
    Reason,
    Rung,
)
from sqlverdict.run.isolate import STORAGE, TOOLKIT, Scorer, case_works, name_of
from sqlverdict.run.item import RunItem
from sqlverdict.run.ladder import Stages, gather
from sqlverdict.run.pool.batches import Needs
from sqlverdict.run.prove_stage import Proving
from sqlverdict.run.refute_stage import Refuter, Refuting
from sqlverdict.run.task import PairFinding, Task
from sqlverdict.runlog.log import encode_result
from sqlverdict.score.metric import MetricSpec
from sqlverdict.situations import QUESTIONS
from sqlverdict.verdicts import asks, judge, toolkit_failure

if TYPE_CHECKING:
    from sqlverdict.run.judging.briefs import Asking

_REMEMBERED = 20_000
_LONG = 4_000


@dataclass(frozen=True)
class ExaminePlan:
    """What an examiner does besides scoring.

    Attributes:
        refuting: Search for witnesses, and how.
        proving: Search for proofs, and how.
        policy: The policy by which evidence becomes a verdict.
        asking: Which judges are to be asked; ``None``: none.
        schemas: Schemas by database id; of others the database file is read.
        null_keys: A declared primary key may hold NULL where SQLite allows it.
        preset: The comparison by which results match: for FLEX, records and the policy ``results``.
        model: How often people call a prediction right in each situation.
    """

    refuting: Refuting | None = None
    proving: Proving | None = None
    policy: str = RESULTS.name
    asking: Asking | None = None
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    null_keys: bool = False
    preset: str = DEFAULT_PRESET
    model: Model = field(default=NO_LABELS, repr=False)

    @property
    def judged(self) -> bool:
        """Whether a judge is asked for the verdict."""
        return self.asking is not None and self.asking.verdict is not None

    def judge(self, case: Case, prediction: Prediction, evidence: Sequence[Evidence]) -> Judgement:
        """The judgement that the evidence supports under the plan's policy."""
        policy = POLICIES[self.policy]
        return judge(case, prediction, evidence, policy, judged=self.judged, model=self.model)


class Examiner:
    """Works on one task after the other, for a given set of metrics.

    Systems often give the same query to the same case, and trainers do so all the time: a
    pair that was examined before is not examined again. Timed metrics are never remembered.

    Args:
        specs: The metrics.
        plan: What is done besides scoring.
        folders: The folder of each system's run.
    """

    def __init__(
        self,
        specs: Sequence[MetricSpec],
        plan: ExaminePlan | None = None,
        folders: Sequence[Path] = (),
    ) -> None:
        self.specs = tuple(specs)
        self._folders = tuple(folders)
        self.plan = plan or ExaminePlan()
        refuting, proving = self.plan.refuting, self.plan.proving
        self._refuter = Refuter(refuting) if refuting is not None else None
        self._policy = POLICIES[self.plan.policy]
        # A proof and a witness speak of answers as they are, not as some benchmark compares them.
        alone = refuting is None and proving is None
        self.stages = Stages(
            executes=any("answers" in spec.metric.needs for spec in specs),
            refutes=refuting is not None,
            proves=proving is not None,
            preset=self.plan.preset,
            tests_proofs=proving is not None and proving.tests_proofs,
            contradictions=proving.folder if proving is not None else None,
            tags=self._policy is not RESULTS,
            signs=self._policy is not RESULTS,
            decides_by=self.plan.preset if self._policy is RESULTS and alone else DEFAULT_PRESET,
        )
        self._remembers = not any("timing" in spec.metric.needs for spec in specs)
        # A plug-in metric may look at anything that the item shows; a witness's file is named
        # after its case; a policy and a judge look at the question.
        ours = all(type(s.metric).__module__.startswith("sqlverdict.score.") for s in specs)
        alone = refuting is None and self._policy is RESULTS and self.plan.asking is None
        self._looks_at_queries_alone = ours and alone
        self._known: dict[tuple[object, ...], PairFinding] = {}

    def __call__(self, task: Task, desk: QueryRunner) -> bytes | PairFinding:
        """The task's line for the run log, or a finding for the coordinator. Never raises.

        The coordinator sees to findings with open questions, and to contradictions.
        """
        try:
            return self._line(task, desk)
        except Exception as error:  # noqa: BLE001 - the border: a bug of ours ends no run
            return self._failed(task, desk, error)

    def _line(self, task: Task, desk: QueryRunner) -> bytes | PairFinding:
        finding = self._find(task, desk)
        if self.plan.refuting is not None:
            self._share_witness(task, finding)
        for_coordinator = finding.questions or (self.stages.proves and finding.contradiction)
        return finding if for_coordinator else encode_line(task, finding)

    def _failed(self, task: Task, desk: QueryRunner, error: Exception) -> bytes:
        """We failed on the whole case: by the prediction's text, unless the gold does it alone."""

        def examine(case: Case, prediction: Prediction) -> Judgement:
            return self._find(replace(task, case=case, prediction=prediction), desk).judgement

        by_prediction = not isinstance(error, STORAGE) and case_works(task.case, examine)
        return self.crashed(task, name_of(error), by_prediction=by_prediction)

    def needs(self, task: Task) -> Needs:
        """The queries that the task needs in any case."""
        case, sql = task.case, task.prediction.sql or ""
        recorded = case.recorded_answers is not None
        database = case.database or ""
        runs = self.stages.executes and case.answerable and not recorded
        if not runs or not database or not sql.strip():
            return database, ()
        return database, [(query, fold_sql(query)) for query in (*case.golds, sql)]

    def _find(self, task: Task, desk: QueryRunner) -> PairFinding:
        case, prediction = task.case, task.prediction
        if not self._remembers or not prediction.sql or len(prediction.sql) > _LONG:
            return self._examine(task, desk)
        place: tuple[object, ...] = (
            case.database,
            case.db_id,
            case.golds,
            case.answerable,
            case.contract,
            fold_sql(prediction.sql),
        )
        if not self._looks_at_queries_alone or case.recorded is not None:
            place += (case.id, case.question, prediction.confidence, prediction.samples)
        finding = self._known.get(place)
        if finding is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            finding = self._examine(task, desk)
            # What the engine says of a failed query repeats its spelling. What rests on the clock
            # may be different the next time.
            if finding.final and "execute" not in [found.by for found in finding.evidence]:
                self._known[place] = finding
        return finding

    def _examine(self, task: Task, desk: QueryRunner) -> PairFinding:
        case, prediction = task.case, task.prediction
        item = self._item(task, desk, self._witness_folder(task.system))
        evidence = gather(item, self.stages)
        asked: tuple[Any, ...] = ()
        if self.plan.asking is not None:
            # Briefs load what judges need; runs without one need not wait.
            from sqlverdict.run.judging.briefs import questions

            asked = questions(item, evidence, self.plan.asking, self.plan.preset, self._policy)
        elif self._policy is not RESULTS:
            evidence += _would_ask(task, evidence, self._policy)
        judgement = self.plan.judge(case, prediction, evidence)
        item.settle(evidence, judgement)
        # With a question open, what hangs on the reply is scored when it is there.
        specs = [s for s in self.specs if not asked or "opinion" not in s.metric.needs]

        def stand_in(case: Case, said: Prediction) -> RunItem:
            return self._item(replace(task, case=case, prediction=said), desk, None)

        scorer = Scorer(stand_in)
        scored = {spec.label: scorer.score(spec, item) for spec in specs}
        return PairFinding(
            judgement,
            (*evidence, *(note for each in scored.values() for note in each.notes)),
            {label: each.score.value for label, each in scored.items()},
            _timings(item) if evidence and self.stages.executes else {},
            asked,
            item.repeatable,
        )

    def _item(self, task: Task, desk: QueryRunner, folder: Path | None) -> RunItem:
        plan, known = self.plan, (desk, self._refuter)
        given = (task.case, task.prediction, *known, plan.schemas, plan.null_keys, folder)
        if task.case.recorded_answers is None:
            return RunItem(*given)
        from sqlverdict.run.recorded import RecordedItem

        return RecordedItem(*given)

    def _witness_folder(self, system: int) -> Path | None:
        """Where the witnesses of a system's run go; a relative folder lies in the run's."""
        how = self.plan.refuting
        if how is None or how.folder is None:
            return None
        return self._folders[system] / how.folder if self._folders else how.folder

    def _share_witness(self, task: Task, finding: PairFinding) -> None:
        """Systems may share a finding; each run has its witness all the same."""
        own = self._witness_folder(task.system)
        file = next((e.detail["file"] for e in finding.evidence if _has_witness(e)), None)
        if own is None or file is None or (own / file).exists():
            return
        others = {self._witness_folder(system) for system in range(len(self._folders))} - {own}
        for other in sorted(filter(None, others)):
            for source in other.glob(f"{Path(file).stem}.*"):
                own.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, own / source.name)

    def crashed(self, task: Task, why: str, *, by_prediction: bool = False) -> bytes:
        """The line of a case on which we failed ourselves: unscored, and counted apart.

        Where it was the prediction's own text that we cannot handle, it counts as one that fails.
        """
        message = f"sqlverdict failed on this case: {why}. Please report it."
        detail: dict[str, Any] = {"message": message, "stage": "case", "error": why}
        if by_prediction:
            detail |= {"failed": "prediction", "blame": "prediction"}
            unable = (Reason.UNSUPPORTED_FEATURE,)
            evidence = Evidence(Rung.RELATED, TOOLKIT, False, unable, detail=detail)
            judgement = self.plan.judge(task.case, task.prediction, (evidence,))
            zero: dict[str, float | None] = {spec.label: 0.0 for spec in self.specs}
            return encode_line(task, PairFinding(judgement, (evidence,), zero, {}))
        reasons = (Reason.TOOLKIT_ERROR,)
        evidence = Evidence(Rung.UNKNOWN, "toolkit", None, reasons, Fault.TOOLKIT, detail)
        scores: dict[str, float | None] = dict.fromkeys(spec.label for spec in self.specs)
        return encode_line(task, PairFinding(toolkit_failure(), (evidence,), scores, {}))


def _has_witness(found: Evidence) -> bool:
    return found.rung is Rung.REFUTED and bool(found.detail.get("file"))


def _would_ask(task: Task, evidence: tuple[Evidence, ...], policy: Policy) -> tuple[Evidence, ...]:
    """What a judge would have been asked, where there is none."""
    open_ = asks(task.case, task.prediction, evidence, policy)
    if open_ is None:
        return ()
    detail = {"would_ask": QUESTIONS[open_], "situation": str(open_)}
    return (Evidence(Rung.UNKNOWN, "policy", detail=detail),)


def _timings(item: RunItem) -> dict[str, float]:
    golds = item.golds()
    return {
        "gold": round(sum(gold.seconds for gold in golds), 6),
        "prediction": round(item.answer().seconds, 6),
    }


def encode_line(task: Task, finding: PairFinding) -> bytes:
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
        "message": _message(evidence),
        "tags": case.tags,
        "schema": RESULT_SCHEMA,
        "database": task.digest,
        "final": finding.final,
        "situation": judgement.situation,
        "p_right": judgement.p_right,
        "p_deviation": judgement.p_deviation,
    }
    try:
        return encode_result(fields)
    except UnicodeEncodeError:
        # Half a surrogate pair is no text; it is kept visible, so that nothing is lost.
        return encode_result(_speakable(fields))


def _message(evidence: Sequence[Evidence]) -> str:
    for found in evidence:
        if "message" in found.detail:
            return str(found.detail["message"])
    return ""


def _speakable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_speakable(key): _speakable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_speakable(inner) for inner in value]
    return _speakable(asdict(value)) if isinstance(value, Evidence) else value
