"""How a contract grades rows: as a set, a multiset, a list, or as any n of the gold's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict.compare.answers import compare_answers
from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.load.fields import case_from
from sqlverdict.records import Contract, Row

GOLD: list[Row] = [("a", 1), ("b", 2), ("b", 2), ("c", 3)]


@pytest.mark.parametrize(
    ("contract", "prediction", "equal"),
    [
        (Contract(rows="set"), [("c", 3), ("b", 2), ("a", 1)], True),
        (Contract(rows="set"), [(3, "c"), (2, "b"), (1, "a"), (1, "a")], True),
        (Contract(rows="set"), [("a", 1), ("b", 2)], False),
        (Contract(rows="multiset"), GOLD[::-1], True),
        (Contract(rows="multiset"), GOLD[1:], False),
        (Contract(rows="list"), GOLD, True),
        (Contract(rows="list"), GOLD[::-1], False),
        (Contract(rows="any_of", n=2), [("c", 3), ("a", 1)], True),
        (Contract(rows="any_of", n=2), [(3, "c"), (1, "a")], True),
        (Contract(rows="any_of", n=2, columns="same_order"), [(3, "c"), (1, "a")], False),
        (Contract(rows="any_of", n=2), [("b", 2), ("b", 2)], True),
        (Contract(rows="any_of", n=2), [("a", 1), ("a", 1)], False),
        (Contract(rows="any_of", n=2), [("a", 2), ("b", 1)], False),
        (Contract(rows="any_of", n=2), GOLD[:3], False),
        (Contract(rows="any_of", n=2, or_more=True), GOLD[:3], True),
        (Contract(rows="any_of", n=2), GOLD[:1], False),
        (Contract(rows="any_of"), GOLD[:1], True),
        (Contract(rows="any_of", n=1), [("a", 1 + 1e-12)], True),
    ],
)
def test_rows_are_graded_as_the_contract_says(
    contract: Contract, prediction: list[Row], equal: bool
) -> None:
    sql = "SELECT x, y FROM t ORDER BY y DESC"
    assert compare_answers(GOLD, prediction, contract=contract, gold_sql=sql).equal is equal


def test_a_contract_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(UsageError, match=r"list.* ignore"):
        Contract(order="ignore", rows="list")


@pytest.mark.parametrize(
    "fields",
    [
        {"order": 17},
        {"order": "none"},
        {"columns": ["id", "x"]},
        {"rows": "bag"},
        {"float_abs": -1},
        {"float_rel": "0.1"},
        {"n": 0, "rows": "any_of"},
    ],
)
def test_a_contract_of_unknown_values_is_refused(fields: dict[str, Any]) -> None:
    (name,) = fields.keys() - {"rows"} or fields
    with pytest.raises(UsageError, match=rf"a contract's {name} is"):
        Contract(**fields)


def test_a_contract_of_a_file_that_contradicts_itself_is_refused() -> None:
    record = {"id": "1", "db_id": "d", "gold": "x", "contract": {"order": "ignore", "rows": "list"}}
    with refuses_data(BenchmarkError, "wrong_value", "contract", "graded as a list"):
        case_from(record, "here", None, Path())
