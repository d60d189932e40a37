"""No value of an engine loses a part on its way: values that the engine tells apart are two cells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import pytest
from duckdb_parts import DUCKDB, write_duckdb

import sqlverdict as sv
from servers import fresh_postgres
from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.records import Answer, Cell

DAY = "'2020-01-01'"
NEXT = "'2020-01-01 00:00:00.000000001'"
DUCKDB_PAIRS = [
    (f"{DAY}::TIMESTAMP_NS", f"{NEXT}::TIMESTAMP_NS"),
    (f"[{DAY}::TIMESTAMP_NS]", f"[{NEXT}::TIMESTAMP_NS]"),
    (f"array_value({DAY}::TIMESTAMP_NS)", f"array_value({NEXT}::TIMESTAMP_NS)"),
    (f"{{'a': {DAY}::TIMESTAMP_NS, 'b': [1]}}", f"{{'a': {NEXT}::TIMESTAMP_NS, 'b': [1]}}"),
    (f"row(1, [{DAY}::TIMESTAMP_NS])", f"row(1, [{NEXT}::TIMESTAMP_NS])"),
    (f"MAP {{1: {DAY}::TIMESTAMP_NS}}", f"MAP {{1: {NEXT}::TIMESTAMP_NS}}"),
    (f"MAP {{{DAY}::TIMESTAMP_NS: 1}}", f"MAP {{{NEXT}::TIMESTAMP_NS: 1}}"),
    (f"MAP {{[1]: {DAY}::TIMESTAMP_NS}}", f"MAP {{[1]: {NEXT}::TIMESTAMP_NS}}"),
    (f"union_value(a := {DAY}::TIMESTAMP_NS)", f"union_value(a := {NEXT}::TIMESTAMP_NS)"),
    ("'infinity'::DATE", "'9999-12-31'::DATE"),
    ("'-infinity'::DATE", "'0001-01-01'::DATE"),
    ("'infinity'::TIMESTAMP", "'9999-12-31 23:59:59.999999'::TIMESTAMP"),
    ("'infinity'::TIMESTAMPTZ", "'9999-12-31 23:59:59.999999+00'::TIMESTAMPTZ"),
    ("['infinity'::DATE, NULL]", "['9999-12-31'::DATE, NULL]"),
    ("'24:00:00'::TIME", "'00:00:00'::TIME"),
    ("'12:00:00+01:00:01'::TIMETZ", "'12:00:00+01:00:02'::TIMETZ"),
    ("['12:00:00+01:00:01'::TIMETZ]", "['12:00:00+01:00:02'::TIMETZ]"),
    ("['a'::BLOB]", "['61']"),
    ("[12345678901234567890.1]", "[12345678901234567890.2]"),
    ("[12345678901234567890.1]", "['12345678901234567890.1']"),
    ("[170141183460469231731687303715884105727]", "['170141183460469231731687303715884105727']"),
]
NEWER_PAIRS = [
    ("'12:00:00'::TIME_NS", "'12:00:00.000000001'::TIME_NS"),
    (f"{DAY}::TIMESTAMPTZ_NS", f"{NEXT}::TIMESTAMPTZ_NS"),
    (f"({DAY}::TIMESTAMP_NS)::VARIANT", f"({NEXT}::TIMESTAMP_NS)::VARIANT"),
    ("{'a': ['infinity'::DATE]}::VARIANT", "{'a': ['9999-12-31'::DATE]}::VARIANT"),
]
"""Types that older releases of DuckDB's driver do not give at all."""
POSTGRES_PAIRS = [
    ("'{\"a\": 123456789012345678901}'::jsonb", '\'{"a": "123456789012345678901"}\'::jsonb'),
    ("ARRAY['[12345678901234567890.1]'::jsonb]", "ARRAY['[12345678901234567890.2]'::jsonb]"),
    ("ARRAY['\\x61'::bytea]", "ARRAY['61']"),
    ("'[2:3]={1,2}'::int[]", "'{1,2}'::int[]"),
    ("'12:00:00+01:00:01'::timetz", "'12:00:00+01:00:02'::timetz"),
    ("ARRAY['12:00:00+01:00:01'::timetz]", "ARRAY['12:00:00+01:00:02'::timetz]"),
    ("ARRAY['infinity'::date]", "ARRAY['9999-12-31'::date]"),
    ("ARRAY['24:00:00'::time]", "ARRAY['00:00:00'::time]"),
]
SAME = [
    (f"{DAY}::TIMESTAMP", f"{DAY}::TIMESTAMP_NS"),
    (f"[{DAY}::TIMESTAMP]", f"[{DAY}::TIMESTAMP_NS]"),
    (f"{{'a': {DAY}::TIMESTAMP}}", f"{{'a': {DAY}::TIMESTAMP_NS}}"),
    (f"MAP {{[1]: {DAY}::TIMESTAMP}}", f"MAP {{[1]: {DAY}::TIMESTAMP_NS}}"),
    (f"row({DAY}::TIMESTAMP, 1)", f"row({DAY}::TIMESTAMP_NS, 1)"),
    ("'2020-01-01 00:00:00.12'::TIMESTAMP", "'2020-01-01 00:00:00.120'::TIMESTAMP_NS"),
]


@pytest.fixture(scope="module")
def duckdb_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    file = write_duckdb(tmp_path_factory.mktemp("lost") / "t.duckdb", "CREATE TABLE t (a INT)")
    with closing(DUCKDB.open(file, Limits(seconds=600), driver_values=True)) as session:
        yield session


@pytest.fixture(scope="module")
def postgres_session(postgres: str) -> Iterator[Session]:
    with (
        fresh_postgres(postgres) as url,
        closing(ENGINES.get("postgres").open(url, Limits(seconds=600))) as session,
    ):
        yield session


def cell(session: Session, expression: str) -> Cell:
    outcome = session.run(f"SELECT {expression}")
    assert isinstance(outcome, Answer), outcome
    return outcome.rows[0][0]


@pytest.mark.parametrize(("one", "other"), DUCKDB_PAIRS)
def test_duckdb_values_that_differ_are_two_cells(
    duckdb_session: Session, one: str, other: str
) -> None:
    assert cell(duckdb_session, one) != cell(duckdb_session, other)


@pytest.mark.parametrize(("one", "other"), NEWER_PAIRS)
def test_values_of_newer_types_that_differ_are_two_cells(
    duckdb_session: Session, one: str, other: str
) -> None:
    outcomes = [duckdb_session.run(f"SELECT {each}") for each in (one, other)]
    answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
    assert not answers or answers[0].rows != answers[1].rows


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_moment_is_one_cell_whatever_its_type(
    duckdb_session: Session, one: str, other: str
) -> None:
    assert cell(duckdb_session, one) == cell(duckdb_session, other)


@pytest.mark.parametrize(("one", "other"), POSTGRES_PAIRS)
def test_postgres_values_that_differ_are_two_cells(
    postgres_session: Session, one: str, other: str
) -> None:
    assert cell(postgres_session, one) != cell(postgres_session, other)


def test_an_answer_with_nanoseconds_keeps_its_order_names_and_driver_values(
    duckdb_session: Session,
) -> None:
    outcome = duckdb_session.run(
        "SELECT a, a, make_timestamp_ns(a) AS t FROM range(3000) AS r (a) ORDER BY a * 7919 % 3001;"
        " -- ;"
    )
    assert isinstance(outcome, Answer), outcome
    assert outcome.columns == ("a", "a", "t")
    assert [row[0] for row in outcome.rows] == sorted(range(3000), key=lambda a: a * 7919 % 3001)
    assert all(str(row[2]).endswith(f".{row[0]:09}".rstrip("0")) for row in outcome.rows if row[0])
    assert outcome.driver_rows is not None
    assert outcome.driver_rows[0][2] == datetime(1970, 1, 1)


def test_rows_with_an_endless_day_keep_the_values_of_the_driver(duckdb_session: Session) -> None:
    outcome = duckdb_session.run("VALUES (DATE '2020-01-01', 1), (DATE 'infinity', 2)")
    assert isinstance(outcome, Answer), outcome
    assert outcome.rows == [("2020-01-01", 1), ("infinity", 2)]
    assert outcome.driver_rows == [(date(2020, 1, 1), 1), (date.max, 2)]


def test_a_nanosecond_is_a_wrong_answer(tmp_path: Path) -> None:
    file = write_duckdb(tmp_path / "t.duckdb", "CREATE TABLE t (a INT)")
    check = sv.check(f"SELECT {DAY}::timestamp_ns", f"SELECT {NEXT}::timestamp_ns", db=str(file))
    assert check.correct is False
    check = sv.check(f"SELECT {DAY}::timestamp", f"SELECT {DAY}::timestamp_ns", db=str(file))
    assert check.correct is True
