"""Notes on text that many predictions share and that is no SQL."""

from __future__ import annotations

import pytest

from sqlverdict.load.replies.fenced import text_prediction
from sqlverdict.load.replies.notes import shared_end_notes


def notes(replies: list[str]) -> list[str]:
    return shared_end_notes([text_prediction(str(n), text) for n, text in enumerate(replies)])


def test_a_shared_end_that_is_no_sql_is_named_once() -> None:
    (note,) = notes([f"SELECT a FROM t WHERE b = {n} ###" for n in range(6)] + ["SELECT 1"])
    assert "6 predictions end with '###'" in note


def test_a_shared_begin_behind_which_sql_stands_is_named() -> None:
    (note,) = notes([f"@@ select a from t where b = {n}" for n in range(6)])
    assert "6 replies begin with '@@'" in note


@pytest.mark.parametrize(
    "replies",
    [
        [f"SELECT a FROM t WHERE b = {n} ORDER BY a DESC" for n in range(6)],
        [f"SELECT {n} FROM t;" for n in range(6)],
        ["SELECT 1 ###"] * 4,
        ["SELECT 1 ###"] * 5 + ["SELECT 1"] * 6,
        [f"I cannot answer question {n}." for n in range(6)],
        ["SELECT a FROM t WHERE ((b = 1"] * 6,
        [],
    ],
)
def test_what_queries_share_and_what_few_have_is_no_note(replies: list[str]) -> None:
    assert notes(replies) == []
