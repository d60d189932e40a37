"""ESM as a metric: the hand calculation, whose fault, hostile texts, and runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.execute.engine import Limits
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Case, Reason, Score
from sqlverdict.score.metric import METRICS, SECTIONS, metric_document, parse_metric, score_case
from sqlverdict.testing.fakes import FakeItem
from sqlverdict.testing.hostile import hostile_predictions
from sqlverdict.testing.metrics import check_metric

GOLD = "SELECT name, age FROM person WHERE age > 20"


def score(sql: str, *golds: str, metric: str = "esm") -> Score:
    result = FakeItem.of([[]], [], sql=sql)
    item = replace(result, case=replace(result.case, golds=golds or (GOLD,)))
    return score_case(parse_metric(metric), item)


def test_it_conforms() -> None:
    check_metric("esm")
    assert list(metric_document(METRICS.get("esm"))) == ["", *SECTIONS]
    assert parse_metric("esm").parameter == "components"


def test_the_hand_calculation() -> None:
    predictions = (
        "SELECT p.age, p.name FROM person AS p WHERE p.age > 30",
        "SELECT name FROM person WHERE age > 20",
    )
    assert [score(sql).value for sql in predictions] == [1.0, 0.0]
    assert [score(sql, metric="esm[values]").value for sql in predictions] == [0.0, 0.0]


def test_the_script_counts_what_it_cannot_read_as_wrong_in_golds_too() -> None:
    plain, other = "SELECT name FROM person", "SELECT CAST(name AS TEXT) FROM person"
    assert score(plain, plain, metric="esm[script]").value == 1.0
    assert score(plain, other, plain, metric="esm[script]").value == 1.0
    for prediction, gold in ((other, plain), (plain, other), (other, other)):
        assert score(prediction, gold, metric="esm[script]").value == 0.0
    assert score(other, other).value == 1.0


class HeroItem(FakeItem):
    """An item of another table."""

    def schema(self) -> Schema | None:
        ddl = "CREATE TABLE hero (id INTEGER PRIMARY KEY, attribute_value INTEGER);"
        return read_ddl(ddl, "heroes")


def test_the_script_writes_1_for_each_value_in_a_prediction() -> None:
    """Inside names too: the paper's ESM of ETM on BIRD has no match for ``attribute_value``."""

    def matches(gold: str, sql: str, metric: str) -> float | None:
        base = HeroItem.of([[]], [], sql=sql)
        item = replace(base, case=replace(base.case, golds=(gold,)))
        return score_case(parse_metric(metric), item).value

    average = "SELECT avg(attribute_value) FROM hero"
    assert matches(average, average, "esm") == 1.0
    assert matches(average, average, "esm[script]") == 0.0
    assert matches(average, average.upper(), "esm[script]") == 1.0, "in lower case alone"
    by_id = "SELECT id FROM hero WHERE id > 7"
    assert matches(by_id, "SELECT id FROM hero WHERE id > value", "esm[script]") == 1.0
    assert matches(by_id, "SELECT id FROM hero WHERE id > 'value'", "esm[script]") == 1.0


def test_one_gold_of_several_suffices() -> None:
    assert score("SELECT age FROM person", GOLD, "SELECT age FROM person").value == 1.0
    assert score("SELECT age FROM person", "SELECT", "SELECT age FROM person").value == 1.0
    assert score("SELECT 1", GOLD, "SELECT age FROM person").value == 0.0


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT name FROM", Reason.PARSE_ERROR),
        ("Sorry, I cannot.", Reason.PARSE_ERROR),
        ("DROP TABLE person", Reason.WRITE_BLOCKED),
        (f"{GOLD}; {GOLD}", Reason.UNSUPPORTED_FEATURE),
        (f"EXPLAIN {GOLD}", Reason.UNSUPPORTED_FEATURE),
        ("-- nothing", Reason.NO_SQL_PRODUCED),
    ],
)
def test_what_is_the_predictions_fault_is_zero(sql: str, reason: Reason) -> None:
    assert score(sql) == Score(0.0, (reason,))


def test_what_is_our_limit_is_unscored() -> None:
    deep = f"SELECT {'+'.join(['age'] * 300)} FROM person"
    long = f"SELECT '{'x' * 300_000}'"
    for sql in (deep, long):
        assert score(sql) == Score(None, (Reason.BUDGET_EXHAUSTED,))
        assert score(GOLD, sql) == Score(None, (Reason.BUDGET_EXHAUSTED,))
    assert score(deep, deep, "SELECT age FROM person").value is None
    assert score("SELECT age FROM person", deep, "SELECT age FROM person").value == 1.0


def test_a_gold_that_cannot_be_read_is_unscored() -> None:
    assert score(GOLD, "SELECT name FROM") == Score(None, (Reason.GOLD_SUSPECT,))


def test_no_schema_is_unscored_even_for_the_same_text() -> None:
    class Unknown(FakeItem):
        def schema(self) -> Schema | None:
            return None

    item = Unknown.of([[]], [], sql=GOLD)
    assert score_case(parse_metric("esm"), item) == Score(None, (Reason.DATABASE_UNAVAILABLE,))


@pytest.mark.slow
def test_hostile_texts_are_scored_or_open_and_never_raise() -> None:
    texts = [each.sql for each in hostile_predictions() if not each.hangs]
    # The long ones only cost time: every length above the parser's limit is the same.
    texts = [sql for sql in texts if len(sql) < 300_000]
    assert len(texts) > 250
    for sql in texts:
        for metric in ("esm", "esm[values]"):
            result = score(sql, metric=metric)
            assert result.value in (0.0, None), sql[:200]
            assert result.value is not None or result.reasons, sql[:200]


DDL = (
    "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE concert (singer INTEGER REFERENCES singer (id), year INTEGER);"
)
JOINED = "FROM singer AS s JOIN concert AS c ON s.id = c.singer"


def scores(cases: list[Case], predictions: dict[str, str], options: Options) -> list[float | None]:
    run = evaluate(cases, predictions, options=options)
    return [result.scores["esm"] for result in run.results()]


def test_a_run_takes_keys_from_the_database_or_from_the_schemas_given(tmp_path: Path) -> None:
    file = tmp_path / "music.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(DDL)
    gold, predictions = f"SELECT s.id {JOINED}", {"1": f"SELECT c.singer {JOINED}"}
    here = [Case("1", "music", golds=(gold,), database=str(file))]
    nowhere = [Case("1", "music", golds=(gold,))]
    options = Options(metrics="esm", cache=None, workers=0)
    assert scores(here, predictions, options) == [1.0]
    assert scores(nowhere, predictions, options) == [None]
    keyless = read_ddl(DDL.replace("REFERENCES singer (id)", ""), "music")
    for schema, value in ((read_ddl(DDL, "music"), 1.0), (keyless, 0.0)):
        with_schemas = replace(options, schemas={"music": schema})
        assert scores(nowhere, predictions, with_schemas) == [value]
        assert scores(here, predictions, with_schemas) == [1.0], "its own keys win"


@pytest.mark.slow
def test_a_text_that_hangs_the_parser_ends_with_its_worker(tmp_path: Path) -> None:
    file = tmp_path / "music.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(DDL)
    (hanging,) = (h.sql for h in hostile_predictions() if h.name == "compile/chain of joins")
    cases = [
        Case(name, "music", golds=("SELECT name FROM singer",), database=str(file)) for name in "ab"
    ]
    options = Options(metrics="esm", cache=None, workers=1, limits=Limits(seconds=600))
    predictions = {"a": hanging, "b": "SELECT name FROM singer"}
    assert scores(cases, predictions, options) == [0.0, 1.0], "its own text stops it"
