"""Which column of a table holds the ids, where none is called ``id``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sqlverdict as sv
from error_parts import options_of, refuses_data
from sqlverdict.errors import BenchmarkError, PredictionError, column_option, message_text
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark


def read(folder: Path, text: str, name: str = "q.csv", **columns: str) -> Benchmark:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (folder / "shop.sqlite").touch()
    reader = BENCHMARKS.get("csv" if name.endswith("csv") else "jsonl")
    return reader.read(path, databases=folder / "shop.sqlite", options=columns)


def ids(benchmark: Benchmark) -> list[str]:
    return [case.id for case in benchmark.cases]


@pytest.mark.parametrize(
    "name", ["nr", "Nr.", "no", "No.", "num", "#", "index", "Row", "number", "Question No.", "Q#"]
)
def test_a_column_of_numbers_is_the_id(tmp_path: Path, name: str) -> None:
    benchmark = read(tmp_path, f"{name},gold\n101,SELECT 1\n205,SELECT 2\n")
    assert ids(benchmark) == ["101", "205"]
    assert f"read {name!r} as id" in message_text(benchmark.column_note)


def test_records_have_the_same_names(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps({"nr": n, "gold": "SELECT 1"}) for n in (7, 8))
    assert ids(read(tmp_path, lines, "q.jsonl")) == ["7", "8"]
    answers = tmp_path / "p.jsonl"
    answers.write_text(json.dumps({"nr": 7, "sql": "SELECT 2"}))
    assert sv.load_predictions(answers, ["7"])["7"].sql == "SELECT 2"


def test_predictions_are_paired_by_numbers_that_are_ids_of_cases(tmp_path: Path) -> None:
    answers = tmp_path / "p.csv"
    answers.write_text("nr,Reply\n8,SELECT 2\n7,SELECT 1\n")
    loaded = sv.load_predictions(answers, ["7", "8"])
    assert loaded["7"].sql == "SELECT 1"
    assert "read 'nr' as id, as its cells are ids of cases" in loaded.notes[0]
    with refuses_data(PredictionError, "unclear", "found no id"):
        sv.load_predictions(answers, ["0", "1"])


@pytest.mark.parametrize("cells", [("3", "3"), ("3", ""), ("two words", "one")])
def test_numbers_that_repeat_are_no_ids(tmp_path: Path, cells: tuple[str, str]) -> None:
    benchmark = read(tmp_path, "number,gold\n" + "".join(f"{cell},SELECT 1\n" for cell in cells))
    assert ids(benchmark) == ["1", "2"]


def test_an_id_by_its_own_name_comes_first(tmp_path: Path) -> None:
    assert ids(read(tmp_path, "nr,id,gold\n1,a,SELECT 1\n2,b,SELECT 1\n")) == ["a", "b"]


def test_a_note_names_the_columns_that_may_be_ids(tmp_path: Path) -> None:
    text = "Ticket,Team,gold\nT-1,a,SELECT 1\nT-2,a,SELECT 2\n"
    (note,) = (note for note in read(tmp_path, text).notes if "no id column" in note)
    assert note.endswith("numbered by row, from 1; the option column Ticket=id reads 'Ticket'")
    two = "nr,#,gold\n1,5,SELECT 1\n2,6,SELECT 2\n"
    (note,) = (note for note in read(tmp_path, two).notes if "no id column" in note)
    assert "the option column nr=id reads 'nr'; the option column '#=id' reads '#'" in note


def test_a_number_that_repeats_far_below_can_be_left_out(tmp_path: Path) -> None:
    text = "nr,gold\n" + "".join(f"{min(n, 250)},SELECT 1\n" for n in range(300))
    with refuses_data(BenchmarkError, "repeated", "'250'") as error:
        ids(read(tmp_path, text))
    assert options_of(error.value) == [column_option("nr", "off")]


def test_a_number_that_is_no_id_of_a_case_pairs_no_record(tmp_path: Path) -> None:
    """Positions from 0 are not the ids from 1, even where unknown ids would be left out."""
    records = [{"index": n, "sql": f"SELECT {n + 1}"} for n in range(3)]
    answers = tmp_path / "p.jsonl"
    answers.write_text("\n".join(map(json.dumps, records)))
    with refuses_data(PredictionError, "missing_field", "found no id among 'index'"):
        sv.load_predictions(answers, ["1", "2", "3"], strict_ids=False)
    cases = [{"id": n, "gold": f"SELECT {n}"} for n in (1, 2, 3)]
    (tmp_path / "shop.sqlite").touch()
    with refuses_data(PredictionError, "missing_field", "found no id among 'index'"):
        sv.evaluate(cases, records, db=tmp_path / "shop.sqlite", allow_missing=True)
