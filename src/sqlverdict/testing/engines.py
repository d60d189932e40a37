"""The conformance suite for engines, built-in or plug-in.

In a plug-in's tests::

    from sqlverdict.testing import check_engine

    def test_my_engine():
        check_engine("my_engine", make_database)

``make_database(folder)`` makes a database and returns its reference: the path of a file in that
empty folder, or the URL of a database on a server. It holds

* ``cells (i, f, t, n, b)``: one row, the integer 7, the float 2.5, the text ``'é''x'``, NULL
  and the blob ``00ff``;
* ``numbers (i, t)``: 2,000 rows, the integers 1 to 2,000, each with a text of 100 ``x``.

Without one, a SQLite file is written. ``change_database(reference)`` changes a row of it; an
engine of a server is given one, for a digest must follow the content.

What concerns files is asked of engines of files only. An engine that counts no steps is held to
the clock.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Engine, Limits, ScratchEngine, Session
from sqlverdict.files.references import Reference, file_of
from sqlverdict.records import Answer, Failure, Outcome, Reason, Row
from sqlverdict.registry import shape_faults
from sqlverdict.testing.engine_data import (
    CELLS,
    ENDLESS,
    ENDLESS_JOIN,
    GOOD,
    NUMBERS,
    PATIENCE,
    SHORT,
    TRIES,
    make_sqlite,
    snapshot,
)
from sqlverdict.testing.hostile import hostile_predictions
from sqlverdict.testing.members import member_of

MakeDatabase = Callable[[Path], Reference]
ChangeDatabase = Callable[[str], None]


def check_engine(
    engine: str | Engine,
    make_database: MakeDatabase | None = None,
    change_database: ChangeDatabase | None = None,
) -> None:
    """Hold an engine to what every engine promises.

    It answers with the right types; never raises, whatever the text; writes nothing, neither in
    the database nor beside it; names every failure; keeps every limit; answers a good query
    after each bad one; has a record of what it can do that is true as far as it can be seen, a
    version, and a digest that changes with the content; refuses what is no database with
    ``DatabaseError``. SQLite files are also read with their write-ahead log.

    Args:
        engine: A name in the registry, or the engine itself.
        make_database: Makes the suite's database; see the module's docstring.
        change_database: Changes its content, at the end; see the module's docstring.

    Raises:
        AssertionError: a promise is broken; the message says which and what to do.
    """
    member = member_of(ENGINES, engine)
    check = _EngineCheck(member)
    check.expect(
        not isinstance(engine, str) or member.name == engine,
        f"calls itself {member.name!r}; use the name of its file, {engine!r}",
    )
    with tempfile.TemporaryDirectory(prefix="check-engine-") as name:
        folder = Path(name) / "database"
        folder.mkdir()
        database = str((make_database or make_sqlite)(folder))
        file = file_of(database)
        check.fields(database)
        before = check.content(database, folder)
        check.answers(database)
        check.failures(database)
        check.limits(database)
        check.untouched(database, folder, before)
        if file is None:
            check.server_refusals(database)
        else:
            check.file_digest(file)
            check.file_refusals(Path(name) / "other")
        if make_database is None:
            check.reads_log(Path(name) / "log")
            check.odd_text(Path(name) / "odd")
        check.survives(database)
        check.untouched(database, folder, before)
        if change_database is not None:
            check.changes(database, change_database)


class _EngineCheck:
    """The promises, one method each."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def expect(self, holds: bool, complaint: str) -> None:
        """As assert, but also under ``python -O``."""
        if not holds:
            raise AssertionError(f"engine {self.engine.name} {complaint}")

    @contextmanager
    def session(self, database: Reference, limits: Limits | None = None) -> Iterator[Session]:
        session = self.engine.open(database, limits or Limits(seconds=PATIENCE))
        try:
            yield session
        finally:
            session.close()

    def run(self, session: Session, sql: str) -> Outcome:
        """The outcome, which must be one of the two records and complete."""
        excerpt = repr(sql if len(sql) < 80 else sql[:80] + "...")
        try:
            outcome = session.run(sql)
        except Exception as error:
            raise AssertionError(
                f"engine {self.engine.name} raised {error!r} for {excerpt}; return a Failure"
            ) from error
        if isinstance(outcome, Failure):
            whole = isinstance(outcome.reason, Reason) and bool(outcome.message)
            self.expect(whole, f"gave {outcome} for {excerpt}; say a reason and a message")
            self.expect(outcome.fault is None, f"blames {outcome.fault} for {excerpt}")
        else:
            self.expect(isinstance(outcome, Answer), f"gave {outcome!r} for {excerpt}")
        return outcome

    def rows(self, session: Session, sql: str) -> list[Row]:
        outcome = self.run(session, sql)
        if isinstance(outcome, Failure):
            raise AssertionError(f"engine {self.engine.name} gave {outcome} for {sql!r}")
        return outcome.rows

    def fails(self, session: Session, sql: str, *reasons: Reason) -> Failure:
        outcome = self.run(session, sql)
        if not isinstance(outcome, Failure) or outcome.reason not in reasons:
            actual = outcome.reason if isinstance(outcome, Failure) else f"{len(outcome.rows)} rows"
            expected = " or ".join(reasons)
            raise AssertionError(
                f"engine {self.engine.name} gave {actual} for {sql[:80]!r}; expected {expected}"
            )
        return outcome

    def content(self, database: str, folder: Path) -> dict[str, str]:
        """What must stay as it is: every file of the folder, or the digest of a server's."""
        if file_of(database) is not None:
            return snapshot(folder)
        return {database: str(self.engine.digest(database))}

    def untouched(self, database: str, folder: Path, before: dict[str, str]) -> None:
        now = self.content(database, folder)
        what = "its database" if file_of(database) is None else "the folder of its database"
        self.expect(
            now == before,
            f"changed {what}: {sorted(before)} became {sorted(now)}, or their "
            "bytes; open it read-only and make no files",
        )

    def fields(self, database: str) -> None:
        engine = self.engine
        faults = shape_faults(engine, Engine)
        self.expect(
            not faults,
            f"has no whole record ({'; '.join(faults)}); inherit from Engine, which has defaults",
        )
        self.expect(
            (engine.search == "scratch") == isinstance(engine, ScratchEngine),
            f"says search = {engine.search!r}; say 'scratch' if, and only if, it has scratch()",
        )
        self.expect(
            engine.search != "in_memory" or engine.in_python,
            "says search = 'in_memory'; refute's own databases are SQLite's: it is not in_python",
        )
        self.expect(bool(engine.version), "has no version; it is part of every cache key")
        self.expect(bool(engine.dialect), "has no dialect; name the sqlglot dialect")
        first = engine.digest(database)
        self.expect(bool(first) and first == engine.digest(database), "has no stable digest")

    def file_digest(self, database: Path) -> None:
        """A changed copy has another digest: of a file, or of a folder with one file changed."""
        changed = database.parent.parent / f"changed-{database.name}"
        if database.is_dir():
            shutil.copytree(database, changed)
        else:
            shutil.copy(database, changed)
        part = max(filter(Path.is_file, [changed, *changed.rglob("*")]), key=str)
        part.write_bytes(part.read_bytes() + b"\0")
        self.expect(
            self.engine.digest(changed) != self.engine.digest(database),
            "gives two databases of different content one digest; answers would be mixed up",
        )
        shutil.rmtree(changed) if changed.is_dir() else changed.unlink()

    def changes(self, database: str, change: ChangeDatabase) -> None:
        """The digest follows the content; a session keeps what it read from the beginning."""
        first = self.engine.digest(database)
        with self.session(database) as session:
            rows = self.rows(session, "SELECT i, t FROM numbers")
            change(database)
            self.expect(
                self.engine.digest(database) != first,
                "gives one digest to a database before and after a change; answers would be mixed",
            )
            self.expect(
                self.rows(session, "SELECT i, t FROM numbers") == rows,
                "shows a change to a session that was open before; read one snapshot",
            )
            self.expect(session.digest() in (first, None), "has a digest of another snapshot")

    def answers(self, database: str) -> None:
        with self.session(database) as session:
            (row,) = self.rows(session, "SELECT i, f, t, n, b FROM cells")
            self.expect(row == CELLS, f"read {row!r}; expected {CELLS!r}")
            types = [type(cell) for cell in row]
            expected = [type(cell) for cell in CELLS]
            self.expect(types == expected, f"gave the types {types}; expected {expected}")
            names = ("a", "a") if self.engine.repeats_names else ("a", "b")
            outcome = self.run(session, f"SELECT i AS a, i AS {names[1]} FROM cells WHERE i < 0")  # noqa: S608
            self.expect(
                isinstance(outcome, Answer) and outcome.columns == names and not outcome.rows,
                f"gave {outcome} for no rows; expected no rows and both columns' names. An engine "
                "that refuses two columns of one name sets repeats_names = False",
            )
            ordered = self.rows(session, "SELECT i FROM numbers ORDER BY i DESC")
            down = [(number,) for number in range(NUMBERS, 0, -1)]
            self.expect(ordered == down, "lost rows of 2,000 or their order")
            large = self.rows(session, "SELECT 4611686018427387904, -0.5")
            self.expect(large == [(2**62, -0.5)], f"gave {large} for a large integer")
            seconds = session.clock([GOOD, "SELECT i FROM cells"], 3)
            timed = len(seconds) == 2 and all(
                len(each) == 3 and all(second > 0 for second in each) for each in seconds
            )
            self.expect(timed, f"clocked {seconds}; expected 3 times for each of 2 queries")

    def failures(self, database: str) -> None:
        wrong = (Reason.PARSE_ERROR, Reason.EXECUTION_ERROR)
        write_reasons = (Reason.WRITE_BLOCKED, Reason.UNSUPPORTED_FEATURE)
        with self.session(database) as session:
            self.fails(session, "SELECT nothing FROM cells", *wrong)
            self.fails(session, "SELECT * FROM nowhere", *wrong)
            self.fails(session, "SELECT FROM WHERE", *wrong)
            self.fails(session, "", Reason.NO_SQL_PRODUCED, Reason.PARSE_ERROR)
            self.fails(session, "-- nothing", Reason.NO_SQL_PRODUCED, Reason.PARSE_ERROR)
            for sql in (
                "DROP TABLE cells",
                "DELETE FROM cells",
                "INSERT INTO cells (i) VALUES (1)",
                "UPDATE cells SET i = 0",
                "CREATE TABLE loot (a INTEGER)",
                "SELECT 1; DROP TABLE cells",
            ):
                self.fails(session, sql, *write_reasons)

    def limits(self, database: str) -> None:
        with self.session(database, Limits(rows=10)) as session:
            self.fails(session, "SELECT i FROM numbers", Reason.ROW_LIMIT)
            self.fails(session, "SELECT i FROM numbers LIMIT 11", Reason.ROW_LIMIT)
            self.expect(
                len(self.rows(session, "SELECT i FROM numbers LIMIT 10")) == 10,
                "refused as many rows as the limit allows",
            )
        with self.session(database, Limits(bytes=1_000)) as session:
            self.fails(session, "SELECT t FROM numbers", Reason.MEMORY_LIMIT)
            self.fails(session, "SELECT t FROM numbers LIMIT 20", Reason.MEMORY_LIMIT)
            self.rows(session, "SELECT t FROM numbers LIMIT 3")
        with self.session(database, Limits(sql_length=100)) as session:
            self.fails(session, f"SELECT '{'x' * 100}'", Reason.PARSE_ERROR)
        if self.engine.counts_steps:
            with self.session(database, Limits(steps=200_000, seconds=PATIENCE)) as session:
                self.fails(session, ENDLESS, Reason.EXECUTION_TIMEOUT)
                self.rows(session, GOOD)
        endless = ENDLESS if self.engine.counts_steps else ENDLESS_JOIN
        with self.session(database, Limits(seconds=0.3)) as session:
            stopped = self.fails(session, endless, Reason.EXECUTION_TIMEOUT)
            self.expect(
                not stopped.repeatable,
                "calls a time-out by the clock repeatable; it may go better next time",
            )
            self.answers_good(session, "an endless query")

    def answers_good(self, session: Session, after: str) -> None:
        """A good query answers; one that a busy machine slowed down is tried again."""
        for _ in range(TRIES):
            outcome = self.run(session, GOOD)
            if isinstance(outcome, Answer) or outcome.repeatable:
                break
        self.expect(
            isinstance(outcome, Answer) and outcome.rows == [(NUMBERS,)],
            f"gave {outcome} for a good query after {after}; bad queries must leave nothing behind",
        )

    def survives(self, database: str) -> None:
        """A good query answers after each hostile one, in the same session."""
        seconds = PATIENCE if self.engine.counts_steps else SHORT
        limits = Limits(steps=500_000, seconds=seconds, bytes=2**22, cell=2**20)
        with self.session(database, limits) as session:
            for hostile in hostile_predictions():
                if not hostile.hangs:
                    self.run(session, hostile.sql)
                    self.answers_good(session, repr(hostile.name))

    def server_refusals(self, database: str) -> None:
        """A database that a server does not have, and a server that does not answer."""
        parts = urlsplit(database)
        nobody = parts._replace(netloc="127.0.0.1:1", query="")
        for odd in (parts._replace(path="/sqlverdict_no_such_database"), nobody):
            self.refuses(urlunsplit(odd), urlunsplit(odd))

    def refuses(self, database: Reference, name: str) -> None:
        try:
            self.engine.open(database, Limits()).close()
        except DatabaseError as error:
            self.expect(name in str(error), f"does not name {name} in {str(error)!r}")
        else:
            raise AssertionError(f"engine {self.engine.name} opened {name}; raise DatabaseError")

    def file_refusals(self, folder: Path) -> None:
        """What is no database is refused, with its path in the message."""
        folder.mkdir()
        suffix = self.engine.suffixes[0]
        corrupt, empty, inner = (folder / f"{name}{suffix}" for name in ("corrupt", "empty", "dir"))
        corrupt.write_bytes(b"This is not a database.\n" * 500)
        empty.touch()
        inner.mkdir()
        before = snapshot(folder)
        for path in (folder / f"missing{suffix}", corrupt, empty, inner):
            self.refuses(path, str(path))
        self.expect(snapshot(folder) == before, "made files where it found no database")

    def reads_log(self, folder: Path) -> None:
        """A SQLite file whose last writes are still in its write-ahead log."""
        live, folder = folder / "live", folder / "copy"
        live.mkdir(parents=True)
        folder.mkdir()
        writer = sqlite3.connect(live / "wal.sqlite")
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE late (a)")
        writer.execute("INSERT INTO late VALUES (1)")
        writer.commit()
        for file in ("wal.sqlite", "wal.sqlite-wal"):
            shutil.copy(live / file, folder / file)
        writer.execute("INSERT INTO late VALUES (2)")
        writer.commit()
        before = snapshot(folder)
        database = folder / "wal.sqlite"
        digest = self.engine.digest(database)
        with self.session(database) as session, self.session(database) as other:
            for each in (session, other):
                rows = self.rows(each, "SELECT a FROM late")
                self.expect(rows == [(1,)], f"read {rows} past the write-ahead log")
        self.expect(snapshot(folder) == before, "changed files beside a write-ahead log")
        shutil.copy(live / "wal.sqlite-wal", folder / "wal.sqlite-wal")
        self.expect(self.engine.digest(database) != digest, "leaves the log out of its digest")
        writer.close()

    def odd_text(self, folder: Path) -> None:
        """Text that is not UTF-8 is told apart and never fatal."""
        folder.mkdir()
        path = folder / "odd.sqlite"
        writer = sqlite3.connect(path)
        writer.execute("CREATE TABLE odd (a TEXT)")
        for raw in ("ff41", "fe41", "41"):
            writer.execute(f"INSERT INTO odd VALUES (CAST(x'{raw}' AS TEXT))")  # noqa: S608
        writer.commit()
        writer.close()
        with self.session(path) as session:
            cells = [row[0] for row in self.rows(session, "SELECT a FROM odd")]
            self.expect(
                len(set(cells)) == 3 and cells[2] == "A" and all(type(c) is str for c in cells),
                f"read {cells!r}; odd bytes must stay visible and distinct",
            )
