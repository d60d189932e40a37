"""Numbers that an engine tells apart are told apart, and no value is lost in a log or cache."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlverdict as sv
from small_databases import EVERY_ENGINE, database_of
from sqlverdict.compare.cells import Tolerance, unify
from sqlverdict.compare.log_answers import log_answers
from sqlverdict.evidence_parts import LoggedAnswers
from sqlverdict.execute.values.cell_bytes import decode_cells, encode_cells
from sqlverdict.execute.values.driver_values import cell_of
from sqlverdict.records import Answer, Cell, ExactNumber

STATEMENTS = (
    "CREATE TABLE sums (id BIGINT, total DECIMAL(30, 2), share DOUBLE PRECISION)",
    "INSERT INTO sums VALUES (10000000001, 12345678901234567890.10, 0.5),"
    " (10000000002, 12345678901234567890.20, 0.5), (10000000003, 1234567890.11, 0.5),"
    " (10000000004, 1234567890.12, 0.5)",
)
DECIMALS = [
    ("SELECT total FROM sums WHERE id % 10 = 1", "SELECT total FROM sums WHERE id % 10 = 2"),
    ("SELECT total FROM sums WHERE id % 10 = 3", "SELECT total FROM sums WHERE id % 10 = 4"),
    ("SELECT total FROM sums WHERE id % 10 = 3", "SELECT total + 0 FROM sums WHERE id % 10 = 3"),
    ("SELECT MAX(total) * 4 FROM sums", "SELECT MAX(total) * 4 + 1 FROM sums"),
]
INTEGERS = ("SELECT MIN(id) FROM sums", "SELECT MIN(id) + 1 FROM sums")


@pytest.fixture(scope="module", params=EVERY_ENGINE)
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with database_of(request.param, tmp_path_factory.mktemp("db"), *STATEMENTS) as database:
        yield database


def test_two_numbers_match_where_the_engine_says_that_they_are_equal(db: str) -> None:
    with sv.Scorer("ex", db=db) as scorer:

        def is_equal(gold: str, prediction: str) -> bool:
            equal = f"SELECT CASE WHEN ({gold}) = ({prediction}) THEN 1 ELSE 0 END"
            return scorer("SELECT 1", equal) == 1

        # Decimals of an engine that keeps no more digits than a float are floats.
        has_decimals = not is_equal(*DECIMALS[0])
        for pair in (INTEGERS, *DECIMALS[: len(DECIMALS) if has_decimals else 0]):
            assert (scorer(*pair) == 1) is is_equal(*pair)


def test_a_float_beside_them_leaves_integers_exact(db: str) -> None:
    with sv.Scorer("ex", db=db) as scorer:
        gold = "SELECT id, share FROM sums WHERE id % 10 = 1"
        assert scorer(gold, "SELECT id + 1, share FROM sums WHERE id % 10 = 1") == 0
        assert scorer(gold, "SELECT id, share + 1e-13 FROM sums WHERE id % 10 = 1") == 1


def test_a_sum_of_decimals_matches_the_sum_of_floats(db: str) -> None:
    with sv.Scorer("ex", db=db) as scorer:
        assert scorer("SELECT SUM(total) FROM sums", "SELECT SUM(total + 0e0) FROM sums") == 1


def test_a_tolerance_that_a_case_asks_for_holds_for_exact_numbers() -> None:
    tables = [[(ExactNumber("1234567890.11"),)], [(ExactNumber("1234567890.12"),)]]
    assert unify(tables, Tolerance()) == tables
    gold, prediction = unify(tables, Tolerance(rel=1e-6, is_asked=True))
    assert gold == prediction


def test_quotients_with_more_or_fewer_digits_are_equal() -> None:
    short, long = (
        cell_of(Decimal("33.3333333333333333")),
        cell_of(Decimal("33.33333333333333333300")),
    )
    assert short == long


numbers = st.one_of(
    st.integers(),
    st.integers(-(2**200), 2**200),
    st.decimals(allow_nan=True, allow_infinity=True),
    st.decimals(-(10**25), 10**25, places=2),
    st.floats(),
)
values = st.one_of(
    *(st.none(), st.booleans(), numbers, st.text(), st.binary()),
    *(st.dates(), st.times(), st.datetimes(), st.timedeltas(), st.uuids()),
    *(st.lists(numbers, max_size=3), st.dictionaries(st.text(), numbers, max_size=3)),
)


def _same(one: Cell, other: Cell) -> bool:
    if isinstance(one, float) and math.isnan(one):
        return isinstance(other, float) and math.isnan(other)
    return one == other and type(one) is type(other)


@given(values)
def test_a_cell_survives_the_cache_and_another_process(value: object) -> None:
    cell = cell_of(value)
    assert _same(cell, decode_cells(encode_cells([(cell,)]))[0][0])
    assert _same(cell, pickle.loads(pickle.dumps(cell)))


@given(st.lists(values, min_size=1, max_size=4))
def test_every_cell_has_a_place_in_the_log(row: list[object]) -> None:
    # A truth value of a result file is a cell of its own; an engine's is a number.
    cells = tuple(value if isinstance(value, bool) else cell_of(value) for value in row)
    names = tuple(map(str, range(len(cells))))
    gold, prediction = Answer(names, [cells]), Answer(names, [cells, cells])
    logged = log_answers([gold], prediction, matched=False)
    assert logged is not None
    assert msgspec.json.decode(msgspec.json.encode(logged), type=LoggedAnswers) == logged


@given(st.decimals(-(10**25), 10**25, places=2), st.decimals(-(10**25), 10**25, places=2))
def test_decimals_are_equal_cells_if_they_are_equal(one: Decimal, other: Decimal) -> None:
    assert (cell_of(one) == cell_of(other)) is (one == other)
    assert cell_of(one) == cell_of(one + 0)
    assert hash(cell_of(one)) == hash(cell_of(one + 0))
