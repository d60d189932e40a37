"""compare_answers: rows are rows; what only looks like rows is refused."""

from __future__ import annotations

from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict import compare_answers
from sqlverdict.errors import DataError, UsageError
from sqlverdict.records import Answer

ROWS = [(1, "a"), (2, "b")]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([{"a": 1}], id="a mapping as a row"),
        pytest.param(["ab"], id="a text as a row"),
        pytest.param([b"ab"], id="bytes as a row"),
        pytest.param([{1, 2}], id="a set as a row"),
        pytest.param([1, 2], id="cells as rows"),
        pytest.param([None], id="nothing as a row"),
        pytest.param({"a": [1]}, id="a mapping as an answer"),
        pytest.param("ab", id="a text as an answer"),
        pytest.param({(1, 2)}, id="a set as an answer"),
        pytest.param(None, id="nothing as an answer"),
        pytest.param(3, id="a number as an answer"),
    ],
)
def test_what_is_no_list_of_rows_is_refused(rows: Any) -> None:
    with pytest.raises(UsageError, match="expected a list"):
        compare_answers(rows, ROWS)
    with pytest.raises(UsageError, match="expected a list"):
        compare_answers(ROWS, rows)


def test_the_message_says_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"row 1 is a dict; .* tuple\(row.values\(\)\)"):
        compare_answers([{"a": 1}], [{"a": 2}])


def test_generators_tuples_and_lists_are_rows() -> None:
    assert compare_answers((list(row) for row in ROWS), tuple(ROWS)).equal
    assert compare_answers(iter(ROWS), [iter(row) for row in ROWS]).equal
    assert compare_answers(Answer(("n", "t"), list(ROWS)), ROWS).equal
    assert compare_answers([], []).equal


def test_rows_of_two_lengths_are_refused() -> None:
    with refuses_data(DataError, "wrong_value", "[1, 2] cells"):
        compare_answers([(1,), (1, 2)], ROWS)
