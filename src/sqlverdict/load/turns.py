"""Turns of conversations: the cases of users' own files, and lines of predictions.

``session`` and ``turn`` (from 1) are fields. The turns of a session stand in their order; other
cases may stand between them. A record that stands alone says in ``earlier`` what was asked before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlverdict.errors import BenchmarkError, PredictionError, UsageError, column_option
from sqlverdict.files.text import count
from sqlverdict.records import Case

TURN_FIELDS = ("session", "turn", "earlier")
NumberedLine = tuple[int, str]
"""The number of a line, from 1, and its text."""


class TurnReader:
    """Gives the cases of one pass over a user's file their turns."""

    def __init__(self) -> None:
        self._questions: dict[str, list[str]] = {}

    def with_turn(self, case: Case, record: Mapping[str, Any], where: str) -> Case:
        """The case as a turn, where its record says that it is one.

        Raises:
            BenchmarkError: a field is missing, or the turn does not follow the one before.
        """
        session, turn = record.get("session"), record.get("turn")
        if session is None and turn is None and record.get("earlier") is None:
            return case
        session = str(session) if isinstance(session, int) else session
        if not isinstance(session, str) or not session or turn is None:
            raise BenchmarkError(
                f"{where}: case {case.id!r} has the session {session!r} and the turn {turn!r}. "
                "Expected both: a turn of a conversation. Leave out a column that means something "
                "else: ",
                column_option("turn" if turn is not None else "session", "off"),
                reason="missing_field",
            )
        before = self._questions.setdefault(session, [])
        number, earlier = _whole(turn), _texts(record.get("earlier"), where)
        if number is None or (earlier is None and number != len(before) + 1):
            raise BenchmarkError(
                f"{where}: case {case.id!r} is turn {turn!r} of session {session!r}, which has "
                f"{len(before)} turns before it. Expected the turns in their order, from 1; a case "
                "that stands alone has the questions before it in 'earlier'.",
                reason="wrong_value",
            )
        earlier = tuple(before) if earlier is None else earlier
        before.append(case.question)
        try:
            return replace(case, session=session, turn=number, earlier=earlier)
        except UsageError as wrong:
            raise BenchmarkError(f"{where}: {wrong}", reason="wrong_value") from wrong


def in_turn_of(case: Case, known: Case) -> Case:
    """The case in the same turn: a case with trials has a record for each, and is one turn."""
    return replace(case, session=known.session, turn=known.turn, earlier=known.earlier)


def _whole(value: object) -> int | None:
    text = str(value) if isinstance(value, int | float | str) else ""
    text = text.removesuffix(".0").strip()
    return int(text) if text.isascii() and text.isdigit() else None


def _texts(value: object, where: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise BenchmarkError(
            f"{where}: 'earlier' is {value!r}. Expected a list of questions.", reason="wrong_value"
        )
    return tuple(value)


def session_sizes(cases: Iterable[Case]) -> tuple[int, ...]:
    """How many turns each conversation has, in order; empty where a case is no turn of one."""
    sessions = []
    for case in cases:
        if not case.session:
            return ()
        sessions.append(case.session)
    return tuple(sum(1 for _ in group) for _, group in groupby(sessions))


def turn_lines(
    path: Path, lines: Sequence[NumberedLine], sessions: Sequence[int]
) -> list[NumberedLine]:
    """The predictions of conversations that blank lines part, as in SParC and CoSQL.

    A blank line is never a prediction there. Each conversation must have as many lines as turns,
    so that a line too few shifts nothing.

    Args:
        path: The file, for messages.
        lines: All lines of the file.
        sessions: How many turns each conversation has.

    Raises:
        PredictionError: a conversation has another number of lines, or one is missing.
    """
    groups = [
        list(group)
        for filled, group in groupby(lines, lambda line: bool(line[1].strip()))
        if filled
    ]
    advice = (
        "A blank line parts two conversations and is no prediction: write a query for each turn, "
        "or use a format with ids, where null is an abstention."
    )
    for position, (group, turns) in enumerate(zip(groups, sessions, strict=False)):
        if len(group) != turns:
            raise PredictionError(
                f"{path}: conversation {position} (from 0) has {count(len(group), 'line')}, from "
                f"line {group[0][0]} on, and {count(turns, 'turn')} in the benchmark. {advice}",
                reason="mismatch",
            )
    if len(groups) != len(sessions):
        raise PredictionError(
            f"{path}: found {count(len(groups), 'conversation')}, parted by blank lines; expected "
            f"{len(sessions)}. {advice}",
            reason="mismatch",
        )
    return [line for group in groups for line in group]
