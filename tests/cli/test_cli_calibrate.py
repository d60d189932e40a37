"""``calibrate``: from runs and labels to counts, and back into a run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

Invoke = Callable[..., Any]
ROWS = 12


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as database:
        database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        database.executemany("INSERT INTO item VALUES (?, ?)", [(n, f"i{n}") for n in range(ROWS)])
        database.commit()
    lines = []
    for number in range(ROWS):
        gold = f"SELECT name FROM item WHERE id = {number}"
        prediction = gold if number % 2 else f"SELECT name FROM item WHERE id = {number + 100}"
        lines.append(
            {
                "id": str(number),
                "db_id": "shop",
                "database": "shop.sqlite",
                "question": f"What is item {number}?",
                "gold": gold,
                "prediction": prediction,
            }
        )
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    file = tmp_path / "labels.jsonl"
    lines = [{"id": str(number), "label": 1} for number in range(ROWS)]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


def evaluate(invoke: Invoke, cases: Path, out: Path, *more: object) -> dict[str, Any]:
    result = invoke(
        "evaluate", "--cases", cases, "--metrics", "ex,verdict", "--workers", 0, "--out", out, *more
    )
    assert result.exit_code == 0, result.output
    return {
        line["id"]: line
        for line in map(json.loads, (out / "results.jsonl").read_text().splitlines())
    }


def test_own_labels_move_probabilities(
    invoke: Invoke, cases: Path, labels: Path, tmp_path: Path
) -> None:
    before = evaluate(invoke, cases, tmp_path / "before")
    counts = tmp_path / "counts.json"
    result = invoke(
        "agree", "--calibrate", tmp_path / "before", "--labels", labels, "--out", counts
    )
    assert result.exit_code == 0, result.output
    assert "12 labelled cases, engine sqlite" in result.output
    assert "  cross-validated: calibration error" in result.output
    assert "  the package's counts on these labels: 0." in result.output
    assert "golds: your people call 6 of 6 proved answers right" in result.output
    assert "12 labels of yours are few, so the bounds stay wide: label 50 or more" in result.output
    after = evaluate(invoke, cases, tmp_path / "after", "--set", f"confidence={counts}")
    assert after["0"]["verdict"] == before["0"]["verdict"] == "incorrect"
    assert before["0"]["p_right"] < 0.3
    assert after["0"]["p_right"] > 0.5, "these people call all six of them right"
    wide, near = before["0"]["p_basis"], after["0"]["p_basis"]
    assert near["high"] - near["low"] < wide["high"] - wide["low"]
    assert not wide["own"]
    assert near["own"]
    assert near["labels"] == wide["labels"] + 6
    assert near["sets"] == wide["sets"] + 1
    words = invoke("show", tmp_path / "after", "0").output
    assert "in labelled data, yours included, 23% of such answers were right (514" in words
    report = (tmp_path / "after" / "report.md").read_text()
    assert "by your labels people would call" in report.lower()
    assert "on benchmarks like ROSE, BIRD and FLEX" not in report
    package = (tmp_path / "before" / "report.md").read_text()
    assert "benchmarks like ROSE, BIRD and FLEX people would call" in package
    alone = tmp_path / "alone.json"
    assert (
        invoke(
            "agree",
            "--calibrate",
            tmp_path / "before",
            "--labels",
            labels,
            "--out",
            alone,
            "--alone",
        ).exit_code
        == 0
    )
    lonely = evaluate(invoke, cases, tmp_path / "lonely", "--set", f"confidence={alone}")
    assert lonely["0"]["p_right"] > 0.5
    assert (lonely["0"]["p_basis"]["labels"], lonely["0"]["p_basis"]["sets"]) == (6, 1)


def test_other_counts_are_another_run(
    invoke: Invoke, cases: Path, labels: Path, tmp_path: Path
) -> None:
    evaluate(invoke, cases, tmp_path / "run")
    counts = tmp_path / "counts.json"
    invoke("agree", "--calibrate", tmp_path / "run", "--labels", labels, "--out", counts)
    again = invoke(
        "evaluate", "--cases", cases, "--metrics", "ex,verdict", "--workers", 0,
        "--out", tmp_path / "run", "--set", f"confidence={counts}",
    )  # fmt: skip
    assert again.exit_code != 0
    assert "confidence" in again.output


def test_runs_without_verdicts_and_labels_without_cases_are_refused(
    invoke: Invoke, cases: Path, labels: Path, tmp_path: Path
) -> None:
    out = tmp_path / "counts.json"
    plain = ("evaluate", "--cases", cases, "--metrics", "ex", "--workers", 0)
    assert invoke(*plain, "--out", tmp_path / "ex").exit_code == 0
    result = invoke("agree", "--calibrate", tmp_path / "ex", "--labels", labels, "--out", out)
    assert result.exit_code == 2
    assert "--metrics ex,verdict" in result.stderr
    evaluate(invoke, cases, tmp_path / "intent")
    evaluate(invoke, cases, tmp_path / "strict", "--policy", "strict")
    both = (tmp_path / "intent", tmp_path / "strict")
    assert invoke("agree", "--calibrate", *both, "--labels", labels, "--out", out).exit_code == 0, (
        "what people say of a situation does not depend on the policy"
    )
    out.unlink()
    other = tmp_path / "other.jsonl"
    other.write_text('{"id": "nobody", "label": 1}\n')
    result = invoke("agree", "--calibrate", tmp_path / "intent", "--labels", other, "--out", out)
    assert result.exit_code == 3
    assert not out.exists()


def test_labels_replace_a_set_of_their_name_as_a_whole(
    invoke: Invoke, cases: Path, labels: Path, tmp_path: Path
) -> None:
    evaluate(invoke, cases, tmp_path / "run")
    same_name, counts = tmp_path / "corrected.jsonl", tmp_path / "counts.json"
    labels.rename(same_name)
    result = invoke(
        "agree", "--calibrate", tmp_path / "run", "--labels", same_name, "--out", counts
    )
    assert result.exit_code == 0, result.output
    stored = json.loads(counts.read_text())
    assert {one["name"]: one["labels"] for one in stored["sets"]}["corrected"] == ROWS
    situations = [sets for cell, sets in stored["cells"].items() if "/" not in cell]
    assert sum(sets.get("corrected", (0, 0))[1] for sets in situations) == ROWS
    assert all(stored["cells"].values()), "a cell without labels says nothing"


def test_a_label_counts_once_and_for_one_prediction(
    invoke: Invoke, cases: Path, labels: Path, tmp_path: Path
) -> None:
    first, again, other = tmp_path / "first", tmp_path / "again", tmp_path / "other"
    out = tmp_path / "counts.json"
    evaluate(invoke, cases, first)
    evaluate(invoke, cases, again)
    result = invoke("agree", "--calibrate", first, again, "--labels", labels, "--out", out)
    assert "12 labelled cases" in result.output
    out.unlink()
    cases.write_text(cases.read_text().replace("id = 100", "id = 200"))
    evaluate(invoke, cases, other)
    result = invoke("agree", "--calibrate", first, other, "--labels", labels, "--out", out)
    assert result.exit_code == 2
    assert "several predictions for the case 0" in result.stderr
    assert not out.exists()


def test_a_folder_that_does_not_exist_is_named_as_the_user_named_it(
    invoke: Invoke, cases: Path, labels: Path, tmp_path: Path
) -> None:
    evaluate(invoke, cases, tmp_path / "run")
    out = tmp_path / "absent" / "counts.json"
    failed = invoke("agree", "--calibrate", tmp_path / "run", "--labels", labels, "--out", out)
    assert failed.exit_code == 6
    assert f"error: {out}: No such file" in failed.stderr


@pytest.mark.slow
def test_an_engine_without_labels_has_no_number_until_it_is_calibrated(
    invoke: Invoke, cases: Path, labels: Path, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as database:
        database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        database.executemany("INSERT INTO item VALUES (?, ?)", [(n, f"i{n}") for n in range(ROWS)])
    cases.write_text(cases.read_text().replace("shop.sqlite", "shop.duckdb"))
    before = evaluate(invoke, cases, tmp_path / "before", "--engine", "duckdb")
    assert {line["p_right"] for line in before.values()} == {None}
    assert "people would call" not in (tmp_path / "before" / "report.md").read_text()
    assert "in labelled data" not in invoke("show", tmp_path / "before", "1").output
    counts = tmp_path / "counts.json"
    result = invoke(
        "agree", "--calibrate", tmp_path / "before", "--labels", labels, "--out", counts
    )
    assert result.exit_code == 0, result.output
    after = evaluate(
        invoke, cases, tmp_path / "after", "--engine", "duckdb", "--set", f"confidence={counts}"
    )
    assert after["0"]["p_right"] > 0.5
    assert after["0"]["p_basis"]["own"]
