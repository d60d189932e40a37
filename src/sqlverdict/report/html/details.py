"""One case of one run: its evidence in words, tables and steps, and both answers row beside row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap, zip_longest
from pathlib import Path
from typing import Literal

from msgspec import Struct

from sqlverdict.evidence import Evidence, Proved, Refuted, Undecided
from sqlverdict.evidence_parts import (
    AnswerCell,
    AnswerExcerpt,
    LoggedAnswers,
    LoggedChange,
    StepChange,
    TableExcerpt,
    TypedCell,
)
from sqlverdict.files.text import count
from sqlverdict.prove.resolve.readable import readable_sql
from sqlverdict.records import Result
from sqlverdict.report.one_run.case import (
    piece_lines,
    shown_evidence,
    situation_words,
)
from sqlverdict.report.one_run.first_sentence import first_sentence
from sqlverdict.report.one_run.people import labelled_words

PageCell = str | None
"""A cell as text behind a letter: ``n`` a number, ``t`` a text, ``b`` a blob; ``None``: NULL. A
browser reads numbers of JSON as floats, which would make 2**53 + 1 equal to 2**53."""

PageRow = tuple[PageCell, ...]
RowState = Literal["same", "changed", "missing", "extra"]


class AlignedRow(Struct, frozen=True, omit_defaults=True):
    """A row of either answer or of both; ``changed`` are the columns that differ, on each side."""

    state: RowState
    gold: PageRow | None = None
    prediction: PageRow | None = None
    gold_changed: tuple[int, ...] = ()
    prediction_changed: tuple[int, ...] = ()


class PageAnswers(Struct, frozen=True, omit_defaults=True):
    """Both answers, as far as the run log keeps them.

    Attributes:
        gold_columns: The names of the gold's columns.
        prediction_columns: Those of the prediction's; ``None``: it gave no answer.
        gold_count: How many rows the gold returns.
        prediction_count: How many the prediction returns.
        rows: Their rows, aligned.
        notes: What is not shown, and what to know about the order, in words.
        gold: Which of several golds is meant, from 0.
    """

    gold_columns: tuple[str, ...]
    prediction_columns: tuple[str, ...] | None
    gold_count: int
    prediction_count: int
    rows: tuple[AlignedRow, ...]
    notes: tuple[str, ...] = ()
    gold: int = 0


def page_answers(answers: LoggedAnswers) -> PageAnswers:
    """Both answers of a case for the page, columns that belong together in one order."""
    prediction = answers.prediction_shape
    order = _column_order(answers)
    columns = tuple(answers.prediction_columns[at] for at in order)
    return PageAnswers(
        gold_columns=answers.gold_columns,
        prediction_columns=None if prediction is None else columns,
        gold_count=answers.gold_shape[0],
        prediction_count=0 if prediction is None else prediction[0],
        rows=tuple(_rows(answers, order)),
        notes=tuple(_notes(answers, order)),
        gold=answers.gold,
    )


def _column_order(answers: LoggedAnswers) -> Sequence[int]:
    """The prediction's columns: first those that stand for the gold's, in the gold's order."""
    own = range(len(answers.prediction_columns))
    matched = [at for at in answers.columns or () if at in own]
    return list(dict.fromkeys([*matched, *own]))


def _rows(answers: LoggedAnswers, order: Sequence[int]) -> Iterator[AlignedRow]:
    for row in answers.same:
        # The log keeps the prediction's row; the gold's has the same cells, in its own order.
        cells = page_row(row)
        yield AlignedRow("same", _in_order_of_gold(cells, answers), _ordered(cells, order))
    for change in answers.changed:
        yield _changed(change, answers, order)
    for row in answers.missing:
        yield AlignedRow("missing", gold=page_row(row))
    for row in answers.extra:
        yield AlignedRow("extra", prediction=_ordered(page_row(row), order))


def _ordered(cells: PageRow, order: Sequence[int]) -> PageRow:
    return tuple(cells[at] for at in order if at < len(cells))


def _in_order_of_gold(cells: PageRow, answers: LoggedAnswers) -> PageRow:
    if answers.columns is None:
        return cells
    return tuple(
        cells[at] if at is not None and at < len(cells) else None for at in answers.columns
    )


def _changed(change: LoggedChange, answers: LoggedAnswers, order: Sequence[int]) -> AlignedRow:
    columns = answers.columns
    there = [
        at if columns is None else columns[at] if at < len(columns) else None for at in change.cells
    ]
    return AlignedRow(
        "changed",
        page_row(change.gold),
        _ordered(page_row(change.prediction), order),
        change.cells,
        tuple(order.index(at) for at in there if at in order),
    )


def _notes(answers: LoggedAnswers, order: Sequence[int]) -> Iterator[str]:
    if list(order) != sorted(order):
        yield "The prediction's columns are shown in the order of the matching gold columns."
    if answers.order_only:
        yield "The rows are the same, in another order."
    hidden = [
        f"{number - logged:,} more {kind}"
        for kind, number, logged in (
            ("changed", answers.changed_count, len(answers.changed)),
            ("missing", answers.missing_count, len(answers.missing)),
            ("extra", answers.extra_count, len(answers.extra)),
        )
        if number > logged
    ]
    both = answers.gold_shape[0] - answers.missing_count - answers.changed_count
    both -= len(answers.same)
    if answers.prediction_shape is not None and not answers.order_only and both > 0:
        hidden.append(f"{count(both, 'row')} in both")
    if hidden:
        yield f"Not shown: {', '.join(hidden)}."


def page_row(row: Iterable[AnswerCell]) -> PageRow:
    """The cells of a row for the page."""
    return tuple(map(_cell, row))


def _cell(cell: AnswerCell) -> PageCell:
    match cell:
        case None:
            return None
        case str():
            return f"t{cell}"
        case TypedCell(type="text"):
            return f"t{cell.text}… ({cell.length:,} characters)"
        case TypedCell(type="blob"):
            size = f" ({cell.length:,} bytes)" if cell.length else ""
            return f"bx'{cell.text}'{size}"
        case TypedCell():
            return f"n{cell.text}"
    return f"n{cell!r}"


_STEP = re.compile(r"(gold|prediction): equal by (\S+)(?: because (.*))?", re.DOTALL)


class PageAnswer(Struct, frozen=True, omit_defaults=True):
    """An answer or its first rows; ``failed`` says why there is none."""

    columns: tuple[str, ...] = ()
    rows: tuple[PageRow, ...] = ()
    count: int = 0
    failed: str = ""


class WitnessTables(Struct, frozen=True, omit_defaults=True):
    """A witness: its tables, and what both queries return on it.

    ``deciding_rows`` has the rows, by table and number, on which only one of the answers depends.
    """

    tables: Mapping[str, PageAnswer]
    gold: PageAnswer
    prediction: PageAnswer
    deciding_rows: Mapping[str, tuple[int, ...]] = {}
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
    words, labels = situation_words(result), labelled_words(result)
    why = "; ".join(filter(None, (words, labels)))
    first = first_sentence(result, why)
    if not first and words:
        # What the evidence amounts to is the first sentence; labels are beside it.
        first, why = f"{words[0].upper()}{words[1:]}.", labels
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
        deciding_rows=witness.deciding_rows,
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
