"""What a search for a witness gave, as evidence for a verdict.

It names the rows of a witness that make the difference: only one of the two answers depends on
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.evidence import Refuted, Searched, Tested, Undecided
from sqlverdict.evidence_parts import AnswerExcerpt, ExcerptCell, ExcerptRow, TableExcerpt
from sqlverdict.execute.session import TableRows
from sqlverdict.records import Answer, Outcome, Row
from sqlverdict.refute.explain.sentence import rows_table, sentence
from sqlverdict.refute.witness import NotRefuted, Refutation, Witness

if TYPE_CHECKING:
    from sqlverdict.refute.explain.what_if import WhatIf


MOST_ROWS = 30
"""TableRows of a witness that are left out in turn; a larger witness is not looked at."""


def find_deciding_rows(witness: Witness) -> Mapping[str, tuple[int, ...]]:
    """The rows, by table and number from 0, on which only one of the two answers depends.

    Each row is left out alone: an answer depends on it where other rows are returned then,
    whatever their order.
    """
    if witness.kind != "different" or not 0 < witness.instance.size <= MOST_ROWS:
        return {}
    from sqlverdict.refute.explain.what_if import WhatIf

    what_if = WhatIf(witness, DEFAULT_PRESET, None)
    usual = _bags(what_if, what_if.rows)
    if usual is None:
        return {}
    numbers_by_table: dict[str, tuple[int, ...]] = {}
    for name, rows in what_if.rows.items():
        others = [_bags(what_if, what_if.without_row(name, number)) for number in range(len(rows))]
        numbers = tuple(n for n, bags in enumerate(others) if _one_changes(usual, bags))
        if numbers:
            numbers_by_table[name] = numbers
    return numbers_by_table


Bags = tuple[Mapping[Row, int], Mapping[Row, int]]


def _bags(what_if: WhatIf, rows: TableRows) -> Bags | None:
    """What both queries return on some rows; ``None`` where one of them fails."""
    match what_if.outcomes_on(rows):
        case (Answer() as gold, Answer() as prediction, _):
            return gold.bag, prediction.bag
    return None


def _one_changes(usual: Bags, bags: Bags | None) -> bool:
    if bags is None:
        return False
    gold, prediction = (now != then for now, then in zip(bags, usual, strict=True))
    return gold != prediction


REFUTE = "refute"
"""The name of this stage in evidence (``by``)."""
_ROWS = 20
"""How many rows of an answer the evidence holds."""
_TEXT = 200
"""How many characters of a text it holds."""


def refutation_evidence(refutation: Refutation, *, in_words: bool = True) -> Searched:
    """What a search found, as evidence.

    A witness refutes; agreement on n databases is a test, which says n and never "equal"; no
    search at all leaves it undecided, with the reason.

    Args:
        refutation: What the search gave.
        in_words: Say when the two differ, and which rows decide it; for readers.
    """
    if isinstance(refutation, NotRefuted):
        return _not_refuted(refutation)
    other = refutation.other if refutation.kind != "different" else None
    return Refuted(
        REFUTE,
        refutation.reasons,
        cut_by_time=refutation.cut_by_time,
        sentence=refutation.sentence or (sentence(refutation) if in_words else ""),
        grade=refutation.grade,
        broken=tuple(refutation.broken),
        origin=refutation.origin,
        databases=refutation.instances_tried,
        size=refutation.instance.size,
        rows={
            table.name: TableExcerpt(table.columns, tuple(excerpt_rows(table.rows)))
            for table in rows_table(refutation)
        },
        deciding_rows=find_deciding_rows(refutation) if in_words else {},
        gold=answer_excerpt(refutation.gold),
        prediction=answer_excerpt(refutation.prediction),
        kind="undetermined_prediction" if other is not None else "",
        other=answer_excerpt(other) if other is not None else None,
    )


def _not_refuted(refutation: NotRefuted) -> Tested | Undecided:
    reasons = (refutation.reason,) if refutation.reason is not None else ()
    if refutation.instances > 0:
        return Tested(
            REFUTE,
            reasons,
            refutation.message,
            refutation.cut_by_time,
            databases=refutation.instances,
            undetermined=refutation.undetermined,
            blame=refutation.blame,
        )
    return Undecided(
        REFUTE, reasons, refutation.message, refutation.cut_by_time, blame=refutation.blame
    )


def answer_excerpt(outcome: Outcome) -> AnswerExcerpt:
    """An answer for a log line."""
    if not isinstance(outcome, Answer):
        return AnswerExcerpt(failed=outcome.reason, message=outcome.message)
    rows = tuple(excerpt_rows(tuple(outcome.rows[:_ROWS])))
    return AnswerExcerpt(outcome.columns, rows, len(outcome.rows))


def excerpt_rows(rows: tuple[Row, ...]) -> Iterator[ExcerptRow]:
    """TableRows as JSON can hold them: blobs as SQL writes them, long text cut."""
    for row in rows:
        cells: list[ExcerptCell] = []
        for cell in row:
            text = f"x'{cell.hex()}'" if isinstance(cell, bytes) else cell
            long = isinstance(text, str) and len(text) > _TEXT
            cells.append(f"{text[:_TEXT]}…" if long and isinstance(text, str) else text)
        yield tuple(cells)


def refutation_record(refutation: Refutation) -> dict[str, Any]:
    """What a search gave as JSON: its reasons, and the witness or how far it came."""
    evidence = refutation_evidence(refutation)
    reasons = [str(reason) for reason in evidence.reasons]
    if isinstance(evidence, Refuted):
        return {"reasons": reasons, **witness_record(evidence)}
    fields = {
        "undetermined": evidence.undetermined if isinstance(evidence, Tested) else 0,
        "message": evidence.message,
        "cut_by_time": evidence.cut_by_time,
        "blame": evidence.blame,
    }
    databases = evidence.databases if isinstance(evidence, Tested) else 0
    content = {name: value for name, value in fields.items() if value}
    return {"reasons": reasons, "databases": databases, **content}


def witness_record(witness: Refuted) -> dict[str, Any]:
    """A witness as JSON, for programs that read reports; every field that says something."""
    content: dict[str, Any] = {
        "sentence": witness.sentence,
        "grade": witness.grade,
        "broken": list(witness.broken),
        "origin": witness.origin,
        "tried": witness.databases,
        "size": witness.size,
        "rows": {
            name: {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}
            for name, table in witness.rows.items()
        },
        "gold": _answer_record(witness.gold),
        "prediction": _answer_record(witness.prediction),
    }
    if witness.deciding_rows:
        content["deciding_rows"] = {
            name: list(numbers) for name, numbers in witness.deciding_rows.items()
        }
    if witness.cut_by_time:
        content["cut_by_time"] = True
    if witness.other is not None:
        content |= {"kind": witness.kind, "other": _answer_record(witness.other)}
    if witness.file:
        content["file"] = witness.file
    return content


def _answer_record(answer: AnswerExcerpt) -> dict[str, Any]:
    if answer.failed is not None:
        return {"failed": str(answer.failed), "message": answer.message}
    rows = [list(row) for row in answer.rows]
    return {"columns": list(answer.columns), "rows": rows, "count": answer.count}
