"""Every preset: documented, deterministic, and true to its name."""

from __future__ import annotations

import importlib
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sqlverdict.compare.answers import compare_answers
from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.records import Answer, Contract

NAMES = PRESETS.names()
CELLS = st.none() | st.integers(-3, 3) | st.sampled_from(["a", "b", "yes", 1.5, 0.1 + 0.2])
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=5)
)


def test_the_issue_s_presets_are_there() -> None:
    assert {"strict", "exact", "bird", "spider", "spider_distinct"} <= set(NAMES)
    assert {"trustsql_spider", "trustsql_single"} <= set(NAMES)
    assert {"spider2", "spider2_2024", "defog", "defog_exact", "bird_mini_dev"} <= set(NAMES)
    assert {"livesqlbench", "ehrsql2022", "ehrsql2024"} <= set(NAMES)


CONTAINMENT = {"spider2", "spider2_2024", "defog"}
"""Presets that let a prediction have more columns than the gold, and so are not symmetric."""


def mixes_types(rows: list[tuple]) -> bool:
    """Whether a column holds texts beside numbers: defog's script fails to sort it."""
    kinds = [
        {isinstance(cell, str) for cell in column if cell is not None}
        for column in zip(*rows, strict=True)
    ]
    return any(len(kind) > 1 for kind in kinds)


@pytest.mark.parametrize("name", NAMES)
def test_document_says_what_is_ignored_and_respected(name: str) -> None:
    text = importlib.import_module(PRESETS.home(name)).__doc__ or ""
    for heading in ("\nIgnores\n", "\nRespects\n", "\nSource\n"):
        assert heading in text, f"{name} lacks {heading.strip()}"


@pytest.mark.parametrize("name", NAMES)
def test_a_result_without_a_query_can_be_prepared(name: str) -> None:
    assert PRESETS.get(name).prepare("", "")[0] == ""


@pytest.mark.parametrize("name", NAMES)
@given(rows=TABLES)
def test_an_answer_equals_itself(name: str, rows: list[tuple]) -> None:
    assume(not name.startswith("defog") or not mixes_types(rows))
    assert compare_answers(rows, list(rows), name).equal is True


@pytest.mark.parametrize("name", [name for name in NAMES if name not in CONTAINMENT])
@given(left=TABLES, right=TABLES)
def test_equality_is_symmetric_and_repeatable(
    name: str, left: list[tuple], right: list[tuple]
) -> None:
    result = compare_answers(left, right, name).equal
    assert result == compare_answers(left, right, name).equal
    assert result == compare_answers(right, left, name).equal


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
        ("spider2", [(1, "a"), (2, "b")], [("b", 1, "x"), ("a", 2, "y")], True),
        ("spider2", [(None,)], [(0,)], True),
        ("spider2", [("a",)], [("A",)], False),
        ("spider2", [(9.999,), (10.5,)], [(10.001,), (10.5,)], False),
        ("spider2", [(9.999,), (10.0,)], [(10.001,), (10.0,)], True),
        ("spider2", [("NA", "x")], [(0, "x")], True),
        ("spider2_2024", [(None,)], [(0,)], False),
        ("spider2_2024", [(None,)], [(None,)], True),
        ("defog_exact", [(1,)], [], True),
        ("defog_exact", [(1,), (2,)], [(1,)], False),
        ("defog_exact", [(1,)], [(1, 1)], True),
        ("defog_exact", [(1,)], [(1,), (1,)], True),
        ("defog_exact", [(1.0,)], [(1.000001,)], False),
        ("defog_exact", [(None, 1)], [(-99999, 1)], True),
        ("defog", [(1.0,)], [(1.000001,)], True),
        ("defog", [(1, "a")], [("a", 1, 2)], True),
        ("defog", [(1000000,)], [(1000001,)], False),
        ("bird_mini_dev", [(1,), (1,)], [(1,)], True),
        ("livesqlbench", [(1.001,)], [(1.004,), (1.004,)], True),
        ("livesqlbench", [], [], False),
        ("ehrsql2024", [("007", None)], [(7.0, None)], True),
        ("ehrsql2024", [(0.1234,)], [(0.1226,)], True),
        ("ehrsql2024", [(4,)] * 101, [(4,)] * 100, True),
        ("ehrsql2022", [(4,)], [(4.0,)], False),
        ("ehrsql2022", [(1,), (2,)], [(2,), (1,)], True),
        ("ehrsql2022", [(4,)] * 101, [(4,)] * 100, True),
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


def test_livesqlbench_changes_queries_as_texts() -> None:
    prepare = PRESETS.get("livesqlbench").prepare
    sql = "SELECT DISTINCT round(ROUND(avg(a), 2), 1), /* x */ count(DISTINCT b) -- c\nFROM t -- d"
    assert prepare(sql, "SELECT ROUND(f(a, b)")[0] == (
        "SELECT avg(a),  count(DISTINCT b) \nFROM t -- d"
    )
    assert prepare(sql, "SELECT ROUND(f(a, b)")[1] == "SELECT ROUND(f(a, b)"


def test_livesqlbench_rounds_driver_values() -> None:
    gold = Answer(
        ("a", "b", "c"), [], driver_rows=[(Decimal("1.005"), date(2020, 1, 2), {"x": 1.001})]
    )
    same = Answer(("a", "b", "c"), [], driver_rows=[(Decimal("1.01"), "2020-01-02", '{"x": 1.0}')])
    float_ = Answer(("a", "b", "c"), [], driver_rows=[(1.005, date(2020, 1, 2), {"x": 1.001})])
    assert compare_answers(gold, same, "livesqlbench").equal is True
    # A float is rounded as Python does, a decimal half up.
    assert compare_answers(gold, float_, "livesqlbench").equal is False


def test_livesqlbench_compares_order_where_the_contract_asks_for_it() -> None:
    rows, contract = [(1,), (2,)], Contract(order="respect")
    assert compare_answers(rows, rows[::-1], "livesqlbench").equal is True
    comparison = compare_answers(rows, rows[::-1], "livesqlbench", contract=contract)
    assert comparison.reasons == ("ORDER_MISMATCH",)


def test_bird_mini_dev_compares_driver_values() -> None:
    def answer(value: object) -> Answer:
        return Answer(("a",), [(1.1,)], driver_rows=[(value,)])

    equal = [
        compare_answers(answer(one), answer(other), "bird_mini_dev").equal
        for one, other in ((Decimal("1.10"), 1.1), (Decimal("0.5"), 0.5), ([1], [1]))
    ]
    assert equal == [False, True, False]


def test_defog_knows_no_column_of_an_empty_mysql_result() -> None:
    gold, empty = Answer(("a", "b"), [(1, 2)]), Answer(("a", "b"), [])
    compare = PRESETS.get("defog_exact").compare
    # One row against none is equal to numpy, if the columns fit.
    assert compare(gold, empty, QueryPair(dialect="sqlite")).equal is True
    assert compare(gold, empty, QueryPair(dialect="mysql")).equal is False


def test_ehrsql_presets_change_queries_as_texts() -> None:
    sql = "SELECT '%y' FROM t WHERE a > = heart_rate_lower AND a < heart_rate_upper AND b = current_time"
    late = PRESETS.get("ehrsql2024").prepare(sql, "SELECT DATE_SUB(NOW(),  INTERVAL 2 MONTH)")
    assert late[0] == (
        "SELECT '%Y' FROM t WHERE a >= 60.0 AND a < 100.0 AND b = '2100-12-31 23:59:00'"
    )
    assert late[1] == "SELECT datetime('2100-12-31 23:59:00', '-2 months')"
    early = PRESETS.get("ehrsql2022").prepare(sql, "SELECT 'It''s' WHERE a < = 'NOW'")
    assert early[0].endswith("a > = 60.0 and a < 100.0 and b = '2105-12-31 23:59:00'")
    assert early[1] == "select 'it's' where a <= '2105-12-31 23:59:00'"


def test_spider2_reads_the_columns_that_count() -> None:
    gold, prediction = [(1, "a"), (2, "b")], [(1,), (2,)]
    for key_columns, new, old in (
        (((0,),), True, True),
        (((1,),), False, False),
        (((),), False, False),
        (((7,),), False, False),
        ((), False, False),
        ((0,), False, False),
    ):
        contract = Contract(key_columns=key_columns)
        for name, equal in (("spider2", new), ("spider2_2024", old)):
            assert compare_answers(gold, prediction, name, contract=contract).equal is equal
    assert Contract(key_columns=[[0], 1]) == Contract(key_columns=((0,), 1))  # type: ignore[arg-type]
    # A number where a list is expected: one column to the new script, an error to the old one.
    contract, shifted = Contract(key_columns=(1,)), [("a",), ("b",)]
    assert compare_answers(gold, shifted, "spider2", contract=contract).equal is True
    assert compare_answers(gold, gold, "spider2_2024", contract=contract).equal is False


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
    distinct = "SELECT DISTINCT b FROM t"
    assert prepare("SELECT a FROM t", distinct)[1] == distinct


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
    gold, prediction = single.prepare(
        "SELECT current_time", "SELECT 'current_time', datetime('now')"
    )
    assert gold == "SELECT '2100-12-31 23:59:00'"
    assert prediction == "SELECT 'current_time', datetime('2100-12-31 23:59:00')"
