"""A pair for people who do not read SQL: two results, and the small database in words.

What an annotator gets is made of the item that others see (:mod:`sqlverdict.label.item`), less the
queries: no text of SQL is in it, not in the heads of results, and not in the message of a failure.
It is as blind as that item, for it depends on nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec

from sqlverdict.evidence_parts import ExcerptCell, ExcerptRow
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.display import TableDisplay
from sqlverdict.label.item import ItemContent, QueryDisplay, SchemaDisplay, with_digest, witness_of
from sqlverdict.label.queue import LabelQueue
from sqlverdict.records import Result

_QUOTES = str.maketrans("", "", '"`[]')
NO_RESULT = "no result"
"""Stands for the message of a failure, which quotes the query."""
MOST_ROWS_IN_WORDS = 6
MOST_CELLS_IN_WORDS = 8
_NAME = re.compile(r"(?:[^\W\d]\w*\.)*([^\W\d]\w*)")
_COUNT_ROWS = re.compile(r"count\((?:\*|\d+)\)", re.IGNORECASE)
_AGGREGATE = re.compile(r"(count|sum|avg|min|max)\((distinct\s+)?(.+)\)", re.IGNORECASE)
_WORDS = {
    "count": "number of {}",
    "sum": "sum of {}",
    "avg": "average of {}",
    "min": "lowest {}",
    "max": "highest {}",
}


def item_without_sql(content: ItemContent) -> ItemContent:
    """The pair without its queries."""
    columns = {column.name for table in content.tables for column in table.columns}
    return with_digest(
        msgspec.structs.replace(
            content,
            a=_result_alone(content.a, columns),
            b=_result_alone(content.b, columns),
            tables=tuple(map(_plain_schema, content.tables)),
            words=witness_in_words(content.witness),
        )
    )


def has_result(result: Result, databases: CaseDatabases) -> bool:
    """Whether there is a result to show: on a witness, on the database, or in the run log."""
    return (
        witness_of(result) is not None
        or result.answers is not None
        or databases.path(result) is not None
    )


def pairs_with_results(
    queue: LabelQueue, pairs: Sequence[str], databases: CaseDatabases
) -> tuple[str, ...]:
    """Those of some pairs that people without SQL can vote on."""
    return tuple(pair for pair in pairs if has_result(queue.items[pair].result, databases))


def witness_in_words(tables: Sequence[TableDisplay]) -> tuple[str, ...]:
    """A small database in words: a sentence for each table, and for each row of several."""
    sentences = []
    for table in tables:
        if table.only_for_keys:
            continue
        start = f"The table {table.name}"
        rows = table.rows if len(table.columns) <= MOST_CELLS_IN_WORDS else ()
        if not table.rows:
            sentences.append(f"{start} is empty.")
        elif len(table.rows) == 1:
            words = f": {_row_in_words(table.columns, rows[0])}" if rows else ""
            sentences.append(f"{start} has one row{words}.")
        else:
            sentences.append(f"{start} has {len(table.rows)} rows.")
            sentences += [
                f"{table.name}, row {number}: {_row_in_words(table.columns, row)}."
                for number, row in enumerate(rows[:MOST_ROWS_IN_WORDS], 1)
            ]
    return tuple(sentences)


def head_in_words(head: str, columns: Collection[str] = ()) -> str:
    """The name of a result's column, of which SQL is no part.

    Args:
        head: The name, as others see it.
        columns: Columns of the tables in use, whose names may hold anything.
    """
    text = head.strip()
    if _COUNT_ROWS.fullmatch(text):
        return "number of rows"
    aggregate = _AGGREGATE.fullmatch(text)
    if aggregate is None:
        return _column_name(text, columns) or "value"
    name, distinct, inner = aggregate.groups()
    column = _column_name(inner, columns)
    if column is None:
        return "value"
    return _WORDS[name.lower()].format(f"different {column}" if distinct else column)


def _column_name(text: str, columns: Collection[str]) -> str | None:
    """The column that a text names, with or without its table; ``None``: it is no name."""
    bare = text.translate(_QUOTES).strip()
    for name in sorted(columns, key=len, reverse=True):
        if bare.lower() == name.lower() or bare.lower().endswith(f".{name.lower()}"):
            return name
    plain = _NAME.fullmatch(bare)
    return plain[1] if plain else None


def _row_in_words(columns: Sequence[str], row: ExcerptRow) -> str:
    return ", ".join(_cell_in_words(*each) for each in zip(columns, row, strict=False))


def _cell_in_words(column: str, cell: ExcerptCell) -> str:
    if cell is None:
        return f"{column} has no value"
    return f"{column} is {'empty' if cell == '' else cell}"


def _result_alone(query: QueryDisplay, columns: Collection[str]) -> QueryDisplay:
    witness = query.on_witness
    return QueryDisplay(
        [],
        _plain_table(query.result, columns),
        None if witness is None else _plain_table(witness, columns),
    )


def _plain_table(table: TableDisplay, columns: Collection[str]) -> TableDisplay:
    if table.failure:
        return TableDisplay(failure=NO_RESULT)
    heads = tuple(head_in_words(head, columns) for head in table.columns)
    return msgspec.structs.replace(table, columns=heads)


def _plain_schema(table: SchemaDisplay) -> SchemaDisplay:
    columns = tuple(msgspec.structs.replace(each, type="", key="") for each in table.columns)
    return msgspec.structs.replace(table, columns=columns)
