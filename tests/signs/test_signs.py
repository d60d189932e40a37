"""Every sign file faces the conformance suite; adding a sign needs no new test."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Outcome, Query
from sqlverdict.signs.look import LONGEST, look_at, signs_of
from sqlverdict.signs.sign import PROBES, SIGNS, Sign, Subject
from sqlverdict.testing import check_sign, hostile_predictions, make_database
from tiers import sampled


@pytest.mark.parametrize("sign", [sign for _, sign in SIGNS.items()], ids=lambda sign: sign.name)
def test_sign(sign: Sign) -> None:
    check_sign(sign)


def subject_of(sql: str, database: Path, runner: QueryRunner, **about: str) -> Subject:
    query = parse(sql)
    assert isinstance(query, Query)
    return Subject(query, read_sqlite(database), partial(runner.run, str(database)), **about)


@pytest.fixture
def runner() -> Iterator[QueryRunner]:
    query_runner = QueryRunner("sqlite", Limits())
    yield query_runner
    query_runner.close()


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return make_database(tmp_path / "people.sqlite")


def test_strong_signs_come_first(people: Path, runner: QueryRunner) -> None:
    sql = "SELECT name FROM person WHERE age > 500"
    names = [notice.name for notice in signs_of(subject_of(sql, people, runner))]
    assert names == ["empty_answer", "constant_condition"]


def test_a_list_of_values_cannot_make_it_run_for_ever(people: Path, runner: QueryRunner) -> None:
    values = ", ".join(f"'x{n}'" for n in range(2_000))
    texts: list[str] = []

    def run(sql: str) -> Outcome:
        texts.append(sql)
        return runner.run(str(people), sql)

    query = parse(f"SELECT age FROM person WHERE name IN ({values[:9_000]}')")
    assert isinstance(query, Query)
    list(signs_of(Subject(query, read_sqlite(people), run)))
    assert len(texts) == PROBES + 1


def test_a_long_query_is_not_looked_at(people: Path, runner: QueryRunner) -> None:
    sql = f"SELECT name FROM person WHERE name = '{'x' * LONGEST}'"
    assert list(signs_of(subject_of(sql, people, runner))) == []


# What hangs inside one step of the engine needs the guardian of a run.
PATIENT = [hostile for hostile in hostile_predictions() if not hostile.hangs]


@pytest.mark.slow
@pytest.mark.sampled
def test_hostile_texts_raise_nothing(people: Path) -> None:
    runner = QueryRunner("sqlite", Limits(steps=100_000))
    schema, run = read_sqlite(people), partial(runner.run, str(people))
    wrong = {}
    for hostile in PATIENT[:: sampled(3, 1)]:
        try:
            look_at(hostile.sql, schema, run, "Who is it?")
        except Exception as error:  # noqa: BLE001 - whatever it is, the text is named
            wrong[hostile.name] = repr(error)
    runner.close()
    assert wrong == {}


@pytest.mark.parametrize("rows", ["ROW ONLY", "2 ROWS ONLY", "2 ROWS WITH TIES"])
def test_fetch_first_is_looked_at(people: Path, runner: QueryRunner, rows: str) -> None:
    run = partial(runner.run, str(people))
    for columns in ("name", "COUNT(*)"):
        sql = f"SELECT {columns} FROM person ORDER BY 1 FETCH FIRST {rows}"
        query = parse(sql, "postgres")
        assert isinstance(query, Query)
        notices = [notice.name for notice in signs_of(Subject(query, read_sqlite(people), run))]
        assert ("one_row_ordered" in notices) == ("COUNT" in columns and "ONLY" in rows)
