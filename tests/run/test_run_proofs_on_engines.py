"""Proofs in runs on an engine other than SQLite: evidence, and contradictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.errors import Contradiction
from sqlverdict.evidence import Proved
from sqlverdict.prove.proof import Proof, Step
from sqlverdict.records import Case, Query
from sqlverdict.run.options import ProofOptions, SearchOptions
from sqlverdict.runlog.run import Run

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")

JOIN = "SELECT g.song_id FROM song AS g JOIN singer AS s ON g.singer_id = s.id"
PLAIN = "SELECT song_id FROM song WHERE singer_id IS NOT NULL"
OTHER = "SELECT song_id FROM song WHERE song_id < 0"


@pytest.fixture
def database(tmp_path: Path) -> str:
    file = tmp_path / "music.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE singer (id INTEGER PRIMARY KEY, name VARCHAR)")
        connection.execute(
            "CREATE TABLE song (song_id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer(id))"
        )
        connection.execute("INSERT INTO singer VALUES (1, 'a')")
        connection.execute("INSERT INTO song VALUES (1, 1), (2, NULL)")
    return str(file)


def run(database: str, prediction: str, folder: Path) -> Run:
    case = Case("1", "music", "which songs?", golds=(JOIN,), database=database)
    options = Options(
        "ex,proved",
        engine="duckdb",
        workers=0,
        cache=None,
        search=SearchOptions(),
        proof=ProofOptions(folder=folder),
    )
    return evaluate([case], {"1": prediction}, out=folder, options=options)


def test_a_pair_is_proved_by_facts_that_the_database_keeps(database: str, tmp_path: Path) -> None:
    (result,) = run(database, PLAIN, tmp_path).results()
    assert result.situation == "proved"
    assert result.scores["proved"] == 1
    proof = next(each for each in result.evidence if isinstance(each, Proved))
    assert "join_to_parent_is_idle" in proof.rules
    assert not proof.unchecked


def test_a_proof_beside_other_answers_is_a_contradiction(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prove(gold: Query, prediction: Query, *_: Any, profile: str = "sound", **__: Any) -> Proof:
        steps = (Step("gold", "wishful_thinking", ()),)
        texts = (gold.sql, prediction.sql)
        return Proof(*texts, profile, steps, form=gold.sql, dialect=gold.dialect)

    monkeypatch.setattr("sqlverdict.prove.prover.prove_queries", prove)
    with pytest.raises(Contradiction):
        run(database, OTHER, tmp_path)
