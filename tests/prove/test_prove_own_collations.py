"""A collation that a user made: proofs do not trust it by its name, and the search knows it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.refute.witness import Witness

pytestmark = pytest.mark.slow
STATEMENTS = (
    "CREATE COLLATION \"C\" (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    'CREATE TABLE t (id INT PRIMARY KEY, s TEXT COLLATE public."C", n INT)',
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with database_of("postgres", tmp_path_factory.mktemp("db"), *STATEMENTS) as database:
        yield database


def test_its_name_does_not_make_it_compare_bytes(db: str) -> None:
    pair = ("SELECT DISTINCT s FROM t", "SELECT s FROM t GROUP BY s")
    assert not sv.prove_pair(*pair, db=db).proved
    assert sv.prove_pair("SELECT s FROM t WHERE n > 1", "SELECT s FROM t WHERE 1 < n", db=db).proved


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id FROM t WHERE n > 1", "SELECT id FROM t WHERE n > 2"),
        ("SELECT s FROM t", "SELECT DISTINCT s FROM t"),
        ("SELECT id FROM t WHERE s = 'ab'", "SELECT id FROM t WHERE s LIKE 'ab%'"),
    ],
)
def test_the_search_knows_it(db: str, gold: str, prediction: str) -> None:
    assert isinstance(sv.refute_pair(gold, prediction, db=db), Witness)


def test_texts_that_it_takes_for_the_same_are_no_difference(db: str) -> None:
    gold, prediction = "SELECT id FROM t WHERE s = 'a'", "SELECT id FROM t WHERE s = 'A'"
    assert not isinstance(sv.refute_pair(gold, prediction, db=db), Witness)
