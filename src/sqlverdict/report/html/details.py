"""One case of one run: its evidence in words, tables and steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import starmap, zip_longest
from pathlib import Path

from msgspec import Struct

from sqlverdict.evidence import Evidence, Proved, Refuted, Undecided
from sqlverdict.evidence_parts import AnswerExcerpt, StepChange, TableExcerpt
from sqlverdict.prove.resolve.text import readable_sql
from sqlverdict.records import Result
from sqlverdict.report.html.answers import PageAnswers, PageRow, page_answers, page_row
from sqlverdict.report.one_run.case import (
    because,
    piece_lines,
    shown_evidence,
    situation_words,
)
from sqlverdict.report.one_run.first_sentence import first_sentence
from sqlverdict.report.one_run.people import labelled_words

_STEP = re.compile(r"(gold|prediction): equal by (\S+)(?: because (.*))?", re.DOTALL)


class PageAnswer(Struct, frozen=True, omit_defaults=True):
    """An answer or its first rows; ``failed`` says why there is none."""

    columns: tuple[str, ...] = ()
    rows: tuple[PageRow, ...] = ()
    count: int = 0
    failed: str = ""


class WitnessTables(Struct, frozen=True, omit_defaults=True):
    """A witness: its tables, and what both queries return on it.

    ``telling`` has the rows, by table and number, on which only one of the answers depends.
    """

    tables: Mapping[str, PageAnswer]
    gold: PageAnswer
    prediction: PageAnswer
    telling: Mapping[str, tuple[int, ...]] = {}
    other: PageAnswer | None = None
    file: str = ""


class PageStep(Struct, frozen=True, omit_defaults=True):
    """A step of a derivation.

    Attributes:
        side: Which query is rewritten.
        rule: By which rule.
        facts: Because of which facts.
        before: The SQL that it changes; empty where the log does not keep it.
        after: What it becomes.
    """

    side: str
    rule: str
    facts: str = ""
    before: str = ""
    after: str = ""


class PageProof(Struct, frozen=True, omit_defaults=True):
    """A derivation."""

    steps: tuple[PageStep, ...] = ()
    form: str = ""
    profile: str = ""


class PageEvidence(Struct, frozen=True, omit_defaults=True):
    """One piece of evidence: its kind, its sentences, and what is drawn."""

    kind: str
    lines: tuple[str, ...] = ()
    witness: WitnessTables | None = None
    proof: PageProof | None = None


class CaseDetail(Struct, frozen=True, omit_defaults=True):
    """What the page shows of a case when it is opened.

    Attributes:
        first: What matters, in one sentence; empty where ``because`` says just that.
        because: What the evidence amounts to, in words.
        message: What happened, where the case could not be evaluated.
        evidence: The evidence, strongest first.
        seconds: How long each query took, by name.
        answers: What both queries returned; ``None``: the log does not keep it.
    """

    first: str = ""
    because: str = ""
    message: str = ""
    evidence: tuple[PageEvidence, ...] = ()
    seconds: Mapping[str, float] = {}
    answers: PageAnswers | None = None


def detail_of(result: Result, folder: Path | None = None) -> CaseDetail:
    """The details of a case.

    Args:
        result: The case.
        folder: The run's folder, so that files are named where they lie.
    """
    why = because(result)
    first = first_sentence(result, why)
    if not first and result.situation:
        # What the evidence amounts to is the first sentence; labels are beside it.
        words = situation_words(result)
        first, why = f"{words[0].upper()}{words[1:]}.", labelled_words(result)
    return CaseDetail(
        first=first,
        because=why,
        message=result.message,
        evidence=tuple(
            _piece(piece, folder, has_rows=result.answers is not None)
            for piece in shown_evidence(result)
        ),
        seconds=result.timings,
        answers=None if result.answers is None else page_answers(result.answers),
    )


def _piece(piece: Evidence, folder: Path | None, *, has_rows: bool) -> PageEvidence:
    kind = type(piece).__name__.lower()
    lines = tuple(piece_lines(piece, folder, has_rows=has_rows))
    match piece:
        case Refuted():
            return PageEvidence(kind, lines, witness=_witness(piece))
        case Proved():
            return PageEvidence(kind, tuple(_without_steps(lines)), proof=_proof(piece))
        case Undecided(declared=Proved() as declared):
            return PageEvidence(kind, lines, proof=_proof(declared))
    return PageEvidence(kind, lines)


def _without_steps(lines: Iterable[str]) -> Iterator[str]:
    """The sentences about a proof; its steps, which are indented, are drawn."""
    return (line for line in lines if not line.startswith("  "))


def _witness(witness: Refuted) -> WitnessTables:
    return WitnessTables(
        tables={name: _table(rows) for name, rows in witness.rows.items()},
        gold=_answer(witness.gold),
        prediction=_answer(witness.prediction),
        telling=witness.telling,
        other=None if witness.other is None else _answer(witness.other),
        file=witness.file,
    )


def _proof(proof: Proved) -> PageProof:
    steps = starmap(_step, zip_longest(proof.steps, proof.changes, fillvalue=StepChange()))
    return PageProof(tuple(steps), readable_sql(proof.form), proof.profile)


def _step(step: str, change: StepChange) -> PageStep:
    parts = _STEP.fullmatch(step)
    if parts is None:
        return PageStep("", step)
    return PageStep(parts[1], parts[2], parts[3] or "", change.before, change.after)


def _table(excerpt: TableExcerpt) -> PageAnswer:
    return PageAnswer(excerpt.columns, tuple(map(page_row, excerpt.rows)), len(excerpt.rows))


def _answer(excerpt: AnswerExcerpt) -> PageAnswer:
    if excerpt.failed is not None:
        return PageAnswer(failed=": ".join(filter(None, (excerpt.failed, excerpt.message))))
    return PageAnswer(excerpt.columns, tuple(map(page_row, excerpt.rows)), excerpt.count)
