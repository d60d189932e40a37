"""A rule on the engine of another dialect: its queries in hostile company, run before and after.

The pairs of a rule are written for SQLite. Here they are translated, put into the contexts of
``placements.py``, and their columns declared as each of the engine's types in turn. Every query
that the prover reads in that dialect and the rule rewrites is run on the engine as it was and as it
became, on rows with NULLs, duplicates and empty tables. A rule that is used in a dialect must be
seen at work there: one that rewrites nothing was not checked.

The tables have the engine's own column types, and the rows in them obey a set of facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS
from sqlverdict.dialects import DEFAULT_DIALECT, Values, dialect_of
from sqlverdict.parse.facts import (
    Fact,
    HasAffinity,
    NotNull,
    References,
    Unique,
    column_affinity,
    facts_of,
)
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.normalise import RuleSet
from sqlverdict.prove.profile import rules_of
from sqlverdict.prove.reasoning.open_choices import chosen_texts
from sqlverdict.prove.rule import Rule
from sqlverdict.records import Failure, Query
from sqlverdict.refute.target.trial import EngineTrial, Scratches
from sqlverdict.testing.rule_suite.contexts import (
    Attack,
    HostileQuery,
    RewriteDifference,
    further_facts,
    leaves_open,
    rewriting,
)
from sqlverdict.testing.rule_suite.placements import placements

if TYPE_CHECKING:
    from sqlverdict.execute.engine import Engine
    from sqlverdict.prove.normalise import RuleSet
    from sqlverdict.records import Cell, Row
    from sqlverdict.testing.rule_suite.contexts import RewrittenQuery
    from sqlverdict.testing.rule_suite.placements import Texts


_BY_AFFINITY: dict[str, Values] = {"INTEGER": "integer", "REAL": "real", "TEXT": "text"}
_INTEGERS: tuple[Cell, ...] = (0, 1, 1, 2, 2, 3, 4, 5, -1, 2_000_000_000)
_REALS: tuple[Cell, ...] = (0.0, 1.0, 1.0, 2.0, 1.5, 2.5, 0.1, -1.0)
_TEXTS: tuple[Cell, ...] = ("", "1", "1", "2", "01", "a", "A", "ab", "a ", "2013-06")
_DATES: tuple[Cell, ...] = ("2013-06-01", "2013-06-02", "2020-02-29")
_TRUTHS: tuple[Cell, ...] = (True, False)
_MOST_ROWS = 6


def retyped_for(ddl: str, dialect: str, rng: Random, *types: str) -> Schema:
    """The tables of a DDL without keys, each column declared as one of the types.

    Without types a column gets the engine's type for what the DDL says: integers, reals or texts.
    """
    tables = []
    for table in read_ddl(ddl, "retyped").tables:
        columns = [
            (column.name, rng.choice(types) if types else _type(column.type, dialect))
            for column in table.columns
        ]
        tables.append((table.name, columns))
    return _schema(tables)


def _type(declared: str, dialect: str) -> str:
    values = _BY_AFFINITY.get(column_affinity(declared), "integer")
    return dict(dialect_of(dialect).sample_types)[values]


def sample_types(dialect: str) -> tuple[str, ...]:
    """What every column of a rule's tables is declared as, in turn; mixtures come behind them."""
    return tuple(declared for _, declared in dialect_of(dialect).sample_types)


def _schema(tables: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> Schema:
    return Schema(
        "retyped",
        tuple(
            Table(name, tuple(Column(column, declared) for column, declared in columns))
            for name, columns in tables
        ),
        "ddl",
    )


def rows_for(
    schema: Schema,
    facts: frozenset[Fact],
    rng: Random,
    dialect: str,
    values: Callable[[str], Sequence[Cell]] | None = None,
) -> dict[str, tuple[Row, ...]]:
    """Rows that obey the facts; keys and foreign keys among them.

    Args:
        schema: The tables.
        facts: What the rows obey.
        rng: Chooses.
        dialect: The dialect of the tables.
        values: What a column of a declared type may hold; a few plain values, where not given.
    """
    values = values or _values
    content: dict[str, list[Row]] = {}
    for table in schema.tables:
        domains = [values(column.type) for column in table.columns]
        few = [rng.choice(each) for each in domains for _ in range(2)]
        rows = [
            tuple(_cell(each, few, rng) for each in domains)
            for _ in range(rng.choice((0, 2, 4, _MOST_ROWS, _MOST_ROWS)))
        ]
        content[table.name] = _legal_rows(table, rows, facts, dialect)
    references = sorted((fact for fact in facts if isinstance(fact, References)), key=str)
    for fact in references * 2:
        _drop_orphans(schema, content, fact)
    return {name: tuple(rows) for name, rows in content.items()}


def _values(declared: str) -> Sequence[Cell]:
    if declared.startswith(("VARCHAR", "TEXT")):
        return _TEXTS
    if declared.startswith(("DOUBLE", "DECIMAL", "NUMERIC")):
        return _REALS
    return {"DATE": _DATES, "BOOLEAN": _TRUTHS}.get(declared, _INTEGERS)


def _cell(values: Sequence[Cell], few: Sequence[Cell], rng: Random) -> Cell:
    """One of the values of a column: often one that other columns have, so that rows meet."""
    if rng.random() < 0.5:
        # True and 1.0 are equal to 1 here, and no values of one column.
        shared = [value for value in few if any(_identical(value, each) for each in values)]
        if shared:
            return rng.choice(shared)
    return None if rng.random() < 0.2 else rng.choice(values)


def _identical(one: Cell, other: Cell) -> bool:
    return type(one) is type(other) and one == other


def _legal_rows(table: Table, rows: list[Row], facts: frozenset[Fact], dialect: str) -> list[Row]:
    """The rows that break no key and no NOT NULL."""
    positions = {column.name.lower(): number for number, column in enumerate(table.columns)}
    own = [fact for fact in facts if fact.table.lower() == table.name.lower()]
    filled = [positions[fact.column.lower()] for fact in own if isinstance(fact, NotNull)]
    keys = [
        [positions[c.lower()] for c in fact.columns] for fact in own if isinstance(fact, Unique)
    ]
    rows = [row for row in rows if all(row[position] is not None for position in filled)]
    for key in keys:
        seen: set[Row] = set()
        legal = []
        for row in rows:
            values = tuple(_folded(row[position], dialect) for position in key)
            if None in values or values not in seen:
                legal.append(row)
                seen.add(values)
        rows = legal
    return rows


def _folded(cell: Cell, dialect: str) -> Cell:
    """What a key takes for the same: texts may differ in case and last spaces."""
    inexact = isinstance(cell, str) and not dialect_of(dialect).exact_texts
    return str(cell).lower().rstrip(" ") if inexact else cell


def _drop_orphans(schema: Schema, content: dict[str, list[Row]], fact: References) -> None:
    def values(owner: str, columns: Sequence[str]) -> list[tuple[Row, Row]]:
        table = schema.table(owner)
        assert table is not None, owner
        positions = [
            number
            for name in columns
            for number, column in enumerate(table.columns)
            if column.name.lower() == name.lower()
        ]
        return [
            (row, tuple(row[position] for position in positions)) for row in content[table.name]
        ]

    parents = {key for _, key in values(fact.parent, fact.parent_columns)}
    legal = [row for row, key in values(fact.table, fact.columns) if None in key or key in parents]
    table = schema.table(fact.table)
    assert table is not None, fact.table
    content[table.name] = legal


QUERIES = 12
"""So many queries that the rule rewrites are run by the conformance suite."""
TRIES = 24
"""So many queries are read for each that the rule must rewrite: many are beyond the prover."""
_LIKELY = 0.8
MIXTURES = 3


def check_rule_on_engine(
    rule: Rule, engine: Engine, near: str | None = None, queries: int = QUERIES
) -> None:
    """Hold a rule to its word in the dialect of an engine, against that engine.

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
) -> Attack:
    """Rewrite hostile queries by a rule, and run them before and after.

    Args:
        rule: The rule; by itself and with all rules of the dialect.
        engine: The engine that runs them.
        near: A database on whose server scratch databases are made.
        budget: How many queries that the rule rewrites are run.
        databases: On how many databases each is run.
        seed: Other seeds choose other queries and rows.
    """
    scratches = Scratches(engine, near)
    rewritten = runs = left_open = 0
    seen: set[tuple[str, frozenset[Fact], RuleSet]] = set()
    sources: list[int] = []
    queries = _queries(rule, engine.dialect, seed, sources)
    try:
        for attempts, (query, rules, source) in enumerate(queries):
            if rewritten >= budget or attempts >= max(budget, QUERIES) * TRIES:
                break
            again = (query.sql, query.facts, rules)
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
            if difference is not None and difference.is_left_open:
                left_open += 1
            elif difference is not None:
                return Attack(rewritten, runs, difference, left_open)
    finally:
        scratches.close()
    return Attack(rewritten, runs, left_open=left_open)


def _difference(
    query: HostileQuery, form: RewrittenQuery, scratches: Scratches, databases: int, seed: int
) -> tuple[RewriteDifference | None, int]:
    """The first difference between a query and what became of it, and how often they were run."""
    before, after = parse(query.sql, query.dialect), parse(form.text, query.dialect)
    if not isinstance(before, Query) or not isinstance(after, Query):
        return None, 0
    scratch = scratches.of(query.schema)
    # A rule leaves the columns where they are.
    places = chosen_texts(before, query.schema) or frozenset()
    preset = PRESETS.get(DEFAULT_PRESET)
    trial = EngineTrial(scratch, before, after, preset, None, (places, places))
    if any(isinstance(outcome, Failure) for _, outcome in trial.on_empty_tables()):
        # The engine does not take the query, or not the form: a proof shows it to people alone.
        return None, 0
    for number in range(databases):
        rows = rows_for(query.schema, query.facts, Random(f"{seed} {number}"), query.dialect)  # noqa: S311
        witness = trial.determined_difference(rows)
        if witness is not None:
            script = "\n".join(f"{table}: {content}" for table, content in rows.items())
            answers = (witness.gold, witness.prediction)
            fails = any(isinstance(answer, Failure) for answer in answers)
            is_open = not fails and leaves_open(form.open_choices)
            difference = RewriteDifference(
                query, form.text, form.rules, script, *answers, is_left_open=is_open
            )
            return difference, number + 1
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

    rng = Random(f"{rule.name} {dialect} {seed}")  # noqa: S311 - repeatable, not secret
    sets = (RuleSet((rule,)), rules_of("sound", frozenset(), dialect))
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
