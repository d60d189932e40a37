"""Names and cells as users write them: other names of fields, odd ids, what is not used."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from error_parts import options_of, refuses_data
from sqlverdict.errors import BenchmarkError, PredictionError, column_option
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.databases import DatabaseFolder, unknown_database
from sqlverdict.load.tables.cases import own_format


def read(folder: Path, text: str, name: str = "q.csv", **columns: str) -> Benchmark:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    database = folder / "shop.sqlite"
    database.touch()
    return BENCHMARKS.get(own_format(path)).read(path, databases=database, options=columns)


@pytest.mark.parametrize(
    "case_id", ["qid", "query_id", "case_id", "instance_id", "QID", "Query ID"]
)
@pytest.mark.parametrize("level", ["level", "hardness", "Level"])
def test_widespread_names_are_those_of_fields(tmp_path: Path, case_id: str, level: str) -> None:
    text = f"{case_id},db_name,{level},hint,gold,prediction\nq7,shop,hard,x,SELECT 1,SELECT 1\n"
    (case,) = read(tmp_path, text).cases
    assert (case.id, case.db_id, case.difficulty, case.knowledge) == ("q7", "shop", "hard", "x")


def test_json_records_and_predictions_have_the_same_names(tmp_path: Path) -> None:
    record: dict[str, Any] = {"QID": 7, "db": "shop", "level": "hard", "gold": "SELECT 1"}
    (case,) = read(tmp_path, json.dumps(record), "q.jsonl").cases
    assert (case.id, case.db_id, case.difficulty) == ("7", "shop", "hard")
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"qid": 7, "sql": "SELECT 2"}))
    assert sv.load_predictions(path, ["7"])["7"].sql == "SELECT 2"


def test_records_in_memory_have_the_same_names(tmp_path: Path) -> None:
    db = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("CREATE TABLE t (a)")
    cases = [{"QID": 7, "Level": "hard", "Gold SQL": "SELECT count(*) FROM t"}]
    predictions = [{"Query ID": 7, "Prediction": "SELECT count(a) FROM t"}]
    (result,) = sv.evaluate(cases, predictions, databases=db).results()
    assert (result.id, result.difficulty, result.verdict) == ("7", "hard", "correct")


@pytest.mark.parametrize("name", ["q.csv", "q.jsonl"])
def test_what_is_not_used_is_named_once_with_the_option(tmp_path: Path, name: str) -> None:
    record = {"id": "1", "sql": "SELECT 1", "gold": "SELECT 1", "source": "web", "set": "A"}
    table = f"{','.join(record)}\n{','.join(record.values())}\n"
    text = table if name == "q.csv" else json.dumps(record)
    notes = [note for note in read(tmp_path, text, name).notes if "not used" in note]
    assert len(notes) == 1
    assert notes[0].startswith(f"{name}: not used: 'source', 'set'. The option column NAME=FIELD")
    assert "source=tags.source" in notes[0]
    mapped = read(tmp_path, text, name, source="difficulty", set="tags.set")
    assert not any("not used" in note for note in mapped.notes)


def test_notes_propose_what_a_column_may_be(tmp_path: Path) -> None:
    """Times are no ids, and a column that nothing is known of is no difficulty."""
    text = "code,latency_ms,gold,prediction\na1,91.5,SELECT 1,SELECT 1\nb2,8.25,SELECT 2,SELECT 2\n"
    notes = " ".join(read(tmp_path, text).notes)
    assert "code=id" in notes
    assert "latency_ms=id" not in notes
    assert "=difficulty" not in notes
    assert "such as rule_evidence=knowledge" in " ".join(
        read(tmp_path, text.replace("latency_ms", "rule_evidence")).notes
    )


def test_a_repeated_id_of_another_name_can_be_left_out(tmp_path: Path) -> None:
    text = "qid,gold\n1,SELECT 1\n1,SELECT 2\n"
    with refuses_data(BenchmarkError, "repeated", "'1'") as error:
        list(read(tmp_path, text).cases)
    assert options_of(error.value) == [column_option("qid", "off")]
    assert [case.id for case in read(tmp_path, text, qid="off").cases] == ["1", "2"]


@pytest.mark.parametrize("separator", [" | ", ", ", " ;"])
def test_spaces_beside_separators_do_not_count(tmp_path: Path, separator: str) -> None:
    rows = (("id", "db_id", "gold"), ("7", "shop", "SELECT 1"))
    (case,) = read(tmp_path, "".join(f"{separator.join(row)}\n" for row in rows)).cases
    assert (case.id, case.db_id) == ("7", "shop")


def test_empty_cells_right_of_the_header_are_left_out(tmp_path: Path) -> None:
    (case,) = read(tmp_path, "id,gold\n7,SELECT 1,,\n").cases
    assert case.id == "7"


def test_a_table_without_a_header_is_refused(tmp_path: Path) -> None:
    with refuses_data(BenchmarkError, "unreadable", "no header"):
        read(tmp_path, "1,How many?,SELECT count(*) FROM t\n2,Which?,SELECT a FROM t\n")


@pytest.mark.parametrize("gold", ["NULL", "None", "n/a", "NaN"])
def test_a_word_for_nothing_is_no_gold(tmp_path: Path, gold: str) -> None:
    with refuses_data(
        BenchmarkError, "wrong_value", "line 2: the gold", "an empty cell in a table"
    ):
        list(read(tmp_path, f"id,gold\n7,{gold}\n8,SELECT 1\n").cases)


def test_ids_that_became_decimals_are_named(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,sql\n1.0,SELECT 1\n2.0,SELECT 2\n")
    with refuses_data(PredictionError, "incomplete", "'.0' alone"):
        sv.load_predictions(path, ["1", "2"])


def test_a_database_may_be_named_as_its_file_is(tmp_path: Path) -> None:
    for name in ("shop.sqlite", "club.db"):
        (tmp_path / name).touch()
    assert DatabaseFolder(tmp_path).path("club.db") == str(tmp_path / "club.db")
    assert DatabaseFolder(tmp_path).path("pub.db") is None


@pytest.mark.parametrize("above", ["My bot,,\n\n", "My bot\n", "\n", "My bot\n2026-11\nby,me,\n"])
@pytest.mark.parametrize("separator", [",", ";"])
def test_a_title_above_the_header_is_left_out(tmp_path: Path, above: str, separator: str) -> None:
    table = (above + "id,question,gold\n1,How many?,SELECT 1\n").replace(",", separator)
    benchmark = read(tmp_path, table)
    assert [(case.id, case.question) for case in benchmark.cases] == [("1", "How many?")]
    lines = above.count("\n") + 1
    assert any(f"the header is line {lines};" in note for note in benchmark.notes)


def test_a_title_without_a_table_that_fits_is_named(tmp_path: Path) -> None:
    with refuses_data(BenchmarkError, "unreadable", "line 2", "If the first line is a title"):
        list(read(tmp_path, "gold\n1,How many?\n").cases)


def test_a_row_of_cells_is_no_header(tmp_path: Path) -> None:
    """The first row stays the header where no row below it makes a table of cases."""
    with refuses_data(BenchmarkError, "unclear", "found 'nr', 'text'"):
        read(tmp_path, "nr,text\n1,one\n2,two\n")


@pytest.mark.parametrize("name", ["q.csv", "q.jsonl"])
def test_cases_that_name_other_databases_than_the_one_file_get_a_note(
    tmp_path: Path, name: str
) -> None:
    names = ("shop", "Shop", "shop.sqlite", "club")
    records = [
        {"id": str(n), "db": db, "gold": "SELECT 1", "sql": "SELECT 1"}
        for n, db in enumerate(names)
    ]
    rows = [",".join(records[0]), *(",".join(record.values()) for record in records)]
    text = "\n".join(rows if name == "q.csv" else map(json.dumps, records))
    (note,) = read(tmp_path, text, name).notes
    assert note.startswith(f"{name} names 'club' as databases, and all cases run on ")


def test_a_path_as_the_id_of_a_database_gets_a_hint() -> None:
    assert "field 'database': NAME=database" in unknown_database("./shop.sqlite", "databases")
    assert "field 'database'" not in unknown_database("shop", "databases")
