"""Joins, derived tables, aggregates and subqueries: shapes that say the same are proved equal.

The pairs say where each is proved; a near pair beside them differs in an empty table, a NULL, a
copy or a tie, and is proved nowhere.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import DIALECTS

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove

FOLDER = Path(__file__).parent
EVERY_DIALECT = ("sqlite", *DIALECTS)
PAIRS = [
    line.split("\t")
    for line in (FOLDER / "shape_pairs.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl((FOLDER / "shape_pairs.sql").read_text(encoding="utf-8"), "shapes")


@pytest.mark.slow
@pytest.mark.parametrize("dialect", EVERY_DIALECT)
def test_shapes_that_say_the_same_are_proved(dialect: str, schema: Schema) -> None:
    for truth, dialects, gold, prediction in PAIRS:
        if truth != "equal" or (dialects != "*" and dialect not in dialects.split(",")):
            continue
        proof = prove(gold, prediction, schema, dialect=dialect)
        assert isinstance(proof, Proof), (gold, prediction, proof.message)
        assert check_proof(proof, schema).holds, (gold, prediction)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", EVERY_DIALECT)
def test_near_shapes_are_not_proved(dialect: str, schema: Schema) -> None:
    near = [pair for truth, _, *pair in PAIRS if truth == "different"]
    proved = [pair for pair in near if prove(*pair, schema, dialect=dialect).proved]
    assert near
    assert proved == []
