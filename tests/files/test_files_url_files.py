"""URLs of databases as SQLAlchemy spells them, at every door."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import sqlverdict as sv
from error_parts import refuses_database
from small_databases import database_of, sqlite_file
from sqlverdict.cli.main import sqlverdict
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.files.references import as_existing
from sqlverdict.parse.schemas.load import load_schemas

TABLE = "CREATE TABLE t (a INTEGER)"
GOLD, PREDICTION = "SELECT a FROM t", "SELECT a FROM t WHERE a > 0"


@pytest.fixture(params=["sqlite", pytest.param("duckdb", marks=pytest.mark.slow)])
def scheme(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    with database_of(name, tmp_path, TABLE):
        monkeypatch.chdir(tmp_path)
        return name


def test_three_slashes_are_a_relative_path_where_only_that_is_there(
    scheme: str, tmp_path: Path
) -> None:
    file = f"t.{scheme}"
    assert as_existing(f"{scheme}:///{file}") == f"{scheme}://{file}"
    for other in (
        f"{scheme}:///missing.{scheme}",
        f"{scheme}://{tmp_path}/{file}",
        f"{scheme}:///{tmp_path}/{file}",
        f"{scheme}://{file}",
        file,
        "postgresql:///test",
    ):
        assert as_existing(other) == other


def test_a_url_of_a_file_is_read_at_every_door(scheme: str, tmp_path: Path) -> None:
    file = f"t.{scheme}"
    urls = [f"{scheme}:///{file}", f"{scheme}:///{tmp_path}/{file}", f"{scheme}://{file}"]
    if scheme == "sqlite":
        urls.append(f"sqlite+pysqlite:///{file}")
    for url in urls:
        assert [table.name for table in sv.load_schema(url).tables] == ["t"], url
        assert sv.check(GOLD, GOLD, db=url).correct is True
        for command in ("prove", "refute", "pair"):
            call = [command, GOLD, PREDICTION, "--db", url]
            result = CliRunner().invoke(sqlverdict, call, catch_exceptions=False)
            assert "there is no schema" not in result.output, url
            assert "cannot be opened" not in result.output, url


def test_schemas_are_read_from_the_url_of_a_file(tmp_path: Path) -> None:
    file = sqlite_file(tmp_path / "my shop.sqlite", TABLE)
    for url in (f"sqlite://{file}", f"sqlite:///{file}", f"sqlite://{tmp_path}/my%20shop.sqlite"):
        assert list(load_schemas(url)) == ["my shop"]


@pytest.mark.slow
def test_a_url_may_name_the_character_set_that_connections_have(tmp_path: Path) -> None:
    engine = ENGINES.get("mysql")
    with database_of("mysql", tmp_path, TABLE) as url:
        mark = "&" if "?" in url else "?"
        for name in ("utf8mb4", "UTF8"):
            engine.open(f"{url}{mark}charset={name}", Limits()).close()
        with refuses_database("not_a_database", "latin1"):
            engine.open(f"{url}{mark}charset=latin1", Limits())
