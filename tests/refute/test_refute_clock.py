"""Queries that read the clock: searched at one moment, which the witness holds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from engine_examples import examples_of
from error_parts import refuses_data
from small_databases import EVERY_ENGINE, database_of, sqlite_file
from sqlverdict import Options, Scorer, evaluate, refute_pair
from sqlverdict.errors import DataError
from sqlverdict.evidence import Refuted
from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Case, Reason, Verdict
from sqlverdict.refute.bank.store import Bank
from sqlverdict.refute.frozen_pair import MOMENT
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.target.script import replay_script, write_script
from sqlverdict.refute.witness import NotRefuted, Refutation, Witness
from sqlverdict.refute.witness_files import replay, write

SCHEMA = read_ddl("CREATE TABLE sale (id INTEGER PRIMARY KEY, sold DATE, price INTEGER)", "shop")
NOW = datetime(2024, 2, 29, 13, 14, 15)
COUNT = "SELECT count(*) FROM sale WHERE "
PAIRS = [
    ("sold >= date('now', '-7 days')", "sold > date('now', '-7 days')"),
    ("julianday('now') - julianday(sold) > 30", "julianday('now') - julianday(sold) >= 30"),
    (
        "strftime('%Y', sold) = strftime('%Y', 'now')",
        "strftime('%Y-%m', sold) = strftime('%Y-%m', 'now')",
    ),
    ("sold < CURRENT_DATE", "sold <= CURRENT_DATE"),
    ("sold >= date('now', 'start of month')", "sold >= date('now', 'start of month', '-1 month')"),
    ("sold >= date('now', '-1 year')", "sold >= date('now', 'localtime', '-2 years')"),
]


def searched(gold: str, prediction: str, now: datetime | None = None) -> Refutation:
    return find_witness(COUNT + gold, COUNT + prediction, SCHEMA, now=now)


@pytest.mark.parametrize("now", [None, NOW])
@pytest.mark.parametrize(("gold", "prediction"), PAIRS)
def test_days_around_the_moment_tell_two_queries_apart(
    gold: str, prediction: str, now: datetime | None, tmp_path: Path
) -> None:
    witness = searched(gold, prediction, now)
    assert isinstance(witness, Witness)
    assert witness.now == (now or MOMENT).isoformat(" ")
    assert (witness.gold_sql, witness.prediction_sql) == (COUNT + gold, COUNT + prediction)
    for path in write(witness, tmp_path, "one"):
        again = replay(path)
        assert again.differ
        assert again.header.now == witness.now
        assert f"the clock shows {witness.now}" in again.header.sentence


def test_only_one_query_that_reads_the_clock_needs_a_moment() -> None:
    pair = ("sold <= CURRENT_DATE", "sold < '2024-02-29'")
    outcome = searched(*pair)
    assert isinstance(outcome, NotRefuted)
    assert outcome.reason is Reason.UNSUPPORTED_FEATURE
    assert outcome.blame == "gold"
    assert isinstance(searched(*pair, NOW), Witness)


def test_chance_is_not_searched() -> None:
    outcome = searched("sold < date('now') AND random() > 0", "sold <= date('now')", NOW)
    assert isinstance(outcome, NotRefuted)
    assert outcome.instances == 0


def test_a_pair_that_does_not_read_the_clock_has_no_moment(tmp_path: Path) -> None:
    witness = searched("price > 3", "price >= 3", NOW)
    assert isinstance(witness, Witness)
    assert not witness.now
    text = write(witness, tmp_path, "one")[0].read_text()
    assert "clock" not in text
    assert '"now"' not in text


def test_a_bank_takes_no_witness_of_one_moment(tmp_path: Path) -> None:
    witness = searched(*PAIRS[0])
    assert isinstance(witness, Witness)
    with Bank(tmp_path / "bank.sqlite") as bank:
        bank.add(witness)
        assert not list(bank.instances(SCHEMA))


def test_a_file_whose_clock_shows_no_moment_is_no_witness(tmp_path: Path) -> None:
    witness = searched(*PAIRS[0])
    assert isinstance(witness, Witness)
    path = write(witness, tmp_path, "one")[0]
    path.write_text(path.read_text().replace(f'"now": "{witness.now}"', '"now": "soon"'))
    with refuses_data(DataError, "wrong_value", "'soon'"):
        replay(path)


SCRIPT = """
import sys
from pathlib import Path
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness_files import write
schema = read_ddl("CREATE TABLE sale (id INTEGER PRIMARY KEY, sold DATE, price INTEGER)", "shop")
count = "SELECT count(*) FROM sale WHERE "
sides = ("sold >= date('now', '-7 days')", "julianday('now') - julianday(sold) < 7")
witness = find_witness(*(count + side for side in sides), schema)
print(write(witness, Path(sys.argv[1]), "one")[0].read_text())
"""


@pytest.mark.slow
def test_another_hash_seed_gives_the_same_witness(tmp_path: Path) -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, tmp_path / seed],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(texts) == 1


TABLE = "CREATE TABLE sale (id INTEGER PRIMARY KEY, sold DATE, price INTEGER)"
ROW = "INSERT INTO sale VALUES (1, '2020-01-01', 3)"


@pytest.fixture(params=EVERY_ENGINE)
def engine_and_database(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[str, str]]:
    name: str = request.param
    with database_of(name, tmp_path, TABLE, ROW) as database:
        yield name, database


@pytest.mark.parametrize(
    ("days", "number", "unit"), [("30", "1", "month"), ("365", "1", "year"), ("90", "3", "month")]
)
def test_a_month_is_not_thirty_days_at_the_moment(
    engine_and_database: tuple[str, str], days: str, number: str, unit: str
) -> None:
    name, database = engine_and_database
    gold = COUNT + examples_of(name).recent.format(">=").replace("7", days)
    prediction = gold.replace(days, number)
    for word, other in (("days", f"{unit}s"), ("DAY", unit.upper())):
        prediction = prediction.replace(word, other)
    assert isinstance(refute_pair(gold, prediction, db=database), Witness)


def test_every_engine_and_every_door_searches_at_the_moment_of_the_run(
    engine_and_database: tuple[str, str], tmp_path: Path
) -> None:
    name, database = engine_and_database
    gold, lucky = (COUNT + examples_of(name).recent.format(sign) for sign in (">=", ">"))
    by_call = refute_pair(gold, lucky, db=database)
    assert isinstance(by_call, Witness)
    assert by_call.now == MOMENT.isoformat(" ")
    case = Case("1", "shop", "How many?", (gold,), database)
    options = Options("ex,verdict", engine=name, workers=0, cache=None, policy="strict", now=NOW)
    run = evaluate([case], {"1": lucky}, options=options, out=tmp_path / "run")
    (result,) = run.results()
    assert result.verdict is Verdict.INCORRECT
    witnesses = [piece for piece in result.evidence if isinstance(piece, Refuted)]
    assert [f"the clock shows {NOW.isoformat(' ')}" in piece.sentence for piece in witnesses] == [
        True
    ]
    with Scorer("verdict", db=database, refute=100, policy="strict", now=NOW) as scorer:
        assert scorer.check(gold, lucky).verdict is Verdict.INCORRECT
    if not ENGINES.get(name).in_python:
        path = write_script(by_call, tmp_path, "one")
        assert replay_script(path, near=database).differ


@pytest.mark.parametrize("now", [None, MOMENT])
def test_a_view_that_reads_the_clock_is_not_searched_at_one_moment(
    tmp_path: Path, now: datetime | None
) -> None:
    """It would show the real time beside a query at another one."""
    database = sqlite_file(
        tmp_path / "people.sqlite",
        "CREATE TABLE person (name TEXT, hired TEXT)",
        "CREATE VIEW recent AS SELECT * FROM person WHERE hired >= date('now', '-1 year')",
        "INSERT INTO person VALUES ('a', '2001-01-01')",
    )
    gold = "SELECT name, date('now') FROM person WHERE hired >= date('now', '-1 year')"
    prediction = "SELECT name, date('now') FROM recent"
    with closing(Scorer("verdict", db=database, now=now, policy="strict")) as scorer:
        result = scorer.check(gold, prediction)
    assert result.verdict is Verdict.NEEDS_REVIEW
    assert not any(isinstance(each, Refuted) for each in result.evidence)
