"""FLOAT columns of MySQL and MariaDB: every digit, where the server writes six."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from math import isfinite
from random import Random

import pytest

import sqlverdict as sv
from mysql_parts import server_database
from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.records import Answer
from sqlverdict.refute.witness import Witness

MYSQL = ENGINES.get("mysql")
FLOATS = (16777216.0, 16777218.0, 0.1, 1.0000001, 1.1754943508222875e-38, 123456.703125)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    values = ", ".join(f"({at}, {value!r})" for at, value in enumerate(FLOATS))
    with server_database(
        "CREATE TABLE t (id INT PRIMARY KEY, f FLOAT)",
        f"INSERT INTO t VALUES {values}, (8, NULL)",
        "CREATE TABLE w (i TINYINT, y YEAR, s SMALLINT, m MEDIUMINT, b BIGINT, e DOUBLE, n DECIMAL(9, 3), "
        "d DATE, c TIME(3), z DATETIME(6), x BIT(9), o BLOB, v VARCHAR(300), f FLOAT, g FLOAT(7, 3))",
        "INSERT INTO w VALUES (1, 2020, 2, 3, 4, 0.1, 1.5, '2020-01-02', '-10:00:00.5', "
        "'2020-01-02 03:04:05.678901', b'100000001', x'00ff', repeat('é', 300), 0.1, 1.5), "
        "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 16777216, NULL)",
    ) as database:
        yield database


@pytest.fixture(scope="module")
def session(url: str) -> Iterator[Session]:
    session = MYSQL.open(url, Limits(seconds=600), driver_values=True)
    yield session
    session.close()


def single(value: float) -> float:
    number: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return number


def answer(session: Session, sql: str) -> Answer:
    outcome = session.run(sql)
    assert isinstance(outcome, Answer), outcome
    return outcome


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT f FROM t WHERE id < 8 ORDER BY id",
        "SELECT max(f) FROM t WHERE id < 8 GROUP BY id ORDER BY id",
        "SELECT CASE WHEN id >= 0 THEN f END FROM t WHERE id < 8 ORDER BY id",
        "SELECT coalesce(f, 0) FROM t WHERE id < 8 ORDER BY id",
        "SELECT f FROM (SELECT id, f FROM t) AS x WHERE id < 8 ORDER BY id",
    ],
)
def test_a_float_has_every_digit_wherever_it_comes_from(session: Session, sql: str) -> None:
    assert answer(session, sql).rows == [(single(value),) for value in FLOATS]


def test_other_columns_and_null_stay_as_they_are(session: Session) -> None:
    first, second = answer(session, "SELECT * FROM w").rows
    assert first[-3:] == ("é" * 300, single(0.1), 1.5)
    assert second == (*[None] * 13, 16777216.0, None)
    plain = answer(session, "SELECT i, y, s, m, b, e, n, d, c, z, x, o, v FROM w").rows
    assert plain == [first[:-2], second[:-2]]
    assert answer(session, "SELECT f FROM t WHERE id = 8").rows == [(None,)]
    assert answer(session, "SELECT f FROM t WHERE id > 8").rows == []


def test_the_driver_values_are_those_of_the_driver(session: Session) -> None:
    outcome = answer(session, "SELECT f FROM t WHERE id = 0")
    assert outcome.driver_rows == [(16777200.0,)]


def test_rows_that_chance_orders_stay_an_answer(session: Session) -> None:
    outcome = answer(session, "SELECT f, rand() FROM t WHERE id < 8 ORDER BY 2")
    assert outcome.volatile
    assert len(outcome.rows) == len(FLOATS)
    assert len(answer(session, "SELECT id FROM t").rows) == len(FLOATS) + 1


def test_floats_that_differ_in_the_last_digit_are_two(url: str) -> None:
    gold, other = "SELECT f FROM t WHERE id = 0", "SELECT f FROM t WHERE id = 1"
    assert sv.check(gold, other, db=url).verdict == "incorrect"
    at = "SELECT f FROM t WHERE f >= 16777216"
    witness = sv.refute_pair(at, "SELECT f + 2 FROM t WHERE f >= 16777216", db=url)
    assert isinstance(witness, Witness)


def test_any_float_is_read_as_it_is_stored() -> None:
    chance = Random(0)
    bits = (struct.pack("<I", chance.getrandbits(32)) for _ in range(400))
    values = [value for each in bits for value in struct.unpack("<f", each) if isfinite(value)]
    rows = ", ".join(f"({at}, {value!r})" for at, value in enumerate(values))
    with server_database(
        "CREATE TABLE t (id INT PRIMARY KEY, f FLOAT)", f"INSERT INTO t VALUES {rows}"
    ) as url:
        session = MYSQL.open(url, Limits(seconds=600))
        cells = answer(session, "SELECT f FROM t ORDER BY id").rows
        session.close()
    assert cells == [(value,) for value in values]
