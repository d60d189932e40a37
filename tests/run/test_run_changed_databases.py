"""A law over all engines: a search reads the schema and the rows of the database as it is now."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlverdict as sv
from small_databases import EVERY_ENGINE, change_database, database_of
from sqlverdict.evidence import Refuted
from sqlverdict.files.references import is_server

BEFORE = ("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER)", "INSERT INTO t VALUES (1, 9)")
AFTER = ("CREATE TABLE t (id INTEGER PRIMARY KEY, b INTEGER)", "INSERT INTO t VALUES (1, 9)")


def is_refuted(scorer: sv.Scorer, column: str) -> bool:
    """Whether a search on the database's schema finds that a match is luck."""
    gold, lucky = (f"SELECT {column} FROM t WHERE {column} > {bound}" for bound in (5, 6))
    evidence = scorer.check(gold, lucky).result.evidence
    return any(isinstance(piece, Refuted) for piece in evidence)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_a_search_sees_the_database_as_it_is_now(engine: str, tmp_path: Path) -> None:
    with database_of(engine, tmp_path, *BEFORE) as db:
        with sv.Scorer(db=db, refute=40, policy="strict") as scorer:
            assert is_refuted(scorer, "a")
            if not is_server(db):
                # The answers of a server are those of one snapshot as long as a scorer is open.
                change_database(engine, db, *AFTER)
                assert is_refuted(scorer, "b")
        if is_server(db):
            change_database(engine, db, "DROP TABLE t", *AFTER)
        with sv.Scorer(db=db, refute=40, policy="strict") as scorer:
            assert is_refuted(scorer, "b")
