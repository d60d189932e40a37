"""Every preset: documented, deterministic, and true to its name."""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.compare.answers import compare_answers
from sqlverdict.compare.preset import PRESETS

NAMES = PRESETS.names()
CELLS = st.none() | st.integers(-3, 3) | st.sampled_from(["a", "b", "yes", 1.5, 0.1 + 0.2])
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=5)
)


def test_the_issue_s_presets_are_there() -> None:
    assert {"strict", "exact", "bird", "spider", "spider_distinct"} <= set(NAMES)
    assert {"trustsql_spider", "trustsql_single"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_document_says_what_is_ignored_and_respected(name: str) -> None:
    text = importlib.import_module(PRESETS.home(name)).__doc__ or ""
    for heading in ("\nIgnores\n", "\nRespects\n", "\nSource\n"):
        assert heading in text, f"{name} lacks {heading.strip()}"


@pytest.mark.parametrize("name", NAMES)
@given(rows=TABLES)
def test_an_answer_equals_itself(name: str, rows: list[tuple]) -> None:
    assert compare_answers(rows, list(rows), name).equal is True


@pytest.mark.parametrize("name", NAMES)
@given(left=TABLES, right=TABLES)
def test_equality_is_symmetric_and_repeatable(
    name: str, left: list[tuple], right: list[tuple]
) -> None:
    found = compare_answers(left, right, name).equal
    assert found == compare_answers(left, right, name).equal
    assert found == compare_answers(right, left, name).equal


@pytest.mark.parametrize(
    ("name", "gold", "prediction", "equal"),
    [
        ("bird", [(1,), (1,)], [(1,)], True),
        ("bird", [(1, 2)], [(2, 1)], False),
        ("bird", [(0.3,)], [(0.1 + 0.2,)], False),
        ("spider", [(1, "a")], [("a", 1)], True),
        ("spider", [(1,), (1,)], [(1,)], False),
        ("spider", [], [], True),
        ("exact", [(4,)], [(4.0,)], False),
        ("exact", [(1,), (2,)], [(2,), (1,)], False),
        ("trustsql_single", [(1.0004,)], [(1,)], True),
        ("trustsql_single", [("Yes",), ("N",)], [(1,), (0,)], True),
        ("trustsql_single", [("yes",)], [(1,)], False),
        ("trustsql_single", [(4,)], [("4.0004",)], True),
        ("trustsql_single", [(n,) for n in range(101)], [(n,) for n in range(102)], False),
        ("trustsql_single", [(f"a{n:03}",) for n in range(101)], [(f"a{n:03}",) for n in range(150)], True),
        ("trustsql_single", [(1, 2)], [(2, 1)], False),
    ],
)  # fmt: skip
def test_quirks(name: str, gold: list[tuple], prediction: list[tuple], equal: bool) -> None:
    assert compare_answers(gold, prediction, name).equal is equal


def test_spider_finds_order_by_in_the_text() -> None:
    """Its quirk: an ORDER BY in a subquery makes row order count."""
    gold = "SELECT a FROM t WHERE b IN (SELECT c FROM u ORDER BY c LIMIT 1)"
    rows, swapped = [(1,), (2,)], [(2,), (1,)]
    assert compare_answers(rows, swapped, "spider", gold_sql=gold).equal is False
    assert compare_answers(rows, swapped, "strict", gold_sql=gold).equal is True


def test_prepare_strips_distinct_only_in_spider() -> None:
    gold, prediction = "SELECT DISTINCT a FROM t", "SELECT a FROM t WHERE b > = 'distinct'"
    spider = PRESETS.get("spider").prepare(gold, prediction)
    assert "DISTINCT" not in spider[0]
    assert spider[1].endswith(">= 'distinct'")
    assert PRESETS.get("spider_distinct").prepare(gold, prediction)[0] == gold
    assert PRESETS.get("strict").prepare(gold, prediction) == (gold, prediction)


def test_trustsql_single_copies_the_golds_distinct() -> None:
    prepare = PRESETS.get("trustsql_single").prepare
    assert prepare("SELECT DISTINCT a FROM t", "select b from t")[1] == "SELECT DISTINCT b from t"
    # The script adds it and never takes it away.
    kept = "SELECT DISTINCT b FROM t"
    assert prepare("SELECT a FROM t", kept)[1] == kept


@pytest.mark.parametrize(
    ("answer", "equal"),
    [
        ([(1,)], True),
        ([(17,)], True),
        ([("any text",)], True),
        ([(0,)], False),
        ([], False),
        ([(None,)], False),
        ([(3,), (3,)], True),
        ([(3,), (4,)], False),
    ],
)
def test_trustsql_single_collapses_the_prediction_where_the_gold_asks_yes_or_no(
    answer: list[tuple], equal: bool
) -> None:
    gold = "SELECT COUNT(*) > 0 FROM t"
    assert compare_answers([(1,)], answer, "trustsql_single", gold_sql=gold).equal is equal
    assert compare_answers([(1,)], [(17,)], "trustsql_single").equal is False


def test_trustsql_single_reads_nothing_as_0_where_the_gold_counts() -> None:
    gold = "SELECT COUNT(*) FROM t"
    assert compare_answers([(0,)], [], "trustsql_single", gold_sql=gold).equal is True
    assert compare_answers([(0,)], [], "trustsql_single", gold_sql="SELECT a FROM t").equal is False


def test_trustsql_presets_mend_operators_and_settle_the_clock() -> None:
    single, spider = PRESETS.get("trustsql_single"), PRESETS.get("trustsql_spider")
    split = "SELECT a\n FROM t WHERE b > = 1"
    assert spider.prepare(split, split) == ("SELECT a FROM t WHERE b >= 1",) * 2
    gold, said = single.prepare("SELECT current_time", "SELECT 'current_time', datetime('now')")
    assert gold == "SELECT '2100-12-31 23:59:00'"
    assert said == "SELECT 'current_time', datetime('2100-12-31 23:59:00')"
