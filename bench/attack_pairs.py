"""Pairs that rules join, changed on both sides alike, and pairs of shapes, on the engines."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Protocol

import sqlglot
from sqlglot.errors import SqlglotError

import attack_shapes
import attack_types
from attack_shapes import ShapePair
from fuzz_inputs import TYPES
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.execute.engine import ENGINES, Engine, engine_of
from sqlverdict.parse.facts import Fact, HasAffinity, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Cell, Failure, Query
from sqlverdict.refute.target.trial import EngineTrial, Scratches
from sqlverdict.testing.rule_suite.contexts import leaves_open
from sqlverdict.testing.rule_suite.on_engine import retyped_for, rows_for, sample_types
from sqlverdict.testing.rule_suite.rows import retyped

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "prove"))
from pair_maker import KnownPair, make_pair

PAIRS = 60
"""In a round."""
DATABASES = 6
LEFT_OPEN = "differences that both leave open"
_VARIANTS = 3
"""So many mixtures of types for a pair's tables: a server makes tables for each."""

TryProof = Callable[[str, str, Schema, frozenset[Fact], Random], bool]


class Report(Protocol):
    """What an attack counts and keeps."""

    def count(self, name: str, number: int = 1) -> None: ...

    def wrong(self, kind: str, **details: object) -> None: ...

    def proof(self, rules: tuple[str, ...]) -> None: ...


_TYPES = tuple(each for each in TYPES[:-1] if each not in ("INT", "VARCHAR(9)"))
"""Without those that promise integers or texts, and whose rows hold any values here."""


def attack_sqlite(seed: str, try_proof: TryProof, fewer: Callable[..., frozenset[Fact]]) -> None:
    """One round on SQLite, with declared and with other types, with all facts or fewer."""
    rng = Random(seed)
    for _ in range(PAIRS):
        pair = make_pair(rng)
        if pair is None:
            continue
        gold, other, known = pair
        plain = rng.randrange(3) > 0
        schema = read_ddl(known.ddl, "pairs") if plain else retyped(known.ddl, rng, *_TYPES)
        # With other types the columns have other affinities than the pair's own schema says.
        own = {each for each in known.facts if plain or not isinstance(each, HasAffinity)}
        try_proof(gold, other, schema, fewer(facts_of(schema) | own, rng), rng)


class EngineTables:
    """Scratch databases on engines, one after the other."""

    def __init__(self, servers: list[str]) -> None:
        self._near: list[tuple[Engine, str | None]] = [(ENGINES.get("duckdb"), None)]
        for url in servers:
            self._near.append((ENGINES.get(engine_of(url)), url))
        self._scratches: dict[str, Scratches] = {}

    def attack(self, seed: str, number: int, report: Report) -> None:
        """One round of rules' pairs on one engine; the next one in the next round."""
        rng = Random(seed)
        engine, near = self._near[number % len(self._near)]
        for _ in range(PAIRS):
            pair = make_pair(rng)
            if pair is not None:
                self._try_known(*pair, engine, near, rng, report)

    def attack_shapes(
        self, seed: str, number: int, report: Report, try_sqlite: Callable[..., bool]
    ) -> None:
        """One round of shapes on one engine, SQLite among them; the next one in the next round."""
        engine, near, dialect = self._turn(number)
        schema = read_ddl(attack_shapes.tables_of(dialect), "shapes")
        values = partial(attack_shapes.cells_of, dialect=dialect)
        pairs = partial(attack_shapes.make_pair, dialect=dialect)
        self._try_pairs(seed, engine, near, schema, values, pairs, report, try_sqlite)

    def attack_types(
        self, seed: str, number: int, report: Report, try_sqlite: Callable[..., bool]
    ) -> None:
        """The same over columns of the types that an engine has alone."""
        engine, near, dialect = self._turn(number)
        schema = attack_types.schema_of(dialect)
        values = partial(attack_types.typed_cells, dialect=dialect)
        pairs = partial(attack_types.make_typed_pair, dialect=dialect)
        self._try_pairs(seed, engine, near, schema, values, pairs, report, try_sqlite)

    def _turn(self, number: int) -> tuple[Engine | None, str | None, str]:
        """The engine whose turn it is, ``None`` for SQLite, where it is, and its dialect."""
        engine, near = (*self._near, (None, None))[number % (len(self._near) + 1)]
        return engine, near, DEFAULT_DIALECT if engine is None else engine.dialect

    def _try_pairs(
        self,
        seed: str,
        engine: Engine | None,
        near: str | None,
        schema: Schema,
        values: Callable[[str], Sequence[Cell]],
        make: Callable[[Random], ShapePair],
        report: Report,
        try_sqlite: Callable[..., bool],
    ) -> None:
        rng = Random(seed)
        dialect = DEFAULT_DIALECT if engine is None else engine.dialect
        facts = facts_of(schema, dialect)
        for _ in range(PAIRS):
            pair = make(rng)
            if engine is None:
                is_proved = try_sqlite(pair.gold, pair.other, schema, facts, rng, values)
            else:
                trial = _TriedPair(pair.gold, pair.other, schema, facts, dialect)
                is_proved = trial.attack(self._scratches_of(engine, near), rng, report, values)
            for shape in (*pair.shapes, dialect):
                report.count(f"shape {shape}: pairs")
                report.count(f"shape {shape}: proofs", int(is_proved))

    def _try_known(
        self,
        gold: str,
        other: str,
        known: KnownPair,
        engine: Engine,
        near: str | None,
        rng: Random,
        report: Report,
    ) -> None:
        dialect = engine.dialect
        try:
            gold, other = (
                sqlglot.transpile(each, read="sqlite", write=dialect)[0] for each in (gold, other)
            )
        except SqlglotError:
            return
        schema = _schema(known, dialect, rng)
        facts = facts_of(schema, dialect) | {fact for fact in known.facts if rng.randrange(4)}
        trial = _TriedPair(gold, other, schema, facts, dialect)
        trial.attack(self._scratches_of(engine, near), rng, report)

    def _scratches_of(self, engine: Engine, near: str | None) -> Scratches:
        return self._scratches.setdefault(engine.name, Scratches(engine, near))

    def close(self) -> None:
        """Drop what was made."""
        for scratches in self._scratches.values():
            scratches.close()


def _schema(known: KnownPair, dialect: str, rng: Random) -> Schema:
    variant = rng.randrange(2 * _VARIANTS)
    types = sample_types(dialect) if variant < _VARIANTS else ()
    return retyped_for(known.ddl, dialect, Random(f"{known.ddl} {variant}"), *types)


_OVERFLOW = re.compile(
    r"(?i)overflow|out of range|too large|value out of bounds|cast decimal value"
)
"""No proof speaks about computed values that leave their type."""


@dataclass(frozen=True)
class _TriedPair:
    """Two queries over tables of an engine."""

    gold: str
    other: str
    schema: Schema
    facts: frozenset[Fact]
    dialect: str

    def attack(
        self,
        scratches: Scratches,
        rng: Random,
        report: Report,
        values: Callable[[str], Sequence[Cell]] | None = None,
    ) -> bool:
        """Seek a proof, and run what is proved on rows that obey the facts; whether it was."""
        dialect, schema, facts = self.dialect, self.schema, self.facts
        report.count(f"pairs in {dialect}")
        proof = prove(self.gold, self.other, schema, facts=facts, dialect=dialect)
        if not isinstance(proof, Proof) or self.gold == self.other:
            return False
        report.count(f"proofs in {dialect}")
        report.proof(proof.rules)
        about = {"gold": self.gold, "other": self.other, "facts": sorted(map(str, facts))}
        about |= {"rules": proof.rules, "dialect": dialect}
        about |= {"tables": [str(table) for table in schema.tables]}
        if not check_proof(proof, schema, facts=facts).holds:
            report.wrong("rejected proof", **about)
        one, two = parse(self.gold, dialect), parse(self.other, dialect)
        assert isinstance(one, Query)
        assert isinstance(two, Query)
        trial = EngineTrial(scratches.of(schema), one, two, PRESETS.get(DEFAULT_PRESET), None)
        outcomes = [outcome for _, outcome in trial.on_empty_tables()]
        failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
        if len(failures) == 1:
            report.wrong("proof of a query that fails", **about, failure=failures[0].message)
        if failures:
            report.count(f"proofs that {dialect} does not run")
            return True
        for _ in range(DATABASES):
            rows = rows_for(schema, facts, Random(f"{rng.random()}"), dialect, values)
            difference = trial.determined_difference(rows)
            report.count(f"databases in {dialect}")
            if difference is None:
                continue
            answers = (difference.gold, difference.prediction)
            failed = [each.message for each in answers if isinstance(each, Failure)]
            if not failed and leaves_open(proof.open_choices):
                report.count(LEFT_OPEN)
                continue
            if any(map(_OVERFLOW.search, failed)):
                report.count("overflows of one query")
                continue
            report.wrong("wrong proof", **about, rows=rows, answers=answers)
            break
        else:
            report.count(f"databases that {dialect} refused", trial.rejected)
        return True
