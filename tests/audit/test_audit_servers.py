"""``doctor`` on databases of a server: what can be opened, what a role could do, clock words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import pytest

from sqlverdict.audit.data import DoctorOptions
from sqlverdict.audit.doctor import examine_data
from sqlverdict.audit.finding import AuditFinding
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
        ((), ["the role may fill the disk with temporary files"]),
        (
            ("GRANT INSERT ON t",),
            ["the role may write to 1 table, may fill the disk with temporary files"],
        ),
        (
            ("GRANT CREATE ON SCHEMA public", "GRANT pg_read_server_files"),
            [
                "the role is a member of pg_read_server_files, may create tables in the schema "
                "public, may fill the disk with temporary files"
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
        "uses the clock or chance, through a view",
        "uses chance",
    ]


def test_golds_are_parsed_in_their_dialect(postgres_database: str) -> None:
    assert of(examine(postgres_database, "SELECT '1'::int AS a"), "gold_parses") == []
