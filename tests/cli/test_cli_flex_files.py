"""FLEX's own result files, from loading to its leaderboard and its charts of kinds of error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Invoke = Callable[..., Result]

FATAL = ("incorrect_schema_linking", "incorrect_filtering_condition", "other_fatal_issues")
MINOR = ("different_output_structure", "incorrect_ground_truth_query", "other_minor_issues")


def labels(names: tuple[str, ...], *issued: str) -> dict[str, Any]:
    return {
        name: {"issued": name in issued, "explanation": "so" if name in issued else ""}
        for name in names
    }


def line(index: int, ex: int, right: bool, sql: str, kinds: object = None) -> dict[str, Any]:
    return {
        "index": index,
        "schema": "Database: shop\nCREATE TABLE item (id INTEGER PRIMARY KEY, price REAL);",
        "question": f"How many, {index}?",
        "hint": "",
        "pred_sql": sql,
        "pred_exec": "| 1 |\nshape=(1, 1)",
        "gt_sql": "SELECT count(*) FROM item",
        "gt_exec": "| 1 |\nshape=(1, 1)" if ex else "| 4 |\nshape=(1, 1)",
        "judge_text": f'As asked.\n```json\n{{"correct": {json.dumps(right)}}}\n```',
        "judge_result": right,
        "hardness": "simple",
        "ex": ex,
        **({} if kinds is None else {"judge_result_category": kinds}),
    }


def judged_file(folder: Path, system: str, *, last_right: bool) -> Path:
    """A file as FLEX's scripts leave it: a match, a false positive, three others, a failure."""
    failed = {
        **line(4, 0, False, "SELECT x FROM item"),
        "pred_exec": None,
        "gt_exec": None,
        "judge_text": "no such column: x",
        "judge_result": "error",
    }
    last = labels(MINOR, MINOR[1]) if last_right else labels(FATAL)
    lines = [
        line(0, 1, True, "SELECT count(id) FROM item"),
        line(1, 1, False, "SELECT count(price) FROM item", labels(FATAL, FATAL[1])),
        line(2, 0, True, "SELECT count(*), 1 FROM item", labels(MINOR, MINOR[0], MINOR[2])),
        line(3, 0, False, "SELECT 3", {"llm_error": "Invalid JSON format"}),
        failed,
        line(5, 0, last_right, "SELECT 5", last),
    ]
    path = folder / f"{system}_ex_judge_cat.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def evaluated(invoke: Invoke, folder: Path, system: str, *, last_right: bool) -> Path:
    file, out = judged_file(folder, system, last_right=last_right), folder / system
    options = ("--judge", "replay", "--metrics", "ex,flex", "--name", system, "--out", out)
    done = invoke("evaluate", "--benchmark", "flex", "--root", file, *options)
    assert done.exit_code == 0, done.output
    return out


def test_leaderboard_and_kinds_of_error_come_from_flexs_files(
    invoke: Invoke, tmp_path: Path
) -> None:
    runs = [
        evaluated(invoke, tmp_path, "SuperSQL", last_right=True),
        evaluated(invoke, tmp_path, "CHESS", last_right=False),
    ]
    figures = ("--figures", tmp_path / "figures")
    board = invoke("leaderboard", *runs, "--metric", "flex", "--baseline-metric", "ex", *figures)
    values = "SuperSQL 50.00% 33.33% +16.67 16.67% 33.33%"
    assert values in " ".join(board.output.split())
    scatter = (tmp_path / "figures/flex_scores.svg").read_text()
    assert ">SuperSQL<" in scatter
    assert ">CHESS<" in scatter

    result = invoke("table", *runs, "--of", "categories", "--metric", "flex", "--json", *figures)
    shares = {
        (share["outcome"], share["label"]): (share["count"], share["cases"])
        for share in json.loads(result.stdout)["shares"]
        if (share["by"], share["group"]) == ("judge", "all")
    }
    assert shares == {
        ("FN", "output_structure"): (2, 3),
        ("FN", "wrong_gold"): (1, 3),
        ("FN", "other_minor"): (2, 3),
        ("FP", "filtering"): (2, 2),
        ("TN", "sql_error"): (2, 3),  # the two that failed, and the one with no label
    }
    assert "± standard deviation" in (tmp_path / "figures/errors.svg").read_text()

    report = (runs[0] / "report.md").read_text()
    assert "| wrong | filtering | 1 | 100.0% |" in report
    assert "| right | wrong_gold | 1 | 50.0% |" in report
    view = invoke("show", runs[0], "3")
    assert "uncategorised" in view.output


def test_kinds_of_error_need_no_option_and_no_model(invoke: Invoke, tmp_path: Path) -> None:
    run = evaluated(invoke, tmp_path, "CHESS", last_right=True)
    command = ("--judge", "replay", "--metrics", "ex,flex", "--categories")
    again = tmp_path / "again"
    file = tmp_path / "CHESS_ex_judge_cat.jsonl"
    invoke("evaluate", "--benchmark", "flex", "--root", file, *command, "--out", again)
    assert labels_of(run) == labels_of(again)
    assert labels_of(run)["2"] == ["output_structure", "other_minor"]


def labels_of(run: Path) -> dict[str, list[str]]:
    return {
        result["id"]: [
            label for piece in result["evidence"] for label in piece.get("categories", ())
        ]
        for result in map(json.loads, (run / "results.jsonl").read_text().splitlines())
    }


def test_the_files_of_pairs_and_the_table_of_experts_give_agreement(
    invoke: Invoke, tmp_path: Path
) -> None:
    """FLEX's tables 3 to 5: both files of pairs as one, and its table with a label of each."""
    matches = [line(7, 1, right, "SELECT 7") for right in (True, False, True)]
    mismatches = [line(7, 0, right, "SELECT 7") for right in (False, True, False)]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in (*mismatches, *matches)))
    labels = tmp_path / "experts.csv"
    labels.write_text("Index,FP_consensus,FN_consensus\n5,1,0\n8,0,1\n9,0,0\n")
    options = ("--judge", "replay", "--metrics", "ex,flex", "--out", tmp_path / "run")
    invoke("evaluate", "--benchmark", "flex", "--root", file, *options)
    report = json.loads(invoke("agree", tmp_path / "run", "--labels", labels, "--json").stdout)
    accuracy = {
        each["metric"]: (each["accuracy"], each["n"]) for each in report["metrics"].values()
    }
    assert accuracy["flex"] == (pytest.approx(5 / 6), 6)
    assert accuracy["ex"] == (pytest.approx(3 / 6), 6)
