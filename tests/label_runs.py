"""A small run with its database, for the tests of labelling: a lucky match, a difference, an error.

Questions, queries and data hold what must stay text in a page.
"""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlverdict.evidence import Refuted, Related, Tested
from sqlverdict.evidence_parts import AnswerExcerpt, TableExcerpt
from sqlverdict.label.session import LabelSession
from sqlverdict.label.session_key import KEY_FILE, SessionKey, save_key
from sqlverdict.records import Result, Verdict
from sqlverdict.runlog.folder import RunFolder
from sqlverdict.runlog.log import encode_result
from sqlverdict.runlog.manifest import Manifest
from sqlverdict.runlog.run import Run
from timeouts import HANG_SECONDS

OpenSession = Callable[..., LabelSession]
"""Opens a session of two annotators, ann and bob."""

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
SECRET = bytes(range(32))
"""That of a label folder; orders and ids follow from it."""
SECRET_SYSTEM = "system-that-nobody-may-see"
SCRIPT = f"""
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL);
INSERT INTO item VALUES (1, 'pen', 1.5), (2, 'pad', 2.5), (3, '{HOSTILE}', 4.0);
"""
KNOWLEDGE = "prices are in euros"
PAIRS = (
    ("How many items are there?", "SELECT COUNT(*) FROM item", "SELECT COUNT(name) FROM item"),
    ("List the names.", "SELECT name FROM item", "SELECT name FROM item WHERE price > 2"),
    (HOSTILE, "SELECT name FROM item WHERE id = 3", f'SELECT name AS "{HOSTILE}" FROM item'),
    ("What is the price of the pen?", "SELECT price FROM item WHERE name = 'pen'", "SELECT 1.5"),
    (
        "Which item is last?",
        "SELECT name FROM item ORDER BY id DESC LIMIT 1",
        "SELECT nme FROM item",
    ),
    ("Which items cost 9?", "SELECT name FROM item WHERE price = 9", "SELECT id FROM item LIMIT 0"),
)


def witness() -> Refuted:
    """A witness of one row."""
    return Refuted(
        "refute",
        grade="ordinary",
        sentence="a name is NULL",
        size=1,
        rows={"item": TableExcerpt(("id", "name"), ((1, None),))},
        gold=AnswerExcerpt(("COUNT(*)",), ((1,),), 1),
        prediction=AnswerExcerpt(("COUNT(name)",), ((0,),), 1),
    )


def results() -> list[Result]:
    """One result a pair; the first is a lucky match, the fourth is left to people."""
    right = (True, False, False, True, False, True)
    verdicts = {0: Verdict.INCORRECT, 3: Verdict.NEEDS_REVIEW}
    return [
        Result(
            index=index,
            id=f"q{index}",
            db_id="shop",
            question=question,
            gold=(gold,),
            prediction=prediction,
            abstained=False,
            verdict=verdicts.get(index, Verdict.CORRECT if right[index] else Verdict.INCORRECT),
            scores={"ex": float(right[index]), "esm": 0.0},
            knowledge=KNOWLEDGE if index == 1 else "",
            situation="ordinary_witness" if index == 0 else "",
            evidence=(Tested("compare"), witness())
            if index == 0
            else (Tested("compare") if right[index] else Related("compare"),),
        )
        for index, (question, gold, prediction) in enumerate(PAIRS)
    ] + [
        Result(6, "q6", "shop", "Who?", ("SELECT 1",), None, True, Verdict.ABSTAINED_WRONG),
    ]


def write_run(
    folder: Path,
    every: list[Result] | None = None,
    system: str = SECRET_SYSTEM,
    benchmark: str = "tiny",
) -> Run:
    """A finished run of these results."""
    every = results() if every is None else every
    manifest = Manifest(
        system=system,
        benchmark=benchmark,
        inputs={},
        metrics={"ex": 1, "esm": 1},
        binary=("ex", "esm"),
        engine="sqlite",
        engine_version="3",
        limits={},
        sqlverdict="0",
        preset="strict",
    )
    run = RunFolder(folder, manifest, overwrite=True)
    run.append((result.index, encode_result(result)) for result in every)
    return run.finish(cases=len(every))


def write_database(folder: Path) -> Path:
    """The folder of databases."""
    (folder / "shop").mkdir(parents=True)
    with closing(sqlite3.connect(folder / "shop" / "shop.sqlite")) as connection:
        connection.executescript(SCRIPT)
    return folder


@dataclass
class LabelServer:
    """A running ``sqlverdict label``: its process, and its addresses by name."""

    process: subprocess.Popen[str]
    links: dict[str, str]


@contextmanager
def label_server(run: Path, databases: Path, *options: str) -> Iterator[LabelServer]:
    """Start the command as a user does, and end it at the end; its orders are no matter of chance."""
    if not (run / "labels" / KEY_FILE).exists():
        save_key(run / "labels", SessionKey(SECRET))
    line = [sys.executable, "-m", "sqlverdict", "label", str(run), "--databases", str(databases)]
    process = subprocess.Popen(
        [*line, "--no-browser", *options], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    try:
        assert process.stdout is not None
        links: dict[str, str] = {}
        for text in process.stdout:
            match = re.fullmatch(r"  (\S.*?) +(http://\S+)\n", text)
            if match:
                links[match[1].split()[0]] = match[2]
            if text.startswith("stop with"):
                break
        yield LabelServer(process, links)
    finally:
        process.terminate()
        process.wait(HANG_SECONDS)
        assert process.stdout is not None
        process.stdout.close()
