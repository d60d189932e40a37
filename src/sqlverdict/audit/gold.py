"""suspect_golds(): which golds deserve a second look, the most suspect first.

A gold's rank comes from all suspicions against it: 1 - (1 - w1)(1 - w2)..., which grows with each
and stays below 1. It orders golds for people; it is no probability that the gold is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from sqlverdict.audit.dossier import Dossier, Rerun, dossiers
from sqlverdict.audit.ranking import Ranking
from sqlverdict.audit.suspicion import SUSPICIONS, Suspector, Suspicion
from sqlverdict.errors import UsageError
from sqlverdict.load.text import count, near
from sqlverdict.parse.schema import Schema
from sqlverdict.report.case import evidence_lines, said
from sqlverdict.report.run import Run

SUSPECTS_SCHEMA = 1
"""Version of a suspect as JSON."""


@dataclass(frozen=True)
class Answered:
    """What a system said to a suspect gold."""

    system: str
    prediction: str
    matches: bool | None
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Suspect:
    """A gold under suspicion.

    Attributes:
        id: The case.
        db_id: Its database.
        question: The question.
        knowledge: What comes with it; ``None``: not at hand.
        gold: The gold queries.
        difficulty: Its level.
        rank: How suspect it is, above 0 and below 1.
        suspicions: What speaks against it, the heaviest first.
        answers: What the systems said.
    """

    id: str
    db_id: str
    question: str
    knowledge: str | None
    gold: tuple[str, ...]
    difficulty: str | None
    rank: float
    suspicions: tuple[Suspicion, ...]
    answers: tuple[Answered, ...]

    def as_record(self) -> dict[str, Any]:
        """The suspect as plain values, for JSON."""
        return {
            "schema": SUSPECTS_SCHEMA,
            "id": self.id,
            "db_id": self.db_id,
            "difficulty": self.difficulty,
            "question": self.question,
            "knowledge": self.knowledge,
            "gold": list(self.gold),
            "rank": self.rank,
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
    knowledge: Mapping[str, str] | None = None,
    schemas: Mapping[str, Schema] | None = None,
    rerun: Rerun | None = None,
    only: Sequence[str] = (),
    at_least: float = 0.0,
) -> Audit:
    """Look for signs against the golds of some runs.

    Args:
        runs: One or more runs of one benchmark; several systems show more.
        knowledge: What comes with each question, by case; without it the question stands alone.
        schemas: Schemas by database, to tell strings from columns and queries from each other.
        rerun: Runs queries again; without it only the run logs are read.
        only: The suspicions to look for; by default all.
        at_least: Leave out golds below this rank.

    Raises:
        UsageError: no run is given, or there is no such suspicion.
    """
    if not runs:
        raise UsageError("no run is given; name the folders that evaluate wrote")
    known = SUSPICIONS.names()
    for name in only:
        if name not in known:
            raise UsageError(
                f"there is no suspicion {name!r}.{near(name, known)} Known: {', '.join(known)}"
            )
    chosen = {name: one for name, one in SUSPICIONS.items() if not only or name in only}
    folders = {run.manifest.system: run.folder for run in runs}
    suspects = Ranking[Suspect]()
    counts: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    golds = 0
    for dossier in dossiers(runs, knowledge=knowledge, schemas=schemas, rerun=rerun):
        golds += 1
        raised = [found for one in chosen.items() for found in _look(*one, dossier, failures)]
        if not raised:
            continue
        suspect = _suspect(dossier, raised, folders)
        counts.update(dict.fromkeys((found.name for found in raised), 1))
        if suspect.rank >= at_least:
            suspects.add(suspect.rank, suspect)
    return Audit(
        golds=golds,
        systems=tuple(run.manifest.system for run in runs),
        suspects=suspects.ranked(),
        counts={name: counts[name] for name in chosen if counts[name]},
        notes=(*_notes(runs, knowledge, rerun), *_failure_notes(failures)),
    )


def _look(
    name: str, one: Suspector, dossier: Dossier, failures: Counter[str]
) -> Sequence[Suspicion]:
    """What one suspicion says; a query that is too much for it must not end the audit."""
    try:
        return list(one.look(dossier))
    except Exception as error:  # noqa: BLE001 - counted, named, and shown
        failures[f"{name} ({type(error).__name__})"] += 1
        return ()


def _failure_notes(failures: Mapping[str, int]) -> list[str]:
    return [
        f"{count(number, 'gold')} could not be looked at by {name}: a bug of ours, please report"
        for name, number in failures.items()
    ]


def _suspect(dossier: Dossier, raised: Sequence[Suspicion], folders: Mapping[str, Path]) -> Suspect:
    ranked = sorted(raised, key=lambda found: (-found.weight, found.name))
    return Suspect(
        id=dossier.id,
        db_id=dossier.db_id,
        question=dossier.question,
        knowledge=dossier.knowledge,
        gold=dossier.golds,
        difficulty=dossier.difficulty,
        rank=round(1 - prod(1 - found.weight for found in raised), 4),
        suspicions=tuple(ranked),
        answers=tuple(
            Answered(
                one.system,
                said(one.result),
                one.right,
                tuple(evidence_lines(one.result, folders.get(one.system))),
            )
            for one in dossier.said
        ),
    )


def _notes(
    runs: Sequence[Run], knowledge: Mapping[str, str] | None, rerun: Rerun | None
) -> list[str]:
    notes = []
    if len(runs) == 1:
        notes.append("one run only: whether several systems agree against a gold cannot be seen")
    if knowledge is None:
        notes.append(
            "the questions' knowledge is not at hand: values are looked for in the question alone "
            "(name the benchmark to read it)"
        )
    if rerun is None:
        notes.append(
            "no query was run again: golds that return nothing show only where one differs"
        )
    return notes
