"""The embedded demo as a benchmark."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks import demo
from sqlverdict.load.predictions import load_predictions


def test_read(tmp_path: Path) -> None:
    benchmark = BENCHMARKS.get("demo").read(Path(), databases=tmp_path)
    cases = list(benchmark.cases)
    assert len(cases) == benchmark.count
    assert len(cases) >= 60
    assert {case.database for case in cases} == {str(p) for p in tmp_path.rglob("*.sqlite")}
    assert any(case.tags.get("unanswerable_type") for case in cases)
    database = cases[0].database
    assert database is not None
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute(cases[0].golds[0]).fetchall()


def test_default_folder_is_beside_the_cache_of_answers() -> None:
    first = demo.build_databases()
    stamps = {file: file.stat().st_mtime_ns for file in first.rglob("*.sqlite")}
    assert stamps
    assert demo.build_databases() == first
    assert {file: file.stat().st_mtime_ns for file in first.rglob("*.sqlite")} == stamps
    assert first.parent.name == "demo"


def test_systems_fit_the_cases_and_have_sql_where_expected(tmp_path: Path) -> None:
    cases = list(BENCHMARKS.get("demo").read(Path(), databases=tmp_path).cases)
    ids, db_ids = [case.id for case in cases], [case.db_id for case in cases]
    expected = json.loads((demo.DATA / "expected.json").read_text("utf-8"))
    assert demo.systems() == tuple(sorted(expected))
    for system in demo.systems():
        predictions = load_predictions(demo.predictions_path(system), ids, db_ids=db_ids)
        for case_id, prediction in predictions.items():
            kind = expected[system][case_id]["kind"]
            assert prediction.abstained == kind.startswith("abstain"), case_id
            assert (prediction.sql is None) == (prediction.abstained or kind == "no_sql"), case_id
    with pytest.raises(UsageError, match="'mild'"):
        demo.predictions_path("mild")


@pytest.mark.slow
def test_several_processes_build_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        folders = pool.map(demo.build_databases, [tmp_path] * 4)
    assert len(set(folders)) == 1
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {file.suffix for file in files} == {".sqlite", ".csv"}
    for file in tmp_path.rglob("*.sqlite"):
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
