"""Checks of the golds: each fires on its case and is silent beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.audit.check import CHECKS
from sqlverdict.execute.engine import Limits
from sqlverdict.records import Case
from sqlverdict.signs.open_limits import reads_clock_or_chance

PER_CITY = "SELECT city_id, count(*) FROM shop GROUP BY city_id"


def test_clean_data_have_nothing_but_versions(examine):
    diagnosis = examine("SELECT name FROM city ORDER BY people", PER_CITY)
    assert set(diagnosis.by_check) == {"versions"}
    assert diagnosis.counts["error"] == diagnosis.counts["warning"] == 0
    assert diagnosis.runnable == 2


def test_every_check_has_a_title_and_a_document():
    for name, check in CHECKS.items():
        assert check.title, name
        assert type(check).__doc__, name


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT absent FROM city", "EXECUTION_ERROR"),
        ("SELECT FROM", "PARSE_ERROR"),
        ("DROP TABLE city", "WRITE_BLOCKED"),
        ("SELECT 1; SELECT 2", "UNSUPPORTED_FEATURE"),
    ],
)
def test_gold_that_fails(examine, sql, reason):
    (finding,) = examine(sql).of("gold_runs")
    assert finding.severity == "error"
    assert finding.detail["reason"] == reason
    assert finding.subject == "case 0"


def test_gold_that_takes_too_long(examine):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    diagnosis = examine(endless, limits=Limits(steps=1_000_000))
    (finding,) = diagnosis.of("gold_runs")
    assert "EXECUTION_TIMEOUT" in finding.message
    assert diagnosis.figures["golds_beyond_limits"] == 1


def test_gold_that_only_our_parser_cannot_read(examine, database, monkeypatch):
    from sqlverdict.records import ParseFailure, Reason

    def refuse(sql: str, dialect: str = "sqlite") -> ParseFailure:
        return ParseFailure(sql, dialect, Reason.UNSUPPORTED_FEATURE, "beyond our parser")

    monkeypatch.setattr("sqlverdict.audit.data.parse", refuse)
    diagnosis = examine("SELECT name FROM city", "SELECT FROM")
    (finding,) = diagnosis.of("gold_parses")
    assert finding.subject == "case 0", "the other one fails on the engine and is told there"


def test_gold_that_cannot_be_run_is_still_parsed(examine, tmp_path):
    lost = str(tmp_path / "lost" / "lost.sqlite")
    cases = [
        Case("a", "lost", "q", ("SELECT FROM",), lost),
        Case("b", "lost", "r", ("SELECT 1",), lost),
    ]
    (finding,) = examine(cases=cases).of("gold_parses")
    assert finding.subject == "case a"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT name FROM city WHERE people > 9000", "no rows"),
        ("SELECT sum(people) FROM city WHERE people > 9000", "one row with nothing but NULL"),
        ("SELECT NULL FROM city", "5 rows with nothing but NULL"),
        ("SELECT count(*) FROM city WHERE people > 9000", None),
        ("SELECT name, NULL FROM city", None),
    ],
)
def test_gold_that_returns_nothing(examine, sql, message):
    messages = [finding.message for finding in examine(sql).of("gold_empty")]
    assert messages == ([message] if message else [])


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("SELECT date('now')", "'now'"),
        ("SELECT strftime('%Y', 'NOW')", "'now'"),
        ("SELECT strftime('%Y')", "strftime()"),
        ("SELECT datetime()", "datetime()"),
        ("SELECT CURRENT_DATE", "current_date"),
        ("SELECT name FROM city ORDER BY random() LIMIT 1", "random()"),
        ("SELECT date('2020-01-01') WHERE 'unknown' <> 'now is the time'", None),
        ("SELECT strftime('%Y', '2020-01-01')", None),
        ("SELECT 'random()', 'now', id AS random FROM city", None),
        ("SELECT random FROM (SELECT 1 AS random) -- date('now')", None),
    ],
)
def test_gold_that_depends_on_clock_or_chance(examine, sql, word):
    assert reads_clock_or_chance(sql) == word
    findings = examine(sql).of("gold_volatile")
    assert [finding.message for finding in findings] == ([f"uses {word}"] if word else [])


@given(st.text(max_size=80))
def test_any_text_may_be_asked_for_clock_and_chance(text):
    reads_clock_or_chance(text)


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT name FROM city ORDER BY people LIMIT 1", "tie_at_limit"),
        ("SELECT name FROM city ORDER BY people LIMIT 1 OFFSET 1", "tie_at_limit"),
        ("SELECT kind FROM shop LIMIT 2", "limit_without_order"),
        ("SELECT kind, city_id FROM shop GROUP BY city_id", "bare_column"),
        ("SELECT name, count(*) FROM city", "bare_column"),
        ("SELECT kind, max(city_id) FROM shop", None),
        ("SELECT name, min(people) FROM city", "row_order"),
        ("SELECT group_concat(name) FROM city", "row_order"),
        (
            "SELECT id FROM city WHERE name = (SELECT name FROM city ORDER BY people LIMIT 1)",
            "row_order",
        ),
        ("SELECT DISTINCT name FROM city ORDER BY people", "order_of_rows"),
        # Silent: nothing is open, or only what no preset of ours holds against an answer.
        ("SELECT name FROM city ORDER BY people DESC LIMIT 1", None),
        ("SELECT name FROM city ORDER BY people LIMIT 2", None),
        ("SELECT people FROM city ORDER BY people LIMIT 1", None),
        ("SELECT name FROM city ORDER BY people, id LIMIT 1", None),
        ("SELECT name FROM city LIMIT 5", None),
        ("SELECT count(*) FROM city LIMIT 1", None),
        ("SELECT 'x' FROM city LIMIT 2", None),
        ("SELECT name FROM city ORDER BY people", None),
        ("SELECT name FROM city", None),
        (
            "SELECT c.name, count(*) FROM city c JOIN shop s ON s.city_id = c.id GROUP BY c.id",
            None,
        ),
        ("SELECT name, max(people) FROM city", None),
        ("SELECT kind FROM shop WHERE kind = 'tea' GROUP BY city_id", None),
        ("SELECT sum(area) FROM city", None),
        ("SELECT rowid FROM city WHERE rowid = 1", None),
        ("SELECT name FROM city ORDER BY random() LIMIT 1", None),
    ],
)
def test_gold_that_is_not_determined(examine, sql, kind):
    results = [finding.detail["kind"] for finding in examine(sql).of("gold_undetermined")]
    assert results == ([kind] if kind else [])


def test_a_tied_extreme_that_agrees_is_silent_and_one_that_differs_is_not(examine):
    # Two shops of city 2 are alike in kind: whichever row max() takes, the answer is one.
    alike = "SELECT kind, max(city_id) FROM shop WHERE city_id = 2"
    differ = "SELECT kind, max(city_id) FROM shop WHERE city_id = 1"
    result = examine(alike, differ).of("gold_undetermined")
    assert [finding.subject for finding in result] == ["case 1"]


def test_gold_against_itself_counts_and_names_what_another_preset_holds_against_it(examine):
    ties = "SELECT name FROM city ORDER BY people"
    sums = "SELECT sum(area) FROM (SELECT area FROM city UNION ALL SELECT area + 0.7 FROM city)"
    diagnosis = examine(ties, sums, PER_CITY, benchmark="spider")
    kinds = {finding.subject: finding.detail["kind"] for finding in diagnosis.of("gold_self")}
    assert kinds["case 0"] == "order"
    assert "case 2" not in kinds
    figures = diagnosis.figures
    assert figures["self[strict]"] == figures["self[spider]"] == figures["self[spider]_of"] == 3
    assert figures["self_backwards[strict]"] == 3
    assert figures["self_backwards[spider]"] == 3 - len(kinds)
    assert not examine(ties, benchmark="jsonl").of("gold_self")


@pytest.mark.parametrize(
    ("condition", "near"),
    [
        ("name = 'oslo'", "Oslo"),
        ("name = ' Oslo'", "Oslo"),
        ('name = "oslo"', "Oslo"),
        ("'Paris' = name", None),
        ("name IN ('Oslo', 'Paris')", None),
        ("c.name LIKE 'Par%'", None),
        ("id = '77'", None),
    ],
)
def test_gold_that_asks_for_a_value_that_does_not_occur(examine, condition, near):
    (finding,) = examine(f"SELECT id FROM city AS c WHERE {condition}").of("gold_literals")
    assert finding.severity == "warning"
    assert finding.detail["near"] == near


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM city WHERE name = 'Oslo'",
        'SELECT id FROM city WHERE name = "Oslo"',
        "SELECT id FROM city WHERE name LIKE 'os%'",
        "SELECT id FROM city WHERE id = '2'",
        "SELECT id FROM city WHERE name <> 'Paris'",
        "SELECT id FROM city WHERE name NOT IN ('Paris') AND name NOT LIKE 'Par%'",
        "SELECT id FROM city WHERE NOT (name = 'Paris' OR name = 'Rome')",
        "SELECT id FROM city WHERE lower(name) = 'oslo'",
        "SELECT n FROM (SELECT lower(name) AS n FROM city) AS t WHERE n = 'oslo'",
        "WITH city AS (SELECT 'Paris' AS name) SELECT name FROM city WHERE name = 'Paris'",
        "SELECT t.name FROM (SELECT lower(name) AS name FROM city) AS t WHERE name = 'oslo'",
        "SELECT id FROM city WHERE name = '' OR name = 'Oslo'",
        "SELECT kind AS k FROM shop GROUP BY kind HAVING k = 'beer' OR count(*) > 0",
    ],
)
def test_gold_literals_stay_silent(examine, sql):
    assert not examine(sql).of("gold_literals")


def test_different_questions_with_one_gold(examine, database: Path):
    path = str(database)

    def case(name: str, question: str, sql: str) -> Case:
        return Case(name, "shop", question, (sql,), path)

    cases = [
        case("a", "How many cities?", "SELECT count(*) FROM city"),
        case("b", "Count the cities.", "select COUNT(*)  from city;"),
        case("c", "How many shops?", "SELECT count(*) FROM shop"),
        case("d", "how many  shops", "SELECT count(*) FROM shop"),
    ]
    (finding,) = examine(cases=cases).of("gold_repeated")
    assert finding.detail["cases"] == ["a", "b"]
    assert finding.severity == "info"


def test_several_golds_are_named_one_by_one(examine, database):
    cases = [Case("x", "shop", "q", ("SELECT 1", "SELECT absent"), str(database))]
    (finding,) = examine(cases=cases).of("gold_runs")
    assert finding.subject == "case x, gold 2"
