"""A column map with a column that no file has is an error, in every format and at every door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import sqlverdict as sv
from small_databases import sqlite_file
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import UsageError

GOLD = "SELECT count(*) FROM item"
CASE = {"id": "1", "question": "How many?", "gold": GOLD}
ANSWER = {"id": "1", "prediction": GOLD}
WITH_NAMES = ("csv", "tsv", "xlsx", "parquet", "jsonl", "json")
"""Formats whose records have names."""
OTHERS: dict[str, Any] = {
    "lines.txt": f"{GOLD}\n",
    "lines_db.txt": f"{GOLD}\tshop\n",
    "bird.json": json.dumps({"1": f"{GOLD}\t----- bird -----\tshop"}),
    "map.json": json.dumps({"1": GOLD}),
    "list.json": json.dumps([GOLD]),
}
"""Files of predictions without names."""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return sqlite_file(tmp_path / "shop.sqlite", "CREATE TABLE item (id INTEGER PRIMARY KEY)")


def write(folder: Path, name: str, suffix: str, record: dict[str, str]) -> Path:
    path = folder / f"{name}.{suffix}"
    match suffix:
        case "csv" | "tsv":
            mark = "," if suffix == "csv" else "\t"
            path.write_text(f"{mark.join(record)}\n{mark.join(record.values())}\n")
        case "xlsx":
            import openpyxl

            workbook = openpyxl.Workbook()
            assert workbook.active is not None
            workbook.active.append([*record])
            workbook.active.append([*record.values()])
            workbook.save(path)
        case "parquet":
            arrow = pytest.importorskip("pyarrow")
            parquet = pytest.importorskip("pyarrow.parquet")
            parquet.write_table(arrow.table({key: [text] for key, text in record.items()}), path)
        case "jsonl":
            path.write_text(json.dumps(record) + "\n")
        case "json":
            path.write_text(json.dumps([record]))
    return path


def evaluate(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(sqlverdict, ["evaluate", *map(str, words)])
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize("target", ["question", "difficulty", "tags.x", "prediction", "id"])
@pytest.mark.parametrize("suffix", WITH_NAMES)
def test_cases_with_answers_lack_a_column(
    tmp_path: Path, shop: Path, suffix: str, target: str
) -> None:
    file = write(tmp_path, "cases", suffix, {**CASE, **ANSWER})
    words = ("--cases", file, "--databases", shop, "--out", tmp_path / "run")
    code, output = evaluate(*words, "--column", f"Absent={target}")
    assert (code, "there is no column 'Absent'" in output) == (2, True), output
    assert evaluate(*words)[0] == 0
    with pytest.raises(UsageError, match="Absent"):
        sv.evaluate(file, db=shop, columns={"Absent": target})


@pytest.mark.parametrize("suffix", WITH_NAMES)
def test_predictions_lack_a_column(tmp_path: Path, shop: Path, suffix: str) -> None:
    cases = write(tmp_path, "cases", "jsonl", CASE)
    answers = write(tmp_path, "answers", suffix, {**ANSWER, "usd": "1"})
    words = ("--cases", cases, "--databases", shop, "--predictions", answers)
    words = (*words, "--out", tmp_path / "run")
    for option in (("--column", "Absent=cost"), ("--set", "prediction-column=Absent=cost")):
        code, output = evaluate(*words, *option)
        assert (code, "there is no column 'Absent'" in output) == (2, True), output
        assert "answers" in output
    assert evaluate(*words, "--column", "usd=cost")[0] == 0
    for argument in ("columns", "prediction_columns"):
        with pytest.raises(UsageError, match="Absent"):
            sv.evaluate(cases, answers, db=shop, **{argument: {"Absent": "cost"}})


@pytest.mark.parametrize("name", OTHERS)
def test_predictions_without_names_have_no_column(tmp_path: Path, shop: Path, name: str) -> None:
    cases = write(tmp_path, "cases", "jsonl", CASE)
    answers = tmp_path / name
    answers.write_text(OTHERS[name])
    words = ("--cases", cases, "--databases", shop, "--predictions", answers)
    words = (*words, "--out", tmp_path / "run")
    code, output = evaluate(*words, "--column", "Absent=prediction")
    assert (code, "there is no column 'Absent'" in output) == (2, True), output
    assert evaluate(*words)[0] == 0


def test_a_column_of_one_of_several_files_is_there(tmp_path: Path, shop: Path) -> None:
    cases = write(tmp_path, "cases", "csv", CASE)
    one = write(tmp_path, "one", "csv", {"id": "1", "Reply": GOLD})
    two = write(tmp_path, "two", "csv", ANSWER)
    words = ["--cases", cases, "--databases", shop, "--out", tmp_path / "runs"]
    words += ["--predictions", one, "--predictions", two, "--column", "Reply=prediction"]
    assert evaluate(*words)[0] == 0


def test_a_column_that_a_later_line_has_is_there(tmp_path: Path, shop: Path) -> None:
    records = [{**CASE, **ANSWER, "id": str(n)} for n in range(300)]
    records[-1]["Level"] = "hard"
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    words = ("--cases", file, "--databases", shop, "--out", tmp_path / "run", "--limit", 2)
    assert evaluate(*words, "--column", "Level=tags.level")[0] == 0


def test_cases_given_twice_are_an_error(tmp_path: Path, shop: Path) -> None:
    file = write(tmp_path, "cases", "csv", {**CASE, **ANSWER})
    code, output = evaluate("--cases", file, "--cases", file, "--databases", shop)
    assert code == 2
    assert "--cases is given twice and takes one value" in output
