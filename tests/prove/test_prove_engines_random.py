"""Random queries in the dialects of other engines: no proved pair differs on random rows.

A long run by hand: ``python tests/prove/test_prove_engines_random.py duckdb 5000``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
import sqlglot

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import DIALECTS, scratch_of
from operator_maker import OperatorMaker
from query_mutations import mutate
from query_strategies import make_query

from sqlverdict.execute.engine import Scratch
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.normalise import normalise
from sqlverdict.prove.profile import rules_of
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.reasoning.copies import TooManySteps
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.inner_order import visible_order
from sqlverdict.prove.resolve.query import resolve_query
from sqlverdict.prove.resolve.refusals import refusal
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.text import resolved_sql, runnable
from sqlverdict.records import Answer, Query, Row
from sqlverdict.testing.rule_suite.on_engine import rows_for, sample_types
from tiers import sampled

QUERIES = sampled(25, 120)
DATABASES = 6
_DDL = """
CREATE TABLE t (id {i} NOT NULL PRIMARY KEY, a {i}, b {i} NOT NULL, s {s}, r {r});
CREATE TABLE u (id {i} NOT NULL PRIMARY KEY, t_id {i} REFERENCES t(id), w {i}, s {s} UNIQUE);
CREATE TABLE v (t_id {i} NOT NULL REFERENCES t(id), a {i} NOT NULL, s {s} NOT NULL, n {n},
  PRIMARY KEY (a, s));
CREATE TABLE x (p {s}, q {i})
"""


@dataclass(frozen=True)
class Claim:
    """Two texts that must answer alike.

    Attributes:
        kind: ``read`` (a query and its tree written back), ``form`` (a query and its normal form)
            or ``proved``.
        one: A query.
        other: Another one.
        columns: Which column of the other stands for which of the first.
        why: The rules that were used.
    """

    kind: str
    one: str
    other: str
    columns: tuple[int, ...]
    why: tuple[str, ...] = ()


def schema_in(dialect: str) -> Schema:
    """The tables of the random queries with an engine's types."""
    types = sample_types(dialect)
    real = next(kind for kind in types if kind.startswith("DOUBLE"))
    number = next(kind for kind in types if kind.startswith(("DECIMAL", "NUMERIC")))
    schema = read_ddl(_DDL.format(i=types[0], s="TEXT", r=real, n=number), dialect)
    tables = tuple(
        replace(
            table,
            sql=None,
            columns=tuple(
                replace(column, type=types[1]) if column.type == "TEXT" else column
                for column in table.columns
            ),
        )
        for table in schema.tables
    )
    return replace(schema, tables=tables)


def claims(seed: int, dialect: str, schema: Schema) -> Iterator[Claim]:
    """What the prover makes of one random query and of two changed ones."""
    rng = Random(seed)
    sql = make_query(rng)
    parsed = parse(sql)
    assert isinstance(parsed, Query)
    changed = [mutate(parsed.tree, rng, 1 + rng.randrange(2)) for _ in range(2)]
    sql, *others = (
        sqlglot.transpile(each, read="sqlite", write=dialect)[0] for each in (sql, *changed)
    )
    yield from _forms(sql, dialect, schema)
    for other in others:
        proof = prove(sql, other, schema, dialect=dialect)
        if isinstance(proof, Proof) and sql != other:
            verdict = check_proof(proof, schema)
            assert verdict.holds, (sql, other, verdict)
            yield Claim("proved", sql, other, proof.columns, proof.rules)


def _forms(sql: str, dialect: str, schema: Schema) -> Iterator[Claim]:
    query = parse(sql, dialect)
    if not isinstance(query, Query):
        return
    try:
        start = resolve_query(query, schema)
        facts = Facts(schema, facts_of(schema, dialect), start.bases, dialect)
        if refusal(start.tree, facts) is not None:
            return
        sql_text = runnable(start.tree.copy(), as_it_stands=True, dialect=dialect).sql(dialect)
        yield Claim("read", sql, sql_text, ())
        tree, steps = normalise(start.tree, facts, rules_of("sound", frozenset(), dialect))
    except (Unsupported, TooManySteps):
        return
    if not visible_order(tree):
        yield Claim(
            "form", sql, resolved_sql(tree, dialect), (), tuple(step.rule for step in steps)
        )


def differences(
    result: Iterable[Claim], scratch: Scratch, schema: Schema, dialect: str, databases: int
) -> Iterator[tuple[Claim, dict[str, tuple[Row, ...]]]]:
    """The claims that do not hold on random rows, each with the rows."""
    # A LIMIT may cut through ties: these pairs are for the search, which can tell.
    open_claims = [claim for claim in result if "LIMIT" not in claim.one + claim.other]
    for number in range(databases):
        rows = rows_for(schema, facts_of(schema, dialect), Random(f"rows {number}"), dialect)
        assert scratch.load(rows), rows
        for claim in open_claims:
            one, other = scratch.run(claim.one), scratch.run(claim.other)
            if not isinstance(one, Answer):
                continue
            if claim.kind != "proved" and not isinstance(other, Answer):
                # A form is for people: not every engine takes a constant in ORDER BY.
                continue
            if not isinstance(other, Answer) or _bag(one) != _bag(other, claim.columns):
                yield claim, rows


def _bag(answer: Answer, columns: tuple[int, ...] = ()) -> list[str]:
    places = columns or range(len(answer.columns))
    return sorted(repr([_plain(row[index]) for index in places]) for row in answer.rows)


def _plain(cell: object) -> object:
    """Numbers up to rounding, whatever type the driver has for them."""
    if isinstance(cell, int | float):
        return float(f"{float(cell):.8g}") + 0.0
    try:
        return float(f"{float(str(cell)):.8g}") + 0.0 if not isinstance(cell, str) else cell
    except ValueError:
        return cell


def broken_claims(
    result: Sequence[Claim], dialect: str, databases: int = DATABASES
) -> list[tuple[Claim, dict[str, tuple[Row, ...]]]]:
    """The claims that do not hold on the dialect's engine."""
    schema = schema_in(dialect)
    with scratch_of(dialect, schema) as scratch:
        return list(differences(result, scratch, schema, dialect, databases))


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_proved_pair_differs_on_random_rows(dialect: str) -> None:
    schema = schema_in(dialect)
    results = [claim for seed in range(QUERIES) for claim in claims(seed, dialect, schema)]
    assert broken_claims(results, dialect) == []
    kinds = [claim.kind for claim in results]
    assert kinds.count("proved") > QUERIES // 8
    assert kinds.count("read") > QUERIES // 4


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("dialect", DIALECTS)
def test_operators_bind_as_the_engine_binds_them(dialect: str) -> None:
    texts = [OperatorMaker(Random(seed)).query() for seed in range(QUERIES)]
    results = [claim for sql in texts for claim in _forms(sql, dialect, schema_in(dialect))]
    assert broken_claims(results, dialect) == []
    assert sum(claim.kind == "read" for claim in results) > QUERIES // 2


def by_hand(dialect: str, count: int, start: int = 0) -> None:
    """Print every claim that does not hold."""
    total, schema = 0, schema_in(dialect)
    for block in range(start, start + count, 200):
        seeds = range(block, min(block + 200, start + count))
        results = [claim for seed in seeds for claim in claims(seed, dialect, schema)]
        for seed in seeds:
            results += _forms(OperatorMaker(Random(seed)).query(), dialect, schema)
        total += len(results)
        for claim, rows in broken_claims(results, dialect, 12):
            sys.stdout.write(f"{claim}\n  {rows}\n")
    sys.stdout.write(f"{dialect}: {total} claims\n")


if __name__ == "__main__":
    by_hand(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
