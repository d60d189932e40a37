"""A run whose manifest or summary was changed after it was written is refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from error_parts import refuses_run
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import RunLogError
from sqlverdict.files.sealed import write_sealed_json
from sqlverdict.runlog.manifest import MANIFEST
from sqlverdict.runlog.run import SUMMARY, read_run


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("shop.sqlite")) as connection:
        connection.executescript("CREATE TABLE item (n INT); INSERT INTO item VALUES (1), (2);")
    answers = ["SELECT n FROM item", "SELECT 1", "SELEC"]
    lines = [
        {"id": str(number), "db_id": "shop", "gold": "SELECT n FROM item", "prediction": answer}
        for number, answer in enumerate(answers)
    ]
    Path("cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert evaluate() == 0
    return tmp_path / "run"


def evaluate() -> int:
    command = ["evaluate", "--cases", "cases.jsonl", "--metrics", "ex,esm", "--out", "run"]
    return CliRunner().invoke(sqlverdict, [*command, "--workers", "0", "--quiet"]).exit_code


def changed(value: Any) -> Iterator[Any]:
    """The value with one part of it changed, each part in turn."""
    if isinstance(value, dict):
        for name in value:
            yield {key: value[key] for key in value if key != name}
            for other in changed(value[name]):
                yield {**value, name: other}
    elif isinstance(value, list):
        for position, part in enumerate(value):
            yield [*value[:position], *value[position + 1 :]]
            for other in changed(part):
                yield [*value[:position], other, *value[position + 1 :]]
    elif isinstance(value, bool) or value is None:
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
    else:
        yield value + "x"


@pytest.mark.parametrize("name", [MANIFEST, SUMMARY])
def test_a_change_of_any_field_is_noticed(run: Path, name: str) -> None:
    path = run / name
    content = json.loads(path.read_text())
    versions = list(changed(content))
    assert len(versions) > 40
    for version in versions:
        path.write_text(json.dumps(version))
        with pytest.raises(RunLogError):
            read_run(run)
    path.write_text(json.dumps(content))
    assert read_run(run).estimate("ex").value == pytest.approx(1 / 3)


@pytest.mark.parametrize("damage", ["0.9", "{", ""])
def test_the_same_command_writes_a_damaged_summary_anew(run: Path, damage: str) -> None:
    path = run / SUMMARY
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"0.333", damage.encode()) if "9" in damage else damage.encode())
    assert CliRunner().invoke(sqlverdict, ["table", str(run)]).exit_code == 2
    assert evaluate() == 0
    assert path.read_bytes() == whole


@pytest.mark.parametrize(("schema", "advice"), [(99, "Update sqlverdict"), (1, "Evaluate again")])
def test_a_manifest_of_another_schema_is_refused(run: Path, schema: int, advice: str) -> None:
    path = run / MANIFEST
    write_sealed_json(path, json.loads(path.read_text()) | {"schema": schema})
    with refuses_run("another_version", f"schema {schema}, .*{advice}"):
        read_run(run)


def test_a_run_that_ended_before_its_first_case_is_none(run: Path) -> None:
    cases = Path("cases.jsonl")
    lines = cases.read_text()
    cases.write_text("{" + lines)
    out = ["--out", "other", "--workers", "0", "--quiet"]
    command = ["evaluate", "--cases", "cases.jsonl", "--metrics", "ex", *out]
    assert CliRunner().invoke(sqlverdict, command).exit_code == 2
    cases.write_text(lines)
    assert CliRunner().invoke(sqlverdict, command).exit_code == 0
    assert read_run("other").estimate("ex").value == read_run(run).estimate("ex").value


def test_a_table_of_runs_without_a_common_case_says_so(run: Path) -> None:
    cases = Path("cases.jsonl")
    cases.write_text(cases.read_text().replace('"id": "', '"id": "other'))
    out = ["--out", "other", "--workers", "0", "--quiet"]
    command = ["evaluate", "--cases", "cases.jsonl", "--metrics", "ex", *out]
    assert CliRunner().invoke(sqlverdict, command).exit_code == 0
    result = CliRunner().invoke(sqlverdict, ["table", str(run), "other", "--metric", "ex"])
    assert result.exit_code == 0
    assert "have no case in common" in result.stderr
