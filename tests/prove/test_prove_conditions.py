"""Random conditions: the form that the prover gives them has their truth in every row.

A long run by hand: ``python tests/prove/test_prove_conditions.py sqlite 5000``.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import DIALECTS
from test_prove_engines_random import _forms, broken_claims, schema_in

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from tiers import sampled

CONDITIONS = sampled(40, 1_500)
TABLE = """
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER NOT NULL, s TEXT, r REAL, n NUMERIC, x)
"""
OPERATORS = ("=", "<>", "<", "<=", ">", ">=")
INTEGERS = ("0", "1", "2", "3", "-1", "1.0", "1.5")
TEXTS = ("''", "'a'", "'b'", "'ab'")


class ConditionMaker:
    """Conditions over the columns of ``t``; the same seed makes the same ones."""

    def __init__(self, rng: Random, *, untyped: bool) -> None:
        self.rng = rng
        self.untyped = untyped

    def condition(self, depth: int = 3) -> str:
        """A condition, as text."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return self.atom()
        choice = rng.randrange(10)
        if choice < 4:
            return f"({self.condition(depth - 1)} AND {self.condition(depth - 1)})"
        if choice < 8:
            return f"({self.condition(depth - 1)} OR {self.condition(depth - 1)})"
        if choice == 8:
            return f"(NOT {self.condition(depth - 1)})"
        return f"(({self.atom()}) IS {rng.choice(['', 'NOT '])}NULL)"

    def atom(self) -> str:
        """A comparison, a list, a range or a test for NULL."""
        rng = self.rng
        columns = ("a", "a", "b", "r", "s", *(("n", "x") if self.untyped else ()))
        column = rng.choice(columns)
        constants = TEXTS if column == "s" else INTEGERS
        if self.untyped and column in ("n", "x") and rng.random() < 0.3:
            constants = (*INTEGERS, *TEXTS)
        choice = rng.randrange(12)
        if choice < 5:
            return f"{column} {rng.choice(OPERATORS)} {rng.choice(constants)}"
        if choice == 5:
            return f"a {rng.choice(OPERATORS)} b"
        if choice == 6:
            members = [rng.choice([*constants, *constants, "NULL"]) for _ in range(3)]
            return f"{column} {rng.choice(['', 'NOT '])}IN ({', '.join(members)})"
        if choice == 7:
            return f"{column} BETWEEN {rng.choice(constants)} AND {rng.choice(constants)}"
        if choice == 8:
            return f"s {rng.choice(['', 'NOT '])}LIKE {rng.choice(['%', '_%', 'a%'])!r}"
        if choice == 9 and self.untyped:
            return f"{column} IS {rng.choice(['', 'NOT '])}{rng.choice(constants)}"
        return f"{column} IS {rng.choice(['', 'NOT '])}NULL"


def queries(seed: int, *, untyped: bool) -> Iterator[str]:
    """A random condition as a filter, as a value, and in a CASE."""
    condition = ConditionMaker(Random(seed), untyped=untyped).condition()
    yield f"SELECT id FROM t WHERE {condition}"
    yield f"SELECT id, {condition} FROM t"
    yield f"SELECT id, CASE WHEN {condition} THEN 1 ELSE 2 END FROM t"


def filled_table() -> sqlite3.Connection:
    """A table with all that its columns may hold, NULLs and other types among them."""
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    rng = Random(5)
    integers, texts = (None, -1, 0, 1, 2, 3, 4), (None, "", "a", "b", "ab", "A", "é")
    reals = (None, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.5, float("inf"))
    other = (*integers, *texts, *reals, b"a", "1", "1.5", "abc")
    columns = (integers, integers[1:], texts, reals, other, other)
    rows = [tuple(rng.choice(values) for values in columns) for _ in range(400)]
    connection.executemany("INSERT INTO t (a, b, s, r, n, x) VALUES (?, ?, ?, ?, ?, ?)", rows)
    return connection


def broken_forms(seeds: range) -> Iterator[tuple[str, str]]:
    """The queries whose normal form answers otherwise, on SQLite."""
    schema = read_ddl(TABLE, "t")
    with closing(filled_table()) as connection:
        for seed in seeds:
            for sql in queries(seed, untyped=True):
                for claim in _forms(sql, "sqlite", schema):
                    one, other = (
                        connection.execute(text).fetchall() for text in (sql, claim.other)
                    )
                    if sorted(map(repr, one)) != sorted(map(repr, other)):
                        yield sql, claim.other


@pytest.mark.slow
def test_the_form_of_a_condition_has_its_truth_in_every_row() -> None:
    assert list(broken_forms(range(CONDITIONS))) == []


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_form_of_a_condition_has_its_truth_on_every_engine(dialect: str) -> None:
    schema = schema_in(dialect)
    texts = [sql for seed in range(CONDITIONS // 3) for sql in queries(seed, untyped=False)]
    results = [claim for sql in texts for claim in _forms(sql, dialect, schema)]
    assert broken_claims(results, dialect) == []
    assert sum(claim.kind == "form" for claim in results) > len(texts) // 2


EQUAL = [
    ("a > 1 OR a <= 1 OR a IS NULL", "1 = 1"),
    ("a > 1 AND (r > 1 OR a > 2)", "(a > 1 AND r > 1) OR a > 2"),
    ("a > 1 AND (a > 1 OR r > 2)", "a > 1"),
    ("a = 1 OR (a = 1 AND s = 'a')", "a = 1"),
    ("(a = 1 OR s = 'a') AND (a = 1 OR s = 'b')", "a = 1"),
    ("a IN (1, 2, 3)", "a BETWEEN 1 AND 3"),
    ("a IN (1, NULL)", "a = 1"),
    ("a NOT IN (1, NULL)", "a > 1 AND a < 1"),
    ("NOT (a > 1 AND r < 2)", "a <= 1 OR r >= 2"),
    ("a < 1 OR a > 1", "a <> 1"),
    ("r >= 0.5 AND r <= 0.5", "r = 0.5"),
    ("a > 1.5", "a >= 2"),
    ("a = 1.0", "a = 1"),
    ("(a > 1) IS NULL", "a IS NULL"),
    ("(a = b) IS NULL", "a IS NULL"),
    ("a <= b AND a >= b", "a = b"),
    ("NOT (a < b) AND NOT (a > b)", "a = b"),
    ("a > 1 AND a IS NOT NULL", "a > 1"),
    ("(a > 1 AND s = 'a') OR (a > 1 AND r > 1)", "a > 1 AND (s = 'a' OR r > 1)"),
    ("s = 'a' AND s = 'b'", "a < 1 AND a > 1"),
    ("b > 1 OR b <= 1", "1 = 1"),
    ("s LIKE 'a%' OR s NOT LIKE 'a%'", "s IS NOT NULL"),
]
DIFFERENT = [
    ("a > 1 OR a <= 1", "1 = 1"),
    ("r > 1 AND r < 2", "r > 1 AND r < 1"),
    ("NOT a IN (1, 2)", "NOT a IN (1, 2) OR a IS NULL"),
    ("a > 1 OR (r > 1 AND s = 'a')", "(a > 1 OR r > 1) AND s = 'a'"),
    ("(a > 1) IS NULL", "NOT a > 1"),
    ("a <> 1 OR a = 1", "a = 1"),
    ("r > 1.5", "r >= 2"),
]


@pytest.mark.parametrize("dialect", ["sqlite", *DIALECTS])
@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_conditions_with_one_truth_table_are_proved_equal(
    one: str, other: str, dialect: str
) -> None:
    schema = read_ddl(TABLE, "t") if dialect == "sqlite" else schema_in(dialect)
    texts = [f"SELECT id FROM t WHERE {condition}" for condition in (one, other)]
    proof = prove(*texts, schema, dialect=dialect)
    assert isinstance(proof, Proof), (proof.gold_form, proof.prediction_form)
    assert check_proof(proof, schema).holds


@pytest.mark.parametrize("dialect", ["sqlite", *DIALECTS])
@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_conditions_with_two_truth_tables_are_not(one: str, other: str, dialect: str) -> None:
    schema = read_ddl(TABLE, "t") if dialect == "sqlite" else schema_in(dialect)
    texts = [f"SELECT id FROM t WHERE {condition}" for condition in (one, other)]
    assert not prove(*texts, schema, dialect=dialect).proved


def by_hand(dialect: str, count: int) -> None:
    """Print every form that has another truth."""
    if dialect == "sqlite":
        broken = list(broken_forms(range(count)))
    else:
        schema = schema_in(dialect)
        texts = [sql for seed in range(count) for sql in queries(seed, untyped=False)]
        results = [claim for sql in texts for claim in _forms(sql, dialect, schema)]
        broken = [(claim.one, claim.other) for claim, _ in broken_claims(results, dialect, 12)]
    for one, other in broken:
        sys.stdout.write(f"{one}\n  {other}\n")
    sys.stdout.write(f"{dialect}: {count} conditions, {len(broken)} broken\n")


if __name__ == "__main__":
    by_hand(sys.argv[1], int(sys.argv[2]))
