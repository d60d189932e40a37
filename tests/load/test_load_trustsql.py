"""The readers of TrustSQL, EHRSQL-2024 and TriageSQL, and the systems their files record."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import BenchmarkError, PredictionError, UsageError
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.ehrsql import UNSCORABLE, rowless_tables
from sqlverdict.load.system_records import RecordsSystems, recorded_prediction
from sqlverdict.parse.ehrsql import fill_in
from sqlverdict.records import Case


def write(path: Path, *records: dict) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def by_id(name: str, path: Path, **settings) -> dict[str, Case]:
    return {case.id: case for case in BENCHMARKS.get(name).read(path, **settings).cases}


ANSWERABLE = {
    "id": "a",
    "db_id": "shop",
    "question": "How many?",
    "answerable": True,
    "gold_sql": "SELECT count(*) FROM a JOIN b",
    "seen_sql": False,
    "decision": {"mine": "SELECT 1", "voting": None},
    "gates": {"vote_frac": 0.6},
    "raw": {"sqlprompt_voting5": ["SELECT 1", "SELECT 2"]},
}
UNANSWERABLE = {
    "id": "u",
    "db_id": "shop",
    "question": None,
    "answerable": False,
    "gold_sql": None,
    "unans_type_inferred": "non-sql",
    "decision": {"mine": None, "voting": "SELECT 2"},
    "gates": {"vote_frac": 1.0},
}


def test_trustsql_cases(tmp_path: Path) -> None:
    path = write(tmp_path / "test.jsonl", ANSWERABLE, UNANSWERABLE)
    benchmark = BENCHMARKS.get("trustsql").read(path)
    first, second = benchmark.cases
    assert first.golds == ("SELECT count(*) FROM a JOIN b",)
    assert first.difficulty == "medium"
    assert first.tags == {"seen": "unseen"}
    assert (second.answerable, second.golds, second.difficulty) == (False, (), None)
    assert second.tags == {"unanswerable_type": "non-sql"}
    assert benchmark.count == 2
    assert "1 case has no question text" in benchmark.notes
    assert list(benchmark.cases) == [first, second], "cases can be read again"
    bare = by_id("trustsql", path, options={"difficulty": "off"})
    assert bare["a"].difficulty is None


def test_trustsql_in_its_published_form(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    rows = [
        {"id": 1, "db_id": "d", "question": "q", "query": "SELECT 1", "type": "seen-sql", "note": "easy", "template": "t"},
        {"id": 2, "db_id": "d", "question": "q", "query": "null", "type": "inf", "note": "ext-know"},
        {"id": 3, "db_id": "d", "question": "q", "query": "null", "type": "new kind", "note": "x"},
    ]  # fmt: skip
    path.write_text(json.dumps(rows))
    cases = by_id("trustsql", path)
    assert (cases["1"].difficulty, cases["1"].tags) == ("easy", {"seen": "seen", "template": "t"})
    assert cases["2"].tags == {"unanswerable_type": "ext-know"}
    assert cases["3"].tags == {"unanswerable_type": "new kind"}, "unknown types are kept"


def test_trustsql_systems(tmp_path: Path) -> None:
    path = write(tmp_path / "test.jsonl", ANSWERABLE, UNANSWERABLE)
    reader = BENCHMARKS.get("trustsql")
    assert isinstance(reader, RecordsSystems)
    assert reader.systems(path) == ("mine", "voting")
    mine = reader.predictions(path, "mine")
    assert mine["a"].sql == "SELECT 1"
    assert mine["u"].abstained
    assert mine["a"].confidence is None
    voting = reader.predictions(path, "voting")
    assert voting["a"].abstained
    assert (voting["a"].confidence, voting["u"].confidence) == (0.6, 1.0)
    assert voting["a"].samples == ("SELECT 1", "SELECT 2")
    with pytest.raises(UsageError, match=r"'main'.*'mine'"):
        reader.predictions(path, "main")


@pytest.mark.parametrize(
    ("change", "reason", "says"),
    [
        ({"gold_sql": None}, "missing_field", "'gold_sql'"),
        ({"db_id": None}, "wrong_value", "a db_id"),
        ({"answerable": "yes"}, "wrong_value", "answerable as true or false"),
        ({"id": None}, "missing_field", "'id'"),
    ],
)
def test_records_that_cannot_be_read_are_named(
    tmp_path: Path, change: dict, reason: DataReason, says: str
) -> None:
    path = write(tmp_path / "test.jsonl", ANSWERABLE | change)
    with refuses_data(BenchmarkError, reason, says) as wrong:
        BENCHMARKS.get("trustsql").read(path)
    assert "line 1" in str(wrong.value)


def test_repeated_ids_and_empty_files_are_errors(tmp_path: Path) -> None:
    twice = write(tmp_path / "twice.jsonl", ANSWERABLE, ANSWERABLE)
    with refuses_data(BenchmarkError, "repeated", "'a'", "line 1 and", "line 2"):
        BENCHMARKS.get("trustsql").read(twice)
    with refuses_data(BenchmarkError, "empty", "none.jsonl"):
        BENCHMARKS.get("trustsql").read(write(tmp_path / "none.jsonl"))


def test_recorded_answers_are_text_or_null() -> None:
    assert recorded_prediction("a", "null", "here").abstained
    assert recorded_prediction("a", "I cannot select that.", "here").sql is None
    with refuses_data(PredictionError, "wrong_value", "here: found 3"):
        recorded_prediction("a", 3, "here")


@pytest.fixture
def mimic(tmp_path: Path) -> Path:
    path = tmp_path / "mimic_iv.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE admissions (id); INSERT INTO admissions VALUES (1);"
            "CREATE TABLE chartevents (id);"
        )
    return path


EHR = (
    {"id": "a", "question": "q", "answerable": True, "gold_sql": "SELECT current_time FROM admissions", "systems": {"s": {"sql": "select current_time", "max_entropy": 0.5}}},
    {"id": "b", "question": "q", "answerable": True, "gold_sql": "SELECT id FROM CHARTEVENTS", "systems": {"s": {"sql": "null", "max_entropy": 2.0}}},
    {"id": "c", "question": "q", "answerable": False, "gold_sql": None, "systems": {"s": {"sql": None}, "t": {"sql": "SELECT 1", "logprob": -0.25}}},
)  # fmt: skip


def test_ehrsql_2024_cases(tmp_path: Path, mimic: Path) -> None:
    path = write(tmp_path / "test.jsonl", *EHR)
    benchmark = BENCHMARKS.get("ehrsql2024").read(path)
    first, second, third = benchmark.cases
    assert first.golds == ("SELECT '2100-12-31 23:59:00' FROM admissions",)
    assert first.database == str(mimic)
    assert UNSCORABLE not in first.tags
    assert "chartevents, which has no rows" in second.tags[UNSCORABLE]
    assert not Path(second.database or "").exists(), "an empty table answers nothing for anyone"
    assert third.answerable is False
    assert "1 gold queries read tables without rows (chartevents)" in benchmark.notes[0]


def test_ehrsql_2024_systems(tmp_path: Path, mimic: Path) -> None:
    path = write(tmp_path / "test.jsonl", *EHR)
    reader = BENCHMARKS.get("ehrsql2024")
    assert isinstance(reader, RecordsSystems)
    assert reader.systems(path) == ("s", "t")
    predictions = reader.predictions(path, "s")
    assert predictions["a"].sql == "select '2100-12-31 23:59:00'"
    assert predictions["a"].confidence == -0.5, "less entropy is surer"
    assert predictions["b"].abstained, "the word of the task's own format"
    assert predictions["c"].abstained
    other = reader.predictions(path, "t")
    assert list(other) == ["c"]
    assert other["c"].confidence == -0.25


def test_ehrsql_2024_in_the_tasks_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "test"
    folder.mkdir()
    (folder / "data.json").write_text(
        json.dumps(
            {"version": "1", "data": [{"id": "a", "question": "q"}, {"id": "b", "question": "r"}]}
        )
    )
    (folder / "label.json").write_text(json.dumps({"a": "SELECT 1", "b": "null"}))
    cases = by_id("ehrsql2024", tmp_path, split="test")
    assert (cases["a"].golds, cases["a"].difficulty) == (("SELECT 1",), "easy")
    assert cases["b"].answerable is False
    (folder / "label.json").write_text(json.dumps({"a": "SELECT 1"}))
    with refuses_data(BenchmarkError, "incomplete", "label.json", "'b'"):
        by_id("ehrsql2024", tmp_path, split="test")


def test_rowless_tables_of_what_is_no_database(tmp_path: Path, mimic: Path) -> None:
    assert rowless_tables(str(mimic)) == {"chartevents"}
    assert rowless_tables(None) == frozenset()
    text = tmp_path / "text.sqlite"
    text.write_text("not a database, and long enough to be looked at as one " * 20)
    assert rowless_tables(str(text)) == frozenset()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", "SELECT 1"),
        ("SELECT Current_Time", "SELECT '2100-12-31 23:59:00'"),
        ("SELECT a_current_time", "SELECT a_current_time"),
        ("SELECT '%y' WHERE v < sao2_upper", "SELECT '%Y' WHERE v < 100.0"),
        ("SELECT x_lower FROM t", "SELECT x_lower FROM t"),
    ],
)
def test_settled_queries(sql: str, expected: str) -> None:
    assert fill_in(sql) == expected


TRIAGE = (
    {"question": "hello", "type": "small talk", "databaseid": "d1", "question_datasetid": "alexa"},
    {"question": "how many", "type": "answerable", "databaseid": "d2"},
    {"question": "which one", "type": "Ambiguous", "databaseid": "d3"},
    {"question": "odd", "type": "brand new", "databaseid": "d4"},
)


def test_triagesql(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", *TRIAGE)
    benchmark = BENCHMARKS.get("triagesql").read(path)
    cases = {case.id: case for case in benchmark.cases}
    assert list(cases) == ["0", "2", "3"]
    assert cases["0"].tags == {"unanswerable_type": "small talk", "dataset": "alexa"}
    assert not any(case.answerable for case in cases.values())
    assert benchmark.count == 3
    assert benchmark.notes == (
        "1 answerable questions have no query: left out",
        "types that TriageSQL does not name: 'brand new'",
    )
    with_answerable = by_id(
        "triagesql", path, options={"answerable": "keep", "types": "answerable,ambiguous"}
    )
    assert [case.answerable for case in with_answerable.values()] == [True, False]
    with pytest.raises(UsageError, match="'gossip'"):
        by_id("triagesql", path, options={"types": "gossip"})
    with pytest.raises(UsageError, match="'colour'"):
        by_id("triagesql", path, options={"colour": "red"})


@pytest.mark.data
def test_triagesql_as_published(data_root: Path) -> None:
    path = data_root / "trustsql" / "triagesql_test.jsonl"
    benchmark = BENCHMARKS.get("triagesql").read(path)
    assert benchmark.count == 2000
    kinds = [case.tags["unanswerable_type"] for case in benchmark.cases]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == dict.fromkeys(
        ("small talk", "ambiguous", "lack data", "unanswerable by sql"), 500
    )
