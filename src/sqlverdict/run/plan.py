"""The plan of a run: its options, completed by what its metrics need.

:func:`plan_run` resolves the public :class:`~sqlverdict.run.options.Options` once. All stages
read the :class:`RunPlan`; worker processes get a copy of it.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, SupportsIndex

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, reads_driver_values
from sqlverdict.confidence.model import NO_LABELS, Model
from sqlverdict.confidence.stored import built_in, write_label_model
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.execute.cache import open_cache
from sqlverdict.execute.engine import ENGINES, check_scratch, engine_for
from sqlverdict.execute.query_runner import QueryRunner, Watch
from sqlverdict.load.replies.fenced import check_tag
from sqlverdict.load.replies.no_sql import check_no_sql
from sqlverdict.records import Case, Evidence, Failure, Judgement, Prediction
from sqlverdict.run.options import (
    ANSWERS,
    RUN,
    CaseOptions,
    Options,
    ProofOptions,
    SearchOptions,
)
from sqlverdict.runlog.folder import CONTRADICTIONS
from sqlverdict.score.metric import MetricSpec, parse_metrics, uses_opinions
from sqlverdict.verdicts import INTENT, POLICIES, RESULTS, decide

if TYPE_CHECKING:
    from sqlverdict.run.judging.asking import Asking, JudgeOptions

SOUND = "sound"
"""The profile whose derivations are proofs; those of others are not evidence."""


@dataclass(frozen=True)
class RunPlan(CaseOptions):
    """What a run does with each case. Nothing in it changes while the run is on.

    It has the options of each case as they are (:class:`~sqlverdict.run.options.CaseOptions`).

    Attributes:
        specs: The metrics.
        cache: The file of cached answers.
        problems: The file in which the processes of a run note why answers are not cached.
        workers: How many processes work; 0: this one, or as many as a cluster has cores.
        on: The cluster that works; empty: this machine.
        search: How witnesses are searched for; ``None``: they are not.
        proof: How proofs are searched for; ``None``: they are not.
        asking: Which judges are asked; ``None``: none.
        policy: The policy by which evidence becomes a verdict.
        preset: The comparison by which results match: for FLEX, records and the policy ``results``.
        model: How often people call a prediction right in each situation.
        contradictions: Where a pair that is both proved and refuted is saved.
        logs: Results keep rows of both answers, as lines of a run log do.
        annotates: Evidence has what readers look at: a witness in words and, where the policy
            explains, signs, tags, and the SQL that a proof's steps change.
    """

    specs: tuple[MetricSpec, ...]
    cache: Path | None = field(default=None, kw_only=True)
    problems: Path | None = None
    workers: int = 0
    on: str = ""
    search: SearchOptions | None = None
    proof: ProofOptions | None = None
    asking: Asking | None = None
    policy: str = RESULTS.name
    preset: str = DEFAULT_PRESET
    model: Model = field(default=NO_LABELS, repr=False)
    contradictions: Path | None = None
    logs: bool = True
    annotates: bool = True

    @cached_property
    def executes(self) -> bool:
        """Queries are run and their answers compared."""
        return self.needs("answers")

    @cached_property
    def driver_values(self) -> bool:
        """A comparison looks at values as the driver gives them."""
        presets = {self.preset, *(spec.parameter for spec in self.specs)}
        return any(reads_driver_values(name) for name in presets if PRESETS.has(name))

    @cached_property
    def times(self) -> bool:
        """Queries are timed: by one worker on one core, and never from memory."""
        return self.needs("timing")

    @cached_property
    def refutes(self) -> bool:
        """A witness is sought where the answers match."""
        return self.search is not None

    @cached_property
    def proves(self) -> bool:
        """A proof is sought."""
        return self.proof is not None

    @cached_property
    def tests_proofs(self) -> bool:
        """A witness is sought against proved pairs too."""
        return self.proof is not None and self.proof.tests_proofs

    @cached_property
    def explains(self) -> bool:
        """Differences are named and both queries are read for signs of an error.

        The policy ``results`` looks at answers alone.
        """
        return self.policy != RESULTS.name

    @cached_property
    def decides_by(self) -> str:
        """The comparison by which the evidence says that results match.

        A proof and a witness speak of answers as they are, not as some benchmark compares them.
        """
        alone = not self.refutes and not self.proves and not self.explains
        return self.preset if alone else DEFAULT_PRESET

    def open_runner(
        self, watch: Watch | None = None, known: Mapping[bytes, Failure] | None = None
    ) -> QueryRunner:
        """What runs the queries of one process; the arguments are those of the runner."""
        return QueryRunner(
            self.engine,
            self.limits,
            open_cache(self.cache, self._note_problem),
            watch,
            known,
            now=self.now,
            driver_values=self.driver_values,
            database_version=self.database_version,
        )

    def _note_problem(self, problem: str) -> None:
        """Note it for :func:`~sqlverdict.run.output.cache_notes`; the run goes on without."""
        if self.problems is not None:
            with suppress(OSError), self.problems.open("a", encoding="utf-8") as file:
                file.write(" ".join(problem.split()) + "\n")

    def needs(self, what: str) -> bool:
        """Whether a metric of the run needs something."""
        return any(what in spec.metric.needs for spec in self.specs)

    def decide(self, case: Case, prediction: Prediction, evidence: Sequence[Evidence]) -> Judgement:
        """The judgement that the evidence supports under the plan's policy."""
        judged = self.asking is not None and bool(self.asking.open_metrics)
        policy = POLICIES[self.policy]
        model = self._labels_for(case.database or "")
        return decide(case, prediction, evidence, policy, judged=judged, model=model)

    def _labels_for(self, database: str) -> Model:
        """The counts of labels, for the engine that opens a database: it may be another one."""
        if database not in self._models:
            usual = ENGINES.get(self.engine)
            name = engine_for(usual, database).name if database else self.engine
            own = self.model if name == self.engine else self.model.on_engine(name)
            self._models[database] = own
        return self._models[database]

    @cached_property
    def _models(self) -> dict[str, Model]:
        """By the database."""
        return {}

    def describe(self, judge: JudgeOptions | None) -> dict[str, str]:
        """The optional stages and what they may spend, as a manifest names them."""
        stages: dict[str, str] = {}
        if self.search is not None:
            bank = "" if self.search.bank is None else f", bank {self.search.bank}"
            where = "" if self.search.scratch is None else f", on {self.search.scratch}"
            stages["refute"] = f"{self.search.budget}{bank}{where}"
            # The strategies are slow to load; runs without a search need not wait.
            from sqlverdict.refute.strategy import STRATEGIES

            # A plug-in's strategy takes turns: the others then make other instances.
            stages["strategies"] = ", ".join(STRATEGIES.names())
        if (self.refutes or _has_verdict(self.specs)) and not _can_search(self.engine):
            stages["search"] = (
                f"the engine {self.engine} cannot search for witnesses, so a match may be lucky; "
                f"the verdict follows the policy {self.policy}"
            )
        if self.proves:
            stages["prove"] = f"{SOUND}{', proofs are tested' if self.tests_proofs else ''}"
        if self.null_keys:
            stages["keys"] = "a primary key may hold NULL where SQLite allows it"
        if self.explains:
            stages["policy"] = self.policy
            text = write_label_model(self.model)
            stages["confidence"] = f"counts of labels {sha256(text).hexdigest()[:12]}"
        if self.asking is not None and judge is not None:
            stages["judge"] = judge.describe(self.asking)
            if self.asking.pair_judges and self.preset != DEFAULT_PRESET:
                stages["flex"] = f"results match by the preset {self.preset}"
        if self.no_sql != "wrong":
            stages["no_sql"] = self.no_sql
        if self.tag is not None:
            stages["tag"] = self.tag
        if self.answers != RUN:
            stages["answers"] = self.answers
        if self.now is not None:
            stages["now"] = self.now.isoformat()
        if self.database_version:
            stages["database_version"] = self.database_version
        return stages


def plan_run(options: Options, out: Path | None = None) -> RunPlan:
    """Complete the options by what the metrics need.

    Args:
        options: The options of the run.
        out: The folder of the first run.

    Raises:
        UsageError: an option names something unknown.
    """
    specs = tuple(parse_metrics(options.metrics))
    check_no_sql(options.no_sql)
    if options.tag is not None:
        check_tag(options.tag)
    if options.answers not in ANSWERS:
        raise UsageError(f"there are no answers {options.answers!r}. Known: {', '.join(ANSWERS)}")
    names = {spec.metric.name for spec in specs}
    policy = _policy(names, options)
    explains = policy != RESULTS.name
    # By results alone a verdict needs neither proofs nor witnesses.
    metrics = [spec.metric for spec in specs if explains or spec.metric.name != "verdict"]
    needs = {need for metric in metrics for need in metric.needs}
    search, proof = options.search, options.proof
    if search is None and ("witness" in needs or explains):
        search = SearchOptions()
    if search is not None:
        check_scratch(options.engine, search.scratch)
    if proof is None and ("proof" in needs or explains):
        proof = ProofOptions()
    contradictions = proof.folder if proof is not None else None
    if proof is not None and contradictions is None and out is not None:
        contradictions = out / CONTRADICTIONS
    return RunPlan(
        specs=specs,
        workers=_worker_count(options, specs),
        on=_cluster(options, specs),
        search=search,
        proof=proof,
        asking=_asking(specs, options.judge),
        policy=policy,
        preset=_preset(specs, options),
        model=_model(policy, options),
        contradictions=contradictions,
        **{each.name: getattr(options, each.name) for each in fields(CaseOptions)},
    )


def _policy(names: set[str], options: Options) -> str:
    if options.policy is None:
        # Without a search nobody knows whether a match is lucky: results are all there is.
        explains = "verdict" in names and _can_search(options.engine)
        return INTENT.name if explains else RESULTS.name
    if options.policy not in POLICIES:
        known = ", ".join(POLICIES)
        raise UsageError(f"there is no policy {options.policy!r}. Known: {known}")
    return options.policy


def _has_verdict(specs: Sequence[MetricSpec]) -> bool:
    return any(spec.metric.name == "verdict" for spec in specs)


def _can_search(engine: str) -> bool:
    return ENGINES.get(engine).search != "none"


def _model(policy: str, options: Options) -> Model:
    """The counts of labels; none where results alone decide, which nobody was asked about."""
    if policy == RESULTS.name or not _can_search(options.engine):
        return NO_LABELS
    return (options.confidence or built_in()).on_engine(options.engine)


def _asking(specs: Sequence[MetricSpec], judge: JudgeOptions | None) -> Asking | None:
    """Whom the run asks for which metrics; nobody where no metric listens to a judge."""
    if judge is None or not any(uses_opinions(spec.metric) for spec in specs):
        return None
    from sqlverdict.run.judging.asking import FLEX, Asking

    return Asking(
        pair_judges={
            # What stands in brackets is a judge; other metrics listen to the run's own.
            spec.label: spec.parameter or (judge.judge if judge.for_every_metric else FLEX)
            for spec in specs
            if "opinion_on_all" in spec.metric.needs
        },
        open_judge=judge.judge,
        open_metrics=tuple(spec.label for spec in specs if "opinion" in spec.metric.needs),
    )


def _preset(specs: Sequence[MetricSpec], options: Options) -> str:
    """The comparison by which results match: that of the run's first ``ex``."""
    first = next((spec.parameter for spec in specs if spec.metric.name == "ex"), "")
    return first or options.preset or DEFAULT_PRESET


def _cluster(options: Options, specs: Sequence[MetricSpec]) -> str:
    """The cluster that a run is done on.

    Raises:
        UsageError: it is none that we know, or something cannot be done on it.
    """
    on = options.on
    if on not in ("", "ray") and not on.startswith("ray://"):
        raise UsageError(f"nothing runs on {on!r}; expected ray or ray://HOST:PORT")
    if options.copy_databases and not on:
        raise UsageError(
            "databases are copied to the nodes of a cluster: name one with ",
            OptionName("on", "ray"),
        )
    if on and options.search is not None and options.search.bank is not None:
        raise UsageError(
            OptionName("bank"), " is a file of one machine; leave it out, or ", OptionName("on")
        )
    timed = [spec.label for spec in specs if "timing" in spec.metric.needs]
    if on and timed:
        raise UsageError(
            f"{timed[0]} times queries on one machine; leave it out, or ", OptionName("on")
        )
    return on


def _worker_count(options: Options, specs: Sequence[MetricSpec]) -> int:
    # Such a process, as those of multiprocessing.Pool and of data loaders, may start no others.
    daemonic = not options.on and multiprocessing.current_process().daemon
    default = 0 if options.on or daemonic else _core_count()
    workers = default if options.workers is None else options.workers
    if isinstance(workers, bool) or not isinstance(workers, SupportsIndex):
        raise UsageError(f"workers is {workers!r}; expected a whole number, 0 or more")
    workers = index(workers)
    if daemonic and workers:
        raise UsageError(
            f"{workers} workers in a daemonic process, which may start none (such as one of "
            f"multiprocessing.Pool); expected workers=0: work in this process"
        )
    if workers < 0:
        raise UsageError(f"{workers} workers; expected 0 (work in this process) or more")
    # Timing is honest only alone on the machine.
    return min(workers, 1) if any("timing" in spec.metric.needs for spec in specs) else workers


def _core_count() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
