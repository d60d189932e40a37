"""A scorer that is closed while it is used: nothing that was closed is used again."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlverdict as sv
from sqlverdict.api.bounded_checker import BoundedChecker
from sqlverdict.records import Case, Prediction
from sqlverdict.run.task import MetricValue

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
        self: BoundedChecker, case: Case, prediction: Prediction, digest: str
    ) -> MetricValue:
        assert self not in closed
        return value(self, case, prediction, digest)

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
