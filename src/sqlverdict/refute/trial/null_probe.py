"""NULLs in the numbers that a query returns: found in a witness, and sought on purpose.

``COUNT(x)`` and ``COUNT(*)`` agree until some ``x`` is NULL. A search by chance needs an instance
on which both queries have something to count and on which just that column is NULL; where
conditions are many it seldom meets one. The probe takes instances on which the two agree on
something and sets the aggregated columns to NULL, one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path

from sqlverdict.errors import SchemaError
from sqlverdict.execute.in_memory import ScratchDatabase, warm_scratch
from sqlverdict.parse.facts import NotNull, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import ColumnRef, Schema, with_whole_keys
from sqlverdict.records import (
    Contract,
    Failure,
    ParseFailure,
    ParseResult,
    Query,
    Reason,
    Row,
)
from sqlverdict.refute.data.mine.kind import cells_of
from sqlverdict.refute.frozen_pair import frozen_pair
from sqlverdict.refute.make.generator import shared_generator
from sqlverdict.refute.meter import Meter
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.read.part import schema_part
from sqlverdict.refute.search import refute_queries
from sqlverdict.refute.witness import (
    Content,
    Instance,
    NotRefuted,
    Refutation,
    SearchBudget,
    Witness,
)

_LIVE = 3
"""On how many instances with rows in the answer NULLs are tried."""
_MOST = 24
"""How many instances with NULLs are tried."""


def null_in_aggregate(witness: Witness) -> bool:
    """Whether a NULL of the witness stands in a column whose sum, count or average is returned."""
    schema = witness.instance.schema
    for sql in (witness.gold_sql, witness.prediction_sql):
        query = parse(sql)
        for table, column in _aggregated(query, schema) if isinstance(query, Query) else ():
            if any(cell is None for (cell,) in cells_of(witness.instance, table, column)):
                return True
    return False


def probe_nulls(
    gold: ParseResult,
    prediction: ParseResult,
    schema: Schema,
    *,
    budget: SearchBudget,
    contract: Contract | None = None,
    database: Path | None = None,
    now: datetime | None = None,
) -> Refutation | None:
    """A witness with a NULL in an aggregate that is returned; ``None`` where none was found.

    What is no witness and not ``None`` was cut by the clock.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: The tables.
        budget: How many instances may be looked at.
        contract: The case's own contract.
        database: The real database, by which the witness is graded.
        now: What the clock shows to queries that read it; ``None``: a fixed moment.
    """
    frozen = frozen_pair(gold, prediction, schema, now)
    if frozen is None:
        return _probe(gold, prediction, schema, budget, contract, database)
    better = _probe(frozen.gold, frozen.prediction, schema, budget, contract, database)
    return None if better is None else frozen.as_written(better)


def _probe(
    gold: ParseResult,
    prediction: ParseResult,
    schema: Schema,
    budget: SearchBudget,
    contract: Contract | None,
    database: Path | None,
) -> Refutation | None:
    """As :func:`probe_nulls`, for queries that do not read the clock."""
    whole = schema = with_whole_keys(schema)
    if isinstance(gold, ParseFailure) or isinstance(prediction, ParseFailure):
        return None
    schema = schema_part(schema, (*gold.tables, *prediction.tables))
    never = {(f.table, f.column) for f in facts_of(schema) if isinstance(f, NotNull)}
    column_refs = [*_aggregated(gold, schema), *_aggregated(prediction, schema)]
    nullable = [column_ref for column_ref in dict.fromkeys(column_refs) if column_ref not in never]
    if not nullable:
        return None
    try:
        scratch = warm_scratch(schema, None, False)
        meter = Meter(budget, (scratch,))
        live = _agreeing(gold, prediction, schema, scratch, budget, meter)
        variants = list(islice(_with_nulls(live, schema, nullable), _MOST))
    except SchemaError:
        return None
    if meter.late:
        return NotRefuted(0, 0, Reason.BUDGET_EXHAUSTED, "cut by time", cut_by_time=True)
    if not variants:
        return None
    refutation = refute_queries(
        gold,
        prediction,
        schema,
        budget=replace(budget, instances=len(variants), alike=1),
        contract=contract,
        first=variants,
        database=database,
    )
    if (
        isinstance(refutation, Witness)
        and refutation.grade == "needs_null"
        and null_in_aggregate(refutation)
    ):
        return replace(refutation, instance=Instance(whole, refutation.instance.rows))
    return refutation if isinstance(refutation, NotRefuted) and refutation.cut_by_time else None


def _aggregated(query: Query, schema: Schema) -> list[ColumnRef]:
    """The base columns whose sum, count or average the outermost SELECT returns.

    A number that is only compared, as in ``iif(avg(a) > avg(b), ...)``, is not returned.
    """
    from sqlglot import exp

    if not isinstance(query.tree, exp.Select):
        return []
    resolver = Resolver(query.tree, schema)
    return [
        column_ref
        for output in query.tree.expressions
        for aggregate in output.find_all(exp.Count, exp.Sum, exp.Avg)
        if aggregate.find_ancestor(exp.Predicate) is None
        for column_ref in resolver.columns(aggregate)
    ]


def _agreeing(
    gold: Query,
    prediction: Query,
    schema: Schema,
    scratch: ScratchDatabase,
    budget: SearchBudget,
    meter: Meter,
) -> Iterator[Content]:
    """Instances on which both return the same, and something."""
    scratch.load({})
    # Checked once, so that they may run the fast way below.
    if any(isinstance(scratch.run(query.sql), Failure) for query in (gold, prediction)):
        return
    reading = read_query(gold, schema).merge(read_query(prediction, schema))
    generator = shared_generator(schema, facts_of(schema), reading, budget.seed, scratch)
    agreements = 0
    for number in range(budget.instances):
        if meter.over:
            return
        rows = generator.instance(number)
        scratch.load(rows)
        ours = scratch.rows(gold.sql)
        if isinstance(ours, Failure):
            return
        if _says_something(ours) and ours == scratch.rows(prediction.sql):
            yield scratch.stored(rows)
            agreements += 1
            if agreements == _LIVE:
                return


def _says_something(rows: list[Row]) -> bool:
    return any(cell not in (None, 0) for row in rows for cell in row)


def _with_nulls(
    contents: Iterator[Content], schema: Schema, column_refs: list[ColumnRef]
) -> Iterator[Instance]:
    """Each instance with one of the columns NULL, in its first row or all over."""
    for content in contents:
        for name, column in column_refs:
            table = schema.table(name)
            rows = content.get(name, ())
            if table is None or not rows:
                continue
            at = next(n for n, known in enumerate(table.columns) if known.name == column)
            emptied = tuple((*row[:at], None, *row[at + 1 :]) for row in rows)
            yield Instance(schema, {**content, name: emptied})
            if len(rows) > 1:
                yield Instance(schema, {**content, name: (emptied[0], *rows[1:])})
