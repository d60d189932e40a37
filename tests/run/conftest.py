"""What the tests of runs share: a small database, and results without their clock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sqlverdict.records import Case
from sqlverdict.testing import make_database

Lines = Callable[[Path], list[dict[str, Any]]]
MakeCase = Callable[..., Case]


@pytest.fixture(autouse=True)
def count_own_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of other tests may run in threads of this process: they bar no fork here."""
    count, others = threading.active_count, threading.active_count() - 1
    monkeypatch.setattr(threading, "active_count", lambda: max(1, count() - others))


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of 400 people and 40 cities."""
    return make_database(tmp_path_factory.mktemp("people") / "people.sqlite")


@pytest.fixture
def make_case(people: Path) -> MakeCase:
    """A case on that database: its id, its golds, and whatever else is to be set."""

    def make(case_id: str, *golds: str, **fields: Any) -> Case:
        usual: dict[str, Any] = {"question": "?", "database": str(people)}
        return Case(case_id, "people", golds=golds, **(usual | fields))

    return make


@pytest.fixture(scope="session")
def lines_of() -> Lines:
    """The lines of a run log, less what the clock says."""

    def read(folder: Path) -> list[dict[str, Any]]:
        results = []
        for line in (folder / "results.jsonl").read_bytes().splitlines():
            record = msgspec.json.decode(line)
            record.pop("timings")
            results.append(record)
        return results

    return read
