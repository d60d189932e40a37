"""The same inputs give the same results: any number of workers, any cache, any order of work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.execute.engine import Limits
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Case
from sqlverdict.testing import hostile_predictions

Lines = Callable[[Path], list[dict[str, Any]]]
MakeCase = Callable[..., Case]


@pytest.fixture
def inputs(make_case: MakeCase, tmp_path: Path) -> tuple[list[Case], dict[str, dict[str, Any]]]:
    """Two systems over every kind of case; they spell the same mistakes in different ways."""
    golds = (
        "SELECT name FROM person WHERE age = {n} ORDER BY age LIMIT 3",
        "SELECT name, age FROM person WHERE id < {n} ORDER BY name",
        "SELECT count(*), avg(height) FROM person WHERE age > {n}",
        "SELECT Nothing{n} FROM person",
        "SELECT c.name, p.name FROM city c JOIN person p ON p.id = c.mayor WHERE c.id > {n}",
    )
    cases: list[Case] = []
    first: dict[str, str | None] = {}
    second: dict[str, str | None] = {}
    hostile = [
        each.sql
        for each in hostile_predictions()
        if not each.hangs and each.group not in ("endless", "bomb", "size", "character")
    ]
    for n in range(400):
        name = str(n)
        gold = golds[n % 5].format(n=n % 50)
        database = {"database": str(tmp_path / "none.sqlite")} if n % 40 == 1 else {}
        cases.append(make_case(name, gold, question=f"q {n}", **database))
        first[name] = gold.replace("id <", "id <=") if n % 2 else gold
        second[name] = hostile[n % len(hostile)] if n % 3 else gold.lower()
        if n % 17 == 0:
            first[name], second[name] = None, f"SELECT Unknown{n % 4} FROM Person"
        if n % 17 == 1:
            first[name], second[name] = f"select unknown{n % 4} from person", None
    return cases, {"first": first, "second": second}


def run(
    inputs: tuple[list[Case], dict[str, dict[str, Any]]],
    folder: Path,
    workers: int,
    cache: Path | None,
    names: tuple[str, ...] = ("first", "second"),
) -> None:
    cases, predictions = inputs
    systems = [System(name, predictions[name], folder / name) for name in names]
    options = Options(
        "ex,ex[spider],ex[bird],text_match,soft_f1",
        workers=workers,
        cache=cache,
        limits=Limits(steps=5_000_000),
    )
    evaluate_systems(cases, systems, options=options)


@pytest.mark.slow
def test_any_number_of_workers(
    inputs: tuple[list[Case], dict[str, dict[str, Any]]], lines_of: Lines, tmp_path: Path
) -> None:
    for workers in (0, 1, 2, 3):
        run(inputs, tmp_path / f"run{workers}", workers, None)
    for name in ("first", "second"):
        expected = lines_of(tmp_path / "run0" / name)
        assert len(expected) == 400
        assert len({line["verdict"] for line in expected}) >= 4
        for workers in (1, 2, 3):
            assert lines_of(tmp_path / f"run{workers}" / name) == expected, (name, workers)
        summaries = {(tmp_path / f"run{w}" / name / "summary.json").read_bytes() for w in range(4)}
        assert len(summaries) == 1


@pytest.mark.slow
def test_any_state_of_the_cache_and_any_company(
    inputs: tuple[list[Case], dict[str, dict[str, Any]]], lines_of: Lines, tmp_path: Path
) -> None:
    """Alone or together, first or last, with an empty cache or another run's."""
    run(inputs, tmp_path / "plain", 0, None)
    run(inputs, tmp_path / "alone2", 2, tmp_path / "cache.sqlite", ("second",))
    run(inputs, tmp_path / "alone1", 2, tmp_path / "cache.sqlite", ("first",))
    run(inputs, tmp_path / "again", 1, tmp_path / "cache.sqlite", ("second", "first"))
    for name, others in (("first", ("alone1", "again")), ("second", ("alone2", "again"))):
        expected = lines_of(tmp_path / "plain" / name)
        for other in others:
            assert lines_of(tmp_path / other / name) == expected, (name, other)
