"""Whatever people declare: the search never raises, and a real SQLite takes every witness in."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from schema_maker import RandomSchema, quoted

from sqlverdict.errors import SchemaError
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer
from sqlverdict.refute.explain.evidence import refutation_evidence
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.witness import SearchBudget, Witness
from sqlverdict.refute.witness_files import replay, write
from tiers import sampled

SCHEMAS, PAIRS = sampled(20, 200), 3
BUDGET = SearchBudget(instances=40, alike=1, shrink=120)


def taken_in(witness: Witness, ddl: str) -> None:
    """A real SQLite under all constraints holds the witness's rows, and the queries differ."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(ddl)
        connection.execute("BEGIN")
        connection.execute("PRAGMA defer_foreign_keys = ON")
        # Parents first: a value that a parent's affinity changes is not seen the other way round.
        for table in witness.instance.schema.tables:
            name, rows = table.name, witness.instance.rows.get(table.name, ())
            if not rows:
                continue
            places = [n for n, c in enumerate(table.columns) if c.generated is None]
            names = ", ".join(quoted(table.columns[n].name) for n in places)
            marks = ", ".join("?" for _ in places)
            connection.executemany(
                f"INSERT INTO {quoted(name)} ({names}) VALUES ({marks})",
                [[row[n] for n in places] for row in rows],
            )
        connection.execute("COMMIT")
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        for name, rows in witness.instance.rows.items():
            stored = connection.execute(f"SELECT * FROM {quoted(name)}").fetchall()
            assert Counter(map(repr, stored)) == Counter(map(repr, rows)), name
        for sql, outcome in (
            (witness.gold_sql, witness.gold),
            (witness.prediction_sql, witness.prediction),
        ):
            if isinstance(outcome, Answer):
                again = connection.execute(sql).fetchall()
                assert len(again) == len(outcome.rows)


def examine(seed: int, folder: Path | None = None) -> Counter[str]:
    """Search on one random schema; what came of it."""
    result: Counter[str] = Counter()
    schema_and_queries = RandomSchema(Random(seed))
    try:
        schema = read_ddl(schema_and_queries.ddl, "made")
    except SchemaError:
        return Counter(["no schema"])
    for _ in range(PAIRS):
        gold, prediction = schema_and_queries.pair()
        witness = find_witness(gold, prediction, schema, budget=BUDGET)
        if not isinstance(witness, Witness):
            result[f"not refuted: {witness.reason}"] += 1
            continue
        result["refuted"] += 1
        taken_in(witness, schema_and_queries.ddl)
        assert legal(witness.instance, facts_of(schema)) == []
        refutation_evidence(witness)
        if folder is not None:
            for path in write(witness, folder, f"{seed}"):
                assert replay(path).differ
    return result


@pytest.mark.slow
@pytest.mark.sampled
def test_every_witness_on_a_random_schema_is_legal(tmp_path: Path) -> None:
    result: Counter[str] = Counter()
    for seed in range(SCHEMAS):
        result += examine(seed, tmp_path)
    assert result["no schema"] < SCHEMAS / 4, result
    assert result["refuted"] > SCHEMAS, result
