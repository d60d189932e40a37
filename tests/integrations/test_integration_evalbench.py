"""Google evalbench: the script as evalbench runs it, and evalbench's own class around it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, blocks

import sqlverdict

SPEC = find_spec("evalbench")
HOME = None if SPEC is None else Path(str(SPEC.origin)).parent
PAIRS = [(RIGHT, GOLD, 100.0), (WRONG, GOLD, 0.0), (RIGHT, BROKEN, None), ("", GOLD, 0.0)]


@pytest.fixture
def script(shop: Path) -> Path:
    path = shop.parent / "score.py"
    path.write_text(blocks("Google evalbench")[0])
    return path


def pair(sql: str, gold: str) -> dict[str, Any]:
    return {
        "nl_prompt": "Which items?",
        "golden_query": gold,
        "query_type": "DQL",
        "golden_execution_result": [],
        "golden_eval_result": None,
        "golden_error": None,
        "generated_query": sql,
        "generated_execution_result": [],
        "generated_eval_result": None,
        "generated_error": None,
        "database": "shop",
    }


def check(value: float, reason: str, expected: float | None) -> None:
    if expected is None:
        assert math.isnan(value)
        assert reason.startswith("UNSCORED: ")
    else:
        assert value == expected
        assert reason


@pytest.mark.slow
@pytest.mark.parametrize(("sql", "gold", "expected"), PAIRS)
def test_the_script_of_the_docs_scores_a_pair(
    script: Path, sql: str, gold: str, expected: float | None
) -> None:
    done = subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps({**pair(sql, gold), "sqlite_db_dir": str(script.parent)}),
        capture_output=True,
        text=True,
        check=True,
    )
    reply = json.loads(done.stdout)
    check(reply["score"], reply["reason"], expected)


@pytest.mark.parametrize("gold", [None, "", []])
def test_a_pair_without_a_gold_is_unscored_and_not_zero(shop: Path, gold: Any) -> None:
    from sqlverdict.integrations.evalbench import score

    reply = score({**pair(RIGHT, GOLD), "golden_query": gold}, db=shop)
    check(reply["score"], reply["reason"], None)
    without = pair(RIGHT, GOLD)
    del without["golden_query"]
    check(score(without, db=shop)["score"], reply["reason"], None)


@pytest.mark.slow
def test_a_pair_without_a_database_is_unscored_and_not_zero(script: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps(pair(RIGHT, GOLD)),
        capture_output=True,
        text=True,
        check=True,
    )
    check(json.loads(done.stdout)["score"], json.loads(done.stdout)["reason"], None)


@pytest.mark.skipif(
    HOME is None or not (HOME / "scorers" / "pythonscorer.py").is_file(),
    reason="google-evalbench is not installed; `make test-integrations` tests it",
)
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("sql", "gold", "expected"), PAIRS)
def test_evalbench_runs_the_script(
    script: Path, monkeypatch: pytest.MonkeyPatch, sql: str, gold: str, expected: float | None
) -> None:
    # evalbench's modules import each other from its own folder.
    monkeypatch.syspath_prepend(str(HOME))
    from scorers.pythonscorer import PythonScorer  # type: ignore[import-not-found]

    # evalbench starts scripts with uv, which would install sqlverdict from an index.
    uv = script.parent / "uv"
    uv.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$3"\n')
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(Path(sqlverdict.__file__).parents[1]))
    scorer = PythonScorer({"script_path": str(script), "databases": str(script.parent)})
    value, reason = scorer.compare(**pair(sql, gold))
    check(value, reason, expected)
