"""Ambiguous questions: two readings, both run, with different answers, and kept with the case."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.readings.rows import SqlText
from sqlverdict.abstain.benchmark.readings.shared_values import shared_values
from sqlverdict.abstain.benchmark.unanswerable import TYPES, ChosenIdea, Idea, case_of
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Answer, Case

FERRIES = """
CREATE TABLE harbour (harbour_id INTEGER PRIMARY KEY, name TEXT, population INTEGER);
CREATE TABLE island (island_id INTEGER PRIMARY KEY, name TEXT, population INTEGER);
CREATE TABLE voyage (voyage_id INTEGER PRIMARY KEY,
    from_harbour INTEGER REFERENCES harbour (harbour_id),
    to_harbour INTEGER REFERENCES harbour (harbour_id), ticket_price REAL);
CREATE TABLE film (film_id INTEGER PRIMARY KEY, title TEXT, writer TEXT, director TEXT,
    shooting_date TEXT, opening_date TEXT, sales INTEGER, viewers INTEGER, first_name TEXT,
    last_name TEXT, line_1 TEXT, line_2 TEXT);
CREATE TABLE song (song_id INTEGER PRIMARY KEY, title TEXT, price REAL, old_price REAL);
INSERT INTO harbour VALUES (1, 'Mora', 500), (2, 'Tal', 900), (3, 'Ro', 70);
INSERT INTO island VALUES (1, 'Mora', 8000), (2, 'Sund', 12);
INSERT INTO voyage VALUES (1, 1, 2, 9.5), (2, 1, 3, 4.0), (3, 2, 1, 9.0), (4, 1, 2, 3.0);
INSERT INTO film VALUES
    (1, 'Dawn', 'Ida Holm', 'Ida Holm', '2001-01-01', '2002-02-02', 10, 900, 'Al', 'Bo', 'a', 'b'),
    (2, 'Dusk', 'Ida Holm', 'Per Lind', '2003-01-01', '2004-02-02', 90, 100, 'Cy', 'Di', 'c', 'd');
INSERT INTO song VALUES (1, 'Ay', 2.0, 1.0), (2, 'Oh', 3.0, 9.0);
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ferries") / "ferries.sqlite"
    with closing(sqlite3.connect(path)) as open_:
        open_.executescript(FERRIES)
    return str(path)


@pytest.fixture(scope="module")
def runner() -> Iterator[QueryRunner]:
    opened = QueryRunner("sqlite", Limits(), None)
    yield opened
    opened.close()


def sources(database: str, runner: QueryRunner | None) -> QuestionSources:
    known = SchemaWords.of(read_sqlite(database, "ferries"))
    case = Case(
        "1", "ferries", "How many films are there?", ("SELECT count(*) FROM film",), database
    )
    return QuestionSources((case,), {"ferries": known}, runner=runner)


@pytest.fixture(scope="module")
def ideas(database: str, runner: QueryRunner) -> list[Idea]:
    return list(TYPES.get("ambiguous").ideas(sources(database, runner), "ferries"))


def asking(ideas: list[Idea], question: str) -> list[Idea]:
    return [idea for idea in ideas if idea.question == question]


def test_both_readings_run_and_their_answers_differ(ideas, database, runner) -> None:
    assert len(ideas) > 20
    for idea in ideas:
        first, second = (runner.run(database, query) for query in idea.queries)
        assert isinstance(first, Answer), idea
        assert isinstance(second, Answer), idea
        assert first.rows, idea
        assert second.rows, idea
        assert sorted(map(repr, first.rows)) != sorted(map(repr, second.rows)), idea


def test_a_value_of_two_tables(ideas, database, runner) -> None:
    (idea,) = asking(ideas, "What is the population of Mora?")
    answers = [runner.run(database, query).rows for query in idea.queries]
    assert answers == [[(500,)], [(8000,)]]
    assert idea.readings == "of harbour or of island"
    assert not asking(ideas, "What is the population of Tal?"), "harbours alone have it"


def test_a_value_of_two_columns_and_of_two_keys(ideas, database, runner) -> None:
    (idea,) = asking(ideas, "How many films are there for Ida Holm?")
    assert idea.readings == "writer or director"
    assert [runner.run(database, query).rows for query in idea.queries] == [[(2,)], [(1,)]]
    assert not asking(ideas, "How many films are there for Per Lind?"), "a director alone"
    (idea,) = asking(ideas, "How many voyages are there for Mora?")
    assert sorted(runner.run(database, q).rows[0] for q in idea.queries) == [(1,), (3,)]


def test_a_word_of_two_columns(ideas) -> None:
    (idea,) = asking(ideas, "List the dates of all films.")
    assert idea.queries == ("SELECT shooting_date FROM film", "SELECT opening_date FROM film")
    questions = " ".join(idea.question for idea in ideas)
    assert "prices of all songs" not in questions, "a price is the price, not the old one"
    assert "lines" not in questions, "two lines of one address"
    assert "List the names of all films." not in questions, "a first and a last name are one"


def test_a_rank_without_a_measure(ideas, database, runner) -> None:
    (idea,) = asking(ideas, "What is the title of the best film?")
    assert idea.readings == "sales or viewers"
    answers = [runner.run(database, query).rows for query in idea.queries]
    assert answers == [[("Dusk",)], [("Dawn",)]]


def comparisons(tables: int, columns: int, *, large: str = "") -> list[str]:
    """The queries that look for common values in tables of texts; one table may be large."""
    names = ", ".join(f"town{n} TEXT" for n in range(columns))
    ddl = "".join(f"CREATE TABLE city{n} (id INTEGER PRIMARY KEY, {names});" for n in range(tables))
    queries = []

    def values(query: str) -> list[str]:
        if " OFFSET " in query:
            assert query.endswith(" LIMIT 1 OFFSET 200000")
            return ["more"] if large and f"FROM {large} " in query else []
        queries.append(query)
        return []

    assert list(shared_values(read_ddl(ddl, "towns"), SqlText("sqlite"), values)) == []
    return queries


def test_comparing_columns_is_bounded_by_table_by_database_and_by_rows() -> None:
    assert len(comparisons(1, 5)) == 10
    assert len(comparisons(1, 20)) == 40, "of 190 pairs"
    assert len(comparisons(20, 20)) == 300, "of 800"
    assert len(comparisons(3, 5)) == 30
    rest = comparisons(3, 5, large="city1")
    assert len(rest) == 20
    assert not any("city1" in query for query in rest)


def test_nothing_is_made_without_a_runner_or_a_database(database, runner) -> None:
    kind = TYPES.get("ambiguous")
    assert list(kind.ideas(sources(database, None), "ferries")) == []
    known = SchemaWords.of(read_sqlite(database, "ferries"))
    case = Case("1", "ferries", "How many?", ("SELECT 1",), f"{database} nowhere")
    missing = QuestionSources((case,), {"ferries": known}, runner=runner)
    assert list(kind.ideas(missing, "ferries")) == []


def test_the_case_keeps_both_queries_and_is_unanswerable(ideas, database, runner) -> None:
    (idea,) = asking(ideas, "How many films are there for Ida Holm?")
    kind = TYPES.get("ambiguous")
    case = case_of(ChosenIdea(kind, idea), sources(database, runner), database)
    assert case.golds == idea.queries
    assert not case.answerable
    assert case.tags["unanswerable_type"] == "ambiguous"
    assert case.tags["readings"] == "writer or director"


@pytest.mark.parametrize(
    ("dialect", "name", "text"),
    [
        ("sqlite", "Song_Name", "Song_Name"),
        ("sqlite", "Ratings_(millions)", '"Ratings_(millions)"'),
        ("postgres", "Song_Name", '"Song_Name"'),
        ("postgres", "song_name", "song_name"),
        ("mysql", "Song Name", "`Song Name`"),
    ],
)
def test_names_are_quoted_as_the_dialect_has_it(dialect, name, text) -> None:
    assert SqlText(dialect).name(name) == text
    assert SqlText(dialect).value("O'Brien") == "'O''Brien'"


def test_a_built_file_is_scored_by_whether_the_system_asks_back(database, tmp_path) -> None:
    """Build, evaluate a system that answers every reading rightly, and one that abstains."""
    from sqlverdict.cli.main import sqlverdict

    def run(*args: object) -> str:
        result = CliRunner().invoke(sqlverdict, [str(arg) for arg in args])
        assert result.exit_code == 0, result.output
        return result.output

    source = tmp_path / "cases.jsonl"
    record = {"db_id": "ferries", "database": database}
    with source.open("w") as stream:
        for n in range(30):
            own = {"id": n, "gold": f"SELECT title, {n} FROM film", "question": f"Films with {n}?"}
            stream.write(json.dumps(record | own) + "\n")
    out = tmp_path / "built"
    run("build", "--cases", source, "--out", out, "--types", "ambiguous", "--quiet",
        "--set", "lints=null_golds")  # fmt: skip
    records = [json.loads(line) for line in (out / "test.jsonl").read_text("utf-8").splitlines()]
    others = [each for each in records if not each["answerable"]]
    assert others
    assert all(len(each["gold"]) == 2 for each in others)
    for name, expected in (("bold", "incorrect"), ("careful", "abstained_right")):
        predictions = tmp_path / f"{name}.jsonl"
        with predictions.open("w") as stream:
            for each in records:
                gold = each["gold"] if isinstance(each["gold"], str) else each["gold"][0]
                sql = gold if each["answerable"] or name == "bold" else None
                stream.write(json.dumps({"id": each["id"], "sql": sql}) + "\n")
        run("evaluate", "--cases", out / "test.jsonl", "--predictions", predictions,
            "--out", tmp_path / name, "--workers", 0, "--no-cache")  # fmt: skip
        report = json.loads(run("reliability", tmp_path / name, "--json"))
        assert '"ambiguous"' in json.dumps(report)
        results = [
            json.loads(line)
            for file in (tmp_path / name).glob("results*.jsonl")
            for line in file.read_text("utf-8").splitlines()
        ]
        verdicts = {r["verdict"] for r in results if r["id"] in {o["id"] for o in others}}
        assert verdicts == {expected}


def test_names_may_be_anything(database, runner, tmp_path: Path) -> None:
    """Names with spaces and quotes are written so that the queries run."""
    path = tmp_path / "odd.sqlite"
    with closing(sqlite3.connect(path)) as open_:
        open_.executescript(
            'CREATE TABLE "order" (id INTEGER PRIMARY KEY, "ship date" TEXT, "pay""s date" TEXT);'
            "INSERT INTO \"order\" VALUES (1, '2001-01-01', '2002-01-01');"
        )
    known = SchemaWords.of(read_sqlite(str(path), "odd"))
    case = Case("1", "odd", "How many?", ("SELECT 1",), str(path))
    here = QuestionSources((case,), {"odd": known}, runner=runner)
    results = list(TYPES.get("ambiguous").ideas(here, "odd"))
    assert asking(results, "List the dates of all orders.")
