"""A rule on the engine of another dialect: its queries in hostile company, run before and after.

The pairs of a rule are written for SQLite. Here they are translated, put into the contexts of
``placements.py``, and their columns declared as each of the engine's types in turn. Every query
that the prover reads in that dialect and the rule rewrites is run on the engine as it was and as it
became, on rows with NULLs, duplicates and empty tables. A rule that is used in a dialect must be
seen at work there: one that rewrites nothing was not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.facts import Fact, HasAffinity, facts_of
from sqlverdict.prove.rule import Rule
from sqlverdict.testing.rule_suite.contexts import (
    HostileQuery,
    RewriteDifference,
    further_facts,
    rewriting,
)
from sqlverdict.testing.rule_suite.engine_rows import retyped_for, rows_for, sample_types
from sqlverdict.testing.rule_suite.placements import placements

if TYPE_CHECKING:
    from sqlverdict.execute.engine import Engine
    from sqlverdict.parse.schema import Schema
    from sqlverdict.prove.normalise import RuleSet
    from sqlverdict.refute.target.trial import Scratches
    from sqlverdict.testing.rule_suite.contexts import RewrittenQuery
    from sqlverdict.testing.rule_suite.placements import Texts

QUERIES = 12
"""So many queries that the rule rewrites are run by the conformance suite."""
TRIES = 24
"""So many queries are read for each that the rule must rewrite: many are beyond the prover."""
_LIKELY = 0.8
MIXTURES = 3


@dataclass(frozen=True)
class EngineAttack:
    """What came of a rule's queries on an engine.

    Attributes:
        rewritten: How many queries the rule rewrote.
        runs: How often a query was run before and after.
        difference: The first rewriting that changed an answer.
    """

    rewritten: int
    runs: int
    difference: RewriteDifference | None = None


def check_rule_on_engine(
    rule: Rule, engine: Engine, near: str | None = None, queries: int = QUERIES
) -> None:
    """Hold a rule to its word in a dialect, with that engine as the judge.

    Args:
        rule: The rule.
        engine: An engine that makes scratch databases.
        near: A database on whose server they are made.
        queries: How many queries that it rewrites are run.

    Raises:
        AssertionError: the rule changes an answer there, or was never seen at work.
    """
    if engine.dialect not in rule.dialects:
        raise AssertionError(f"rule {rule.name} does not say that it holds in {engine.dialect}")
    attack = attack_rule_on_engine(rule, engine, near, budget=queries)
    if attack.difference is not None:
        raise AssertionError(
            f"rule {rule.name} changes an answer on {engine.name}: {attack.difference}"
        )
    if not attack.rewritten or not attack.runs:
        raise AssertionError(
            f"rule {rule.name} rewrites none of its queries on {engine.name}: give it a pair that "
            f"{engine.dialect} has, or take that dialect from its list"
        )


def attack_rule_on_engine(
    rule: Rule,
    engine: Engine,
    near: str | None = None,
    *,
    budget: int = QUERIES,
    databases: int = 4,
    seed: int = 0,
) -> EngineAttack:
    """Rewrite hostile queries by a rule, and run them before and after.

    Args:
        rule: The rule; by itself and with all rules of the dialect.
        engine: The engine that runs them.
        near: A database on whose server scratch databases are made.
        budget: How many queries that the rule rewrites are run.
        databases: On how many databases each is run.
        seed: Other seeds choose other queries and rows.
    """
    from sqlverdict.refute.target.trial import Scratches

    scratches = Scratches(engine, near)
    rewritten = runs = 0
    seen: set[tuple[str, frozenset[Fact], int]] = set()
    sources: list[int] = []
    queries = _queries(rule, engine.dialect, seed, sources)
    try:
        for attempts, (query, rules, source) in enumerate(queries):
            if rewritten >= budget or attempts >= max(budget, QUERIES) * TRIES:
                break
            again = (query.sql, query.facts, id(rules))
            if again in seen:
                continue
            seen.add(again)
            form = rewriting(query, rules, rule.name)
            if form is None:
                continue
            sources.append(source)
            difference, compared = _difference(query, form, scratches, databases, seed)
            rewritten += compared > 0
            runs += compared
            if difference is not None:
                return EngineAttack(rewritten, runs, difference)
    finally:
        scratches.close()
    return EngineAttack(rewritten, runs)


def _difference(
    query: HostileQuery, form: RewrittenQuery, scratches: Scratches, databases: int, seed: int
) -> tuple[RewriteDifference | None, int]:
    """The first difference between a query and what became of it, and how often they were run."""
    from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS
    from sqlverdict.parse.query import parse
    from sqlverdict.records import Failure, Query
    from sqlverdict.refute.target.trial import EngineTrial

    before, after = parse(query.sql, query.dialect), parse(form.text, query.dialect)
    if not isinstance(before, Query) or not isinstance(after, Query):
        return None, 0
    scratch = scratches.of(query.schema)
    trial = EngineTrial(scratch, before, after, PRESETS.get(DEFAULT_PRESET), None)
    if any(isinstance(outcome, Failure) for _, outcome in trial.on_empty_tables()):
        # The engine does not take the query, or not the form: a proof shows it to people alone.
        return None, 0
    for number in range(databases):
        rows = rows_for(query.schema, query.facts, Random(f"{seed} {number}"), query.dialect)  # noqa: S311
        witness = trial.determined_difference(rows)
        if witness is not None:
            script = "\n".join(f"{table}: {content}" for table, content in rows.items())
            answers = (witness.gold, witness.prediction)
            return RewriteDifference(query, form.text, form.rules, script, *answers), number + 1
    return None, databases


def _queries(
    rule: Rule, dialect: str, seed: int, sources: Sequence[int]
) -> Iterator[tuple[HostileQuery, RuleSet, int]]:
    """A rule's queries in the dialect, without an end.

    Each with the rules to try on it, and the number of the query of a pair that it was made of.
    The caller adds that number to ``sources`` where the rule rewrites the query: most are made of
    these, which it is likely to rewrite in another context, too.
    """
    import sqlglot
    from sqlglot.errors import SqlglotError

    from sqlverdict.prove.normalise import rule_set
    from sqlverdict.prove.profile import rules_of

    rng = Random(f"{rule.name} {dialect} {seed}")  # noqa: S311 - repeatable, not secret
    sets = (rule_set([rule]), rules_of("sound", frozenset(), dialect))
    schemas: list[Schema] = [retyped_for(rule.schema, dialect, rng)]
    types = sample_types(dialect)
    schemas += [retyped_for(rule.schema, dialect, rng, kind) for kind in types]
    schemas += [retyped_for(rule.schema, dialect, rng, *types) for _ in range(MIXTURES)]
    texts = [
        (sql, frozenset(pair.facts))
        for pair in (*rule.equal, *rule.different)
        for sql in (pair.left, pair.right)
    ]

    @cache
    def translate(sql: str) -> str | None:
        try:
            return sqlglot.transpile(sql, read=DEFAULT_DIALECT, write=dialect)[0]
        except SqlglotError:
            return None

    @cache
    def placed(source: int) -> tuple[Texts, ...]:
        return placements(texts[source][0], rule.matches)

    def hostile(sql: str, facts: frozenset[Fact], schema: Schema) -> HostileQuery | None:
        text = translate(sql)
        if text is None:
            return None
        types = {f for f in facts_of(schema, dialect) if isinstance(f, HasAffinity)}
        return HostileQuery(text, schema, facts | types, dialect)

    for source, (_, facts) in enumerate(texts):
        # The pairs as they are written come before all else.
        query = hostile(placed(source)[0][0], facts, schemas[0])
        if query is not None:
            yield query, sets[0], source
            yield query, sets[1], source
    while True:
        likely = rng.random() < _LIKELY
        source = rng.choice(sources) if likely and sources else rng.randrange(len(texts))
        schema = schemas[0] if likely else rng.choice(schemas)
        facts = texts[source][1] | further_facts(schema, rng)
        query = hostile(rng.choice(rng.choice(placed(source))), facts, schema)
        if query is not None:
            yield query, rng.choice(sets), source
