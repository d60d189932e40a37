"""The cases of a run are read again: by its own command, or where the user says the databases are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from error_parts import refuses_data, refuses_run
from label_runs import PAIRS, write_database, write_run
from sqlverdict.cli.main import sqlverdict
from sqlverdict.cli.run_cases import run_cases
from sqlverdict.errors import BenchmarkError
from sqlverdict.runlog.run import Run, read_run


@pytest.fixture
def evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run that ``evaluate`` made in this folder, with relative paths."""
    monkeypatch.chdir(tmp_path)
    write_database(tmp_path / "databases")
    question, gold, prediction = PAIRS[0]
    case = {"id": "0", "db_id": "shop", "question": question, "gold": gold}
    Path("cases.jsonl").write_text(json.dumps(case | {"order": "ignore"}) + "\n")
    Path("mine.json").write_text(json.dumps({"0": prediction}))
    call("evaluate", "--cases", "cases.jsonl", "--databases", "databases", "--predictions",
         "mine.json", "--out", "run", "--metrics", "ex", "--workers", "0", "--quiet")  # fmt: skip
    return read_run(Path("run"))


def call(*words: str) -> str:
    result = CliRunner().invoke(sqlverdict, words)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_own_command_names_the_databases(evaluated: Run) -> None:
    database = run_cases(evaluated)["0"].database
    assert database is not None
    assert Path(database).is_file()


def test_databases_that_were_moved_are_named_again(evaluated: Run) -> None:
    Path("databases").rename("elsewhere")
    database = run_cases(evaluated, "elsewhere")["0"].database
    assert database is not None
    assert Path(database).is_file()


def test_files_that_are_gone_are_named(evaluated: Run) -> None:
    Path("cases.jsonl").unlink()
    with refuses_data(BenchmarkError, "missing", "cases.jsonl"):
        run_cases(evaluated)
    # The run log has the cases; the databases are all that is missing.
    assert run_cases(evaluated, "databases")["0"].golds == (PAIRS[0][1],)


def test_a_run_without_a_command_needs_the_databases(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    databases = write_database(tmp_path / "databases")
    with refuses_run("unknown_inputs"):
        run_cases(run)
    cases = run_cases(run, str(databases))
    assert cases["q1"].knowledge
    assert cases["q1"].database == str(databases / "shop" / "shop.sqlite")


def test_runs_of_the_demo_find_their_databases(tmp_path: Path) -> None:
    run = write_run(tmp_path / "bold", benchmark="demo")
    case = run_cases(run)["observatory-01"]
    assert case.database is not None
    assert Path(case.database).is_file()


def test_label_shows_tables_without_being_told_where_they_are(evaluated: Run) -> None:
    pytest.importorskip("starlette", reason="the extra web is not installed")
    line = ("label", str(evaluated.folder), "--annotators", "ann", "--offline")
    call(*line, "page.html")
    assert '"pen"' in Path("page.html").read_text(), "a row of the table in use"
    Path("databases").rename("elsewhere")
    call(*line, "without.html")
    assert '"pen"' not in Path("without.html").read_text()
