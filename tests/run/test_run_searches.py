"""A run searches for a witness where one may exist, and once for a pair."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import sqlverdict as sv
import sqlverdict.refute.search
from sqlverdict import Options, evaluate
from sqlverdict.records import Case, Query
from sqlverdict.refute.witness import Refutation

GOLD = "SELECT count(*) FROM item WHERE price > 2"
PROVED = "SELECT count(*) FROM item WHERE 2 < price"
LUCKY = "SELECT count(*) FROM item WHERE price >= 3"
DIFFERENT = "SELECT count(*) + 7 FROM item"
CLOCK = "SELECT count(*) FROM item WHERE price > 2 AND date('now') > '2000-01-01'"
ALL = "ex,esm,etm,proved,witness_accuracy,verdict"


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL NOT NULL);"
            "INSERT INTO item VALUES (1, 1.0), (2, 3.0), (3, 9.0);"
        )
    return str(path)


@pytest.mark.parametrize("metrics", [ALL, "witness_accuracy", "verdict,witness_accuracy"])
def test_no_search_is_made_twice_or_for_a_proved_pair(
    database: str, monkeypatch: pytest.MonkeyPatch, metrics: str
) -> None:
    searches: Counter[str] = Counter()
    search = sqlverdict.refute.search.refute_queries

    def count_search(
        gold: Query, prediction: Query, *rest: object, **options: object
    ) -> Refutation:
        searches[prediction.sql] += 1
        return search(gold, prediction, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(sqlverdict.refute.search, "refute_queries", count_search)
    predictions = {"1": PROVED, "2": LUCKY, "3": DIFFERENT}
    cases = [Case(number, "shop", "?", (GOLD,), database) for number in predictions]
    run = evaluate(cases, predictions, options=Options(metrics, workers=0, cache=None))
    assert searches == {LUCKY: 1}
    values = [result.scores["witness_accuracy"] for result in run.results()]
    assert values == [1.0, 0.0, 0.0]


def test_a_proved_pair_that_cannot_be_searched_has_one_score_beside_any_metrics(
    database: str,
) -> None:
    cases, predictions = [Case("1", "shop", "?", (CLOCK,), database)], {"1": CLOCK.lower()}
    scores = []
    for metrics in ("witness_accuracy", ALL):
        run = evaluate(cases, predictions, options=Options(metrics, workers=0, cache=None))
        scores += [result.scores["witness_accuracy"] for result in run.results()]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("first", [True, False])
def test_a_gold_that_gives_no_answer_keeps_no_witness_against_the_others_away(
    database: str, first: bool
) -> None:
    golds = (GOLD, "SELECT none FROM item")
    run = evaluate(
        [Case("1", "shop", "?", golds if first else golds[::-1], database)],
        {"1": LUCKY},
        options=Options("witness_accuracy,verdict", workers=0, cache=None),
    )
    (result,) = run.results()
    assert result.situation == "ordinary_witness"


def _count_searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The predictions that are searched from now on, in order."""
    searched: list[str] = []
    search = sqlverdict.refute.search.refute_queries

    def note(gold: Query, prediction: Query, *rest: object, **options: object) -> Refutation:
        searched.append(prediction.sql)
        return search(gold, prediction, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(sqlverdict.refute.search, "refute_queries", note)
    return searched


def test_two_questions_with_one_gold_and_one_prediction_share_a_search(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = _count_searches(monkeypatch)
    questions = ("How many cost more than 2?", "Count what is dearer than 2.")
    cases = [
        Case(str(n), "shop", question, (GOLD,), database) for n, question in enumerate(questions)
    ]
    predictions = {case.id: LUCKY for case in cases}
    options = Options("verdict", workers=0, cache=None)
    run = evaluate(cases, predictions, options=options)
    assert searched == [LUCKY]
    alone = [evaluate([case], {case.id: LUCKY}, options=options).results() for case in cases]
    expected = [result.evidence for results in alone for result in results]
    assert [result.evidence for result in run.results()] == expected


def test_a_search_is_not_shared_with_other_content_or_another_contract(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sv.Scorer("verdict", db=database) as scorer:
        searched = _count_searches(monkeypatch)
        scorer.check(GOLD, LUCKY, question="one")
        scorer.check(GOLD, LUCKY, question="two")
        assert len(searched) == 1
        scorer.check(GOLD, LUCKY, question="two", contract=sv.Contract(order="ignore"))
        assert len(searched) == 2
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("INSERT INTO item VALUES (4, 11.0)")
            connection.commit()
        scorer.check(GOLD, LUCKY, question="one")
        assert len(searched) == 3
