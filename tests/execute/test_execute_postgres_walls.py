"""Three walls around a query on PostgreSQL: what is sent, who asks, and what the text cannot change."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hostile_postgres import TABLES
from hostile_postgres_attacks import HOSTILE
from postgres_parts import PATIENT, POSTGRES, TRUSTED, execute, session

from error_parts import needs_extra
from servers import fresh_postgres
from sqlverdict.execute.engine import Limits, Session
from sqlverdict.execute.engines.postgres import exchange, reader
from sqlverdict.execute.engines.postgres.guard.contents import Contents
from sqlverdict.execute.engines.postgres.sandbox import Reading, canonical
from sqlverdict.files.references import Reference
from sqlverdict.records import Answer, Failure, Outcome, Reason
from timeouts import HANG_SECONDS, wait_until

SECRET = "kept-from-all-predictions"
BYPASSES = (
    "SELECT E'a'\n'\\'', {}, 'x'",
    "SELECT E'a'\n'\\'', (SELECT {}) --'",
)
"""A string that goes on in the next line keeps its escapes."""


@pytest.fixture(scope="module")
def secret() -> Iterator[Path]:
    """A file that the server may read."""
    with TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "secret.txt"
        path.write_text(SECRET)
        path.chmod(0o644)
        yield path


@pytest.fixture(scope="module")
def people(postgres: str) -> Iterator[str]:
    """A database, with a setting that is nobody's business, beside another one."""
    with fresh_postgres(postgres) as url:
        name = url.rpartition("/")[2].partition("?")[0]
        execute(url, *TABLES, f"ALTER DATABASE \"{name}\" SET app.secret = '{SECRET}'")
        yield url


SESSIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)


def state(url: str) -> dict[str, object]:
    """What must be the same before and after."""
    queries = (
        # Other tests make roles on the same server.
        "SELECT rolname, rolsuper, rolconfig FROM pg_roles WHERE rolname ~ '^(pg_|loot|postgres$)'"
        " ORDER BY 1",
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        "SELECT count(*) FROM pg_largeobject_metadata",
        "SELECT relname, relacl FROM pg_class WHERE relnamespace = 2200 ORDER BY 1",
        "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1",
        "SELECT setconfig FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.oid = s.setdatabase"
        " WHERE d.datname = current_database()",
        "SELECT extname FROM pg_extension ORDER BY 1",
        "SELECT slot_name FROM pg_replication_slots",
    )
    content: dict[str, object] = {query: execute(url, query) for query in queries}
    files = [Path(name).exists() for name in ("/tmp/loot", "/tmp/loot.csv")]
    return {**content, "digest": POSTGRES.digest(url), "files": files}


def beneath(opened: object, sql: str) -> Outcome:
    """Run a text as if the guard had let it pass."""
    return opened._cursor.run(Reading(sql, Contents()))  # type: ignore[attr-defined, no-any-return]


def test_no_attack_is_answered_and_nothing_is_left(people: str, secret: Path) -> None:
    before = state(people)
    calls = (
        "pg_sleep(1)",
        "pg_advisory_lock(7)",
        "set_config('statement_timeout', '0', false)",
        "pg_terminate_backend(pg_backend_pid())",
        "set_config('role', 'postgres', false)",
        f"pg_read_file('{secret}')",
        f"query_to_xml('SELECT pg_read_file(''{secret}'')', true, true, '')",
        "current_setting('app.secret')",
    )
    texts = [bypass.format(call) for bypass in BYPASSES for call in calls]
    passed = []
    with session(people) as opened:
        for sql in (*texts, *HOSTILE):
            outcome = opened.run(sql)
            if isinstance(outcome, Answer) or outcome.fault is not None:
                passed.append((sql, outcome))
        good = opened.run("SELECT count(*) FROM person")
    assert passed == []
    assert isinstance(good, Answer)
    assert good.rows == [(400,)]
    assert state(people) == before
    # A connection that was closed ends a moment later.
    assert wait_until(lambda: execute(people, SESSIONS) == [(0,)])
    assert len(HOSTILE) >= 150


def test_a_session_of_a_superuser_is_one_that_only_reads(people: str, secret: Path) -> None:
    """What the guard would let pass meets a role that may not do it."""
    before = state(people)
    with session(people) as opened:
        for sql in (
            f"SELECT pg_read_file('{secret}')",
            f"SELECT pg_read_binary_file('{secret}')",
            f"SELECT query_to_xml('SELECT pg_read_file(''{secret}'')', true, true, '')",
            f"SELECT lo_import('{secret}')",
            "SELECT pg_ls_dir('.')",
            "SELECT set_config('role', 'postgres', false)",
            "SELECT set_config('session_authorization', 'postgres', false)",
            "SELECT set_config('temp_file_limit', '-1', false)",
            "SELECT set_config('transaction_read_only', 'off', false)",
            "SELECT current_setting('data_directory')",
            "SELECT pg_reload_conf()",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
            "SELECT nextval('numbers_seq')",
            "COPY (SELECT 1) TO PROGRAM 'touch /tmp/loot'",
            "DELETE FROM person",
            "CREATE TABLE loot (a int)",
            "CREATE ROLE loot",
            "ALTER SYSTEM SET work_mem = '1GB'",
        ):
            outcome = beneath(opened, sql)
            assert isinstance(outcome, Failure) or outcome.rows == [], sql
            assert SECRET not in str(outcome)
    assert state(people) == before


@pytest.mark.parametrize("limits", [PATIENT, TRUSTED], ids=["reader", "trusted"])
def test_what_a_query_sets_and_locks_is_gone_with_the_next(people: str, limits: Limits) -> None:
    locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
    with session(people, limits) as opened:
        assert isinstance(beneath(opened, "SELECT pg_advisory_lock(7)"), Answer)
        for name, value in (("statement_timeout", "0"), ("work_mem", "1GB"), ("search_path", "x")):
            show = f"SELECT current_setting('{name}')"
            usual = beneath(opened, show)
            changed = beneath(opened, f"SELECT set_config('{name}', '{value}', false)")
            assert isinstance(changed, Answer)
            after = beneath(opened, show)
            assert isinstance(usual, Answer)
            assert isinstance(after, Answer)
            assert after.rows == usual.rows
        left = beneath(opened, locks)
        assert isinstance(left, Answer)
        assert left.rows == [(0,)]


def test_a_time_limit_that_the_text_takes_away_holds(people: str) -> None:
    """In one statement: the server's limit is gone for all that follow."""
    sql = (
        "SELECT set_config('statement_timeout', '0', false) FROM pg_sleep(0) UNION ALL"
        " SELECT pg_sleep(600)::text"
    )
    with session(people, Limits(seconds=2, trust_role=True)) as opened:
        outcome = beneath(opened, sql)
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.EXECUTION_TIMEOUT


@pytest.fixture
def lenient(people: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session whose server knows nothing of its limit in time."""
    usual = reader.connect

    def connect(database: Reference, seconds: float, *options: Any) -> Any:
        return usual(database, HANG_SECONDS, *options)

    monkeypatch.setattr(reader, "connect", connect)
    with session(people, Limits(seconds=1, trust_role=True)) as opened:
        yield opened


def test_a_time_limit_that_the_server_does_not_keep_holds(lenient: Session) -> None:
    """The cancel comes from outside."""
    outcome = beneath(lenient, "SELECT pg_sleep(600)")
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.EXECUTION_TIMEOUT
    # A machine that stalls may take a second for this, too.
    assert wait_until(lambda: isinstance(lenient.run("SELECT 1"), Answer))


def test_a_function_that_looks_for_no_cancel_is_a_time_out(
    people: str, lenient: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not run again, and the next query has a connection of its own."""
    first = lenient._connection
    number = first.info.backend_pid
    cancels: list[float] = []
    monkeypatch.setattr(exchange, "_GRACE", 0.1)
    monkeypatch.setattr(first, "cancel_safe", lambda timeout: cancels.append(timeout))
    outcome = beneath(lenient, "SELECT pg_sleep(600)")
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.EXECUTION_TIMEOUT, None)
    assert set(cancels) == {0.1}, "it is asked for again, and the query is not run again"
    sql = "SELECT count(*) FROM person"
    assert wait_until(lambda: getattr(lenient.run(sql), "rows", None) == [(400,)])
    assert lenient._connection.info.backend_pid != number
    # The server ends what nobody waits for.
    query = f"SELECT 1 FROM pg_stat_activity WHERE pid = {number}"
    assert wait_until(lambda: execute(people, query) == [])


def test_temporary_files_are_limited(people: str) -> None:
    with session(people) as opened:
        outcome = beneath(opened, "SELECT current_setting('temp_file_limit')")
    assert isinstance(outcome, Answer)
    assert outcome.rows == [("4GB",)]


LITERALS = (
    *("'a\\b'", "E'a\\nb'", "E'\\x41\\\\'", "U&'\\0061'", "$$a'b$$", "$x$ $$ $x$", "'a''b'"),
    *("E'a'\n'\\'b'", "'a'\n'b'", "N'a'", "'é\u2028\x01'", "E'\\u00e9'", "U&'!0061' UESCAPE '!'"),
)


def test_the_text_that_is_sent_means_what_was_written(people: str) -> None:
    for literal in LITERALS:
        sql = f"SELECT {literal} AS a, 1 /* ' */ -- '"
        text = canonical(sql)
        assert isinstance(text, str), text
        assert execute(people, text) == execute(people, sql), literal


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT 1, 'a', now() IS NULL", ("?column?", "?column?", "?column?")),
        ("SELECT CAST(1 AS int), 1::text, date '2020-01-01'", ("int4", "text", "date")),
        ("SELECT extract(year FROM date '2020-01-01')", ("extract",)),
        ("SELECT CASE WHEN true THEN 1 END, coalesce(1, 2)", ("case", "coalesce")),
        ('SELECT 1 AS "A b", count(*) FROM person', ("A b", "count")),
        ("SELECT substring('abc' FROM 1 FOR 2), trim('a')", ("substring", "btrim")),
        ("VALUES (1, 2)", ("column1", "column2")),
    ],
)
def test_columns_keep_their_names(people: str, sql: str, columns: tuple[str, ...]) -> None:
    with session(people) as opened:
        outcome = opened.run(sql)
    assert isinstance(outcome, Answer)
    assert outcome.columns == columns


def test_columns_and_tables_may_be_named_as_functions_of_the_server_are(
    postgres_database: str,
) -> None:
    execute(
        postgres_database,
        "CREATE TABLE pg_ratings (pg_rating text, nextval int, setval int)",
        "INSERT INTO pg_ratings VALUES ('PG', 1, 2)",
    )
    with session(postgres_database) as opened:
        outcome = opened.run("SELECT r.pg_rating, r.nextval, setval FROM pg_ratings AS r")
    assert isinstance(outcome, Answer), outcome
    assert outcome.rows == [("PG", 1, 2)]


def test_functions_of_the_database_that_run_texts_are_refused(postgres_database: str) -> None:
    execute(
        postgres_database,
        "CREATE FUNCTION runs(q text) RETURNS text LANGUAGE plpgsql AS"
        " $$ DECLARE r text; BEGIN EXECUTE q INTO r; RETURN r; END $$",
        "CREATE FUNCTION twice(i int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2 * i'",
        "CREATE FUNCTION length_of(t text) RETURNS int LANGUAGE sql IMMUTABLE AS"
        " 'SELECT length(t)'",
        "CREATE TABLE t (a int)",
        "CREATE FUNCTION of_row(t) RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
    )
    with session(postgres_database) as opened:
        for sql in (
            "SELECT runs('SELECT 1')",
            "SELECT length_of('SELECT pg_sleep(1)')",
            "SELECT length_of('select * from pg_settings')",
            "SELECT t.of_row FROM t",
            "SELECT of_row(t) FROM t",
        ):
            outcome = opened.run(sql)
            assert isinstance(outcome, Failure), sql
            assert outcome.reason is Reason.WRITE_BLOCKED, sql
        good = opened.run("SELECT twice(2), length_of('pg is a rating')")
    assert isinstance(good, Answer), good
    assert good.rows == [(4, 14)]


def test_foreign_tables_are_not_read(postgres_database: str, secret: Path) -> None:
    import psycopg

    with suppress(psycopg.Error):
        execute(postgres_database, "CREATE EXTENSION file_fdw")
    if not execute(postgres_database, "SELECT 1 FROM pg_extension WHERE extname = 'file_fdw'"):
        pytest.skip("the server has no file_fdw")
    execute(
        postgres_database,
        "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
        f"CREATE FOREIGN TABLE loot (line text) SERVER files OPTIONS (filename '{secret}')",
    )
    with session(postgres_database) as opened:
        for sql in ("SELECT * FROM loot", "TABLE public.loot"):
            outcome = opened.run(sql)
            assert isinstance(outcome, Failure)
            assert outcome.reason is Reason.WRITE_BLOCKED


SHAPES = (
    ("SELECT 1", "+1", ""),
    ("SELECT 1", "::int", ""),
    ("SELECT 1", " UNION ALL SELECT 1", ""),
    ("SELECT 1 FROM t", " JOIN t USING (a)", ""),
    ("SELECT 1", " IS NULL", ""),
    ("SELECT a", " COLLATE b", ""),
    ("SELECT 1", " AT TIME ZONE 'x'", ""),
    ("SELECT ", "CASE WHEN true THEN ", "1"),
    ("SELECT ", "(SELECT ", "1"),
    ("SELECT ", "NOT ", "a"),
    ("SELECT ", "f(", "1"),
    ("SELECT ", "ARRAY[", "1"),
    ("SELECT * FROM ", "(SELECT * FROM ", "t"),
)
_ENDS = {"CASE WHEN true THEN ": " END", "ARRAY[": "]", "(SELECT * FROM ": ") x"}


@pytest.mark.slow
def test_no_depth_ends_the_process(tmp_path: Path) -> None:
    """The parser descends by recursion: in a thread with the stack that it needs, or not at all."""
    texts = []
    for start, part, middle in SHAPES:
        for depth in (60, 400, 6_000, 18_000):
            closing = _ENDS.get(part, ")" if part.endswith("(") or "(SELECT" in part else "")
            texts.append(start + part * depth + middle + (closing * depth if middle else ""))
    (tmp_path / "texts").write_text("\n".join(texts))
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from threading import Thread\n"
        "from sqlverdict.execute.engines.postgres.sandbox import canonical\n"
        "def work():\n"
        "    for text in Path(sys.argv[1]).read_text().split('\\n'):\n"
        "        print(type(canonical(text)).__name__)\n"
        "thread = Thread(target=work)\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    pytest.importorskip("postgast", reason="the extra postgres is not installed")
    process = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "texts")],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )
    assert process.returncode == 0, process.stderr[-2000:]
    kinds = process.stdout.split()
    assert len(kinds) == len(texts)
    assert {"str", "Failure"} == set(kinds)


def test_without_the_parser_nothing_is_sent(monkeypatch: pytest.MonkeyPatch, people: str) -> None:
    from sqlverdict.execute.engines.postgres import postgres as member

    with monkeypatch.context() as patch:
        patch.setattr(member, "find_spec", lambda name: None)
        with needs_extra("postgres"):
            POSTGRES.open(people, PATIENT)
