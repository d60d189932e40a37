"""A scorer that is closed, or whose database changes, while a pair is checked."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import sqlverdict as sv
from sqlverdict.api import scorer as scorer_module
from sqlverdict.api.isolated import BoundedChecker
from sqlverdict.execute.engine import Engine, content_digest
from sqlverdict.records import Case, Prediction
from sqlverdict.run.outcome import MetricValue

GOLD = "SELECT count(*) FROM t"


def test_a_pair_that_begins_as_the_scorer_closes_uses_no_closed_database(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[BoundedChecker] = []
    close, value = BoundedChecker.close, BoundedChecker.value

    def note_close(self: BoundedChecker) -> None:
        closed.append(self)
        close(self)

    def check_open(
        self: BoundedChecker, engine: Engine, case: Case, prediction: Prediction, digest: str
    ) -> MetricValue:
        assert self not in closed
        return value(self, engine, case, prediction, digest)

    monkeypatch.setattr(BoundedChecker, "close", note_close)
    monkeypatch.setattr(BoundedChecker, "value", check_open)
    scorer = sv.Scorer(db=db)
    assert scorer(GOLD, "SELECT 3") == 1.0
    lock = scorer._lock

    class CloseFirst:
        """Lets another thread close the scorer just before this one gets the lock."""

        def __enter__(self) -> None:
            scorer._lock = lock
            scorer.close()
            lock.acquire()

        def __exit__(self, *error: object) -> None:
            lock.release()

    scorer._lock = CloseFirst()  # type: ignore[assignment]
    assert scorer(GOLD, "SELECT 4") == 0.0
    assert len(closed) == 1
    scorer.close()


@pytest.mark.parametrize("score", [sv.Scorer.__call__, lambda s, g, p: s.check(g, p).scores["ex"]])
def test_a_database_that_changes_while_a_pair_begins_leaves_no_old_result(
    db: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    score: Callable[[sv.Scorer, str, str], float],
) -> None:
    before = shutil.copy(db, tmp_path / "before.sqlite")
    changes = [lambda: _add_row(db)]

    def digest(engine: Engine, reference: str) -> str:
        digest = content_digest(engine, reference)
        while changes:
            changes.pop()()
        return digest

    monkeypatch.setattr(scorer_module, "content_digest", digest)
    with sv.Scorer(db=db) as scorer:
        assert score(scorer, "SELECT 3", GOLD) == 0.0
        shutil.copy(before, db)
        assert score(scorer, "SELECT 3", GOLD) == 1.0


def _add_row(db: Path) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("INSERT INTO t VALUES ('d', 4)")
