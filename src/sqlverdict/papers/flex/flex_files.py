"""Where FLEX's published files are in a data folder, and what is read of them.

A data folder holds a clone of FLEX's repository as ``flex``, or is one; of its folder ``results``,
``agreement`` and ``categorization_agreement`` are read, and what FLEX's scripts write beside its
prediction files. The same folders below ``published`` are read likewise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.text import stream_lines
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.papers.paper_data import MissingFile, PaperData
from sqlverdict.records import Case

GPT_4O = "gpt-4o-2024-08-06"
HALVES = ("fp", "fn")
"""The files of the pairs with equal results, and of those with different ones."""
SHOWN_FIRST = "flex/results"
_FOLDERS = (("flex", "results"), ("results",), ("flex", "published"), ("published",))


def flex_path(data: PaperData, *parts: str) -> Path:
    """A published file or folder.

    Raises:
        MissingFile: it is not there.
    """
    for folder in _FOLDERS:
        try:
            return data.path(*folder, *parts)
        except MissingFile:
            continue
    raise MissingFile("/".join((SHOWN_FIRST, *parts)))


def recorded_judges(data: PaperData) -> list[str]:
    """The judges whose replies to both halves are in the folder, GPT-4o first.

    Raises:
        MissingFile: there is no folder of pairs.
    """
    folder = flex_path(data, "agreement")
    first, second = (
        {path.stem.removeprefix(f"{half}_") for path in folder.glob(f"{half}_*.jsonl")}
        for half in HALVES
    )
    return sorted(first & second, key=lambda name: (name != GPT_4O, name))


def judged_pairs(data: PaperData, judge: str) -> list[Case]:
    """The pairs of both halves, each with a judge's reply.

    Raises:
        MissingFile: a file is not there.
    """
    reader = BENCHMARKS.get("flex")
    files = [flex_path(data, "agreement", f"{half}_{judge}.jsonl") for half in HALVES]
    return [case for file in files for case in reader.read(file).cases]


def judged_systems(data: PaperData, benchmark: str) -> dict[str, list[Mapping[str, Any]]]:
    """The answers of systems with EX and a judge's verdict, as FLEX's scripts write them.

    Args:
        data: The data folder.
        benchmark: ``bird`` or ``spider``.

    Raises:
        DataError: a line is no JSON object.
    """
    try:
        folder = flex_path(data, benchmark)
    except MissingFile:
        return {}
    # A file with categories holds the lines of the one without: it comes later, and stays.
    files = sorted(folder.glob("*_ex_judge*.jsonl"), key=lambda path: (len(path.name), path.name))
    by_system = {path.name.partition("_ex_judge")[0]: path for path in files}
    return {name: _answers(path) for name, path in sorted(by_system.items())}


def _answers(path: Path) -> list[Mapping[str, Any]]:
    answers: list[Mapping[str, Any]] = []
    for number, line in stream_lines(path, DataError):
        try:
            answer = json.loads(line)
            answers.append(
                {
                    "ex": bool(answer["ex"]),
                    "flex": answer["judge_result"] is True,
                    "difficulty": str(answer.get("hardness") or ""),
                }
            )
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path}, line {number}: expected an object with ex and judge_result ({error!r})",
                reason="wrong_value",
            ) from error
    return answers
