"""A small database, its cases, and runs of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlverdict import Options, evaluate
from sqlverdict.records import Case
from sqlverdict.runlog.run import Run

Lines = Callable[[Path], list[dict[str, Any]]]
LOCAL = Options(workers=0, cache=None)
GOLD = "SELECT count(*) FROM item"


def make(path: Path, rows: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
        connection.executemany("INSERT INTO item (name) VALUES (?)", [("x",)] * rows)
        connection.commit()
    return path


def shop_case(number: int, database: Path, db_id: str = "shop") -> Case:
    return Case(str(number), db_id, "?", (GOLD,), str(database))


def run_cases(
    cases: list[Case], out: Path, options: Options = LOCAL, prediction: str = "SELECT 3"
) -> Run:
    return evaluate(cases, {case.id: prediction for case in cases}, out=out, options=options)
