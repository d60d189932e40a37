"""PostgreSQL's values: as cells by meaning, and as psycopg2 gives them to scorers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest

from servers import fresh_postgres
from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.execute.values.driver_values import cell_of
from sqlverdict.records import Answer, ExactNumber

POSTGRES = ENGINES.get("postgres")


@pytest.fixture(scope="module")
def session(postgres: str) -> Iterator[Session]:
    with fresh_postgres(postgres) as url:
        import psycopg

        with psycopg.connect(url) as connection:
            connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')")
            connection.execute("CREATE DOMAIN positive AS numeric CHECK (VALUE > 0)")
        with closing(POSTGRES.open(url, Limits(seconds=600), driver_values=True)) as opened:
            yield opened


MOMENT = datetime(2024, 2, 29, 12, 14, 15, 120_000)
VALUES: list[tuple[str, object, object]] = [
    ("NULL", None, None),
    ("7", 7, 7),
    ("9223372036854775807", 2**63 - 1, 2**63 - 1),
    ("2.50", 2.5, Decimal("2.50")),
    ("2.00", 2, Decimal("2.00")),
    ("-12", -12, -12),
    ("1e30::numeric", ExactNumber("1" + "0" * 30), Decimal("1e30")),
    ("0.1::float4", 0.1, 0.1),
    ("0.1::float8", 0.1, 0.1),
    ("'Infinity'::float8", math.inf, math.inf),
    ("'-Infinity'::numeric", -math.inf, Decimal("-Infinity")),
    ("true", 1, True),
    ("'é''x'", "é'x", "é'x"),
    ("'a'::char(3)", "a  ", "a  "),
    ("'\\x00ff'::bytea", b"\x00\xff", b"\x00\xff"),
    ("date '2024-02-29'", "2024-02-29", date(2024, 2, 29)),
    ("'infinity'::date", "infinity", "infinity"),
    ("'0044-03-15 BC'::date", "0044-03-15 BC", "0044-03-15 BC"),
    ("time '13:14:15'", "13:14:15", time(13, 14, 15)),
    ("timestamp '2024-02-29 12:14:15.12'", "2024-02-29 12:14:15.12", MOMENT),
    (
        "timestamptz '2024-02-29 13:14:15.12+01'",
        "2024-02-29 12:14:15.12+00:00",
        MOMENT.replace(tzinfo=UTC),
    ),
    ("interval '1 day 02:03:04.5'", "1 day 02:03:04.5", timedelta(days=1, seconds=7384.5)),
    ("interval '-1 day -02:00'", "-1 day 02:00:00", timedelta(days=-1, hours=-2)),
    ("interval '1 mon'", "30 days 00:00:00", timedelta(days=30)),
    ("interval '04:05'", "04:05:00", timedelta(hours=4, minutes=5)),
    ("'C0FFEE00-0000-0000-0000-000000000001'::uuid", *["c0ffee00-0000-0000-0000-000000000001"] * 2),
    ("ARRAY[1, NULL, 3]", "[1,null,3]", [1, None, 3]),
    ("ARRAY[1.5, 2.0]", "[1.5,2]", [Decimal("1.5"), Decimal("2.0")]),
    ("ARRAY[['a'], ['b']]", '[["a"],["b"]]', [["a"], ["b"]]),
    ('\'{"b": 1.0, "a": [true]}\'::json', '{"a":[true],"b":1}', {"b": 1.0, "a": [True]}),
    ("'[1, 2]'::jsonb", "[1,2]", [1, 2]),
    ("ARRAY[true, NULL]", "[true,null]", [True, None]),
    ("ARRAY['{\"a\": 1.0}'::jsonb]", '[{"a":1}]', [{"a": 1.0}]),
    ("ARRAY['infinity'::date]", '["infinity"]', ["infinity"]),
    ("ARRAY[interval '1 day']", '["1 day 00:00:00"]', [timedelta(days=1)]),
    ("ARRAY[date '2024-02-29']", '["2024-02-29"]', [date(2024, 2, 29)]),
    ("'[0:1]={1,2}'::int[]", "[0:1]=[1,2]", [1, 2]),
    ("timetz '13:00+02'", "13:00:00+02:00", time(13, tzinfo=timezone(timedelta(hours=2)))),
    (f"'{'[' * 3000}{']' * 3000}'::json", *["[" * 3000 + "]" * 3000] * 2),
    ("'sad'::mood", "sad", "sad"),
    ("3::positive", 3, Decimal("3")),
    ("int4range(1, 5)", "[1,5)", "[1,5)"),
    ("'10.0.0.1'::inet", "10.0.0.1", "10.0.0.1"),
    ("ROW(1, 'a')", "(1,a)", "(1,a)"),
    ("B'101'", "101", "101"),
]


@pytest.mark.parametrize(("sql", "cell", "value"), VALUES)
def test_a_value_is_a_cell_and_a_value_of_the_driver(
    session: Session, sql: str, cell: object, value: object
) -> None:
    outcome = session.run(f"SELECT {sql}")
    assert isinstance(outcome, Answer), outcome
    assert outcome.rows == [(cell,)]
    assert type(outcome.rows[0][0]) is type(cell)
    assert outcome.driver_rows == [(value,)]
    assert type(outcome.driver_rows[0][0]) is type(value)


@pytest.mark.parametrize(("sql", "cell", "value"), VALUES)
def test_cells_are_those_of_the_other_engines(
    session: Session, sql: str, cell: object, value: object
) -> None:
    """The server's text gives the same cell as the driver's value would."""
    # Python's lists begin nowhere; the server's arrays do, at 1 unless they say something else.
    begins = sql.startswith("'[0:1]=")
    assert f"[0:1]={cell_of(value)}" == cell if begins else cell_of(value) == cell


def test_money_is_a_number(session: Session) -> None:
    outcome = session.run("SELECT '1234.50'::money, '-1234567.89'::money, '20'::money")
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(1234.5, -1234567.89, 20)]
    assert outcome.driver_rows == [("$1,234.50", "-$1,234,567.89", "$20.00")]


def test_nan_is_one_value(session: Session) -> None:
    outcome = session.run("SELECT 'NaN'::float8, 'NaN'::numeric")
    assert isinstance(outcome, Answer)
    assert all(isinstance(cell, float) and math.isnan(cell) for cell in outcome.rows[0])


def test_equal_intervals_are_equal_cells(session: Session) -> None:
    outcome = session.run("SELECT interval '1 mon', interval '30 days', interval '720:00'")
    assert isinstance(outcome, Answer)
    assert len(set(outcome.rows[0])) == 1


def test_answers_have_no_driver_values_where_nobody_asks(postgres_database: str) -> None:
    with closing(POSTGRES.open(postgres_database, Limits(seconds=600))) as opened:
        outcome = opened.run("SELECT 1.5")
    assert isinstance(outcome, Answer)
    assert outcome.driver_rows is None


def test_names_and_orders_of_columns_are_kept(session: Session) -> None:
    outcome = session.run('SELECT 1 AS "A b", 2 AS a, 3 AS a, 4')
    assert isinstance(outcome, Answer)
    assert outcome.columns == ("A b", "a", "a", "?column?")
    assert outcome.rows == [(1, 2, 3, 4)]


def test_many_rows_come_in_order_with_their_driver_values(session: Session) -> None:
    outcome = session.run("SELECT i::numeric FROM generate_series(1, 10000) AS i ORDER BY i DESC")
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(number,) for number in range(10_000, 0, -1)]
    assert outcome.driver_rows == [(Decimal(number),) for number in range(10_000, 0, -1)]
