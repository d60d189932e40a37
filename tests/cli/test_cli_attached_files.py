"""DuckDB files that one URL names, in the commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from click.testing import Result

import sqlverdict as sv
from small_databases import database_of

Invoke = Callable[..., Result]
GOLD = "SELECT id FROM old.item WHERE price > 5"
WRONG = "SELECT id FROM old.item WHERE price >= 5"
TABLE = "CREATE TABLE item (id INTEGER PRIMARY KEY, price INTEGER)"


@pytest.fixture
def url(tmp_path: Path) -> str:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    with database_of("duckdb", tmp_path / "here", TABLE) as first:
        pass
    with database_of(
        "duckdb", tmp_path / "there", TABLE, "INSERT INTO item VALUES (3, 30)"
    ) as other:
        pass
    return f"duckdb://{first}?attach=old={other}"


def succeed(invoke: Invoke, *words: object) -> str:
    result = invoke(*words)
    assert result.exit_code == 0, result.output
    return result.output


def test_pairs_are_proved_refuted_and_replayed(invoke: Invoke, url: str, tmp_path: Path) -> None:
    same = "SELECT id FROM old.main.item WHERE 5 < price"
    assert succeed(invoke, "prove", GOLD, same, "--db", url).startswith("proved")
    output = succeed(invoke, "refute", GOLD, WRONG, "--db", url, "--out", tmp_path / "w")
    assert output.startswith("refuted")
    (witness,) = (tmp_path / "w").iterdir()
    assert succeed(invoke, "refute", "--replay", witness).startswith("differ")


@pytest.mark.slow
def test_a_run_is_done_again_where_another_file_changed(
    invoke: Invoke, url: str, tmp_path: Path
) -> None:
    cases, out = tmp_path / "cases.jsonl", tmp_path / "run"
    cases.write_text(
        "".join(
            json.dumps({"id": str(number), "question": "q", "gold": GOLD, "prediction": each})
            + "\n"
            for number, each in enumerate((GOLD, WRONG, "FROM old.item SELECT price"))
        )
    )
    data = ("--cases", cases, "--databases", url)
    audit = succeed(invoke, "doctor", *data)
    assert "ready to score" in audit
    assert "syntax error" not in audit
    assert "no query but" not in audit
    run = (*data, "--out", out, "--metrics", "ex,verdict")
    succeed(invoke, "evaluate", *run)
    assert [result.scores["ex"] for result in sv.read_run(out).results()] == [1.0, 1.0, 0.0]
    # The log says where the database is, so that show can name the next command.
    assert f"--db '{url}'" in succeed(invoke, "show", out, "2")
    with duckdb.connect(url.rpartition("=")[2]) as connection:
        connection.execute("INSERT INTO item VALUES (6, 5)")
    assert "changed since the run" in succeed(invoke, "evaluate", *run)
    assert [result.scores["ex"] for result in sv.read_run(out).results()] == [1.0, 0.0, 0.0]


def test_a_folder_has_nothing_attached(invoke: Invoke, url: str, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps({"question": "q", "gold": GOLD, "prediction": GOLD}) + "\n")
    folder = f"duckdb://{tmp_path / 'here'}?{url.partition('?')[2]}"
    result = invoke("doctor", "--cases", cases, "--databases", folder)
    assert result.exit_code == 2
    assert "files are attached to one file" in result.output
