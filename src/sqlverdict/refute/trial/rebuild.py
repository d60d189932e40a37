"""An instance as a database in memory, and two queries on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Preset, QueryPair
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.in_memory import RebuiltInstance, in_memory_engine
from sqlverdict.execute.session import Run
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.tokens import fold, solid
from sqlverdict.records import LIMIT_REASONS, Answer, Comparison, Contract, Outcome, Query
from sqlverdict.refute.witness import Instance

SMALL = Limits(steps=50_000_000, seconds=60.0, rows=100_000, bytes=16 * 2**20, cell=2**20)
"""What a query may spend on a database of a few rows."""


def touched(schema: Schema, queries: Sequence[str], rows: Mapping[str, object]) -> list[Table]:
    """The tables that queries read or that have rows, in the schema's order, views last."""
    names: dict[str, None] = {}
    for sql in queries:
        query = parse(sql)
        words = query.tables if isinstance(query, Query) else solid(sql)
        names.update(dict.fromkeys(_known(schema, words)))
    names.update(dict.fromkeys(fold(name) for name, content in rows.items() if content))
    waiting = list(names)
    while waiting:
        table = schema.table(waiting.pop())
        if table is not None and is_view(table):
            further = [name for name in _known(schema, solid(table.sql or "")) if name not in names]
            names.update(dict.fromkeys(further))
            waiting += further
    tables = [table for table in schema.tables if fold(table.name) in names]
    return sorted(tables, key=is_view)


def _known(schema: Schema, words: Sequence[str]) -> list[str]:
    known = {fold(table.name) for table in schema.tables}
    return [name for word in words if (name := fold(word.strip("\"'`[]"))) in known]


def rebuild(
    instance: Instance, tables: Sequence[Table] | None = None, *, bare: bool = False
) -> RebuiltInstance:
    """Make the tables and insert the rows.

    Args:
        instance: The rows.
        tables: Which tables to make, views last; by default all of the schema.
        bare: Make every table of its columns and types alone.
    """
    schema = instance.schema
    ordered_tables = sorted(schema.tables, key=is_view) if tables is None else tables
    return in_memory_engine().rebuild(schema, ordered_tables, instance.rows, bare=bare)


def compare_on(
    run: Run,
    gold_sql: str,
    prediction_sql: str,
    preset: str = DEFAULT_PRESET,
    contract: Contract | None = None,
    dialect: str = DEFAULT_DIALECT,
) -> tuple[Outcome, Outcome, Comparison]:
    """Run both queries and compare what they give."""
    rules = PRESETS.get(preset)
    gold_sql, prediction_sql = rules.prepare(gold_sql, prediction_sql)
    gold, prediction = run(gold_sql), run(prediction_sql)
    pair = QueryPair(gold_sql, prediction_sql, dialect, contract, run)
    return gold, prediction, compare_outcomes(gold, prediction, rules, pair)


def compare_outcomes(
    gold: Outcome, prediction: Outcome, preset: Preset, pair: QueryPair
) -> Comparison:
    """Compare what two queries gave. One that fails where the other answers is different.

    Where both fail, or a limit stopped the one that does, it is not known whether they are.
    """
    if isinstance(gold, Answer) and isinstance(prediction, Answer):
        return preset.compare(gold, prediction, pair)
    failed = [outcome for outcome in (gold, prediction) if not isinstance(outcome, Answer)]
    reasons = tuple(dict.fromkeys(failure.reason for failure in failed))
    message = failed[0].message
    decided = len(failed) == 1 and not LIMIT_REASONS.intersection(reasons)
    return Comparison(False if decided else None, reasons, message=message)
