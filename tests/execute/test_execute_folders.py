"""The engine of a folder of databases is told by the files in it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

import sqlverdict as sv
from error_parts import asks_for
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import OptionName
from sqlverdict.execute.engine import engine_of


def make(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


@pytest.mark.parametrize(
    ("files", "engine"),
    [
        (["shop/shop.duckdb"], "duckdb"),
        (["shop.duckdb", "README.md"], "duckdb"),
        (["shop/shop.ddb", "shop/schema.sql"], "duckdb"),
        (["shop/shop.sqlite", "pets.sqlite3"], "sqlite"),
        (["shop/shop.db"], "sqlite"),
        (["shop/shop.DUCKDB", "shop/x.db"], "duckdb"),
        (["shop/._shop.duckdb", "shop/shop.sqlite"], "sqlite"),
        ([], "sqlite"),
    ],
)
def test_the_files_of_a_folder_name_its_engine(
    tmp_path: Path, files: list[str], engine: str
) -> None:
    assert engine_of(str(make(tmp_path, *files))) == engine


def test_a_folder_of_several_engines_is_refused_and_both_are_named(tmp_path: Path) -> None:
    make(tmp_path, "a/a.sqlite", "b/b.duckdb")
    with asks_for(OptionName("engine")) as error:
        engine_of(str(tmp_path))
    assert "duckdb (.duckdb), sqlite (.sqlite)" in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shop/shop.duckdb", "shop.duckdb"])
def test_cases_are_evaluated_on_a_folder_of_duckdb_files(tmp_path: Path, name: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pytz")
    file = tmp_path / "databases" / name
    file.parent.mkdir(parents=True)
    with closing(duckdb.connect(str(file))) as connection:
        connection.execute("CREATE TABLE item AS SELECT 1 AS id, 'pen' AS name")
    folder = str(tmp_path / "databases")
    case = {
        "id": "a",
        "db_id": "shop",
        "gold": "SELECT name FROM item",
        "prediction": "SELECT 'pen'",
    }
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(case))
    run = sv.evaluate([case], databases=folder, workers=0)
    assert run["a"].scores["ex"] == 1.0
    with sv.Scorer(databases=folder) as scorer:
        assert scorer(case["gold"], case["prediction"], db_id="shop") == 1.0
    done = CliRunner().invoke(
        sqlverdict,
        [
            *("evaluate", "--cases", str(cases), "--databases", folder, "--workers", "0"),
            *("--out", str(tmp_path / "run")),
        ],
    )
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "run" / "results.jsonl").read_text().splitlines()[0])
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["engine"] == "duckdb"
