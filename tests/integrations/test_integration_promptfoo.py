"""promptfoo: the assertion, and a real run of promptfoo where it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, blocks

import sqlverdict
from sqlverdict.integrations.promptfoo import get_assert

PROMPTFOO = os.environ.get("SQLVERDICT_PROMPTFOO") or shutil.which("promptfoo")


def test_a_verdict_passes_or_fails_with_its_reason(shop: Path) -> None:
    config = {"db": str(shop), "scorer": {"timeout": 5}}
    right = get_assert(RIGHT, {"vars": {"gold": GOLD}, "config": config})
    assert (right["pass"], right["score"], right["namedScores"]) == (True, 1, {"sql_correct": 1})
    wrong = get_assert(WRONG, {"vars": {"gold": GOLD, "db": str(shop)}})
    assert (wrong["pass"], wrong["namedScores"]) == (False, {"sql_correct": 0})
    assert "row_superset" in wrong["reason"]


def test_an_unscored_output_is_a_fault_of_the_grader_and_adds_no_named_score(shop: Path) -> None:
    unscored = get_assert(RIGHT, {"vars": {"gold": BROKEN, "db": str(shop)}})
    assert unscored["metadata"] == {"graderError": True}
    assert "namedScores" not in unscored
    assert unscored["reason"].startswith("unscored: ")


@pytest.mark.skipif(
    PROMPTFOO is None, reason="promptfoo is not on PATH; `make test-integrations` installs it"
)
@pytest.mark.slow
def test_promptfoo_runs_the_example_of_the_docs(shop: Path) -> None:
    assert PROMPTFOO is not None
    Path("sql_assert.py").write_text(blocks("promptfoo")[0])
    config = blocks("promptfoo", "yaml")[0]
    tests = "".join(
        f"  - vars: {json.dumps({'gold': gold, 'reply': reply})}\n"
        for gold, reply in ((GOLD, WRONG), (BROKEN, RIGHT))
    )
    Path("promptfooconfig.yaml").write_text(config + tests)
    environment = {
        **os.environ,
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_CONFIG_DIR": str(shop.parent / "settings"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PYTHONPATH": str(Path(sqlverdict.__file__).parents[1]),
    }
    command = [PROMPTFOO, "eval", "--no-cache", "--no-write", "-o", "out.json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert Path("out.json").is_file(), done.stdout + done.stderr
    results = json.loads(Path("out.json").read_text())["results"]["results"]
    by_pair = {
        (each["vars"]["gold"], each["vars"]["reply"]): (each["success"], each["namedScores"])
        for each in results
    }
    assert by_pair == {
        (GOLD, RIGHT): (True, {"sql_correct": 1}),
        (GOLD, WRONG): (False, {"sql_correct": 0}),
        (BROKEN, RIGHT): (False, {}),
    }
