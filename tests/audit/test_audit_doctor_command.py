"""The command ``sqlverdict doctor``: what it prints and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from tiers import sampled

CLEAN = "SELECT name FROM city WHERE id = 1"
LOOSE = "SELECT name FROM city LIMIT 2"


def doctor(*args: object):
    return CliRunner().invoke(sqlverdict, ["doctor", *map(str, args)])


@pytest.fixture
def gold(tmp_path: Path, database: Path):
    """Writes a gold file and gives the options that name it."""

    def write(*golds: str) -> list[object]:
        file = tmp_path / "gold.sql"
        file.write_text("".join(f"{sql}\tshop\n" for sql in golds))
        return ["--cases", file, "--databases", database.parent.parent]

    return write


def test_clean_data_exit_0(gold):
    result = doctor(*gold(CLEAN))
    assert result.exit_code == 0
    assert "golds: 1 of 1 answered" in result.output
    assert result.output.splitlines()[-1].endswith("ready to score.")


def test_warnings_exit_0_and_under_strict_1(gold):
    options = gold(CLEAN, LOOSE)
    assert doctor(*options).exit_code == 0
    result = doctor(*options, "--strict")
    assert result.exit_code == 1
    assert "warning gold_undetermined" in result.output
    assert "case 1: LIMIT without ORDER BY keeps 2 of 5 rows" in result.output


def test_errors_exit_1_and_come_first(gold):
    result = doctor(*gold(LOOSE, "SELECT absent FROM city"))
    assert result.exit_code == 1
    assert result.output.index("error gold_runs") < result.output.index("warning gold_und")


def test_at_most_show_of_a_kind(gold):
    options = gold(*["SELECT absent"] * 5)
    result = doctor(*options, "--show", 2)
    assert result.output.count("no such column") == 2
    assert "... and 3 more (--show 5)" in result.output


def test_nothing_that_runs_exits_3(gold, database):
    options = gold(CLEAN)
    database.unlink()
    assert doctor(*options).exit_code == 3


def test_nothing_readable_exits_3(tmp_path):
    result = doctor("--benchmark", "spider", "--root", tmp_path)
    assert result.exit_code == 3
    assert "cannot be read" in result.output


@pytest.mark.parametrize("args", [[], ["--benchmark", "spyder", "--root", "."], ["--show", "-1"]])
def test_a_wrong_call_exits_2(args):
    assert doctor(*args).exit_code == 2


def test_json_holds_everything(gold, tmp_path):
    predictions = tmp_path / "p.txt"
    predictions.write_text("SELECT 1\n\n")
    result = doctor(*gold(CLEAN, LOOSE), "--predictions", predictions, "--json")
    record = json.loads(result.output)
    assert record["schema"] == 1
    assert record["counts"]["warning"] == 2
    assert record["figures"]["golds_undetermined"] == 1
    assert {f["check"] for f in record["findings"]} >= {"gold_undetermined", "prediction_content"}


def test_cases_that_carry_their_predictions(tmp_path, database):
    file = tmp_path / "cases.jsonl"
    file.write_text(
        '{"id": "a", "db_id": "shop", "question": "q", "gold": "SELECT 1", "prediction": null}\n'
        '{"id": "b", "db_id": "shop", "question": "r", "gold": "SELECT 2", "prediction": "oops"}\n'
    )
    result = doctor("--cases", file, "--json")
    record = json.loads(result.output)
    assert record["figures"]["abstentions"] == 1
    assert [f["subject"] for f in record["findings"] if f["severity"] == "warning"] == ["case b"]


@pytest.mark.slow
def test_the_demo_is_clean_but_for_its_two_loose_golds():
    result = doctor("--benchmark", "demo", "--json")
    record = json.loads(result.output)
    assert result.exit_code == 0
    assert record["counts"]["error"] == 0
    assert set(record["by_check"]) == {"gold_undetermined", "versions"}


@pytest.mark.data
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "answered", "empty", "undetermined"),
    [("spider", 972, 49, 48), ("bird", 303, 0, 1)][: sampled(1, 2)],
)
def test_real_benchmarks(data_root, name, answered, empty, undetermined):
    result = doctor("--benchmark", name, "--root", data_root / name, "--json")
    assert result.exit_code == 1, "databases are missing"
    record = json.loads(result.output)
    figures = record["figures"]
    assert figures["golds_answered"] == answered
    assert figures.get("golds_empty", 0) == empty
    assert figures["golds_undetermined"] == undetermined
    assert figures[f"self[{name}]"] == figures["self[strict]"] == answered
    assert set(record["by_check"]) >= {"database_files", "gold_repeated"}


def test_the_first_case_may_hold_half_a_surrogate_pair(tmp_path, database):
    case = {"id": "1", "db_id": database.stem, "question": "?", "gold": "SELECT 1"}
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(case | {"prediction": "SELECT '\ud800'"}) + "\n")
    result = doctor("--cases", cases, "--databases", database)
    assert result.exit_code in (0, 1), result.output
