"""The real benchmarks and prediction files, as they were published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.predictions import load_predictions

pytestmark = pytest.mark.data


def test_spider_dev(data_root: Path) -> None:
    root = data_root / "spider"
    benchmark = BENCHMARKS.get("spider").read(root, options={"difficulty": "off"})
    cases = list(benchmark.cases)
    assert benchmark.count == len(cases) == 1034
    assert sum(Path(case.database or "").is_file() for case in cases) == 972
    assert "62 cases cannot be executed" in benchmark.notes[-1]
    golds = BENCHMARKS.get("goldfile").read(root / "dev_gold.sql", databases=root / "database")
    assert [case.db_id for case in golds.cases] == [case.db_id for case in cases]
    assert [case.database for case in golds.cases] == [case.database for case in cases]


def test_spider_dev_difficulty(data_root: Path) -> None:
    cases = list(BENCHMARKS.get("spider").read(data_root / "spider").cases)
    reference = data_root / "spider_reference" / "dev_DAIL.jsonl"
    official = [json.loads(line) for line in reference.read_text().splitlines()]
    assert len(official) == len(cases)
    for case, item in zip(cases, official, strict=True):
        assert case.difficulty in ("easy", "medium", "hard", "extra")
        assert case.difficulty == item.get("hardness", case.difficulty), case.golds


def test_spider_train_gold(data_root: Path) -> None:
    benchmark = BENCHMARKS.get("goldfile").read(data_root / "spider" / "train_gold.sql")
    assert benchmark.count == 8659


def test_spider_predictions(data_root: Path) -> None:
    cases = list(
        BENCHMARKS.get("spider").read(data_root / "spider", options={"difficulty": "off"}).cases
    )
    files = sorted((data_root / "spider" / "predictions" / "dev").glob("*.txt"))
    assert len(files) == 4
    for file in files:
        predictions = load_predictions(
            file, [case.id for case in cases], db_ids=[case.db_id for case in cases]
        )
        lines = file.read_text("utf-8").split("\n")[:-1]
        assert [prediction.sql for prediction in predictions.values()] == lines
        assert (predictions.format, predictions.notes) == ("lines", ())


def test_bird_dev(data_root: Path) -> None:
    benchmark = BENCHMARKS.get("bird").read(data_root / "bird")
    cases = list(benchmark.cases)
    assert benchmark.count == len(cases) == 1534
    assert sum(Path(case.database or "").is_file() for case in cases) == 303
    assert {case.difficulty for case in cases} == {"simple", "moderate", "challenging"}
    assert cases[0].knowledge.startswith("Eligible free rate")


def test_bird_predictions(data_root: Path) -> None:
    root = data_root / "bird"
    cases = list(
        BENCHMARKS.get("goldfile").read(root / "etm_gold.txt", databases=root / "databases").cases
    )
    files = sorted((root / "predictions" / "dev").glob("*.txt"))
    assert len(files) == 3
    for file in files:
        predictions = load_predictions(
            file, [case.id for case in cases], db_ids=[case.db_id for case in cases]
        )
        lines = file.read_text("utf-8").split("\n")[:-1]
        placeholders = [number for number, line in enumerate(lines) if line == "sql placeholder"]
        for number, (line, prediction) in enumerate(zip(lines, predictions.values(), strict=True)):
            if "```" in line:
                assert prediction.raw == line
                assert prediction.sql is not None
                assert "```" not in prediction.sql
            else:
                assert prediction.sql == (None if number in placeholders else line)
        assert bool(placeholders) == (file.stem == "RESDSQL")
