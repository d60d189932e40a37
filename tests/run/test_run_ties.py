"""An answer that fits a tie of the gold is searched like a match."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.evidence import Refuted
from sqlverdict.records import Case, Reason, Result, Verdict

TIED = "SELECT singer FROM song GROUP BY singer ORDER BY count(*) DESC LIMIT 1"
OPTIONS = Options("verdict", workers=0, cache=None)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ties") / "songs.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE song (id INT PRIMARY KEY, singer TEXT NOT NULL, title TEXT NOT NULL);"
            "INSERT INTO song VALUES (1, 'ann', 'a'), (2, 'bob', 'b'), (3, 'ann', 'c'), (4, 'bob', 'd');"
        )
    return str(path)


def judged(prediction: str, database: str, options: Options = OPTIONS, gold: str = TIED) -> Result:
    case = Case("1", "songs", "Who has most songs?", (gold,), database=database)
    (result,) = evaluate([case], {"1": prediction}, options=options).results()
    return result


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_a_constant_that_fits_a_tie_is_refuted(name: str, database: str) -> None:
    result = judged(f"SELECT '{name}'", database, replace(OPTIONS, policy="strict"))
    assert result.verdict is Verdict.INCORRECT
    assert any(isinstance(piece, Refuted) for piece in result.evidence)
    by_intent = judged(f"SELECT '{name}'", database)
    assert by_intent.verdict is not Verdict.CORRECT


def test_an_answer_that_fits_a_tie_and_is_not_refuted_is_correct(database: str) -> None:
    seen: set[Reason] = set()
    for way in ("ASC", "DESC"):
        other = f"SELECT singer FROM song GROUP BY 1 ORDER BY count(id) DESC, singer {way} LIMIT 1"
        result = judged(other, database)
        assert result.verdict is Verdict.CORRECT
        seen |= {reason for each in result.evidence for reason in each.reasons}
    assert Reason.TIE_UNDETERMINED in seen


def test_without_a_search_an_answer_that_fits_a_tie_needs_review(database: str) -> None:
    result = judged("SELECT 'ann'", database, replace(OPTIONS, metrics="ex"))
    assert result.verdict is Verdict.NEEDS_REVIEW


def test_an_answer_that_fits_a_tie_and_is_refuted_is_no_witness_accuracy(database: str) -> None:
    result = judged("SELECT 'ann'", database, replace(OPTIONS, metrics="witness_accuracy"))
    assert result.scores == {"witness_accuracy": 0.0}


def test_a_count_of_the_key_is_a_count_of_rows(database: str) -> None:
    counts = ("SELECT count(id) FROM song", "SELECT count(*) FROM song")
    assert judged(counts[0], database, gold=counts[1]).verdict is Verdict.CORRECT
    options = replace(OPTIONS, null_keys=True, policy="strict")
    assert judged(counts[0], database, options, counts[1]).verdict is not Verdict.CORRECT


def test_the_manifest_says_that_keys_may_hold_null(database: str, tmp_path: Path) -> None:
    case = Case("1", "songs", "?", ("SELECT 1",), database=database)
    run = evaluate([case], {"1": "SELECT 1"}, options=replace(OPTIONS, null_keys=True))
    assert "keys" in run.manifest.stages
    plain = evaluate([case], {"1": "SELECT 1"}, options=OPTIONS)
    assert "keys" not in plain.manifest.stages
    assert run.manifest.fingerprint != plain.manifest.fingerprint
