"""DuckDB files that one URL names: their tables at every door, and what keeps them apart."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from duckdb_parts import DUCKDB, write_duckdb

import sqlverdict as sv
from error_parts import refuses_database
from sqlverdict.errors import UsageError
from sqlverdict.evidence import Proved
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.references import absolute, attached_files, check_reference, file_of
from sqlverdict.prove.proof import Proof
from sqlverdict.records import Answer, Failure, Reason
from sqlverdict.refute.witness import NotRefuted, Witness


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """To make the files takes ten times as long as to copy them."""
    folder = tmp_path_factory.mktemp("files")
    first = write_duckdb(
        folder / "shop.duckdb",
        "CREATE TABLE item (id INTEGER PRIMARY KEY, price INTEGER)",
        "INSERT INTO item VALUES (1, 10)",
        "CREATE SCHEMA s",
        "CREATE TABLE s.item (id INTEGER, price INTEGER)",
        "INSERT INTO s.item VALUES (2, 20)",
        "CREATE VIEW s.dear AS SELECT id FROM item WHERE price > 5",
    )
    second = write_duckdb(
        folder / "old.duckdb",
        "CREATE TABLE item (id INTEGER PRIMARY KEY, price INTEGER)",
        "INSERT INTO item VALUES (3, 30)",
        "CREATE TABLE line (id INTEGER PRIMARY KEY, item INTEGER REFERENCES item (id))",
        "CREATE VIEW dear AS SELECT id FROM item WHERE price > 5",
        "CREATE VIEW dated AS SELECT id, current_date AS day FROM item",
        "CREATE SCHEMA s",
        "CREATE TABLE s.item (id INTEGER, price INTEGER)",
        "INSERT INTO s.item VALUES (4, 40)",
        "CREATE VIEW s.cheap AS SELECT id FROM item WHERE price < 50",
    )
    return first, second


@pytest.fixture
def url(tmp_path: Path, files: tuple[Path, ...]) -> str:
    first, _ = (shutil.copy(file, tmp_path) for file in files)
    return f"duckdb://{first}?attach=old.duckdb"


def rows_of(url: str, sql: str) -> list[tuple[object, ...]]:
    session = DUCKDB.open(url, Limits())
    try:
        answer = session.run(sql)
    finally:
        session.close()
    assert isinstance(answer, Answer), answer
    return list(answer.rows)


@pytest.mark.parametrize(
    ("reference", "files"),
    [
        ("duckdb:///d/a.duckdb", {}),
        ("duckdb:///d/a.duckdb?attach=b.duckdb", {"b": "/d/b.duckdb"}),
        (
            "duckdb:///d/a.duckdb?attach=x=/e/b.duckdb&attach=c.db",
            {"x": "/e/b.duckdb", "c": "/d/c.db"},
        ),
        ("duckdb:///d/a.duckdb?attach=x=b%26%3D.duckdb", {"x": "/d/b&=.duckdb"}),
        ("sqlite:///d/a.sqlite?attach=b.sqlite", {}),
    ],
)
def test_a_url_names_further_files(reference: str, files: dict[str, str]) -> None:
    assert attached_files(reference) == {name: Path(file) for name, file in files.items()}
    if files:
        assert file_of(reference) == Path("/d/a.duckdb")
        assert attached_files(absolute(reference)) == attached_files(reference)


def test_a_relative_url_stays_the_same_elsewhere(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(url)
    assert file is not None
    monkeypatch.chdir(file.parent)
    assert absolute("duckdb://shop.duckdb?attach=old.duckdb") == url


@pytest.mark.parametrize(
    "behind",
    ["attach=", "attach=b.duckdb&mode=ro", "attach=b.duckdb&attach=B.duckdb", "attach=a.duckdb"],
)
def test_what_is_no_list_of_files_is_refused(behind: str) -> None:
    with pytest.raises(UsageError, match="attach=NAME=FILE"):
        check_reference(f"duckdb:///d/a.duckdb?{behind}")


def test_queries_read_the_tables_of_every_file(url: str) -> None:
    assert rows_of(url, "SELECT id FROM item") == [(1,)]
    assert rows_of(url, "SELECT id FROM old.item") == [(3,)]
    assert rows_of(url, "SELECT old.main.item.id FROM old.main.item") == [(3,)]
    assert rows_of(url, "SELECT a.id, b.id FROM shop.item a, old.s.item b") == [(1, 4)]
    renamed = url.replace("attach=", "attach=before=")
    assert rows_of(renamed, "SELECT id FROM before.item") == [(3,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM 'old.duckdb'",
        "SELECT * FROM read_text('{folder}/old.duckdb')",
        "ATTACH '{folder}/third.duckdb' AS third",
        "INSERT INTO old.item VALUES (9, 9)",
    ],
)
def test_nothing_but_the_files_is_read_and_nothing_written(url: str, sql: str) -> None:
    file = file_of(url)
    assert file is not None
    write_duckdb(file.with_name("third.duckdb"), "CREATE TABLE t (x INTEGER)")
    before = DUCKDB.digest(url)
    session = DUCKDB.open(url, Limits())
    outcome = session.run(sql.format(folder=file.parent))
    other = session.run("SELECT * FROM third.t")
    session.close()
    assert isinstance(outcome, Failure)
    assert outcome.reason in (Reason.WRITE_BLOCKED, Reason.EXECUTION_ERROR)
    assert isinstance(other, Failure)
    assert "attach=OTHER.duckdb" in other.message
    assert DUCKDB.digest(url) == before


def test_a_missing_file_is_named(url: str) -> None:
    with refuses_database("missing", r"none\.duckdb"):
        DUCKDB.open(url.replace("old.duckdb", "none.duckdb"), Limits())


def test_the_content_of_every_file_counts(url: str) -> None:
    first, sql = file_of(url), "SELECT count(*) FROM old.item"
    assert first is not None
    assert DUCKDB.digest(url) != DUCKDB.digest(first)
    assert DUCKDB.digest(url) != DUCKDB.digest(url.replace("attach=", "attach=other="))
    with closing(QueryRunner("duckdb", Limits())) as runner:
        before = runner.run(url, sql)
        other = write_duckdb(
            first.with_name("new.duckdb"),
            "CREATE TABLE item (id INTEGER)",
            "INSERT INTO item VALUES (5), (6)",
        )
        other.replace(first.with_name("old.duckdb"))
        runner.flush()
        after = runner.run(url, sql)
    assert isinstance(before, Answer)
    assert isinstance(after, Answer)
    assert (before.rows, after.rows) == ([(1,)], [(2,)])


def test_a_volatile_view_of_another_file_makes_an_answer_volatile(url: str) -> None:
    session = DUCKDB.open(url, Limits())
    outcome = session.run("SELECT day FROM old.dated")
    session.close()
    assert isinstance(outcome, Answer)
    assert outcome.volatile


def test_the_schema_has_the_tables_of_every_file(url: str) -> None:
    schema = sv.load_schema(url)
    assert [table.name for table in schema.tables] == [
        *("item", "s.item", "s.dear", "old.item", "old.line", "old.dated", "old.dear"),
        *("old.s.item", "old.s.cheap"),
    ]
    line = schema.table("old.line")
    assert line is not None
    assert [key.parent for key in line.foreign_keys] == ["old.item"]
    assert line.paths == (("old", "main", "line"), ("old", "line"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id FROM old.item WHERE price > 5", "SELECT item.id FROM old.main.item WHERE 5 < price"),
        ("SELECT DISTINCT id FROM old.item", "SELECT id FROM old.item"),
        ("SELECT l.id FROM old.line l JOIN old.item i ON i.id = l.item", "SELECT id FROM old.line WHERE item IS NOT NULL"),
    ],
)  # fmt: skip
def test_tables_of_another_file_are_proved(url: str, gold: str, prediction: str) -> None:
    assert isinstance(sv.prove_pair(gold, prediction, db=url), Proof)
    assert isinstance(sv.refute_pair(gold, prediction, db=url), NotRefuted)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id FROM old.item WHERE price > 5", "SELECT id FROM old.item WHERE price >= 5"),
        ("SELECT id FROM old.item", "SELECT id FROM item"),
        ("SELECT id FROM old.item", "SELECT id FROM old.s.item"),
        ("SELECT id FROM s.item", "SELECT id FROM old.s.item"),
        ("SELECT id FROM old.dear", "SELECT id FROM item WHERE price > 5"),
        ("SELECT id FROM old.s.cheap", "SELECT id FROM old.item WHERE price < 50"),
        ("SELECT id FROM s.dear", "SELECT id FROM item WHERE price > 5"),
    ],
)  # fmt: skip
def test_tables_of_another_file_are_refuted(url: str, gold: str, prediction: str) -> None:
    assert not isinstance(sv.prove_pair(gold, prediction, db=url), Proof)
    assert isinstance(sv.refute_pair(gold, prediction, db=url), Witness)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("view", "query"),
    [
        ("SELECT id FROM old.dear", "SELECT id FROM old.item WHERE price > 5"),
        ("SELECT id FROM old.s.cheap", "SELECT id FROM old.s.item WHERE price < 50"),
        ("SELECT id FROM s.dear", "SELECT id FROM s.item WHERE price > 5"),
    ],
)
def test_a_view_reads_the_tables_beside_it(url: str, view: str, query: str) -> None:
    """DuckDB looks a name up in the view's own schema first, and so does the search."""
    assert rows_of(url, view) == rows_of(url, query)
    assert isinstance(sv.refute_pair(view, query, db=url), NotRefuted)


def test_statements_write_on_the_first_file_and_read_the_others(url: str) -> None:
    copy = DUCKDB.workspace(url, Limits())
    try:
        assert isinstance(copy.run("INSERT INTO item SELECT id, price FROM old.item"), Answer)
        answer = copy.run("SELECT id FROM item ORDER BY id")
        assert copy.tables() == ["item"]
        failure = copy.run("DELETE FROM old.item")
    finally:
        copy.close()
    assert isinstance(answer, Answer)
    assert answer.rows == [(1,), (3,)]
    assert isinstance(failure, Failure)


def test_pairs_are_checked_and_scored(url: str) -> None:
    gold, same = (
        "SELECT id FROM old.item WHERE price > 5",
        "SELECT id FROM old.item WHERE 5 < price",
    )
    pair = sv.check(gold, same, db=url, prove=True)
    assert any(isinstance(piece, Proved) for piece in pair.evidence)
    with sv.Scorer(db=url) as scorer:
        assert scorer(gold, same) == 1.0
        assert scorer(gold, "SELECT id FROM item WHERE 5 < price") == 0.0
    with sv.Scorer(databases=url) as scorer:
        assert scorer(gold, same, db_id="shop") == 1.0
