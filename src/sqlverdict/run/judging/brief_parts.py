"""The parts of a brief that the run finds out for it: tables, columns, results, facts.

Only what the two queries touch is told: the tables they read with their row counts, and what the
files beside the database say about the columns they name (:mod:`sqlverdict.load.descriptions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.evidence import Evidence, Signs
from sqlverdict.files.text import count
from sqlverdict.judge.briefs.result_tables import brief_cell
from sqlverdict.judge.briefs.schema_text import column_lines, schema_text
from sqlverdict.load.descriptions import read_descriptions
from sqlverdict.parse.schema import is_view
from sqlverdict.parse.tokens import fold
from sqlverdict.records import REASONS, Answer, Outcome, Query, Reason, Role
from sqlverdict.run.compare_stage import compare_with_golds
from sqlverdict.run.inputs import StageInputs

if TYPE_CHECKING:
    from sqlverdict.parse.schema import Schema, Table

MOST_FACTS = 8
LONGEST_FACT = 400
UNMATCHED = "dead_literal"
"""The sign of a comparison that no row fulfils; it says what the column holds."""


@dataclass(frozen=True)
class Surroundings:
    """What is told about the database.

    Attributes:
        sizes: How many rows the tables have, a line each.
        columns: What the columns mean, a line each.
        schema_short: The schema of the tables that the queries read.
        tables: The tables that the queries read; none: not known.
        notes: What could not be told, and why; for the log, not for the judge.
    """

    sizes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    schema_short: str = ""
    tables: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def surroundings(inputs: StageInputs, gold: str) -> Surroundings:
    """What is told about the database of a case: its tables and columns that are touched."""
    schema = inputs.schema()
    queries = [inputs.plain_query(sql) for sql in (gold, inputs.prediction_text)]
    if schema is None or not all(isinstance(query, Query) for query in queries):
        return Surroundings()
    parsed = [query for query in queries if isinstance(query, Query)]
    # The resolver loads sqlglot; runs without a judge need not wait for it.
    from sqlverdict.refute.trial.rebuild import touched

    tables = touched(schema, [query.sql for query in parsed], {})
    known = read_descriptions(inputs.case.database, inputs.case.db_id, [t.name for t in tables])
    short = (
        schema_text(replace(schema, tables=tuple(tables)))
        if len(tables) < len(schema.tables)
        else ""
    )
    return Surroundings(
        sizes=tuple(_sizes(inputs, tables)),
        columns=column_lines(_columns(parsed, schema, tables), known),
        schema_short=short,
        tables=tuple(table.name for table in tables),
        notes=tuple(map(str, known.notes)),
    )


def brief_schema(inputs: StageInputs) -> Schema | None:
    """The schema as a judge sees it; ``None`` where none is known.

    Tables that a query finds by their schema alone are there where one of the queries reads them: a
    server may have many, which have nothing to do with the question.
    """
    schema = inputs.schema()
    if schema is None or not any(table.is_hidden for table in schema.tables):
        return schema
    queries = [inputs.plain_query(sql) for sql in (*inputs.gold_texts, inputs.prediction_text)]
    read = {fold(name) for each in queries if isinstance(each, Query) for name in each.tables}
    tables = (each for each in schema.tables if not each.is_hidden or fold(each.name) in read)
    return replace(schema, tables=tuple(tables))


def database_text(inputs: StageInputs) -> str:
    """The whole database as FLEX's prompts show it: tables, row counts, what columns mean."""
    schema = brief_schema(inputs)
    if schema is None:
        return ""
    names = [table.name for table in schema.tables]
    columns = [(table.name, column.name) for table in schema.tables for column in table.columns]
    known = read_descriptions(inputs.case.database, inputs.case.db_id, names)
    lines = column_lines(columns, known, len(columns))
    text = schema_text(schema, dict(_row_counts(inputs, schema.tables)))
    if not lines:
        return text
    return "\n".join([text, "", "What the columns mean:", *(f"- {line}" for line in lines)])


def _sizes(inputs: StageInputs, tables: Sequence[Table]) -> Iterator[str]:
    for name, rows in _row_counts(inputs, tables):
        yield f"{name}: {count(rows, 'row')}"


def _row_counts(inputs: StageInputs, tables: Sequence[Table]) -> Iterator[tuple[str, int]]:
    """The tables that can be counted, each with its number of rows."""
    if inputs.case.recorded_answers is not None or not inputs.database:
        return
    for table in tables:
        if is_view(table):
            continue
        outcome = inputs.run(f"SELECT count(*) FROM {table.source_text()}")  # noqa: S608 - quoted
        if isinstance(outcome, Answer):
            yield table.name, int(str(outcome.rows[0][0]))


def _columns(
    queries: Sequence[Query], schema: Schema, tables: Sequence[Table]
) -> list[tuple[str, str]]:
    """The columns that queries read; first those that only one of them reads."""
    by_query = [dict.fromkeys(_columns_of(query, schema, tables)) for query in queries]
    every = dict.fromkeys(column for columns in by_query for column in columns)
    shared = [column for column in every if all(column in columns for columns in by_query)]
    whole = [
        (table.name, column.name)
        for table in tables
        for column in table.columns
        if any("star" in query.features for query in queries)
    ]
    return [*(column for column in every if column not in shared), *shared, *whole]


def _columns_of(query: Query, schema: Schema, tables: Sequence[Table]) -> Iterator[tuple[str, str]]:
    from sqlglot import exp

    from sqlverdict.refute.read.columns import Resolver

    resolver = Resolver(query.tree, schema)
    for node in resolver.nodes:
        if not isinstance(node, exp.Column):
            continue
        column = resolver.column(node)
        if column is not None:
            yield column
            continue
        # A reference that cannot be followed may be any table's column of that name.
        name = fold(node.name)
        yield from (
            (table.name, column.name)
            for table in tables
            for column in table.columns
            if fold(column.name) == name
        )


def results_in_words(inputs: StageInputs, gold: Outcome, related: bool) -> str:
    """How the two results compare, in a sentence; empty where that is not known.

    Args:
        inputs: The case.
        gold: What the gold gave.
        related: Whether a relation between the two is told besides.
    """
    compared = compare_with_golds(inputs, DEFAULT_PRESET)
    prediction, record = inputs.answer(), inputs.case.recorded_answers
    if compared.equal is None:
        return "; ".join(REASONS[r] for r in compared.reasons if r is Reason.TIE_UNDETERMINED)
    if not isinstance(gold, Answer) or not isinstance(prediction, Answer):
        return ""
    if record is not None and not record.whole:
        return ""
    if compared.equal:
        return f"both return the same: {_shape(prediction)}"
    if all(len(each.rows) == len(each.columns) == 1 for each in (gold, prediction)):
        ours, theirs = (brief_cell(each.rows[0][0]) for each in (gold, prediction))
        return f"each returns one value: the gold {ours}, the prediction {theirs}"
    text = f"the gold returns {_shape(gold)}, the prediction {_shape(prediction)}"
    if related or len(gold.columns) != len(prediction.columns):
        return text
    both = sum(min(times, gold.bag.get(row, 0)) for row, times in prediction.bag.items())
    more, others = len(gold.rows) - both, len(prediction.rows) - both
    return f"{text}; {both:,} in both, {more:,} only in the gold, {others:,} only in the prediction"


def _shape(answer: Answer) -> str:
    rows, columns = len(answer.rows), len(answer.columns)
    if not rows:
        return "no row at all"
    return f"{count(rows, 'row')} of {count(columns, 'column')}"


def facts(evidence: Sequence[Evidence], side: Role, only: str = "") -> tuple[str, ...]:
    """What was noticed about the ``gold`` or the ``prediction``, a sentence each.

    Args:
        evidence: All that was found out.
        side: Whose facts.
        only: The one sign whose facts are wanted; empty: all.
    """
    lines: dict[str, None] = {}
    for piece in evidence:
        if isinstance(piece, Signs):
            signs = piece.gold if side == "gold" else piece.prediction
            chosen_signs = (sign for sign in signs if only in ("", sign.name))
            messages = (sign.message[:LONGEST_FACT] for sign in chosen_signs)
            lines.update(dict.fromkeys(filter(None, messages)))
    return tuple(lines)[:MOST_FACTS]
