"""The lines of a prediction file that pairs by position, one for each case.

A blank line is an empty prediction. In the files of SParC and CoSQL it stands between two
conversations instead: there it is never a prediction, and each conversation must have as many lines
as turns, so that a line too few shifts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from sqlverdict.errors import PredictionError
from sqlverdict.files.text import count, few_of, split_lines

NumberedLine = tuple[int, str]
"""The number of a line, from 1, and its text."""


def prediction_lines(
    path: Path, text: str, expected: int, sessions: Sequence[int] = ()
) -> tuple[list[NumberedLine], tuple[str, ...]]:
    """The lines with their numbers, as many as cases, and notes.

    Args:
        path: The file, for messages.
        text: What it holds.
        expected: How many cases there are.
        sessions: How many turns each conversation has; empty: the cases are no conversations.

    Raises:
        PredictionError: there are not as many.
    """
    lines = list(enumerate(split_lines(text), 1))
    blank = [number for number, line in lines if not line.strip()]
    if sessions and blank:
        return _turns(path, lines, sessions), ()
    if len(lines) == expected:
        note = (
            f"{count(len(blank), 'line is', 'lines are')} blank (line "
            f"{few_of(blank)}): no SQL there"
        )
        return lines, (note,) if blank else ()
    advice = "Write exactly one prediction per line, in the order of the cases."
    if blank and len(lines) - len(blank) == expected:
        advice = (
            f"Without its {len(blank)} blank lines (line {few_of(blank)}) the count would be "
            "right: remove them, after checking that they do not stand for empty predictions."
        )
    elif blank:
        advice += f" Blank: line {few_of(blank)}."
    raise PredictionError(
        f"{path}: found {count(len(lines), 'line')}, expected {expected}, one for each case. "
        f"{advice}"
    )


def _turns(
    path: Path, lines: Sequence[NumberedLine], sessions: Sequence[int]
) -> list[NumberedLine]:
    """The lines of conversations that blank lines part."""
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
                f"line {group[0][0]} on, and {count(turns, 'turn')} in the benchmark. {advice}"
            )
    if len(groups) != len(sessions):
        raise PredictionError(
            f"{path}: found {count(len(groups), 'conversation')}, parted by blank lines; expected "
            f"{len(sessions)}. {advice}"
        )
    return [line for group in groups for line in group]
