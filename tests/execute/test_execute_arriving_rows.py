"""Rows of an answer while they arrive: each limit has its words, and what fits is the answer."""

from __future__ import annotations

import pytest

from sqlverdict.execute.engine import Limits
from sqlverdict.execute.values.arriving_rows import ArrivingRows
from sqlverdict.records import Reason, Row


@pytest.mark.parametrize(
    ("limits", "cells", "reason", "words"),
    [
        (Limits(rows=2), [(1,), (2,), (3,)], Reason.ROW_LIMIT, "more than 2 rows"),
        (Limits(bytes=10), [("x" * 20,)], Reason.MEMORY_LIMIT, "more than 10 bytes of rows"),
        (Limits(cell=10), [("x" * 11,)], Reason.MEMORY_LIMIT, "a value of more than 10 bytes"),
        (Limits(cell=10), [(b"x" * 11,)], Reason.MEMORY_LIMIT, "a value of more than 10 bytes"),
    ],
)
def test_a_batch_beyond_a_limit_is_refused(
    limits: Limits, cells: list[Row], reason: Reason, words: str
) -> None:
    failure = ArrivingRows(limits, driver_values=False).add(cells, cells)
    assert failure is not None
    assert (failure.reason, failure.message) == (reason, words)


def test_limits_count_all_batches_together() -> None:
    rows = ArrivingRows(Limits(rows=3), driver_values=False)
    assert rows.add([(1,), (2,)], ()) is None
    assert rows.add([(3,)], ()) is None
    failure = rows.add([(4,)], ())
    assert failure is not None
    assert failure.reason is Reason.ROW_LIMIT


def test_many_short_values_are_no_long_one() -> None:
    rows = ArrivingRows(Limits(cell=10), driver_values=False)
    assert rows.add([("x" * 10,), ("y" * 10,)], ()) is None


def test_the_answer_holds_the_drivers_values_only_where_they_are_asked_for() -> None:
    for driver_values, expected in ((False, None), (True, [(True,), (False,)])):
        rows = ArrivingRows(Limits(), driver_values=driver_values)
        rows.add([(1,)], [(True,)])
        rows.add([(0,)], [(False,)])
        answer = rows.answer(["a"], volatile=True, lasting=False)
        assert (answer.columns, answer.rows, answer.volatile) == (("a",), [(1,), (0,)], True)
        assert answer.driver_rows == expected
