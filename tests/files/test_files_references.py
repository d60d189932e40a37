"""Database references: what is a file, what is on a server, and that none holds a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import check_fits, engine_of
from sqlverdict.files.references import check_reference, file_of, is_at_hand, is_server
from sqlverdict.load.databases import DatabaseLocation, ServerDatabases, find_databases


@pytest.mark.parametrize(
    ("reference", "file"),
    [
        ("a.sqlite", Path("a.sqlite")),
        ("/data/a b.duckdb", Path("/data/a b.duckdb")),
        ("duckdb:///data/a.duckdb", Path("/data/a.duckdb")),
        ("duckdb://a%20b.duckdb", Path("a b.duckdb")),
        ("postgresql://host/a", None),
        ("mysql://root@host:3306/a", None),
    ],
)
def test_a_reference_is_a_file_or_a_database_on_a_server(reference: str, file: Path | None) -> None:
    assert file_of(reference) == file
    assert is_server(reference) == (file is None)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@host/a",
        "postgresql://host/a?password=secret",
        "postgresql://me:sec/secret@host/a",
        "postgresql://me:sec?secret@host/a",
        "mysql://me:sec#secret@host/a",
        "postgresql://host/a?sslpassword=secret",
        "oracle://me:secret@host/a",
        "mysql://me:@host/a",
    ],
)
def test_a_password_in_a_url_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(UsageError) as refusal:
        check_reference(url)
    assert "secret" not in str(refusal.value)
    assert "holds a password" in str(refusal.value)


def test_a_connection_string_with_a_password_is_refused_without_being_shown() -> None:
    with pytest.raises(UsageError, match="a path or a URL") as refusal:
        check_reference("host=h password=secret dbname=a")
    assert "secret" not in str(refusal.value)


def test_a_database_on_a_server_is_taken_to_be_at_hand(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    file.touch()
    assert is_at_hand("postgresql://host/a")
    assert is_at_hand(str(file))
    assert not is_at_hand(str(tmp_path / "b.sqlite"))
    assert not is_at_hand(None)


def test_the_name_of_the_database_is_put_into_the_url() -> None:
    databases = find_databases(Path(), (".",), DatabaseLocation("postgresql://host/{db_id}"))
    assert isinstance(databases, ServerDatabases)
    assert databases.path("concert_singer") == "postgresql://host/concert_singer"
    assert databases.path("a b?c") == "postgresql://host/a%20b%3Fc"
    assert databases.path("../other") is None


def test_one_database_on_a_server_serves_every_id() -> None:
    databases = ServerDatabases("postgresql://host/bird")
    assert databases.path("one") == databases.path("two") == "postgresql://host/bird"


def test_the_engine_of_a_file_is_told_by_its_ending() -> None:
    assert engine_of("some/folder") == "sqlite"
    assert engine_of("a.sqlite3") == "sqlite"
    assert engine_of("sqlite:///a") == "sqlite"


def test_an_unknown_scheme_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"oracle://.*duckdb"):
        engine_of("oracle://host/a")


@pytest.mark.parametrize("scheme", ["snowflake", "bigquery", "redshift", "databricks"])
def test_a_warehouse_is_answered_with_what_helps(scheme: str) -> None:
    with pytest.raises(UsageError, match="gold_rows and prediction_rows") as error:
        engine_of(f"{scheme}://account/db")
    assert "plug-in" in str(error.value)
    assert "docs/engine-plugins.md" in str(error.value)


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        (
            "postgresql+psycopg2://me@host/a?sslmode=require",
            "postgresql://me@host/a?sslmode=require",
        ),
        ("postgresql+asyncpg://host/{db_id}", "postgresql://host/{db_id}"),
        ("mysql+pymysql://host/a", "mysql://host/a"),
        ("mariadb+mariadbconnector://host/a", "mariadb://host/a"),
        ("clickhouse+native://host/a", "clickhouse+native://host/a"),
    ],
)
def test_the_driver_in_a_url_of_sqlalchemy_is_left_out(url: str, plain: str) -> None:
    assert check_reference(url) == plain


def test_a_password_is_refused_behind_a_driver_too() -> None:
    with pytest.raises(UsageError, match="holds a password"):
        check_reference("postgresql+psycopg2://me:secret@host/a")


def test_a_url_of_another_engine_is_refused() -> None:
    with pytest.raises(UsageError, match="oracle://"):
        check_fits("sqlite", "oracle://host/a")


@pytest.mark.parametrize("url", ["duckdb:///", "sqlite://"])
def test_a_url_without_a_file_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="no file"):
        check_reference(url)
