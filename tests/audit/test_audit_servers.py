"""``doctor`` on databases of a server: what can be opened, what a role could do, clock words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from urllib.parse import urlsplit, urlunsplit

import pytest

from servers import mysql_server
from sqlverdict.audit.check import AuditFinding
from sqlverdict.audit.data import DoctorOptions
from sqlverdict.audit.doctor import examine_data
from sqlverdict.execute.engine import ENGINES, ServerEngine
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.records import Case


def examine(url: str, *golds: str) -> list[AuditFinding]:
    cases = [Case(str(at), "people", "?", (gold,), url) for at, gold in enumerate(golds)]
    options = DoctorOptions(engine="postgres", cache=None)
    return list(examine_data(Benchmark("test", "1", cases), options=options).findings)


def of(findings: list[AuditFinding], check: str) -> list[str]:
    return [finding.message for finding in findings if finding.check == check]


@contextmanager
def reader(url: str, *grants: str) -> Iterator[str]:
    """The URL for a role that may read the table ``t``, and what else is granted."""
    import psycopg

    name = f"{urlsplit(url).path[1:]}_reader"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        connection.execute(f"CREATE ROLE {name} LOGIN")
        connection.execute(f"GRANT SELECT ON t TO {name}")
        for grant in grants:
            connection.execute(f"{grant} TO {name}")
        try:
            parts = urlsplit(url)
            yield urlunsplit(parts._replace(netloc=f"{name}@{parts.netloc.rpartition('@')[2]}"))
        finally:
            connection.execute(f"DROP OWNED BY {name}")
            connection.execute(f"DROP ROLE {name}")


def test_a_database_that_is_there_is_no_finding(postgres_database: str) -> None:
    assert of(examine(postgres_database, "SELECT 1"), "database_files") == []


def test_a_database_that_is_missing_is_named_once(postgres_database: str) -> None:
    url = urlunsplit(urlsplit(postgres_database)._replace(path="/no_such_database"))
    (message,) = of(examine(url, "SELECT 1", "SELECT 2"), "database_files")
    assert url in message
    assert "2 cases cannot run" in message


def test_a_superuser_is_warned_about(postgres_database: str) -> None:
    assert of(examine(postgres_database, "SELECT 1"), "database_rights") == [
        "the role is a superuser"
    ]


@pytest.mark.parametrize(
    ("grants", "rights"),
    [
        ((), ["the role may fill the disk with temporary files of sorts (no temp_file_limit)"]),
        (
            ("GRANT INSERT ON t",),
            [
                "the role may write to 1 table, may fill the disk with temporary files of sorts (no temp_file_limit)"
            ],
        ),
        (
            ("GRANT CREATE ON SCHEMA public", "GRANT pg_read_server_files"),
            [
                "the role is a member of pg_read_server_files, may create tables in the schema "
                "public, may fill the disk with temporary files of sorts (no temp_file_limit)"
            ],
        ),
    ],
)
def test_a_role_that_could_write_is_warned_about(
    postgres_database: str, grants: tuple[str, ...], rights: list[str]
) -> None:
    with reader(postgres_database, *grants) as url:
        assert of(examine(url, "SELECT a FROM t"), "database_rights") == rights


def test_golds_that_read_the_clock_are_named(postgres_database: str) -> None:
    import psycopg

    with psycopg.connect(postgres_database) as connection:
        connection.execute("CREATE VIEW moment AS SELECT now() AS n")
    golds = ("SELECT now()", "SELECT n FROM moment", "SELECT random()", "SELECT 'now()'::text")
    assert of(examine(postgres_database, *golds), "gold_volatile") == [
        "uses the clock",
        "uses the clock or chance, through a view or a function; or the role may not see its text, "
        "which may use them",
        "uses chance",
    ]


def test_golds_are_parsed_in_their_dialect(postgres_database: str) -> None:
    assert of(examine(postgres_database, "SELECT '1'::int AS a"), "gold_parses") == []


ALL_EVIDENCE = ["the role permits all evidence about queries: results, proofs and witnesses"]


@pytest.mark.slow
def test_a_role_that_may_only_select_permits_all_evidence(postgres_database: str) -> None:
    import psycopg

    with psycopg.connect(postgres_database, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f'REVOKE TEMPORARY ON DATABASE "{name}" FROM PUBLIC')  # type: ignore[call-overload]
    with reader(postgres_database) as url:
        findings = examine(url, "SELECT a FROM t")
        assert of(findings, "database_evidence") == ALL_EVIDENCE
        assert of(findings, "database_rights") == [
            "the role may fill the disk with temporary files of sorts (no temp_file_limit)"
        ]
        (finding,) = (each for each in findings if each.check == "database_rights")
        statements = finding.detail["statements"]
        assert statements[0].startswith("ALTER ROLE")
        assert "temp_file_limit" in statements[0]
        assert not any("TEMPORARY" in each or "CREATE ROLE" in each for each in statements)


@pytest.mark.slow
def test_what_a_user_of_mysql_cannot_search_is_told_with_what_would_permit_it() -> None:
    engine = ENGINES.get("mysql")
    assert isinstance(engine, ServerEngine)
    user = f"sv_reader_{token_hex(4)}"
    statements = (
        "CREATE TABLE t (a int, kind ENUM('x', 'y'))",
        "CREATE TABLE u (a int)",
        "CREATE VIEW v AS SELECT a FROM u",
    )
    with engine.own_database(mysql_server(), user, statements) as url:
        parts = urlsplit(url)
        address = parts.netloc.rpartition("@")[2]
        by_reader = urlunsplit(parts._replace(netloc=f"{user}@{address}"))
        with mysql_user(user, f"GRANT SELECT ON {user}.* TO {user}"):
            (message,) = of(examine(by_reader, "SELECT a FROM u"), "database_evidence")
        assert "t.kind" in message
        assert "GRANT ALL ON" in message
        assert "the view v" in message
        assert "GRANT SHOW VIEW" in message
        assert of(examine(url, "SELECT a FROM u"), "database_evidence") == ALL_EVIDENCE


@contextmanager
def mysql_user(name: str, grant: str) -> Iterator[None]:
    """A user of the server."""
    import pymysql

    parts = urlsplit(mysql_server())
    with pymysql.connect(
        host=parts.hostname or "",
        port=parts.port or 3306,
        user=parts.username,
        password=os.environ.get("MYSQL_PWD", ""),
    ) as connection:
        cursor = connection.cursor()
        cursor.execute(f"CREATE USER {name}")
        try:
            cursor.execute(grant)
            yield
        finally:
            cursor.execute(f"DROP USER {name}")
