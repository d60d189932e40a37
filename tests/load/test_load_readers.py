"""Spider, BIRD and gold files: what is read, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict.cli.options.predictions import PredictionArgs, read_systems
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.files.digests import sha256_file
from sqlverdict.load.benchmark import BENCHMARKS

SPIDER = [
    {"db_id": "pets", "question": "How many?", "query": "SELECT count(*) FROM pet", "sql": {}},
    {"db_id": "cars", "question": "Which?", "query": "SELECT name FROM car"},
]
BIRD = [
    {
        "question_id": 7,
        "db_id": "pets",
        "question": "How many?",
        "evidence": "a pet is a row",
        "SQL": "SELECT count(*) FROM pet",
        "difficulty": "simple",
    },
    {"question_id": 3, "db_id": "pets", "question": "Who?", "SQL": "SELECT name FROM pet"},
]


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, "utf-8")
    return path


def test_every_reader_is_found() -> None:
    ours = {"bird", "csv", "demo", "ehrsql2024", "flex", "goldfile", "jsonl", "spider"}
    ours |= {"triagesql", "trustsql", "bird_mini_dev", "spider2", "defog", "livesqlbench"}
    ours |= {"ehrsql2022", "archer", "sciencebenchmark", "beaver", "evalbench", "ibm"}
    ours |= {"excel", "parquet", "sparc", "cosql"}
    assert set(BENCHMARKS.names()) == ours


def test_spider(tmp_path: Path) -> None:
    file = write(tmp_path / "dev.json", SPIDER)
    write(tmp_path / "database/pets/pets.sqlite", "")
    benchmark = BENCHMARKS.get("spider").read(tmp_path)
    cases = list(benchmark.cases)
    assert cases == list(benchmark.cases)
    assert [case.id for case in cases] == ["0", "1"]
    assert benchmark.case_names() == [("0", "pets"), ("1", "cars")]
    assert [case.difficulty for case in cases] == ["easy", "easy"]
    assert cases[0].golds == ("SELECT count(*) FROM pet",)
    assert cases[0].database == str(tmp_path / "database/pets/pets.sqlite")
    assert cases[1].database == str(tmp_path / "database/cars/cars.sqlite")
    assert benchmark.count == 2
    assert benchmark.sources[0].sha256 == sha256_file(file)
    assert "'cars'" in benchmark.notes[0]
    assert "1 case cannot be executed" in benchmark.notes[0]


def test_predictions_are_paired_with_cases_of_spider_without_a_parse_of_their_golds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "dev.json", SPIDER)
    predictions = write(tmp_path / "predictions.txt", "SELECT 1\nSELECT 2\n")
    parsed: list[str] = []
    monkeypatch.setattr("sqlverdict.load.conversations.spider_hardness", parsed.append)
    benchmark = BENCHMARKS.get("spider").read(tmp_path)
    (system,) = read_systems(PredictionArgs(predictions=(str(predictions),)), benchmark, {})
    assert list(system.predictions) == ["0", "1"]
    assert parsed == []
    next(iter(benchmark.cases))
    assert parsed == ["SELECT count(*) FROM pet"]


def test_spider_difficulty_off(tmp_path: Path) -> None:
    write(tmp_path / "dev.json", SPIDER)
    benchmark = BENCHMARKS.get("spider").read(tmp_path, options={"difficulty": "off"})
    assert {case.difficulty for case in benchmark.cases} == {None}
    with pytest.raises(UsageError, match="difficulty=on"):
        BENCHMARKS.get("spider").read(tmp_path, options={"difficulties": "off"})


def test_spider_train_is_two_files(tmp_path: Path) -> None:
    write(tmp_path / "train_spider.json", SPIDER)
    write(tmp_path / "train_others.json", SPIDER[:1])
    (tmp_path / "database").mkdir()
    benchmark = BENCHMARKS.get("spider").read(tmp_path, split="train")
    assert [case.id for case in benchmark.cases] == ["0", "1", "2"]
    assert len(benchmark.sources) == 2
    (tmp_path / "train_others.json").unlink()
    notes = BENCHMARKS.get("spider").read(tmp_path, split="train").notes
    assert "train_others.json is missing" in notes[0]


def test_spider_falls_back_to_the_gold_file(tmp_path: Path) -> None:
    write(tmp_path / "dev_gold.sql", "SELECT 1\tpets\n")
    benchmark = BENCHMARKS.get("spider").read(tmp_path)
    assert [case.golds for case in benchmark.cases] == [("SELECT 1",)]
    assert "no questions" in benchmark.notes[0]


def test_bird_ids_are_question_ids(tmp_path: Path) -> None:
    write(tmp_path / "dev.json", BIRD)
    write(tmp_path / "dev_databases/pets/pets.sqlite", "")
    benchmark = BENCHMARKS.get("bird").read(tmp_path)
    cases = list(benchmark.cases)
    assert [case.id for case in cases] == ["7", "3"]
    assert cases[0].knowledge == "a pet is a row"
    assert cases[0].difficulty == "simple"
    assert cases[0].database == str(tmp_path / "dev_databases/pets/pets.sqlite")
    assert benchmark.notes == ()


def test_bird_without_question_ids(tmp_path: Path) -> None:
    bare = [{key: value for key, value in item.items() if key != "question_id"} for item in BIRD]
    write(tmp_path / "train.json", bare)
    benchmark = BENCHMARKS.get("bird").read(tmp_path, split="train")
    assert [case.id for case in benchmark.cases] == ["0", "1"]
    assert "positions" in benchmark.notes[0]
    write(tmp_path / "dev.json", [BIRD[0], bare[1]])
    with refuses_data(BenchmarkError, "missing_field", "1 of 2 items", "question_id"):
        BENCHMARKS.get("bird").read(tmp_path)


def test_goldfile_splits_at_the_last_tab(tmp_path: Path) -> None:
    file = write(tmp_path / "gold.txt", "\ufeffSELECT 'a\tb'\tpets\r\nSELECT\u20282\tcars")
    benchmark = BENCHMARKS.get("goldfile").read(file)
    assert [case.golds[0] for case in benchmark.cases] == ["SELECT 'a\tb'", "SELECT\u20282"]
    assert [case.db_id for case in benchmark.cases] == ["pets", "cars"]


@pytest.mark.parametrize(
    ("reader", "name", "content", "reason", "says"),
    [
        (
            "spider",
            "other.json",
            SPIDER,
            "missing",
            "expected dev.json or dev_gold.sql; found 'other.json'",
        ),
        ("spider", "dev.json", [{"db_id": "a"}], "wrong_value", "`query` - at `$[0]`"),
        (
            "spider",
            "dev.json",
            '[{"db_id": "a",\n oops}]',
            "unreadable",
            "dev.json: broken JSON at line 2, column 2",
        ),
        ("spider", "dev.json", "", "empty", "dev.json"),
        ("bird", "other.json", BIRD, "missing", "expected dev.json; found 'other.json'"),
        ("bird", "dev.json", [BIRD[0], BIRD[0]], "repeated", "question_id '7'"),
        ("bird", "dev.json", [{"db_id": "a", "question": "?"}], "wrong_value", "`SQL`"),
    ],
)
def test_bad_folder(
    tmp_path: Path, reader: str, name: str, content: Any, reason: DataReason, says: str
) -> None:
    write(tmp_path / name, content)
    with refuses_data(BenchmarkError, reason, says):
        BENCHMARKS.get(reader).read(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason", "says"),
    [
        (b"SELECT 1\ta\n\nSELECT 2\ta\n", "unreadable", "1 of 3 lines are blank (line 2)"),
        (b"SELECT 1\ta\n\n", "unreadable", "1 of 2 lines are blank (line 2)"),
        (b"SELECT 1\ta\nSELECT 2\n", "unreadable", "line 2 is 'SELECT 2'. Expected SQL, a tab"),
        (b"SELECT 1\t\n", "unreadable", "line 1 is"),
        (b"SELECT 1\ta\nSELECT '\xe9'\ta\n", "unreadable", "line 2, byte 9 (0xe9)"),
        (b"SELECT 1\ta\n\0", "unreadable", "line 2 holds a NUL byte"),
        ("SELECT 1\ta\n".encode("utf-16"), "unreadable", "UTF-16"),
        (b"", "empty", "gold.txt"),
        (b"\n", "empty", "gold.txt"),
    ],
)
def test_bad_gold_file(tmp_path: Path, content: bytes, reason: DataReason, says: str) -> None:
    (tmp_path / "gold.txt").write_bytes(content)
    with refuses_data(BenchmarkError, reason, says):
        BENCHMARKS.get("goldfile").read(tmp_path / "gold.txt")


def test_a_missing_file_names_its_neighbours(tmp_path: Path) -> None:
    write(tmp_path / "dev_gold.sql", "SELECT 1\ta\n")
    with refuses_data(BenchmarkError, "missing", "dev_gold.txt", "Did you mean 'dev_gold.sql'"):
        BENCHMARKS.get("goldfile").read(tmp_path / "dev_gold.txt")
    with refuses_data(BenchmarkError, "wrong_kind", "folder"):
        BENCHMARKS.get("goldfile").read(tmp_path)
