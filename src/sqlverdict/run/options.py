"""The public options of a run, and the systems it evaluates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sqlverdict.confidence.model import Model
from sqlverdict.errors import UsageError
from sqlverdict.execute.cache import default_path
from sqlverdict.execute.engine import DEFAULT_ENGINE, Limits
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Prediction
from sqlverdict.refute.witness import SearchBudget

if TYPE_CHECKING:
    from sqlverdict.load.predictions import Predictions as TrialPredictions
    from sqlverdict.run.judging.asking import JudgeOptions

RUN = "run"
RECORDED = "recorded"
_EXPECTED = {
    "limits": "a sqlverdict.Limits",
    "now": "a datetime, or None",
    "schemas": "a mapping from database ids to what load_schema() gives",
}
ANSWERS = (RUN, RECORDED)
"""Which answers count where a case has both a database and a record."""

Predictions = Mapping[str, Prediction] | Mapping[str, str | None]
"""Predictions by case id: records, SQL text, or ``None`` for an abstention."""


class Progress(Protocol):
    """Shows how far a run is."""

    def begin(self, total: int | None, resumed: int) -> None:
        """A run begins; ``resumed`` cases were done before."""
        ...

    def advance(self, cases: int) -> None:
        """So many more cases are done."""
        ...


@dataclass(frozen=True)
class SearchOptions:
    """How a run searches for witnesses.

    Attributes:
        budget: What one search may spend.
        bank: The file of instances that separated earlier pairs. The search tries them first
            and adds new witnesses. Without a bank, the same inputs give the same results.
        folder: Where witnesses go, as ``.sql`` and ``.sqlite``, named after case and prediction.
            A relative path lies in the run's folder.
        scratch: A database on another server of the same engine and version, on which witnesses
            are searched; by default the server of each database itself.
    """

    budget: SearchBudget = field(default_factory=SearchBudget)
    bank: Path | None = None
    folder: Path | None = None
    scratch: str | None = None


@dataclass(frozen=True)
class ProofOptions:
    """How a run proves.

    Attributes:
        folder: Where a pair that is both proved and refuted is saved; by default in the folder
            of the first run.
        tests_proofs: Search for a witness against proved pairs too, so that every run tests the
            prover; otherwise a proof saves the search.
    """

    folder: Path | None = None
    tests_proofs: bool = False


@dataclass(frozen=True, kw_only=True)
class CaseOptions:
    """How each case is run: the options that a plan takes as they are.

    :class:`Options` says what they mean.
    """

    engine: str = DEFAULT_ENGINE
    now: datetime | None = None
    database_version: str = ""
    limits: Limits = field(default_factory=Limits)
    copy_databases: bool = False
    cache: Path | None = field(default_factory=default_path)
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    null_keys: bool = False
    no_sql: str = "wrong"
    tag: str | None = None
    answers: str = RUN


@dataclass(frozen=True)
class Options(CaseOptions):
    """How a run is done; what does not change results is not part of a run's fingerprint.

    The metrics may stand first, without their name; every other option is given by name.

    Attributes:
        metrics: What to score: ``"ex,esm"``, ``"ex[bird]"``.
        engine: The engine that runs the queries.
        now: What the clock shows to queries; ``None``: the time it is.
        database_version: Stands for the content of databases on servers; without it their
            content is digested, which may take long.
        limits: What one query may spend.
        workers: Processes; 0 works in this process, ``None`` starts one for each core (none
            in a daemonic process, which may start no other). Only a process can be killed: with
            0, what takes long within one step of SQLite ends late.
        on: The cluster that works: ``ray``, or the address of one, ``ray://HOST:PORT``; empty:
            this machine. ``workers`` are its actors.
        copy_databases: Copy the databases to the nodes of the cluster, once a node; else each
            node has them at the same path.
        cache: The file of cached answers; ``None`` caches nothing.
        seed: For bootstrap intervals.
        overwrite: Start anew where ``out`` already holds a run.
        progress: Shows how far the run is.
        search: Search for a witness where the answers match; on by itself, with its default
            budget, where a metric needs it.
        proof: Search for a proof; on by itself where a metric needs it.
        judge: Ask a judge, for the metrics ``flex`` and ``verdict``.
        schemas: Schemas by database id, for databases that are not at hand.
        policy: How evidence becomes a verdict: ``intent`` (the default with the metric
            ``verdict``), ``strict``, or ``results`` (the default without it).
        confidence: How often people call a prediction right in each situation; by default the
            counts that come with the package.
        null_keys: A declared primary key may hold NULL where SQLite allows it; by default it
            never does, in proofs and in witnesses.
        no_sql: What a reply of text without SQL is: ``wrong``, or ``abstain``.
        tag: The tag that holds the answer in every reply, such as ``"final"``; a reply without it
            has no SQL. By default the usual forms of replies are read.
        answers: Where a case has both a database and a record: ``run`` the queries, or use
            the ``recorded`` results.
        preset: Tells matches from differences for the metric ``flex`` where the run has no
            ``ex``; by default the benchmark's own.
        command: The words of the command that makes the run, for the manifest.

    Examples:
        >>> options = sv.Options(metrics="ex,verdict", limits=sv.Limits(seconds=1.0, rows=1_000))
        >>> options.limits.rows
        1000
    """

    metrics: str | Sequence[str] = "ex"
    _: KW_ONLY
    workers: int | None = None
    on: str = ""
    seed: int = 0
    overwrite: bool = False
    progress: Progress | None = None
    search: SearchOptions | None = None
    proof: ProofOptions | None = None
    judge: JudgeOptions | None = None
    policy: str | None = None
    confidence: Model | None = None
    preset: str = ""
    command: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what would fail much later.

        Raises:
            UsageError: an option is of the wrong type.
        """
        types = (("limits", Limits), ("now", datetime | None), ("schemas", Mapping))
        for name, kind in types:
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise UsageError(f"{name} is {value!r}; expected {_EXPECTED[name]}")
        if isinstance(self.judge, str):
            raise UsageError(
                f"judge is {self.judge!r}; expected a sqlverdict.run.judging.asking.JudgeOptions, "
                "which says whom the judge asks"
            )
        for db_id, schema in self.schemas.items():
            if not isinstance(db_id, str) or not isinstance(schema, Schema):
                raise UsageError(
                    f"schemas has {schema!r} for {db_id!r}; expected {_EXPECTED['schemas']}"
                )


@dataclass(frozen=True)
class System:
    """One system's predictions and where its run goes.

    ``digest`` stands for the predictions in the manifest, where it is known already. ``trial_of``
    is set where they are one of several trials: the name of the system. ``base`` is an earlier run
    with other golds: its results stand where the golds are the same.

    Examples:
        >>> sv.System("mine", {"1": "SELECT 3", "2": None}).name
        'mine'
    """

    name: str
    predictions: Predictions
    out: Path | None = None
    digest: str = ""
    notes: tuple[str, ...] = ()
    trial_of: str = ""
    base: Path | None = None


def trial_systems(
    trials: Sequence[TrialPredictions], name: str, out: Path | None, digest: str
) -> Iterator[System]:
    """A system for each of several trials, with a folder of its own below ``out``.

    ``digest`` stands for the file of the predictions, where they come from one.
    """
    for own in trials:
        trial = f"trial-{own.trial}"
        folder = out / trial if out is not None else None
        own_digest = f"{digest} {trial}" if digest else ""
        yield System(f"{name} {trial}", own, folder, own_digest, own.notes, name)
