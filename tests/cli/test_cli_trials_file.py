"""``evaluate`` with several answers to each question, and with what they cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result

Invoke = Callable[..., Result]
GOLDS = (
    "SELECT count(*) FROM item",
    "SELECT name FROM item",
    "SELECT name FROM item WHERE price > 2",
    "SELECT count(*) FROM member",
)
"""Those of the benchmark ``tiny``."""

WRONG = "SELECT 1"


def evaluate(invoke: Invoke, tiny: Any, answers: list[dict[str, Any]], *more: str) -> Result:
    path = tiny.root / "p.jsonl"
    path.write_text("".join(json.dumps({"id": n} | each) + "\n" for n, each in enumerate(answers)))
    data = ("--cases", tiny.gold, "--databases", tiny.databases, "--predictions", path)
    return invoke("evaluate", *data, "--out", tiny.root / "out", "--workers", 0, *more)


def test_a_file_with_trials_gives_pass_at_k(tiny: Any, invoke: Invoke) -> None:
    answers: list[dict[str, Any]] = [{"sql": [gold, gold]} for gold in GOLDS]
    answers[0]["sql"][1] = WRONG
    done = evaluate(invoke, tiny, answers)
    assert (done.exit_code, "2  100.0%           75.0%" in done.stdout) == (0, True)
    out = tiny.root / "out"
    assert f"sqlverdict table {out}/trial-* --of trials" in done.stdout
    trials = invoke("table", out / "trial-1", out / "trial-2", "--of", "trials", "--json")
    record = json.loads(evaluate(invoke, tiny, answers, "--json").stdout)
    assert record["trials"]["p"] == json.loads(trials.stdout)
    assert [run["system"] for run in record["runs"]] == ["p trial-1", "p trial-2"]
    answers[1]["sql"][1] = WRONG
    refusal = evaluate(invoke, tiny, answers)
    assert (refusal.exit_code, "the predictions changed" in refusal.stderr) == (2, True)


def test_cost_is_printed_for_each_right_answer(tiny: Any, invoke: Invoke) -> None:
    answers = [{"sql": gold, "usd": 0.5} for gold in GOLDS]
    answers[1] = {"sql": WRONG, "usd": 1.25}
    done = evaluate(invoke, tiny, answers, "--set", "prediction-column=usd=cost")
    row = next(line for line in done.stdout.splitlines() if line.startswith("cost"))
    assert row.split() == ["cost", "4", "0.6875", "0.5", "1.25", "2.75", "0.9167"]
    log: Path = tiny.root / "out" / "results.jsonl"
    assert json.loads(log.read_text().splitlines()[0])["usage"] == {"cost": 0.5}
