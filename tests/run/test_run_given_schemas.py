"""A schema that is given: what it leaves open proves nothing, and no witness uses it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import structs

from sqlverdict import Options, System, evaluate_systems, load_schema, prove_pair, refute_pair
from sqlverdict.cli.main import sqlverdict
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.prove.proof import Proof
from sqlverdict.records import Case
from sqlverdict.refute.witness import NotRefuted, Witness
from sqlverdict.runlog.run import Run

OWN = """
CREATE TABLE member (club INTEGER, person INTEGER, joined TEXT, PRIMARY KEY (club, person));
INSERT INTO member VALUES (1, 1, '2020'), (1, 2, '2021');
"""
ENTRY: dict[str, Any] = {
    "db_id": "clubs",
    "table_names_original": ["member"],
    "column_names_original": [[-1, "*"], [0, "club"], [0, "person"], [0, "joined"]],
    "column_types": ["text", "number", "number", "text"],
    "primary_keys": [1],
    "foreign_keys": [],
}
"""As Spider publishes it: of a key of two columns the file names the first."""
ALL = "SELECT count(*) FROM member"
CLUBS = "SELECT count(DISTINCT club) FROM member"
PEOPLE = "SELECT count(DISTINCT person) FROM member"


def file_schema(folder: Path, **changes: Any) -> Schema:
    file = folder / "tables.json"
    file.write_text(json.dumps([ENTRY | changes]))
    return load_schemas(file)["clubs"]


def run(
    case: Case, prediction: str, metrics: str, schemas: Mapping[str, Schema] | None = None
) -> Run:
    options = Options(metrics, workers=0, cache=None, schemas=schemas or {})
    return evaluate_systems([case], [System("mine", {case.id: prediction})], options=options)[0]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "clubs" / "clubs.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OWN)
    return path


def test_a_key_that_may_be_a_part_proves_nothing_and_refutes_nothing(tmp_path: Path) -> None:
    schema = file_schema(tmp_path)
    assert not isinstance(prove_pair(ALL, CLUBS, schema=schema), Proof)
    assert isinstance(refute_pair(ALL, CLUBS, schema=schema), NotRefuted)
    assert isinstance(refute_pair(ALL, "SELECT count(club) FROM member", schema=schema), NotRefuted)


def test_witnesses_keep_every_key_that_the_file_may_mean(tmp_path: Path, database: Path) -> None:
    witness = refute_pair(ALL, PEOPLE, schema=file_schema(tmp_path))
    assert isinstance(witness, Witness)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("DELETE FROM member")
        # The database itself, with its whole key, takes the rows.
        for row in witness.instance.rows["member"]:
            connection.execute("INSERT INTO member VALUES (?, ?, ?)", row)


@pytest.mark.parametrize("metrics", ["ex", "ex,etm,verdict"])
def test_the_schema_of_a_database_at_hand_wins(
    tmp_path: Path, database: Path, metrics: str
) -> None:
    case = Case("1", "clubs", "How many?", (ALL,), str(database))
    alone = run(case, CLUBS, metrics)
    # The file claims that the date is the key.
    beside = run(case, CLUBS, metrics, {"clubs": file_schema(tmp_path, primary_keys=[3])})
    (mine,), (theirs,) = alone.results(), beside.results()
    assert structs.replace(theirs, timings={}) == structs.replace(mine, timings={})
    (note,) = set(beside.manifest.notes) - set(alone.manifest.notes)
    assert "(club, person)" in note, "the sources disagree, and the run says so once"
    # What a file leaves out is no disagreement.
    part = run(case, CLUBS, metrics, {"clubs": file_schema(tmp_path)})
    assert part.manifest.notes == alone.manifest.notes


def test_a_schema_stands_in_for_a_database_that_is_not_at_hand(tmp_path: Path) -> None:
    case = Case("1", "clubs", "How many?", (ALL,), str(tmp_path / "gone.sqlite"))
    schemas = {"clubs": file_schema(tmp_path)}
    (result,) = run(case, "SELECT COUNT(*) FROM member AS m", "etm", schemas).results()
    assert result.scores["etm"] == 1.0


def test_doctor_names_a_file_that_describes_another_database(
    tmp_path: Path, database: Path
) -> None:
    cases = tmp_path / "cases.jsonl"
    line = {"id": "1", "db_id": "clubs", "question": "How many?", "gold": ALL}
    cases.write_text(json.dumps(line))
    words = ["doctor", "--cases", str(cases), "--databases", str(tmp_path), "--json"]
    for keys, findings in (([1], 0), ([3], 1)):
        file_schema(tmp_path, primary_keys=keys)
        done = CliRunner().invoke(sqlverdict, words)
        checks = [each["check"] for each in json.loads(done.stdout)["findings"]]
        assert checks.count("database_schema") == findings


@pytest.mark.data
def test_the_published_file_brings_no_witness_against_a_key(data_root: Path) -> None:
    """A key of one column of each third database: as the database has it, so has Spider's file."""
    schemas = load_schemas(data_root / "spider" / "tables.json")
    files = sorted(data_root.glob("spider/database/*/*.sqlite"))[::3]
    for file in files:
        own = load_schema(file)
        table = next(table for table in own.tables if len(table.primary_key) == 1)
        name, key = f'"{table.name}"', f'"{table.primary_key[0]}"'
        counts = f"SELECT count(*) FROM {name}", f"SELECT count(DISTINCT {key}) FROM {name}"
        assert isinstance(refute_pair(*counts, schema=schemas[own.db_id]), NotRefuted)
    assert files
