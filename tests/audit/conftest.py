"""Small benchmarks built in a temporary folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.audit.check import Diagnosis
from sqlverdict.audit.data import DoctorOptions
from sqlverdict.audit.doctor import examine_data
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.records import Case, Result
from sqlverdict.runlog.folder import RunFolder
from sqlverdict.runlog.log import encode_result
from sqlverdict.runlog.manifest import Manifest
from sqlverdict.runlog.run import Run

SHOP = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER, area REAL);
INSERT INTO city VALUES (1, 'Oslo', 700, 0.1), (2, 'Bergen', 280, 0.2), (3, 'Hamar', 30, 0.3),
                        (4, 'Larvik', 30, 0.4), (5, 'Moss', 50, 0.5);
CREATE TABLE shop (id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city, kind TEXT);
INSERT INTO shop VALUES (1, 1, 'books'), (2, 1, 'tea'), (3, 2, 'tea'), (4, 2, 'tea');
"""

Examine = Callable[..., Diagnosis]


def build(path: Path, script: str = SHOP) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        connection.commit()
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A small database of cities and shops."""
    return build(tmp_path / "databases" / "shop" / "shop.sqlite")


@pytest.fixture
def examine(tmp_path: Path, database: Path) -> Examine:
    """Examine golds, or cases, with or without a prediction file."""

    def run(
        *golds: str,
        cases: Sequence[Case] | None = None,
        predictions: str | bytes | None = None,
        name: str = "preds.txt",
        benchmark: str = "jsonl",
        **options: object,
    ) -> Diagnosis:
        all_cases = cases or [
            Case(str(number), "shop", f"question {number}?", (sql,), str(database))
            for number, sql in enumerate(golds)
        ]
        file = None
        if predictions is not None:
            file = tmp_path / name
            data = predictions.encode() if isinstance(predictions, str) else predictions
            file.write_bytes(data)
        settings = DoctorOptions(cache=None, **options)  # type: ignore[arg-type]
        return examine_data(Benchmark(benchmark, "test", all_cases), file, options=settings)

    return run


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Run]:
    def make(system: str, *results: Result) -> Run:
        manifest = Manifest(
            system=system,
            benchmark="tiny",
            inputs={},
            metrics={"ex": 1},
            binary=("ex",),
            engine="sqlite",
            engine_version="3",
            limits={},
            sqlverdict="0",
            preset="strict",
        )
        folder = RunFolder(tmp_path / system, manifest, overwrite=True)
        folder.append((result.index, encode_result(result)) for result in results)
        return folder.finish(cases=len(results))

    return make
