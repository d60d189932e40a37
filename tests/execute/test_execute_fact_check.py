"""Facts on a real file: what is broken is found, with an example, at a bounded price."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.execute.fact_check import check_facts
from sqlverdict.parse.facts import (
    Fact,
    HasAffinity,
    NotNull,
    PrimaryKey,
    References,
    Unique,
    facts_of,
)
from sqlverdict.parse.schemas.sqlite import read_sqlite

SCHEMA = """
CREATE TABLE radio (radio_id INTEGER PRIMARY KEY, name TEXT, year INT, price REAL, code);
CREATE TABLE pair (a INTEGER, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE child (id INT PRIMARY KEY, rid INTEGER REFERENCES radio(radio_id), a INTEGER, b TEXT,
    mark TEXT, FOREIGN KEY (a, b) REFERENCES pair(a, b));
CREATE VIEW seen AS SELECT name FROM radio;
"""
CHILD = References("child", ("rid",), "radio", ("radio_id",))
PAIR = References("child", ("a", "b"), "pair", ("a", "b"))


def database(path: Path, rows: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA + rows)
        connection.commit()
    return path


@pytest.mark.parametrize(
    ("rows", "fact", "example"),
    [
        ("INSERT INTO child(rid) VALUES (7)", CHILD, "rid = 7 has no row in radio"),
        (
            "INSERT INTO pair VALUES (1, 'x'); INSERT INTO child(a, b) VALUES (1, 'y')",
            PAIR,
            "a = 1, b = 'y' has no row in pair",
        ),
        (
            "INSERT INTO child(id, mark) VALUES (NULL, 'm')",
            NotNull("child", "id"),
            "id is NULL in the row (NULL, NULL, NULL, NULL, 'm')",
        ),
        (
            "INSERT INTO child(mark) VALUES ('m'), ('n'), ('m')",
            Unique("child", ("mark",)),
            "two rows have mark = 'm'",
        ),
        (
            "INSERT INTO radio(year) VALUES (1), ('old')",
            HasAffinity("radio", "year", "INTEGER"),
            "year holds 'old'",
        ),
        (
            "INSERT INTO radio(year) VALUES (2.5)",
            HasAffinity("radio", "year", "INTEGER"),
            "year holds 2.5",
        ),
        (
            "INSERT INTO radio(price) VALUES ('n/a')",
            HasAffinity("radio", "price", "REAL"),
            "price holds 'n/a'",
        ),
        (
            "INSERT INTO radio(name) VALUES (x'00')",
            HasAffinity("radio", "name", "TEXT"),
            "name holds b'\\x00'",
        ),
        (
            "INSERT INTO radio(name) VALUES ('x'), ('1' || char(0) || 'x')",
            HasAffinity("radio", "name", "TEXT"),
            "name holds '1\\x00x'",
        ),
    ],
)
def test_a_broken_fact_is_named_with_an_example(
    tmp_path: Path, rows: str, fact: Fact, example: str
) -> None:
    (check,) = check_facts(database(tmp_path / "t.sqlite", rows), [fact])
    assert (check.state, check.why) == ("broken", example)
    assert str(check) == f"{fact}: {example}"


@pytest.mark.parametrize(
    ("rows", "fact"),
    [
        ("INSERT INTO child(rid) VALUES (NULL)", CHILD),
        ("INSERT INTO radio(radio_id) VALUES (7); INSERT INTO child(rid) VALUES (7), (7)", CHILD),
        ("INSERT INTO child(a, b) VALUES (1, NULL), (NULL, 'x')", PAIR),
        ("INSERT INTO child(mark) VALUES (NULL), (NULL)", Unique("child", ("mark",))),
        (
            "INSERT INTO child(a, mark) VALUES (1, NULL), (1, NULL)",
            Unique("child", ("a", "mark")),
        ),
        (
            "INSERT INTO radio(price) VALUES (1), ('2'), (NULL)",
            HasAffinity("radio", "price", "REAL"),
        ),
        (
            "INSERT INTO radio(year) VALUES (1), ('2'), (3.0)",
            HasAffinity("radio", "year", "INTEGER"),
        ),
        ("INSERT INTO radio(code) VALUES (1), ('x')", HasAffinity("radio", "code", "BLOB")),
        ("", PrimaryKey("child", ("id",))),
        ("INSERT INTO pair VALUES (1, 'x')", NotNull("pair", "a")),
        ("INSERT INTO radio(name) VALUES ('x')", HasAffinity("seen", "name", "TEXT")),
    ],
)
def test_a_fact_that_holds_is_not_called_broken(tmp_path: Path, rows: str, fact: Fact) -> None:
    (check,) = check_facts(database(tmp_path / "t.sqlite", rows), [fact])
    assert check.state == "holds", check


def test_every_fact_of_an_empty_database_holds(tmp_path: Path) -> None:
    path = database(tmp_path / "t.sqlite", "")
    checks = check_facts(path, facts_of(read_sqlite(path)))
    assert len(checks) > 10
    assert {check.state for check in checks} == {"holds"}
    assert [str(check.fact) for check in checks] == sorted(str(check.fact) for check in checks)


def test_a_declaration_that_the_file_does_not_have_is_checked_on_the_rows(tmp_path: Path) -> None:
    """NOT NULL is believed by SQLite's own IS NULL; the rows are asked instead."""
    path = database(tmp_path / "t.sqlite", "INSERT INTO radio(name) VALUES (NULL)")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        sql = "UPDATE sqlite_master SET sql = replace(sql, 'name TEXT', 'name TEXT NOT NULL')"
        connection.execute(sql)
        connection.commit()
    assert NotNull("radio", "name") in facts_of(read_sqlite(path))
    (check,) = check_facts(path, [NotNull("radio", "name")])
    assert check.state == "broken"


def test_what_cannot_be_checked_is_said(tmp_path: Path) -> None:
    path = database(
        tmp_path / "t.sqlite",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
        "INSERT INTO radio(radio_id, year) SELECT i, i FROM n",
    )
    (stopped,) = check_facts(path, [HasAffinity("radio", "year", "INTEGER")], steps=100_000)
    assert (stopped.state, stopped.why) == ("unchecked", "stopped after 100,000 steps")
    (whole,) = check_facts(path, [HasAffinity("radio", "year", "INTEGER")])
    assert whole.state == "holds"
    (missing,) = check_facts(path, [NotNull("radio", "colour")])
    assert missing.state == "unchecked"
    assert "no such column" in missing.why
    (no_file,) = check_facts(tmp_path / "gone.sqlite", [CHILD])
    assert no_file.state == "unchecked"


def test_a_change_of_the_file_is_seen(tmp_path: Path) -> None:
    path = database(tmp_path / "t.sqlite", "INSERT INTO radio(radio_id) VALUES (1)")
    assert check_facts(path, [CHILD])[0].state == "holds"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO child(rid, mark) VALUES (9, ?)", ("x" * 9_000,))
        connection.commit()
    assert check_facts(path, [CHILD])[0].state == "broken"
