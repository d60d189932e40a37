"""suspect_golds(): which golds deserve a second look, the most suspect first.

A gold's rank is the probability that it is wrong, by a small model that was fitted to people's
labels (``gold_model``): which systems match it, whether they agree on another answer, and what its
own query and answer show. The suspicions are the evidence in words.

Where there are very many golds, they wait in a file, ordered by rank.
"""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Generic, TypeVar, overload
from weakref import finalize

from sqlverdict.audit.gold_model import Feature, GoldModel, gold_features, gold_model
from sqlverdict.audit.gold_report import GoldReport, Rerun, case_reports, gold_reports
from sqlverdict.audit.suspicion import SUSPICIONS, Suspector, Suspicion
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import ENGINES
from sqlverdict.files.text import count, near
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Failure, Fault, Result
from sqlverdict.report.one_run.case import evidence_lines, prediction_text
from sqlverdict.runlog.run import Run

T = TypeVar("T")

IN_MEMORY = 5_000
"""So many are kept in memory."""


class Ranking(Generic[T]):
    """Sorts members by rank; keeps them in a file where there are many."""

    def __init__(self) -> None:
        self._members: list[tuple[float, T]] = []
        self._ranks = array("d")
        self._offsets = array("q")
        self._file: _SpillFile | None = None

    def add(self, rank: float, member: T) -> None:
        """Add a member with its rank."""
        self._members.append((rank, member))
        if len(self._members) >= IN_MEMORY:
            self._write()

    def _write(self) -> None:
        if self._file is None:
            self._file = _SpillFile()
        stream = self._file.stream
        for rank, member in self._members:
            self._ranks.append(rank)
            self._offsets.append(stream.tell())
            pickle.dump(member, stream, pickle.HIGHEST_PROTOCOL)
        self._members.clear()

    def ranked(self) -> Sequence[T]:
        """All of them, the highest rank first; among equals, in the order they came."""
        if self._file is None:
            return tuple(member for _, member in sorted(self._members, key=lambda one: -one[0]))
        self._write()
        ranks, offsets = self._ranks, self._offsets
        order = sorted(range(len(ranks)), key=lambda number: -ranks[number])
        return _InFile(self._file, array("q", (offsets[number] for number in order)))


class _SpillFile:
    """A file that is closed when nobody needs it any more."""

    def __init__(self) -> None:
        self.stream: IO[bytes] = tempfile.TemporaryFile(prefix="sqlverdict-")  # noqa: SIM115
        finalize(self, self.stream.close)


class _InFile(Sequence[T]):
    """A sequence whose members are read when they are asked for."""

    def __init__(self, file: _SpillFile, offsets: array[int]) -> None:
        self._file = file
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return _InFile(self._file, self._offsets[index])
        return self._read(self._offsets[index])

    def __iter__(self) -> Iterator[T]:
        return map(self._read, self._offsets)

    def _read(self, at: int) -> T:
        self._file.stream.seek(at)
        member: T = pickle.load(self._file.stream)  # noqa: S301 - our own file, which has no name
        return member


SUSPECT_RANK = 0.2
"""Golds of this rank or more are suspect: the usual bound of ``audit`` and of the label queue.

Measured with 1, 3 and 10 systems on labels that the model had not seen: docs/measurements/audit.md.
"""

SUSPECTS_SCHEMA = 2
"""Version of a suspect as JSON."""


@dataclass(frozen=True)
class Answered:
    """A system's answer to the question of a suspect gold."""

    system: str
    prediction: str
    matches: bool | None
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Suspect:
    """A gold under suspicion.

    Attributes:
        case: The line of a run log that says what the case is.
        knowledge: What comes with the question; ``None``: not at hand.
        rank: The probability that it is wrong by the model, above 0 and below 1.
        suspicions: What speaks against it, the heaviest first.
        features: What the model looked at, with what each adds to the log-odds.
        answers: What the systems said.
    """

    case: Result
    knowledge: str | None
    rank: float
    suspicions: tuple[Suspicion, ...]
    answers: tuple[Answered, ...]
    features: tuple[Feature, ...] = ()

    @property
    def raised_by(self) -> tuple[Feature, ...]:
        """The features that make it more suspect than the average gold, the strongest first."""
        raising = [one for one in self.features if one.raises]
        return tuple(sorted(raising, key=lambda one: (-one.adds, one.name)))

    def as_record(self) -> dict[str, Any]:
        """The suspect as plain values, for JSON."""
        return {
            "schema": SUSPECTS_SCHEMA,
            "id": self.case.id,
            "db_id": self.case.db_id,
            "difficulty": self.case.difficulty,
            "question": self.case.question,
            **self.case.turn_fields,
            "knowledge": self.knowledge,
            "gold": list(self.case.gold),
            "rank": self.rank,
            "features": [
                {
                    "name": one.name,
                    "value": None if one.value is None else round(one.value, 4),
                    "adds": round(one.adds, 4),
                    "words": one.words,
                }
                for one in self.features
            ],
            "suspicions": [
                {
                    "name": one.name,
                    "weight": one.weight,
                    "message": one.message,
                    "systems": list(one.systems),
                    "detail": dict(one.detail),
                }
                for one in self.suspicions
            ],
            "answers": [
                {
                    "system": one.system,
                    "prediction": one.prediction,
                    "matches": one.matches,
                    "evidence": list(one.evidence),
                }
                for one in self.answers
            ],
        }


@dataclass(frozen=True)
class Audit:
    """All suspects of some runs.

    Attributes:
        golds: How many golds were looked at.
        systems: The systems.
        suspects: The most suspect first. Where there are very many, they are read from a file.
        counts: How many golds each suspicion was raised against.
        notes: What could not be looked at.
    """

    golds: int
    systems: tuple[str, ...]
    suspects: Sequence[Suspect]
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()


def suspect_golds(
    runs: Sequence[Run],
    *,
    cases: Sequence[Case] = (),
    knowledge: Mapping[str, str] | None = None,
    schemas: Mapping[str, Schema] | None = None,
    rerun: Rerun | None = None,
    dialect: str | None = None,
    only: Sequence[str] = (),
    at_least: float = 0.0,
    model: GoldModel | None = None,
) -> Audit:
    """Look for signs against the golds of some runs.

    Args:
        runs: Runs of one benchmark; several systems show more.
        cases: The cases to look at where there is no run: what the golds themselves show.
        knowledge: What comes with each question, by case; without it the question stands alone.
        schemas: Schemas by database, to tell strings from columns and queries from each other.
        rerun: Runs queries again; without it only the run logs are read.
        dialect: The dialect of the golds; by default that of the first run's engine.
        only: List golds with one of these suspicions, and show only these; by default all. Ranks
            do not depend on it.
        at_least: Leave out golds below this rank.
        model: Another model than the one of this version.

    Raises:
        UsageError: neither a run nor a case is given, or there is no such suspicion.
    """
    if not runs and not cases:
        raise UsageError(
            "no run is given, and no case: name the folders that evaluate wrote, or cases, whose "
            "golds are then looked at alone"
        )
    known = SUSPICIONS.names()
    for name in only:
        if name not in known:
            raise UsageError(
                f"there is no suspicion {name!r}.{near(name, known)} Known: {', '.join(known)}"
            )
    suspectors = {name: one for name, one in SUSPICIONS.items() if not only or name in only}
    model = model if model is not None else gold_model()
    folders = {run.manifest.system: run.folder for run in runs}
    suspects = Ranking[Suspect]()
    counts: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    golds = away = 0
    dialect = dialect or _dialect(runs)
    reports = (
        gold_reports(runs, knowledge=knowledge, schemas=schemas, rerun=rerun, dialect=dialect)
        if runs
        else case_reports(cases, schemas=schemas, rerun=rerun, dialect=dialect)
    )
    for report in reports:
        golds += 1
        away += _is_away(report)
        everything = [each for one in SUSPICIONS.items() for each in _look(*one, report, failures)]
        raised = [each for each in everything if each.name in suspectors]
        features = _weigh(model, report, everything, failures)
        rank = round(model.rank(features), 4)
        counts.update(dict.fromkeys((each.name for each in raised), 1))
        # Many systems against a gold are a reason to look at it, even if they agree on nothing.
        is_suspect = raised or (not only and any(one.raises for one in features))
        if is_suspect and rank >= at_least:
            suspects.add(rank, _suspect(report, rank, raised, features, folders))
    return Audit(
        golds=golds,
        systems=tuple(run.manifest.system for run in runs),
        suspects=suspects.ranked(),
        counts={name: counts[name] for name in suspectors if counts[name]},
        notes=(*_notes(runs, knowledge, rerun, away), *_failure_notes(failures)),
    )


def _dialect(runs: Sequence[Run]) -> str:
    """The dialect of the engine on which golds ran."""
    names = [run.manifest.engine for run in runs if ENGINES.has(run.manifest.engine)]
    return ENGINES.get(names[0]).dialect if names else DEFAULT_DIALECT


def _is_away(report: GoldReport) -> bool:
    """Whether the gold should run again, and its database does not answer."""
    if report.rerun is None or report.gold_answer is not None:
        return False
    outcome = report.rerun(report.case.gold[0])
    return outcome is None or (isinstance(outcome, Failure) and outcome.fault is Fault.ENGINE)


def _look(
    name: str, one: Suspector, report: GoldReport, failures: Counter[str]
) -> Sequence[Suspicion]:
    """What one suspicion says; a query that is too much for it must not end the audit."""
    try:
        return list(one.look(report))
    except Exception as error:  # noqa: BLE001 - counted, named, and shown
        failures[f"{name} ({type(error).__name__})"] += 1
        return ()


def _failure_notes(failures: Mapping[str, int]) -> list[str]:
    return [
        f"{count(number, 'gold')} could not be examined by {name}: a bug of ours, please report"
        for name, number in failures.items()
    ]


def _weigh(
    model: GoldModel, report: GoldReport, raised: Sequence[Suspicion], failures: Counter[str]
) -> tuple[Feature, ...]:
    """What each feature adds to the log-odds that the gold is wrong; nothing where that fails."""
    try:
        return tuple(model.weigh(gold_features(report, raised)))
    except Exception as error:  # noqa: BLE001 - counted, named, and shown
        failures[f"the model ({type(error).__name__})"] += 1
        return ()


def _suspect(
    report: GoldReport,
    rank: float,
    raised: Sequence[Suspicion],
    features: tuple[Feature, ...],
    folders: Mapping[str, Path],
) -> Suspect:
    ranked = sorted(raised, key=lambda each: (-each.weight, each.name))
    return Suspect(
        case=report.case,
        knowledge=report.knowledge,
        rank=rank,
        suspicions=tuple(ranked),
        answers=tuple(
            Answered(
                one.system,
                prediction_text(one.result),
                one.right,
                tuple(evidence_lines(one.result, folders.get(one.system))),
            )
            for one in report.answers
        ),
        features=features,
    )


def _notes(
    runs: Sequence[Run], knowledge: Mapping[str, str] | None, rerun: Rerun | None, away: int
) -> list[str]:
    notes = []
    if len(runs) == 1:
        notes.append("one run only: whether several systems agree against a gold cannot be seen")
    if not runs:
        notes.append("no run: only what the golds themselves show")
    elif knowledge is None:
        notes.append(
            "the questions' knowledge is not available: values are looked for in the question "
            "alone (name the benchmark to read it)"
        )
    if rerun is None:
        notes.append(
            "no query was run again: golds that return nothing show only where one differs"
        )
    if away:
        notes.append(f"{count(away, 'gold')} could not be run: the database is not available")
    return notes
