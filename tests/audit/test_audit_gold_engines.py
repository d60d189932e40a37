"""What a gold shows by itself, on every engine: names that need quotes, and other schemas."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from small_databases import EVERY_ENGINE, database_of
from sqlverdict.audit.gold_report import GoldReport, case_reports
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.dialects import Dialect, dialect_of
from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Case

TABLES = (
    "CREATE TABLE <event> (id INTEGER PRIMARY KEY, <user> VARCHAR(20), <Order> VARCHAR(20), "
    "<a <b>> VARCHAR(20), <select> VARCHAR(20))",
    "INSERT INTO <event> VALUES (1, 'Ann', 'Talk', 'x', 'north'), (2, 'Ben', 'Meal', 'x', 'south'), "
    "(3, 'Eve', 'Meal', 'y', 'south'), (4, 'Joe', 'Walk', 'y', 'a\\b')",
    "CREATE TABLE <group> (id INTEGER PRIMARY KEY, event_id INTEGER, spent INTEGER)",
    "INSERT INTO <group> VALUES (1, 1, 10), (2, 1, 20), (3, 2, 20), (4, 3, 5)",
)
"""Names in angle brackets are in quotes. <user> has no value twice, <Order> and <a <b>> have."""


def engine_text(sql: str, record: Dialect) -> str:
    """A text as an engine reads it: names in its quotes, a backslash in a string as it writes it."""
    inner = f"a {record.quote}b{record.quote}"
    sql = sql.replace("<a <b>>", record.quoted(inner)).replace("'a\\b'", _text("a\\b", record))
    for name in ("event", "user", "Order", "select", "group"):
        sql = sql.replace(f"<{name}>", record.quoted(name))
    return sql


def _text(text: str, record: Dialect) -> str:
    return "'" + (text.replace("\\", "\\\\") if record.backslashes else text) + "'"


class Club:
    """The golds of one engine's database."""

    def __init__(self, engine: str, database: str) -> None:
        self.engine = ENGINES.get(engine)
        self.database = database
        self.record = dialect_of(self.engine.dialect)
        self.runner = QueryRunner(engine, Limits(trust_role=True))
        self.schema = read_engine_schema(self.engine, database)

    def report(self, question: str, gold: str) -> GoldReport:
        case = Case("1", "club", question, (engine_text(gold, self.record),), self.database)
        (report,) = case_reports(
            [case],
            schemas={"club": self.schema},
            rerun=lambda _, sql: self.runner.run(self.database, sql),
            dialect=self.engine.dialect,
        )
        assert report.gold_answer is not None, report.probe(case.golds[0])
        return report

    def look(self, question: str, gold: str) -> dict[str, Suspicion]:
        report = self.report(question, gold)
        return {each.name: each for _, one in SUSPICIONS.items() for each in one.look(report)}


@pytest.fixture(params=EVERY_ENGINE)
def club(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Club]:
    record = dialect_of(ENGINES.get(request.param).dialect)
    statements = [engine_text(each, record) for each in TABLES]
    with database_of(request.param, tmp_path, *statements) as database:
        club = Club(request.param, database)
        yield club
        club.runner.close()


def test_a_column_whose_name_is_a_word_of_the_engine(club: Club) -> None:
    """Without quotes ``user`` is the role on some engines, which is the same in every row."""
    count = "SELECT COUNT(*) FROM <event>"
    assert "gold_counts" not in club.look("How many users are there?", count)
    assert "event.Order" in club.look("How many orders are there?", count)["gold_counts"].message
    assert "event.select" in club.look("How many selects are there?", count)["gold_counts"].message


def test_a_count_of_a_table_whose_name_is_a_keyword(club: Club) -> None:
    gold = "SELECT COUNT(<group>.id) FROM <group> WHERE spent > 10"
    counts = club.look("How many events spent more than 10?", gold)["gold_counts"]
    assert counts.message.endswith("the gold counts group.id")


def test_groups_by_a_column_that_needs_quotes(club: Club) -> None:
    gold = "SELECT {0}, COUNT(*) FROM <event> GROUP BY {0}"
    question = "How many are there for each event?"
    for name in ("<Order>", "<a <b>>"):
        assert "which repeats" in club.look(question, gold.format(name))["gold_groups"].message
    assert "gold_groups" not in club.look(question, gold.format("<user>"))


def test_groups_that_have_no_partner(club: Club) -> None:
    gold = (
        "SELECT e.id FROM <event> e JOIN <group> g ON g.event_id = e.id GROUP BY e.id "
        "HAVING {}COUNT(*) < 2"
    )
    assert "gold_groups" in club.look("Which have fewer than 2?", gold.format(""))
    assert "gold_groups" not in club.look("Which have 2 or more?", gold.format("NOT "))


def test_an_exclusion_in_another_spelling(club: Club) -> None:
    gold = "SELECT id FROM <event> WHERE <Order> <> {}"
    exclusion = club.look("Which are no meal?", gold.format("' Meal'"))["gold_exclusion"]
    assert exclusion.message == "the gold excludes ' Meal'; event.Order has 'Meal' instead"
    assert "gold_exclusion" not in club.look("Which are no meal?", gold.format("'Meal'"))
    # Where the engine takes both for one, the rows are excluded.
    same = len(club.report("?", gold.format("'meal'")).gold_answer.rows) == 2  # type: ignore[union-attr]
    assert ("gold_exclusion" in club.look("Which are no meal?", gold.format("'meal'"))) is not same


def test_an_exclusion_of_a_text_with_a_backslash(club: Club) -> None:
    gold = "SELECT id FROM <event> WHERE <select> <> 'a\\b'"
    assert len(club.report("?", gold).gold_answer.rows) == 3  # type: ignore[union-attr]
    assert "gold_exclusion" not in club.look("Which are elsewhere?", gold)


def test_a_tie_in_a_subquery(club: Club) -> None:
    inner = "SELECT <Order> FROM <event> GROUP BY <Order> ORDER BY COUNT(*) {} LIMIT 1"
    gold = "SELECT id FROM <event> WHERE <Order> = (" + inner + ")"
    tie = club.look("Which events are of the rarest kind?", gold.format("ASC"))["gold_open"]
    assert tie.message == "in a subquery the LIMIT cuts through a tie: 2 rows for 1"
    assert "gold_open" not in club.look("Of the most frequent kind?", gold.format("DESC"))


def test_a_subquery_that_reads_a_common_table_does_not_run_alone(club: Club) -> None:
    gold = (
        "WITH <event> AS (SELECT id, spent AS n FROM <group> WHERE id < 2) SELECT id FROM <group> "
        "WHERE id = (SELECT id FROM <event> ORDER BY {} LIMIT 1)"
    )
    assert "gold_open" not in club.look("Which is it?", gold.format("id > 0"))


def test_rows_that_repeat(club: Club) -> None:
    repeats = club.look("Which kinds?", "SELECT <Order> FROM <event>")["gold_repeats"]
    assert repeats.message == "the gold returns 4 rows, 3 of them different; ('Meal') comes 2 times"


def test_several_rows_where_one_number_is_asked_for(club: Club) -> None:
    gold = "SELECT SUM(spent) FROM <group> GROUP BY event_id"
    shape = club.look("What is the total spent?", gold)["gold_shape"]
    assert shape.message == "the question asks for one number, and the gold returns 3 rows"


def test_a_number_of_the_question(club: Club) -> None:
    number = club.look("Which spent more than 12?", "SELECT id FROM <group> WHERE spent > 10")
    assert number["question_number"].detail == {"numbers": ["12"]}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["postgres", "duckdb"])
def test_a_table_of_another_schema(engine: str, tmp_path: Path) -> None:
    """The table of the same name in the usual schema has other data."""
    statements = (
        "CREATE TABLE event (id INTEGER PRIMARY KEY, kind VARCHAR(20))",
        "INSERT INTO event VALUES (1, 'Talk'), (2, 'Meal')",
        "CREATE SCHEMA old",
        "CREATE TABLE old.event (id INTEGER PRIMARY KEY, kind VARCHAR(20))",
        "INSERT INTO old.event VALUES (1, 'Walk'), (2, 'Walk')",
    )
    with database_of(engine, tmp_path, *statements) as database:
        club = Club(engine, database)
        try:
            question = "How many kinds are there?"
            assert "gold_counts" not in club.look(question, "SELECT COUNT(*) FROM event")
            assert "gold_counts" in club.look(question, "SELECT COUNT(*) FROM old.event")
            gold = "SELECT id FROM {}event WHERE kind <> ' Walk'"
            assert "gold_exclusion" not in club.look("Which are no walk?", gold.format(""))
            exclusion = club.look("Which are no walk?", gold.format("old."))["gold_exclusion"]
            assert exclusion.message.endswith("old.event.kind has 'Walk' instead")
            inner = "SELECT id FROM {0}event WHERE kind = (SELECT kind FROM {0}event "
            inner += "ORDER BY LENGTH(kind) LIMIT 1)"
            assert "gold_open" in club.look("Which?", inner.format(""))
            assert "gold_open" not in club.look("Which?", inner.format("old."))
        finally:
            club.runner.close()
