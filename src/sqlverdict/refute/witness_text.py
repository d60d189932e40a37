"""What a witness file says in its comments: the queries, their answers, and how it was found.

The one line ``-- witness {...}`` says the same to a program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.execute.engine import DEFAULT_ENGINE
from sqlverdict.records import Answer, Contract, Outcome
from sqlverdict.refute.trial.literals import cell_text
from sqlverdict.refute.witness import Witness, at_moment

FORMAT = 1
MARK = "-- witness "
_IN_QUERIES = "-- The rows were written into the queries: no table was made on the server."
_MOST_ROWS = 20
"""How many rows of an answer the comment of a file lists."""


class WitnessHeader(msgspec.Struct, frozen=True):
    """What a witness file says besides its rows."""

    format: int
    gold: str
    prediction: str
    preset: str = DEFAULT_PRESET
    contract: Contract | None = None
    sentence: str = ""
    grade: str = "ungraded"
    db_id: str = ""
    engine: str = DEFAULT_ENGINE
    in_queries: bool = False
    now: str = ""

    @property
    def queries(self) -> tuple[str, str]:
        """The gold and the prediction as they are run: with a fixed time where they ask for it."""
        return at_moment(self.gold, self.prediction, self.now, self.engine)


def comment_lines(witness: Witness, header: WitnessHeader) -> list[str]:
    """The comment at the head of a witness file; its last line is for programs."""
    lines = [
        "-- A witness of sqlverdict: a database on which two queries differ.",
        "-- Run it again: sqlverdict refute --replay FILE",
        "--",
        *_comment(header.sentence or "they differ on this database", "-- "),
        f"-- Grade: {witness.grade}. Compared under the preset {_one_line(header.preset)}.",
        *([_IN_QUERIES] if header.in_queries else []),
        *(line for broken in witness.broken for line in _comment(f"Breaks: {broken}", "-- ")),
    ]
    if witness.now:
        lines.append(f"-- The clock shows {_one_line(witness.now)} (UTC) to both queries.")
    for side, sql, outcome in (
        ("Gold", witness.gold_sql, witness.gold),
        ("Prediction", witness.prediction_sql, witness.prediction),
    ):
        lines += ["--", f"-- {side}:", *_comment(sql), f"-- {_returns(outcome)}"]
        lines += [line for row in _answer_rows(outcome) for line in _comment(row)]
    if witness.other is not None:
        lines += ["--", "-- The prediction leaves its answer open. In another legal order:"]
        lines += [f"-- {_returns(witness.other)}"]
        lines += [line for row in _answer_rows(witness.other) for line in _comment(row)]
    # In ASCII, so that no character in it can end the comment or turn the reading direction.
    lines += ["--", MARK + json.dumps(header_fields(header))]
    return lines


def header_fields(header: WitnessHeader) -> dict[str, Any]:
    """What a file says of a witness, by name; the moment only where a query reads the clock."""
    fields: dict[str, Any] = msgspec.to_builtins(header)
    return fields if header.now else {n: field for n, field in fields.items() if n != "now"}


def header_of(witness: Witness, preset: str, contract: Contract | None) -> WitnessHeader:
    """What a file says of a witness besides its rows."""
    from sqlverdict.refute.explain.sentence import sentence

    return WitnessHeader(
        FORMAT,
        witness.gold_sql,
        witness.prediction_sql,
        preset,
        contract,
        witness.sentence or sentence(witness, preset=preset, contract=contract),
        witness.grade,
        witness.instance.schema.db_id,
        witness.engine,
        witness.in_queries,
        witness.now,
    )


def _returns(outcome: Outcome) -> str:
    if not isinstance(outcome, Answer):
        return f"It fails: {_one_line(f'{outcome.reason}: {outcome.message}')}"
    count = len(outcome.rows)
    return f"It returns {count} row{'' if count == 1 else 's'}{':' if count else '.'}"


def _answer_rows(outcome: Outcome) -> Iterator[str]:
    if not isinstance(outcome, Answer) or not outcome.rows:
        return
    yield " | ".join(outcome.columns)
    for row in outcome.rows[:_MOST_ROWS]:
        yield " | ".join(map(cell_text, row))
    if len(outcome.rows) > _MOST_ROWS:
        yield f"... and {len(outcome.rows) - _MOST_ROWS} more"


def _comment(text: str, start: str = "--     ") -> list[str]:
    """Text as comment lines: whatever ends a line anywhere begins a comment again."""
    return [f"{start}{_one_line(line)}".rstrip() for line in text.splitlines()] or [start.rstrip()]


def _one_line(text: str) -> str:
    """Text without control characters, line ends and changes of reading direction."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
