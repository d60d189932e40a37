"""What a gold shows by itself, without a system: each suspicion on a small database."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.audit.gold import suspect_golds
from sqlverdict.audit.gold_model import gold_features, gold_model
from sqlverdict.audit.gold_report import (
    GoldReport,
    case_reports,
    gold_reports,
    is_rearranged,
    miss_weight,
)
from sqlverdict.audit.question_words import (
    absent_numbers,
    asks_one_number,
    counted_thing,
    counted_words,
)
from sqlverdict.audit.suspicion import DOUBT, SIGN, SUSPICIONS, Suspicion
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Case, Outcome, Result, Verdict
from sqlverdict.runlog.run import Run

DATA = """
CREATE TABLE event (event_id INTEGER PRIMARY KEY, name TEXT, kind TEXT, place TEXT);
INSERT INTO event VALUES (1, 'Opening', 'Talk', 'Hall'), (2, 'Dinner', 'Meal', 'Hall'),
                         (3, 'Lunch', 'Meal', 'Yard'), (4, 'Opening', 'Walk', 'Yard');
CREATE TABLE budget (budget_id INTEGER PRIMARY KEY, event_id INTEGER REFERENCES event, spent REAL);
INSERT INTO budget VALUES (1, 1, 10.0), (2, 1, 20.0), (3, 2, 20.0), (4, 3, 5.0);
"""
MakeRun = Callable[..., Run]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "club.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(DATA)
    return str(path)


@pytest.fixture
def look(file: str) -> Callable[..., dict[str, Suspicion]]:
    """The suspicions against one gold by name, with or without its database."""

    def run(question: str, gold: str, *, knowledge: str = "", data: bool = True) -> Any:
        return {each.name: each for each in raised(report(file, question, gold, knowledge, data))}

    return run


def report(file: str, question: str, gold: str, knowledge: str, data: bool) -> GoldReport:
    runner = QueryRunner("sqlite", Limits())

    def rerun(_: str, sql: str) -> Outcome:
        return runner.run(file, sql)

    case = Case("1", "club", question, (gold,), file, knowledge=knowledge)
    schemas = {"club": read_sqlite(file)}
    (result,) = case_reports([case], schemas=schemas, rerun=rerun if data else None)
    return result


def raised(result: GoldReport) -> list[Suspicion]:
    return [each for _, one in SUSPICIONS.items() for each in one.look(result)]


Look = Callable[..., dict[str, Suspicion]]


def test_rows_that_repeat(look: Look) -> None:
    gold = "SELECT e.kind FROM event e JOIN budget b ON b.event_id = e.event_id"
    repeats = look("What kinds of event have a budget?", gold)["gold_repeats"]
    assert repeats.message == (
        "the gold returns 4 rows, 2 of them different; ('Talk') comes 2 times"
    )
    assert repeats.feature == DOUBT
    assert "gold_repeats" not in look("Which kinds?", gold.replace("e.kind", "DISTINCT e.kind"))
    assert "gold_repeats" not in look("Which kinds?", gold, data=False)


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("How many events are meals?", "SELECT name FROM event WHERE kind = 'Meal'"),
        ("What is the total spent?", "SELECT SUM(spent) FROM budget GROUP BY event_id"),
        ("Did the opening cost anything?", "SELECT spent > 0 FROM budget WHERE event_id = 1"),
    ],
)
def test_a_list_where_one_value_is_asked_for(look: Look, question: str, gold: str) -> None:
    shape = look(question, gold)["gold_shape"]
    assert shape.feature == SIGN
    assert "returns 2 rows" in shape.message or "returns 3 rows" in shape.message


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("How many events are meals?", "SELECT COUNT(*) FROM event WHERE kind = 'Meal'"),
        ("How many events does each place have?", "SELECT COUNT(*) FROM event GROUP BY place"),
        ("List the events and how many there are.", "SELECT name FROM event"),
        ("Which events are meals?", "SELECT name FROM event WHERE kind = 'Meal'"),
        ("Is the opening in the hall?", "SELECT place FROM event WHERE event_id = 1"),
    ],
)
def test_answers_of_the_shape_that_is_asked_for(look: Look, question: str, gold: str) -> None:
    for data in (True, False):
        assert "gold_shape" not in look(question, gold, data=data)


def test_without_data_the_query_shows_its_shape(look: Look) -> None:
    gold = "SELECT SUM(spent) FROM budget GROUP BY event_id"
    shape = look("What is the total spent?", gold, data=False)["gold_shape"]
    assert (shape.feature, shape.weight) == (DOUBT, 0.25)
    assert shape.message.endswith("the gold returns a row for each group")
    names = look("How many events are meals?", "SELECT name FROM event", data=False)
    assert names["gold_shape"].message.endswith("the gold aggregates nothing")
    limited = "SELECT COUNT(*) FROM event GROUP BY kind ORDER BY 1 DESC LIMIT 1"
    assert "gold_shape" not in look("How many events are of that kind?", limited, data=False)


def test_a_count_of_another_table(look: Look) -> None:
    question = "What is the percentage of the events that spent more than 10?"
    gold = "SELECT SUM(spent > 10) * 100.0 / COUNT(budget_id) FROM budget"
    for data in (True, False):
        counts = look(question, gold, data=data)["gold_counts"]
        assert counts.feature == SIGN
        assert counts.message == (
            "the question asks for the number of event, the gold counts budget.budget_id"
        )
    known = look(question, gold, knowledge="percentage = DIVIDE(SUM(spent > 10), COUNT(budget_id))")
    assert "gold_counts" not in known


@pytest.mark.parametrize(
    "gold",
    [
        "SELECT COUNT(event_id) FROM event",
        "SELECT COUNT(DISTINCT event_id) FROM budget",
        "SELECT COUNT(*) FROM budget",
        "SELECT COUNT(e.event_id) FROM event e JOIN budget b ON b.event_id = e.event_id",
    ],
)
def test_a_count_of_what_is_asked_for(look: Look, gold: str) -> None:
    assert "gold_counts" not in look("How many events have a budget?", gold)


def test_a_count_of_rows_where_values_are_asked_for(look: Look) -> None:
    counts = look("How many kinds are there?", "SELECT COUNT(*) FROM event")["gold_counts"]
    assert counts.feature == DOUBT
    assert "event.kind" in counts.message
    for gold in ("SELECT COUNT(DISTINCT kind) FROM event", "SELECT kind, COUNT(*) FROM event"):
        grouped = f"{gold} GROUP BY kind" if "," in gold else gold
        assert "gold_counts" not in look("How many kinds are there?", grouped)
    assert "gold_counts" not in look("How many budget ids?", "SELECT COUNT(*) FROM budget")
    assert "gold_counts" not in look(
        "How many kinds are there?", "SELECT COUNT(*) FROM event", data=False
    )


def test_groups_without_a_partner_are_lost(look: Look) -> None:
    question = "Which events have fewer than 2 budgets?"
    start = "SELECT e.name FROM event e {} budget b ON b.event_id = e.event_id GROUP BY e.event_id "
    gold = start.format("JOIN") + "HAVING COUNT(*) < 2"
    assert "COUNT(*) < 2" in look(question, gold)["gold_groups"].message
    for other in (
        start.format("LEFT JOIN") + "HAVING COUNT(*) < 2",
        start.format("JOIN") + "HAVING COUNT(*) > 2",
        start.format("JOIN") + "HAVING COUNT(*) = 2",
        start.format("JOIN") + "HAVING SUM(b.spent) < 2",
        "SELECT event_id FROM budget GROUP BY event_id HAVING COUNT(*) < 2",
    ):
        assert "gold_groups" not in look(question, other)


def test_groups_by_a_name_are_merged(look: Look) -> None:
    question = "How much was spent for each event?"
    gold = (
        "SELECT e.name, SUM(b.spent) FROM event e JOIN budget b ON b.event_id = e.event_id "
        "GROUP BY e.{}"
    )
    merged = look(question, gold.format("name"))["gold_groups"]
    assert merged.message.endswith("the gold groups by event.name, which repeats")
    assert "gold_groups" not in look(question, gold.format("event_id"))
    assert "gold_groups" not in look("How much for each kind?", gold.format("name"))
    assert "gold_groups" not in look(question, gold.format("name"), data=False)


def test_a_number_of_the_question_that_the_gold_does_not_use(look: Look) -> None:
    gold = "SELECT budget_id FROM budget WHERE spent > 10"
    number = look("Which budgets spent more than 12?", gold)["question_number"]
    assert number.detail == {"numbers": ["12"]}
    assert "question_number" not in look("Which budgets spent more than 10?", gold)


@pytest.mark.parametrize(
    ("question", "sql", "absent"),
    [
        ("More than 1,000 of them?", "SELECT a FROM t WHERE b > 1000", []),
        ("Over 80 percent?", "SELECT a FROM t WHERE b > 0.8", []),
        ("On 9/9/2019?", "SELECT a FROM t WHERE b = '2019-09-09'", []),
        ("The 3 best?", "SELECT a FROM t ORDER BY b LIMIT 3", []),
        ("Of the 1990s and room MU215?", "SELECT a FROM t", []),
        ("Between 3 and 5?", "SELECT a FROM t WHERE b > 3", ["5"]),
        ("Mehr als 1.000 Leute?", "SELECT a FROM t WHERE b > 1000", []),
        ("Plus de 3,5 euros ?", "SELECT a FROM t WHERE b > 3.5", []),
        ("أكثر من ٣؟", "SELECT a FROM t WHERE b > 3", []),
        ("Mehr als 1.000 Leute?", "SELECT a FROM t WHERE b > 7", ["1.000"]),
    ],
)
def test_numbers_in_other_spellings(question: str, sql: str, absent: list[str]) -> None:
    assert absent_numbers(question, sql) == absent


def test_an_exclusion_in_another_spelling(look: Look) -> None:
    gold = "SELECT name FROM event WHERE kind <> {}"
    for text in ("'meal'", "'Meal '", '"meal"'):
        exclusion = look("Which events are no meal?", gold.format(text))["gold_exclusion"]
        assert exclusion.feature == SIGN
        assert "event.kind has 'Meal' instead" in exclusion.message
    for text in ("'Meal'", "'Dance'", "place", "3"):
        assert "gold_exclusion" not in look("Which events are no meal?", gold.format(text))


def test_a_tie_in_a_subquery(look: Look) -> None:
    inner = "SELECT kind FROM event GROUP BY kind ORDER BY COUNT(*) {} LIMIT 1"
    gold = "SELECT name FROM event WHERE kind = (" + inner + ")"
    tie = look("Which events are of the rarest kind?", gold.format("ASC"))["gold_open"]
    assert tie.message == "in a subquery the LIMIT cuts through a tie: 2 rows for 1"
    assert tie.feature == DOUBT
    assert "gold_open" not in look("Of the most frequent kind?", gold.format("DESC"))
    outer = look("Which kind is the rarest?", inner.format("ASC"))["gold_open"]
    assert outer.feature == "", "comparisons know ties of the whole query"


def test_an_audit_without_a_system(file: str) -> None:
    runner = QueryRunner("sqlite", Limits())
    cases = [
        Case("1", "club", "How many events?", ("SELECT COUNT(*) FROM event",), file),
        Case("2", "club", "How many events?", ("SELECT name FROM event",), file),
        Case("3", "club", "Unanswerable?", (), file, answerable=False),
    ]
    schemas = {"club": read_sqlite(file)}
    audit = suspect_golds(
        [], cases=cases, schemas=schemas, rerun=lambda _, sql: runner.run(file, sql)
    )
    assert (audit.golds, audit.systems) == (2, ())
    assert [suspect.case.id for suspect in audit.suspects] == ["2"]
    assert any("no run" in note for note in audit.notes)
    with pytest.raises(UsageError, match="no run"):
        suspect_golds([])


def test_features_of_what_the_gold_shows(file: str) -> None:
    page = report(file, "How many events?", "SELECT name FROM event", "", True)
    features = {each.name: each for each in gold_features(page, raised(page))}
    assert (features[SIGN].value, features[SIGN].words) == (1, "the gold shows gold_shape")
    assert features[DOUBT].words == "the gold shows gold_repeats"
    assert features["mismatch"].value is None
    other = report(file, "How many events?", "SELECT COUNT(budget_id) FROM budget", "", True)
    features = {each.name: each for each in gold_features(other, raised(other))}
    assert features[SIGN].words == "the gold shows gold_counts"
    doubt, sign = gold_model().coefficients[DOUBT], gold_model().coefficients[SIGN]
    assert 0 < doubt < sign


def test_a_miss_of_a_good_system_says_more(make_run: MakeRun) -> None:
    assert miss_weight(9, 1) > miss_weight(5, 5) > miss_weight(1, 9) > 0
    assert miss_weight(0, 0) == pytest.approx(miss_weight(5, 5))

    def line(number: int, right: bool) -> Result:
        return Result(
            index=number,
            id=str(number),
            db_id="club",
            question="Which?",
            gold=("SELECT name FROM event",),
            prediction=f"SELECT kind FROM event WHERE event_id > {number}",
            abstained=False,
            verdict=Verdict.CORRECT if right else Verdict.INCORRECT,
            scores={"ex": float(right)},
        )

    good = [line(n, n != 0) for n in range(8)]
    weak = [line(n, n == 1) for n in range(8)]
    runs = [make_run("good", *good), make_run("weak", *weak)]
    results = list(gold_reports(runs))
    mismatch = {each.case.id: gold_features(each, ())[0].value or 0.0 for each in results}
    assert mismatch["0"] > mismatch["2"] > mismatch["1"], "both, the weak one, none of them"
    only = {each.case.id: [answer.right for answer in each.answers] for each in results}
    assert only["2"] == [True, False]
    assert mismatch["2"] < 0, "the good one is on the gold's side"


@pytest.mark.parametrize(
    ("prediction", "same"),
    [
        ("SELECT kind, name FROM event", True),
        ("SELECT e.kind AS k, e.name FROM event AS e", True),
        ("SELECT kind, place FROM event", False),
        ("SELECT kind, name, place FROM event", False),
        ("SELECT kind, name FROM event WHERE event_id > 1", False),
        ("SELECT kind, name FROM", False),
    ],
)
def test_queries_that_differ_in_the_order_of_columns(prediction: str, same: bool) -> None:
    assert is_rearranged("SELECT name, kind FROM event", prediction) is same


def test_words_of_questions() -> None:
    assert asks_one_number("How many are there?")
    assert not asks_one_number("How many are there in each city?")
    assert not asks_one_number("Wie viele sind es?")
    assert counted_words("Count the number of the different cities") == ["cities"]
    assert counted_words("Which cities are there?") == []
    assert counted_thing("the number of the cars with horsepower above 3") == ["cars"]


@pytest.mark.parametrize(
    "question",
    [
        "Was sind die Namen aller Feste?",
        "Do total, quais os nomes?",
        "Has visto los nombres?",
        "Are vreun nume?",
        "有多少个活动?",
        "",
        " " * 10_000,
        "\ud800\x00'; DROP TABLE event; --",
    ],
)
def test_a_question_that_is_not_english_is_not_read(look: Look, question: str) -> None:
    assert set(look(question, "SELECT name FROM event WHERE event_id < 3")) <= {"gold_values"}


def test_a_condition_is_not_what_is_counted(look: Look) -> None:
    gold = "SELECT COUNT(*) FROM event WHERE kind = 'Meal'"
    assert "gold_counts" not in look("How many dinners with kind Meal are there?", gold)
    assert "gold_counts" in look("How many kinds with a name are there?", gold)


HOSTILE = {
    "formulas": "count(a " * 1_250,
    "numbers": " ".join(map(str, range(2_050))),
    "digits": "1" * 10_000 + "a",
    "commas": "1," * 5_000 + "a",
    "how many": "how many " * 1_111,
    "spaces": "how many" + " " * 10_000 + "!",
    "each": "each " * 2_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_long_question_is_read_in_linear_time(look: Look, name: str) -> None:
    """Counted in lines of our code that run, not in seconds."""

    def steps(question: str) -> int:
        number = 0

        def trace(frame: Any, event: str, _: Any) -> Any:
            nonlocal number
            number += event == "line" and "sqlverdict" in frame.f_code.co_filename
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            look(question, "SELECT name FROM event WHERE event_id < 3", knowledge=question)
        finally:
            sys.settrace(before)
        return number

    text = HOSTILE[name]
    steps(text[:100])
    assert steps(text) < 3 * steps(text[: len(text) // 2])
