"""How many instructions a run takes; counted by cachegrind, they do not depend on other load.

Four figures. Spider dev with four published systems: execution, comparison and logging by ``ex``
against plain ``sqlite3``, as in ``execution.py``, but in one process, with the garbage collector
set as workers set it and without what is loaded once. Calls of ``Scorer`` on every sixth pair of
``scorer.py``: new ones, and predictions of another system to golds that are known. There, too, the
collector is set as workers set it: a look through all objects, which every so many new ones bring
about, is that of no call. Proofs and searches for a witness on every 40th pair of three files, each
without the other. And the whole command ``evaluate`` on 4,000 inline cases of one tiny query: what
the program itself takes, its start included.

Run: ``python bench/instructions.py``; needs valgrind, and SQLVERDICT_DATA for the first three.
"""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from execution import DATA, floor, load, ours
from refute import pairs
from scorer import connections, pairs_of
from sqlverdict.api.scorer import Scorer
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.parse.plain_order import plain_order
from sqlverdict.parse.query import parse
from sqlverdict.prove.prover import prove
from sqlverdict.refute.search import find_witness
from sqlverdict.run.garbage import THRESHOLDS, seldom_collecting
from sqlverdict.runlog.folder import RunFolder

_CASES = 4_000
_EVERY = 6
_PARTS = ("start", "floor", "run")
_SCORED_PARTS = ("no_pairs", "new_pairs", "known_golds")
_DECIDED = (("spider", "DAIL"), ("spider", "C3"), ("bird", "DAIL"))
_EVERY_DECIDED = 40
_FIRST = 3
_DECIDED_PARTS = ("first_pairs", "proofs", "searches")


def count_instructions(*command: str) -> int:
    """The instructions of a Python program."""
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed")
    tool = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [*tool, sys.executable, *command], capture_output=True, text=True, env=environment
    )
    count = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or count is None:
        sys.exit(done.stderr)
    return int(count[1].replace(",", ""))


def part(name: str) -> None:
    """What one of the counted processes of the first figure does."""
    cases, predictions = load()
    with tempfile.TemporaryDirectory() as folder:
        # What the first run loads belongs to no case.
        ours(cases[:1], predictions, Path(folder) / "first", workers=0)
        RELATIONS.names()
        parse("SELECT 1")
        plain_order("SELECT 1")
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)
        if name == "floor":
            floor(cases, list(predictions.values()))
        elif name == "run":
            with patch.object(RunFolder, "summarise", lambda _: None):
                ours(cases, predictions, Path(folder) / "run", workers=0)


@seldom_collecting()
def score_pairs(name: str) -> None:
    """What one of the counted processes of the second figure does."""
    pairs, others = pairs_of("DAIL")[::_EVERY], pairs_of("C3")[::_EVERY]
    with Scorer() as scorer:
        # Imports, schemas and digests of files belong to no pair.
        for pair in pairs:
            connections()(pair)
        for pair in pairs[::20]:
            scorer(*pair)
    if name in ("new_pairs", "known_golds"):
        for pair in pairs:
            scorer(*pair)
    if name == "known_golds":
        for pair in others:
            scorer(*pair)


@seldom_collecting()
def decide_pairs(name: str) -> int:
    """What one of the counted processes of the third figure does; how many pairs it counts."""
    selected = [
        pair for bench, system in _DECIDED for pair in [*pairs(bench, system)][::_EVERY_DECIDED]
    ]
    for gold, prediction, schema, _ in selected[:_FIRST]:
        # Rules and strategies are loaded once.
        prove(gold, prediction, schema)
        find_witness(gold, prediction, schema)
    for gold, prediction, schema, _ in selected[_FIRST:]:
        if name == "proofs":
            prove(gold, prediction, schema)
        elif name == "searches":
            find_witness(gold, prediction, schema)
    return len(selected) - _FIRST


def inline_cases(folder: Path) -> Path:
    """A file of trivial cases with their predictions, and their database."""
    connection = sqlite3.connect(folder / "t.sqlite")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, n % 7) for n in range(20)])
    connection.commit()
    connection.close()
    file = folder / "cases.jsonl"
    with file.open("w") as lines:
        for number in range(_CASES):
            gold = f"SELECT v FROM t WHERE id = {number % 20}"
            case = {"id": str(number), "db_id": "t", "database": "t.sqlite", "gold": gold}
            prediction = gold if number % 3 else f"{gold} AND 1 = 1"
            lines.write(json.dumps({**case, "question": "q", "prediction": prediction}) + "\n")
    return file


def evaluate(cases: Path, name: str, *more: str) -> int:
    """The instructions of the command, in one process and with a new cache."""
    folder = cases.parent
    new = ("--set", f"cache={folder / f'{name}.sqlite'}", "--out", str(folder / name))
    command = ("-m", "sqlverdict", "evaluate", "--cases", str(cases), "--quiet", "--workers", "0")
    return count_instructions(*command, *new, *more)


def main() -> None:
    if len(sys.argv) > 1:
        if sys.argv[1] in _PARTS:
            part(sys.argv[1])
        elif sys.argv[1] in _SCORED_PARTS:
            score_pairs(sys.argv[1])
        else:
            decide_pairs(sys.argv[1])
        return
    print("| measure | million instructions |\n| --- | --- |")
    if (DATA / "spider" / "dev_gold.sql").is_file():
        start, base, run = (count_instructions(__file__, name) for name in _PARTS)
        base, run = base - start, run - start
        print(f"| floor: each distinct query once, by sqlite3 alone | {base // 10**6:,} |")
        print(f"| four systems, ex, until the logs are finished | {run // 10**6:,} |")
        print(f"| ratio | {run / base:.2f} |")
        start, new, known = (count_instructions(__file__, name) for name in _SCORED_PARTS)
        count = len(pairs_of("DAIL")[::_EVERY])
        print(f"| one call of Scorer, a new pair | {(new - start) / count / 10**6:.2f} |")
        print(f"| one call of Scorer, a known gold | {(known - new) / count / 10**6:.2f} |")
        start, proofs, searches = (count_instructions(__file__, name) for name in _DECIDED_PARTS)
        count = decide_pairs("first_pairs")
        print(f"| a proof, or none | {(proofs - start) / count / 10**6:.1f} |")
        print(f"| a search for a witness | {(searches - start) / count / 10**6:.1f} |")
    with tempfile.TemporaryDirectory() as name:
        cases = inline_cases(Path(name))
        whole = evaluate(cases, "whole")
        one = evaluate(cases, "one", "--limit", "1")
    print(f"| evaluate --cases, {_CASES:,} inline cases of one tiny query | {whole // 10**6:,} |")
    print(f"| the same with one case | {one // 10**6:,} |")


if __name__ == "__main__":
    main()
