"""One way to open a SQLite file: the log is read, nothing is left beside it, half is refused."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from error_parts import refuses_data, refuses_database
from sqlverdict.audit.data import open_for_audit
from sqlverdict.errors import SchemaError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.execute.reversed_copy import reverse_copy
from sqlverdict.files.digests import database_digest
from sqlverdict.files.sqlite import open_in_memory, open_read_only, quote_name
from sqlverdict.load.ehrsql import rowless_tables
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Answer, Failure, Fault, Reason
from sqlverdict.refute.data.mine.sample import reading

SOURCE = Path(__file__).resolve().parents[2] / "src" / "sqlverdict"


def test_a_database_in_memory_ends_with_its_last_user_without_a_warning() -> None:
    """Python 3.13 and later warn of a connection that nobody closed; pytest makes it an error."""
    connection = open_in_memory()
    connection.execute("CREATE TABLE t (a)")
    del connection


def test_a_connection_that_nobody_closed_leaves_no_file_open(tmp_path: Path) -> None:
    """Since Python 3.12 the file is closed by what runs when a connection ends, and by nothing."""
    connection = open_read_only(plain(tmp_path / "shop.sqlite"))
    connection.__del__()  # type: ignore[attr-defined]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


@pytest.fixture
def logged(tmp_path: Path) -> Path:
    """A copied database whose only table is still in its write-ahead log."""
    live, copy = tmp_path / "live.sqlite", tmp_path / "alone" / "shop.sqlite"
    copy.parent.mkdir()
    with closing(sqlite3.connect(live, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE late (a INTEGER PRIMARY KEY, b TEXT)")
        writer.execute("INSERT INTO late VALUES (1, 'x'), (2, 'y')")
        for ending in ("", "-wal"):
            shutil.copy(f"{live}{ending}", f"{copy}{ending}")
    return copy


def plain(path: Path, rows: int = 300) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as writer, writer:
        writer.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
        writer.executemany("INSERT INTO t VALUES (?, ?)", [(n, "x" * 40) for n in range(rows)])
    return path


def copied(path: Path) -> list[object]:
    reverse_copy(path, path.parent.parent / "backwards.sqlite")
    with closing(sqlite3.connect(path.parent.parent / "backwards.sqlite")) as copy:
        return [a for (a,) in copy.execute("SELECT a FROM late")]


def mined(path: Path) -> list[object]:
    with reading(path) as connection:
        return [a for (a,) in connection.execute("SELECT a FROM late")]


def checked(path: Path) -> list[object]:
    with open_for_audit(path, 10.0) as (connection, _):
        return [a for (a,) in connection.execute("SELECT a FROM late")]


def answered(path: Path) -> list[object]:
    runner = QueryRunner("sqlite", Limits())
    answer = runner.run(str(path), "SELECT a FROM late")
    runner.close()
    assert isinstance(answer, Answer), answer
    return [a for (a,) in answer.rows]


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        (lambda path: [table.name for table in read_sqlite(path).tables], ["late"]),
        (lambda path: sorted(rowless_tables(str(path))), []),
        (mined, [1, 2]),
        (checked, [1, 2]),
        (answered, [1, 2]),
        (copied, [2, 1]),
    ],
    ids=["schema", "ehrsql", "mine", "audit", "engine", "backwards"],
)
def test_every_reader_sees_the_log_and_leaves_the_folder_as_it_was(
    logged: Path, reader: Callable[[Path], list[object]], expected: list[object]
) -> None:
    before = {file.name: file.read_bytes() for file in logged.parent.iterdir()}
    assert reader(logged) == expected
    assert {file.name: file.read_bytes() for file in logged.parent.iterdir()} == before


def test_a_database_in_log_mode_without_a_log_stays_alone(tmp_path: Path) -> None:
    path = tmp_path / "one" / "one.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE t (a)")
    assert [table.name for table in read_sqlite(path).tables] == ["t"]
    assert [file.name for file in path.parent.iterdir()] == ["one.sqlite"]


def test_the_digest_covers_the_log(logged: Path) -> None:
    whole = database_digest(logged)
    logged.with_name("shop.sqlite-wal").unlink()
    assert database_digest(logged) != whole


def test_a_link_leads_to_the_log_too(logged: Path, tmp_path: Path) -> None:
    link = tmp_path / "links" / "shop.sqlite"
    link.parent.mkdir()
    link.symlink_to(logged)
    assert database_digest(link) == database_digest(logged)
    assert answered(link) == answered(logged) == [1, 2]


def test_a_link_to_a_database_in_the_middle_of_a_transaction_is_refused(tmp_path: Path) -> None:
    file, link = plain(tmp_path / "one" / "t.sqlite"), tmp_path / "link.sqlite"
    link.symlink_to(file)
    Path(f"{file}-journal").write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(20))
    with refuses_database("damaged"):
        open_read_only(link)


@pytest.mark.slow
@pytest.mark.parametrize("lost", [1, 100, 4_096, 5_000])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, lost: int) -> None:
    path = plain(tmp_path / "cut.sqlite")
    path.write_bytes(path.read_bytes()[:-lost])
    with refuses_database("damaged"):
        open_read_only(path)
    with refuses_data(SchemaError, "damaged", "cut.sqlite"):
        read_sqlite(path)
    runner = QueryRunner("sqlite", Limits())
    outcome = runner.run(str(path), "SELECT count(*) FROM t")
    runner.close()
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.DATABASE_UNAVAILABLE, Fault.ENGINE)


@pytest.mark.parametrize("length", [20, 99])
def test_a_header_that_is_cut_short_is_refused(tmp_path: Path, length: int) -> None:
    path = plain(tmp_path / "cut.sqlite")
    path.write_bytes(path.read_bytes()[:length])
    with refuses_database("damaged"):
        open_read_only(path)


def test_a_size_that_an_old_writer_left_in_the_header_is_not_believed(tmp_path: Path) -> None:
    path = plain(tmp_path / "old.sqlite")
    content = bytearray(path.read_bytes())
    content[28:32] = (10_000).to_bytes(4, "big")
    path.write_bytes(content)
    with refuses_database("damaged"):
        open_read_only(path)
    content[92:96] = bytes(4)
    path.write_bytes(content)
    with closing(open_read_only(path)) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (300,)


def test_pages_that_are_still_in_the_log_are_not_missed(tmp_path: Path) -> None:
    live, copy = plain(tmp_path / "live.sqlite"), tmp_path / "copy.sqlite"
    with closing(sqlite3.connect(live)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        with writer:
            writer.executemany("INSERT INTO t (b) VALUES (?)", [("y" * 90,) for _ in range(900)])
        for ending in ("", "-wal"):
            shutil.copy(f"{live}{ending}", f"{copy}{ending}")
    with closing(open_read_only(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (1200,)


@pytest.mark.parametrize("content", [b"", b"This is no database. " * 20])
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.sqlite"
    path.write_bytes(content)
    with refuses_database("not_a_database"):
        open_read_only(path)


@pytest.mark.parametrize("name", ["a b.sqlite", "100%.sqlite", "what?.sqlite", "sharp#.sqlite"])
def test_any_file_name_opens(tmp_path: Path, name: str) -> None:
    with closing(open_read_only(plain(tmp_path / name, rows=3))) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (3,)


def test_the_connection_cannot_write(tmp_path: Path) -> None:
    path = plain(tmp_path / "t.sqlite", rows=3)
    with (
        closing(open_read_only(path)) as connection,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        connection.execute("DELETE FROM t")


NO_TEXT = "SELECT json_extract('{}', path) FROM (SELECT '$.a' AS path UNION ALL SELECT x'FF' || '')"
"""The message about its second row quotes a byte that is no text."""


@pytest.mark.parametrize(
    "use",
    [
        lambda connection: connection.execute(NO_TEXT).fetchall(),
        lambda connection: connection.execute(NO_TEXT).fetchmany(5),
        lambda connection: [*connection.execute(NO_TEXT)],
        lambda connection: [*iter(connection.execute(NO_TEXT).fetchone, None)],
        lambda connection: connection.cursor().execute(f"{NO_TEXT} LIMIT 1 OFFSET 1"),
        lambda connection: connection.executescript(NO_TEXT),
        lambda connection: connection.executemany("SELECT json_extract('{}', ?)", [[b"\xff"]]),
    ],
)
def test_an_error_is_one_of_sqlites_even_if_its_message_is_no_text(
    use: Callable[[sqlite3.Connection], object],
) -> None:
    with closing(open_in_memory()) as connection, pytest.raises(sqlite3.Error):
        use(connection)


def test_names_that_are_no_text_end_no_reader(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE t (a); CREATE TABLE u (XXXX); CREATE VIEW v AS SELECT XXXX FROM t"
        )
    path.write_bytes(path.read_bytes().replace(b"XXXX", b"X\xff\xfeX"))
    assert [table.name for table in read_sqlite(path).tables] == ["t", "u"]
    with closing(QueryRunner("sqlite", Limits())) as runner:
        outcome = runner.run(str(path), "SELECT * FROM v")
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.EXECUTION_ERROR, None)
    path.write_bytes(path.read_bytes().replace(b"TABLE t (a)", b"TABLE t \xff\xff\xff"))
    with refuses_data(SchemaError, "unreadable", "odd.sqlite"):
        read_sqlite(path)


def test_a_name_is_quoted() -> None:
    assert quote_name('a "b"') == '"a ""b"""'


def test_nobody_else_opens_a_file_for_reading() -> None:
    """A second way would miss the log, or leave files beside the database."""
    wrong = [
        str(file.relative_to(SOURCE))
        for file in sorted(SOURCE.rglob("*.py"))
        if re.search(r"mode=ro|immutable=1", file.read_text("utf-8"))
    ]
    assert sorted(wrong) == ["execute/engines/sqlite/sandbox.py", "files/sqlite.py"]
