"""How many files a prediction's text passes on its way from the command to the comparison."""

from __future__ import annotations

import dataclasses
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
from click.testing import Result

import sqlverdict

Invoke = Callable[..., Result]
ROOT = f"{Path(sqlverdict.__file__).parent}/"
STRICT = "compare/presets/strict.py"
MARK = "mark_7391"
PREDICTION = f"SELECT a FROM t WHERE a > 0 AND b <> 'x' AND b <> 'another' AND b <> '{MARK}'"
# The state of a file is told by its first bytes too: the mark stands behind them.
FIRST = "SELECT 'a line that is longer than the hundred bytes at the head of a file, as it is'"
MOST = 19
"""Files must be fewer: each of them is a place to look at when a text goes wrong."""


def parts(value: object) -> Iterator[object]:
    """What a value is made of, where it is a collection or a record."""
    if isinstance(value, dict):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, tuple | list | set | frozenset):
        yield from value
    elif isinstance(value, msgspec.Struct):
        yield from (getattr(value, name) for name in value.__struct_fields__)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from (getattr(value, field.name, None) for field in dataclasses.fields(value))


def holds_text(value: object, depth: int = 5) -> bool:
    """Whether a value is the marked text, or a record that carries it."""
    if isinstance(value, str):
        return MARK in value
    return depth > 0 and any(holds_text(part, depth - 1) for part in parts(value))


def test_a_text_passes_few_files_before_its_answer_is_compared(
    invoke: Invoke, tmp_path: Path
) -> None:
    (tmp_path / "d").mkdir()
    with closing(sqlite3.connect(tmp_path / "d" / "d.sqlite")) as database:
        database.executescript("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'y'), (2, 'z');")
    (tmp_path / "gold.txt").write_text("SELECT 1\td\nSELECT a FROM t ORDER BY a DESC\td\n")
    (tmp_path / "predictions.txt").write_text(f"{FIRST}\n{PREDICTION}\n")
    files: set[str] = set()
    compared = False

    def look(frame: FrameType, event: str, returned: Any) -> None:
        nonlocal compared
        code = frame.f_code
        if compared or event not in ("call", "return") or not code.co_filename.startswith(ROOT):
            return
        file = code.co_filename.removeprefix(ROOT)
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        passed = [frame.f_locals.get(name) for name in names if name != "self"]
        if any(map(holds_text, [returned] if event == "return" else passed)):
            files.add(file)
            compared = event == "call" and (code.co_name, file) == ("compare", STRICT)

    arguments = ("--cases", tmp_path / "gold.txt", "--databases", tmp_path)
    predictions = ("--predictions", tmp_path / "predictions.txt", "--out", tmp_path / "run")
    sys.setprofile(look)
    try:
        done = invoke("evaluate", *arguments, *predictions, "--no-cache", "--workers", 0)
    finally:
        sys.setprofile(None)
    assert done.exit_code == 0, done.output
    assert compared
    assert {"load/replies/fenced.py", "run/examine.py", "execute/query_runner.py"} < files
    assert len(files) < MOST, sorted(files)
