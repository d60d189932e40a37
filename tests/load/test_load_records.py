"""JSONL and CSV cases, and predictions inline."""

from __future__ import annotations

import csv
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import BenchmarkError, PredictionError, UsageError
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.records import Case, Contract

CASE = {"id": "a", "db_id": "pets", "gold": "SELECT 1"}


def write(path: Path, *records: Any) -> Path:
    lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def read_one(tmp_path: Path, record: dict[str, Any], **options: str) -> Case:
    path = write(tmp_path / "cases.jsonl", record)
    (case,) = BENCHMARKS.get("jsonl").read(path, options=options).cases
    return case


def test_a_full_case(tmp_path: Path) -> None:
    case = read_one(
        tmp_path,
        {
            "id": 12,
            "db_id": "pets",
            "question": "Wie viele? 🐈",
            "gold": ["SELECT 1", "SELECT 2"],
            "difficulty": "hard",
            "evidence": "cats count",
            "contract": {"order": "ignore", "float_abs": 0.01},
            "database": "x/pets.sqlite",
            "tags": {"topic": "cats"},
        },
    )
    assert case == Case(
        id="12",
        db_id="pets",
        question="Wie viele? 🐈",
        golds=("SELECT 1", "SELECT 2"),
        database=str(tmp_path / "x/pets.sqlite"),
        difficulty="hard",
        knowledge="cats count",
        contract=Contract(order="ignore", float_abs=0.01),
        tags={"topic": "cats"},
    )


def test_null_gold_is_unanswerable(tmp_path: Path) -> None:
    case = read_one(tmp_path, {**CASE, "gold": None, "unanswerable_type": "non-sql"})
    assert not case.answerable
    assert case.golds == ()
    assert case.tags == {"unanswerable_type": "non-sql"}


def test_databases_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "databases/pets").mkdir(parents=True)
    (tmp_path / "databases/pets/pets.db").write_bytes(b"")
    assert read_one(tmp_path, CASE).database == str(tmp_path / "databases/pets/pets.db")


def test_column_map(tmp_path: Path) -> None:
    record = {"qid": 1, "db": "pets", "sql": "SELECT 1", "gold": "SELECT 2"}
    columns = {"qid": "id", "db": "db_id", "sql": "gold", "gold": "off"}
    case = read_one(tmp_path, record, **columns)
    assert (case.id, case.db_id, case.golds) == ("1", "pets", ("SELECT 1",))
    with refuses_data(BenchmarkError, "conflict", "'gold'"):
        read_one(tmp_path, record, qid="id", db="db_id", sql="gold")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"sql": "glod"}, "Did you mean 'gold'"), ({"a": "gold", "b": "gold"}, "two columns")],
)
def test_bad_column_map(tmp_path: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_one(tmp_path, CASE, **options)


def test_unused_fields_are_noted(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", {**CASE, "dificulty": "easy"})
    benchmark = BENCHMARKS.get("jsonl").read(path)
    (note,) = benchmark.notes
    assert "not used: 'dificulty'. The option column NAME=FIELD" in note
    assert benchmark.count == 1


@pytest.mark.parametrize(
    ("second", "reason", "says"),
    [
        ('{"id": 1', "unreadable", "line 2: broken JSON at column 9"),
        ("[1]", "wrong_kind", "line 2: found list"),
        ({"db_id": "x", "gold": "SELECT 1"}, "missing_field", "line 2: found no id"),
        ({**CASE, "id": 1.5}, "wrong_value", "the id 1.5"),
        ({**CASE, "id": True}, "wrong_value", "the id True"),
        (CASE, "repeated", "id 'a' appears on line 1 and again on line 2"),
        ({"id": "b", "gold": "SELECT 1"}, "missing_field", "'b' names no database"),
        ({"id": "b", "db_id": "x"}, "missing_field", "'gold'"),
        ({"id": "b", "db_id": "x", "gold": "null"}, "wrong_value", "the gold 'null'"),
        ({"id": "b", "db_id": "x", "gold": ["SELECT 1", 2]}, "wrong_value", "the gold 2"),
        (
            {"id": "b", "db_id": "x", "gold": None, "answerable": True},
            "missing_field",
            "'b' is answerable",
        ),
        ({**CASE, "id": "b", "answerable": "perhaps"}, "wrong_value", "'answerable' is 'perhaps'"),
        ({**CASE, "id": "b", "contract": {"order": "maybe"}}, "wrong_value", "'maybe'"),
        ({**CASE, "id": "b", "contract": {"ordre": "auto"}}, "unknown_name", "'ordre'"),
        ({**CASE, "id": "b", "tags": {"a": 1}}, "wrong_value", "tags"),
        ({**CASE, "id": "b", "question": 3}, "wrong_value", "'question' is 3"),
    ],
)
def test_bad_case(tmp_path: Path, second: Any, reason: DataReason, says: str) -> None:
    path = write(tmp_path / "cases.jsonl", CASE, second)
    cases = iter(BENCHMARKS.get("jsonl").read(path).cases)
    assert next(cases).id == "a"
    with refuses_data(BenchmarkError, reason, says):
        next(cases)


def test_bad_bytes_name_their_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(json.dumps(CASE).encode() + b'\n{"id": "\xff"}\n')
    with refuses_data(BenchmarkError, "unreadable", "line 2", "not UTF-8"):
        list(BENCHMARKS.get("jsonl").read(path).cases)
    path.write_bytes(b"")
    with refuses_data(BenchmarkError, "empty", "cases.jsonl"):
        list(BENCHMARKS.get("jsonl").read(path).cases)


def test_inline_predictions(tmp_path: Path) -> None:
    path = write(
        tmp_path / "cases.jsonl",
        {**CASE, "prediction": "SELECT 2", "confidence": 0.5},
        {**CASE, "id": "b", "prediction": None},
        {**CASE, "id": "c", "prediction": "I cannot."},
        {**CASE, "id": "d", "raw": "```sql\nSELECT 3\n```"},
        {**CASE, "id": "e", "prediction": {"sql": "SELECT 4", "samples": ["SELECT 5", None]}},
        {**CASE, "id": "f", "prediction": "null"},
    )
    pairs = list(BENCHMARKS.get("jsonl").read(path).cases.pairs())
    assert [case.id for case, _ in pairs] == [prediction.case_id for _, prediction in pairs]
    predictions = [prediction for _, prediction in pairs]
    assert [p.sql for p in predictions] == ["SELECT 2", None, None, "SELECT 3", "SELECT 4", None]
    assert [p.abstained for p in predictions] == [False, True, False, False, False, False]
    assert predictions[0].confidence == 0.5
    assert predictions[2].raw == "I cannot."
    assert predictions[4].samples == ("SELECT 5", "")


@pytest.mark.parametrize(
    ("fields", "reason", "says"),
    [
        ({}, "missing_field", "line 1: 'a' has no prediction"),
        ({"prediction": 3}, "wrong_value", "'prediction' is 3"),
        ({"prediction": "SELECT 1", "abstained": True}, "conflict", "'a' both abstains"),
        ({"prediction": "SELECT 1", "confidence": "high"}, "wrong_value", "confidence is 'high'"),
        ({"prediction": "SELECT 1", "confidence": True}, "wrong_value", "confidence is True"),
        ({"prediction": "SELECT 1", "samples": "SELECT 2"}, "wrong_value", "samples"),
    ],
)
def test_bad_inline_prediction(
    tmp_path: Path, fields: dict[str, Any], reason: DataReason, says: str
) -> None:
    path = write(tmp_path / "cases.jsonl", {**CASE, **fields})
    with refuses_data(PredictionError, reason, says):
        list(BENCHMARKS.get("jsonl").read(path).cases.pairs())


@pytest.mark.slow
def test_streams_in_flat_memory(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    filler = "x" * 1000
    with path.open("w") as stream:
        for number in range(5000):
            stream.write(json.dumps({**CASE, "id": number, "prediction": f"SELECT '{filler}'"}))
            stream.write("\n")
    tracemalloc.start()
    assert sum(1 for _ in BENCHMARKS.get("jsonl").read(path).cases.pairs()) == 5000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < path.stat().st_size / 4


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".tsv", "\t")])
def test_csv(tmp_path: Path, suffix: str, delimiter: str) -> None:
    path = tmp_path / f"cases{suffix}"
    long = "SELECT '" + "x" * 200_000 + "'"
    limit = csv.field_size_limit()
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(["id", "db", "question", "gold", "contract"])
        writer.writerow(["a", "pets", 'a, "b"\tand\nc', "SELECT 1,\n2", '{"order": "respect"}'])
        writer.writerow(["b", "pets", "", "", ""])
        writer.writerow(["c", "pets", "", long, ""])
    benchmark = BENCHMARKS.get("csv").read(path, options={"db": "db_id"})
    first, second, third = benchmark.cases
    assert (first.question, first.golds) == ('a, "b"\tand\nc', ("SELECT 1,\n2",))
    assert first.contract == Contract(order="respect")
    assert not second.answerable
    assert third.golds == (long,)
    assert csv.field_size_limit() == limit
    assert len(list(benchmark.cases)) == 3


@pytest.mark.parametrize(
    ("content", "reason", "says"),
    [
        (b"", "empty", "cases.csv is empty"),
        (b"id,db_id,gold\n", "empty", "no rows"),
        (b"id,db_id,id\n", "repeated", "names 'id' twice"),
        (b"id,db_id,gold\na,b\n", "unreadable", "line 2 has 2 cells, the header 3"),
        (b"gold\nSELECT 1\n\nSELECT 2\n", "unreadable", "line 3 is blank"),
        (b'id,db_id,gold\na,b,"SELECT 1\n', "unreadable", "line 2: unexpected end of data"),
        (
            b"id,db_id,gold\na,b,c\na,b,c\n",
            "repeated",
            "id 'a' appears on line 2 and again on line 3",
        ),
        (b"id,db_id,gold\na,b,\xff\n", "unreadable", "line 2, byte 5 (0xff)"),
        (b"id,db_id,gold\na,b,\0\n", "unreadable", "line 2 holds a NUL"),
        (b"id,db_id,sql\na,b,c\n", "unclear", "'gold'"),
    ],
)
def test_bad_csv(tmp_path: Path, content: bytes, reason: DataReason, says: str) -> None:
    path = tmp_path / "cases.csv"
    path.write_bytes(content)
    with refuses_data(BenchmarkError, reason, says):
        list(BENCHMARKS.get("csv").read(path).cases)


def test_text_that_is_no_unicode_is_refused_in_a_case_and_kept_in_its_prediction(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cases.jsonl"
    good = b'{"id": "1", "db_id": "d", "gold": "SELECT 1", "prediction": "SELECT 1"}\n'
    for spoilt in (b"\\ud800", b"\xff"):
        text = b'{"id": "2", "db_id": "d", "gold": "SELECT 1", "prediction": "' + spoilt + b'"}\n'
        path.write_bytes(good + text)
        pairs = list(BENCHMARKS.get("jsonl").read(path).cases.pairs())
        assert [case.id for case, _ in pairs] == ["1", "2"]
        path.write_bytes(good + text.replace(b"SELECT 1", spoilt))
        with refuses_data(BenchmarkError, "unreadable", "line 2"):
            list(BENCHMARKS.get("jsonl").read(path).cases.pairs())


def test_blank_lines_hold_no_case(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", "", CASE, "", "  ", {**CASE, "id": "b"}, "")
    benchmark = BENCHMARKS.get("jsonl").read(path)
    assert (benchmark.count, [case.id for case in benchmark.cases]) == (2, ["a", "b"])
    write(path, CASE, "", "{")
    with refuses_data(BenchmarkError, "unreadable", "line 3"):
        list(BENCHMARKS.get("jsonl").read(path).cases)


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_database_may_be_a_name(tmp_path: Path, kind: str) -> None:
    """Where it names a database of the folder and no file, it is what others call db_id."""
    folder = tmp_path / "dbs"
    folder.mkdir()
    (folder / "port.sqlite").touch()

    def read(database: str) -> tuple[Case, tuple[str, ...]]:
        record = {"id": "a", "gold": "SELECT 1", "Database": database}
        path = tmp_path / f"c.{kind}"
        if kind == "jsonl":
            write(path, record)
        else:
            path.write_text(f"id,gold,Database\na,SELECT 1,{database}\n", "utf-8")
        benchmark = BENCHMARKS.get(kind).read(path, databases=folder)
        return next(iter(benchmark.cases)), benchmark.notes

    case, notes = read("port")
    assert (case.db_id, case.database) == ("port", str(folder / "port.sqlite"))
    assert any("'Database' as db_id" in note for note in notes)
    # Files, and names that the folder does not have, stay paths.
    for database in ("port.sqlite", "harbour", "dbs/port.sqlite"):
        assert read(database)[0].database == str(tmp_path / database)
    (tmp_path / "port").touch()
    assert read("port")[0].database == str(tmp_path / "port")


def test_unused_knowledge_is_proposed_as_knowledge(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", {**CASE, "evidence_text": "none"})
    (note,) = BENCHMARKS.get("jsonl").read(path).notes
    assert "evidence_text=knowledge" in note
