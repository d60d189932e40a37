"""Whether a database of any engine keeps what its schema declares, asked by queries.

A server checks keys and foreign keys by itself, but a foreign key may be declared and not yet
validated, or rows may have come in while it was switched off. So a fact is asked for before a
proof rests on it: one query, which the run's own session answers within its limits. Types are
asked for by no query: what an engine does not enforce stays unchecked. SQLite has a check of its
own (``fact_check.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlverdict.dialects import dialect_of
from sqlverdict.execute.engine import Enforced
from sqlverdict.execute.fact_check import FactCheck, broken_words
from sqlverdict.execute.session import Run
from sqlverdict.parse.facts import Fact, HasAffinity, NotNull, References, Unique
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Answer


def check_facts_by_queries(
    facts: Iterable[Fact],
    run: Run | None,
    dialect: str,
    schema: Schema,
    enforces: Collection[Enforced],
) -> tuple[FactCheck, ...]:
    """Check facts on a database.

    Args:
        facts: What to check.
        run: Runs a query there; without it nothing can be checked.
        dialect: The dialect of the queries.
        schema: The tables, with the names by which a query reads them.
        enforces: What of a schema no content breaks, as the engine's record says.

    Returns:
        One result a fact, in the order of their words.
    """
    return tuple(
        _check(fact, run, dialect, schema, enforces) for fact in sorted(set(facts), key=str)
    )


def _check(
    fact: Fact, run: Run | None, dialect: str, schema: Schema, enforces: Collection[Enforced]
) -> FactCheck:
    if isinstance(fact, HasAffinity) and "types" not in enforces:
        return FactCheck(fact, "unchecked", "the engine does not enforce types")
    question = _question(fact, dialect, schema)
    if question is None:
        return FactCheck(fact, "holds")
    if run is None:
        return FactCheck(fact, "unchecked", "there is no database to check it on")
    outcome = run(question)
    if not isinstance(outcome, Answer):
        return FactCheck(fact, "unchecked", outcome.message)
    if outcome.rows:
        return FactCheck(fact, "broken", broken_words(fact, outcome.rows[0]))
    return FactCheck(fact, "holds")


def _question(fact: Fact, dialect: str, schema: Schema) -> str | None:
    """SQL for one row that breaks a fact; ``None`` where there is none, or others ask for it."""
    record = dialect_of(dialect)
    name = record.quoted

    def source(word: str) -> str:
        known = schema.table(word)
        return name(word) if known is None else known.source_text(record.quote)

    def there(alias: str, columns: Iterable[str]) -> str:
        return " AND ".join(f"{alias}.{name(column)} IS NOT NULL" for column in columns)

    table = source(fact.table)
    match fact:
        case NotNull():
            where = f"t.{name(fact.column)} IS NULL"
            return f"SELECT t.* FROM {table} AS t WHERE {where} LIMIT 1"  # noqa: S608
        case Unique():
            columns = ", ".join(f"t.{name(column)}" for column in fact.columns)
            return (
                f"SELECT {columns} FROM {table} AS t WHERE {there('t', fact.columns)} "  # noqa: S608
                f"GROUP BY {columns} HAVING COUNT(*) > 1 LIMIT 1"
            )
        case References():
            columns = ", ".join(f"t.{name(column)}" for column in fact.columns)
            met = " AND ".join(
                f"p.{name(owner)} = t.{name(child)}"
                for child, owner in zip(fact.columns, fact.parent_columns, strict=True)
            )
            partner = f"SELECT 1 FROM {source(fact.parent)} AS p WHERE {met}"  # noqa: S608
            return (
                f"SELECT {columns} FROM {table} AS t "  # noqa: S608
                f"WHERE {there('t', fact.columns)} AND NOT EXISTS ({partner}) LIMIT 1"
            )
        case _:
            return None
