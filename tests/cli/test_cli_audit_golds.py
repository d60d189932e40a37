"""``audit`` without a run: what the golds of a benchmark show by themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.load.overlays import read_overlay

Invoke = Callable[..., Any]
CASES = (
    ("list", "How many items are there?", "SELECT name FROM item"),
    ("good", "What are the names of the items?", "SELECT name FROM item"),
    ("spelling", "What does the pen cost?", "SELECT price FROM item WHERE name = 'Pen'"),
    ("none", "What is the weather?", None),
)


@pytest.fixture
def where(tiny: Any) -> tuple[Any, ...]:
    """The options that name the golds and their database."""
    path = tiny.root / "golds.jsonl"
    lines = [
        {"id": name, "db_id": "shop", "question": question, "gold": gold}
        | ({} if gold else {"answerable": False})
        for name, question, gold in CASES
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return ("--cases", path, "--databases", tiny.databases)


def test_golds_are_run_and_looked_at_alone(where: tuple[Any, ...], invoke: Invoke) -> None:
    result = invoke("audit", *where)
    assert result.exit_code == 0, result.output
    assert (
        "2 of 3 golds may be wrong, by what they show themselves: rank 0.2 or more" in result.output
    )
    assert "gold_shape: the question asks for one number, and the gold returns" in result.output
    assert "the column has 'pen'" in result.output
    assert "note: no run: only what the golds themselves show" in result.output
    assert "no query was run again" not in result.output
    read = json.loads(invoke("audit", *where, "--json").output)
    assert read["systems"] == []
    assert {each["id"] for each in read["suspects"]} == {"list", "spelling"}


def test_a_text_of_golds_alone(where: tuple[Any, ...], invoke: Invoke, tmp_path: Path) -> None:
    text, lines = tmp_path / "suspects.md", tmp_path / "suspects.jsonl"
    assert invoke("audit", *where, "--out", text, "--out", lines).exit_code == 0
    assert "2 golds of 3, from what they show themselves." in text.read_text()
    assert [json.loads(line)["answers"] for line in lines.read_text().splitlines()] == [[], []]


def test_proposals_without_a_system_are_edits(
    where: tuple[Any, ...], invoke: Invoke, tmp_path: Path
) -> None:
    page = tmp_path / "review.html"
    result = invoke("audit", *where, "--propose", "--out", page, "--json")
    assert result.exit_code == 0, result.output
    suspects = {each["id"]: each for each in json.loads(result.stdout)["suspects"]}
    (proposal,) = suspects["spelling"]["proposals"]
    assert proposal["source"] == "literal_spelling"
    assert proposal["gold"] == "SELECT price FROM item WHERE name = 'pen'"
    assert (proposal["systems"], proposal["to_right"]) == ([], [])
    assert proposal["gold"].encode() in page.read_bytes()
    assert b'"benchmark":"golds.jsonl"' in page.read_bytes()
    assert b"system_answers" not in page.read_bytes()
    saved = tmp_path / "saved.jsonl"
    saved.write_text(json.dumps({"id": "spelling", "db_id": "shop", "gold": proposal["gold"]}))
    assert read_overlay("saved", saved)


def test_the_demo_has_golds_to_look_at(invoke: Invoke) -> None:
    result = invoke("audit", "--benchmark", "demo", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["golds"] == 75


def test_an_audit_of_nothing_says_what_to_name(invoke: Invoke) -> None:
    result = invoke("audit")
    assert result.exit_code == 2
    for option in ("RUN", "--benchmark NAME --root DIR", "--cases FILE --databases DIR"):
        assert option in result.stderr


def test_a_report_of_runs_needs_runs(
    where: tuple[Any, ...], invoke: Invoke, tmp_path: Path
) -> None:
    result = invoke("audit", *where, "--html", tmp_path / "report.html")
    assert (result.exit_code, "use --out FILE.md" in result.stderr) == (2, True)


def test_golds_whose_database_is_away_are_counted(where: tuple[Any, ...], invoke: Invoke) -> None:
    away = {"id": "away", "db_id": "gone", "question": "Who?", "gold": "SELECT a FROM t"}
    with where[1].open("a") as file:
        file.write(json.dumps(away) + "\n")
    result = invoke("audit", *where)
    assert result.exit_code == 0, result.output
    assert "1 gold could not be run: the database is not available" in result.output


@pytest.mark.slow
def test_golds_of_a_duckdb_file(where: tuple[Any, ...], invoke: Invoke, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE item (name VARCHAR, price DOUBLE)")
        connection.execute("INSERT INTO item VALUES ('pen', 1.0), ('pad', 2.0)")
    result = invoke("audit", *where[:2], "--databases", path, "--json")
    assert result.exit_code == 0, result.output
    suspects = json.loads(result.output)["suspects"]
    assert {each["id"] for each in suspects} == {"list", "spelling"}


def test_cases_that_no_question_of_a_run_is_in_are_refused(
    tiny: Any, where: tuple[Any, ...], invoke: Invoke
) -> None:
    sql = "SELECT max(price) FROM item"
    case = {"id": "dear", "db_id": "shop", "question": "What is the highest price?"}
    other = tiny.root / "other.jsonl"
    other.write_text(json.dumps(case | {"gold": sql, "prediction": sql}) + "\n")
    folder = tiny.root / "run"
    ran = invoke("evaluate", "--cases", other, "--databases", tiny.databases, "--out", folder)
    assert ran.exit_code == 0, ran.output
    result = invoke("audit", folder, *where, "--execute")
    assert result.exit_code == 2, result.output
    assert f"no question of {folder} is in golds.jsonl" in " ".join(result.output.split())
