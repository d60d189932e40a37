"""Batches collect garbage seldom, and leave the caller's settings as they were."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest

import sqlverdict as sv
from sqlverdict.rl import Rewarder
from sqlverdict.run.garbage import THRESHOLDS, seldom_collecting
from timeouts import HANG_SECONDS

OWN = (701, 9, 8)


@pytest.fixture(autouse=True)
def own_settings() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*OWN)
    yield
    gc.set_threshold(*before)


def test_the_callers_settings_hold_again_after_the_last_batch() -> None:
    with seldom_collecting():
        assert gc.get_threshold() == THRESHOLDS
        with seldom_collecting():
            pass
        assert gc.get_threshold() == THRESHOLDS
    assert gc.get_threshold() == OWN


def test_they_hold_again_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), seldom_collecting():
        raise ZeroDivisionError
    assert gc.get_threshold() == OWN


def test_batches_of_two_threads_end_in_any_order() -> None:
    both_inside, first_left = Barrier(2), Barrier(2)

    def first() -> None:
        with seldom_collecting():
            both_inside.wait(HANG_SECONDS)
        first_left.wait(HANG_SECONDS)

    thread = Thread(target=first)
    thread.start()
    with seldom_collecting():
        both_inside.wait(HANG_SECONDS)
        first_left.wait(HANG_SECONDS)
        assert gc.get_threshold() == THRESHOLDS
    thread.join()
    assert gc.get_threshold() == OWN


@pytest.mark.parametrize("settings", [(0, 10, 10), (200_000, 10, 10)])
def test_a_collector_that_is_off_or_as_rare_stays_as_it_is(settings: tuple[int, int, int]) -> None:
    gc.set_threshold(*settings)
    with seldom_collecting():
        assert gc.get_threshold() == settings
    assert gc.get_threshold() == settings


def test_what_the_caller_sets_meanwhile_stays() -> None:
    with seldom_collecting():
        gc.set_threshold(900, 10, 10)
    assert gc.get_threshold() == (900, 10, 10)


@pytest.mark.parametrize("door", ["Rewarder", "Scorer", "BatchEvaluator", "evaluate"])
def test_batches_at_every_door_collect_seldom(
    door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "shop.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    connection.close()
    seen = []
    examine = sv.run.examine.Examiner._examine
    monkeypatch.setattr(
        sv.run.examine.Examiner,
        "_examine",
        lambda *arguments: seen.append(gc.get_threshold()) or examine(*arguments),
    )
    gold, prediction = "SELECT count(*) FROM item", "SELECT count(id) FROM item"
    if door == "Rewarder":
        with Rewarder(db=file) as rewarder:
            rewarder.batch([(gold, prediction)])
    elif door == "Scorer":
        with sv.Scorer(db=file) as scorer:
            scorer.batch([(gold, prediction)])
    elif door == "BatchEvaluator":
        with sv.BatchEvaluator(db=file) as evaluator:
            evaluator({"gold": [gold], "prediction": [prediction]})
    else:
        sv.evaluate([{"gold": gold, "prediction": prediction}], db=file, workers=0)
    assert seen == [THRESHOLDS]
    assert gc.get_threshold() == OWN
