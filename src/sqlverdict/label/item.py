"""A pair as an annotator sees it: the question, both queries in either order, what they return.

Nothing in it says which query is the gold, what a metric says, or whose prediction it is. Both
queries are in one spelling, which is checked: it must return what the query itself returns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import TypeVar

import msgspec

from sqlverdict.evidence import Refuted
from sqlverdict.evidence_parts import (
    AnswerCell,
    AnswerRow,
    ExcerptCell,
    ExcerptRow,
    LoggedAnswers,
    TypedCell,
)
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.display import (
    ResultRelation,
    TableDisplay,
    display_result,
    excerpt_pair,
    plain_rows,
    relate_results,
    result_pair,
    short_text,
)
from sqlverdict.label.layout_sql import CodePiece, layout_pair
from sqlverdict.label.queue import QueueItem
from sqlverdict.label.spelling.pair import (
    SpelledPair,
    spell_columns,
    spell_pair,
    spell_pair_by_tokens,
)
from sqlverdict.label.spelling.tokens import SpelledQuery
from sqlverdict.load.people.votes import Side
from sqlverdict.parse.qualified import with_plain_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import LIMIT_REASONS, Failure, Outcome, ParseResult, Query, Result

SAMPLE_ROWS = 3
MOST_TABLES = 12

_Table = TypeVar("_Table", TableDisplay, TableDisplay | None)


class QueryDisplay(msgspec.Struct, frozen=True):
    """One of the two queries.

    Attributes:
        pieces: Its text in lines.
        result: What it returns on the real database.
        on_witness: What it returns on the witness; ``None``: there is none.
    """

    pieces: list[CodePiece]
    result: TableDisplay
    on_witness: TableDisplay | None = None


class ColumnDisplay(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column of the schema."""

    name: str
    type: str = ""
    key: str = ""
    text: str = ""


class SchemaDisplay(msgspec.Struct, frozen=True):
    """A table that a query reads, with a few of its rows."""

    name: str
    columns: tuple[ColumnDisplay, ...]
    rows: tuple[ExcerptRow, ...]


class ItemContent(msgspec.Struct, frozen=True):
    """A pair to be voted on.

    Attributes:
        pair: Stands for it.
        id: The case.
        db_id: The database.
        question: The question.
        earlier: The questions of its session before it.
        words: The witness in words, for those who see no SQL.
        knowledge: What comes with it.
        a: The query that stands first.
        b: The other one.
        relation: How both results on the real database relate.
        witness: The tables of a database on which they differ; empty: there is none.
        tables: The tables that the queries read.
        digest: A digest of all of it.
    """

    pair: str
    id: str
    db_id: str
    question: str
    knowledge: str
    a: QueryDisplay
    b: QueryDisplay
    relation: ResultRelation
    witness: tuple[TableDisplay, ...]
    tables: tuple[SchemaDisplay, ...]
    digest: str = ""
    earlier: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    words: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


def show_item(item: QueueItem, databases: CaseDatabases, first: Side) -> ItemContent:
    """The pair with one of the queries first. Runs both."""
    return show_pair(item.pair, item.result, databases, first)


def show_pair(pair: str, result: Result, databases: CaseDatabases, first: Side) -> ItemContent:
    """A case as a pair of a digest or id, with one of the queries first. Runs both."""
    sides: tuple[Side, Side] = ("gold", "prediction")
    if first == "prediction":
        sides = ("prediction", "gold")
    texts = [_query(result, side) for side in sides]
    schema = databases.schema(result)
    spelled = spell_pair(texts, [databases.dialect(result, side) for side in sides], schema)
    if result.answers is not None and databases.path(result) is None:
        logged = result.answers
        results: Sequence[TableDisplay] = [logged_result(logged, side) for side in sides]
        relation = _logged_relation(logged)
    else:
        a, b = (databases.run(result, *query) for query in zip(texts, sides, strict=True))
        if spelled.by_tree:
            spelled, a, b = _checked(result, databases, spelled, sides, a, b)
        if not spelled.by_tree:
            spelled = spell_pair_by_tokens(texts, schema)
        relation = relate_results(a, b)
        results = result_pair(a, b, relation)
    witness = witness_of(result)
    queries_read = _parse_all(result, databases, texts, schema)
    answers = _on_witness(witness, sides)
    pieces = layout_pair(*(query.text for query in spelled.queries))
    queries = [
        QueryDisplay(pieces[n], _with_columns(query, results[n]), _with_columns(query, answers[n]))
        for n, query in enumerate(spelled.queries)
    ]
    content = ItemContent(
        pair=pair,
        id=result.id,
        db_id=result.db_id,
        question=result.question,
        knowledge=databases.knowledge(result),
        a=queries[0],
        b=queries[1],
        relation=relation,
        witness=_witness_tables(witness, _key_tables(witness, queries_read)),
        tables=_tables(result, databases, queries_read, schema),
        earlier=result.earlier or msgspec.UNSET,
    )
    return with_digest(content)


def with_digest(content: ItemContent) -> ItemContent:
    """The same, with a digest of all of it."""
    plain = msgspec.structs.replace(content, digest="")
    digest = blake2b(msgspec.json.encode(plain), digest_size=8).hexdigest()
    return msgspec.structs.replace(content, digest=digest)


def witness_of(result: Result) -> Refuted | None:
    """The first witness against the prediction."""
    return next((piece for piece in result.evidence if isinstance(piece, Refuted)), None)


def _query(result: Result, side: Side) -> str:
    if side == "prediction":
        return result.prediction or ""
    number = result.answers.gold if result.answers is not None else 0
    return result.gold[number if number < len(result.gold) else 0]


def _checked(
    result: Result,
    databases: CaseDatabases,
    spelled: SpelledPair,
    sides: Sequence[Side],
    *outcomes: Outcome,
) -> tuple[SpelledPair, Outcome, Outcome]:
    """A spelling, no longer by the tree where it does not return what the queries do.

    The message of a failure quotes the text: it is that of the spelling.
    """
    outputs: list[Outcome] = []
    for query, side, outcome in zip(spelled.queries, sides, outcomes, strict=True):
        failure = outcome if isinstance(outcome, Failure) else None
        if failure is not None and failure.reason in LIMIT_REASONS:
            outputs.append(outcome)
            continue
        again = databases.run(result, query.text, side)
        if isinstance(again, Failure):
            same = failure is not None and failure.reason is again.reason
        else:
            same = not isinstance(outcome, Failure) and again.bag == outcome.bag
        if not same:
            return replace(spelled, by_tree=False), outcomes[0], outcomes[1]
        outputs.append(again if failure is not None else outcome)
    return spelled, outputs[0], outputs[1]


def _with_columns(query: SpelledQuery, table: _Table) -> _Table:
    """A result under the names of the spelling: an engine quotes the query in them."""
    if table is None or table.failure:
        return table
    columns = tuple(map(short_text, spell_columns(query, table.columns)))
    return msgspec.structs.replace(table, columns=columns)


def _on_witness(
    witness: Refuted | None, sides: Sequence[Side]
) -> tuple[TableDisplay | None, TableDisplay | None]:
    if witness is None:
        return None, None
    a, b = (witness.gold if side == "gold" else witness.prediction for side in sides)
    return excerpt_pair(a, b)


def _key_tables(witness: Refuted | None, queries: Sequence[ParseResult]) -> set[str]:
    """The tables of a witness that foreign keys alone need, in small letters.

    None, where a query cannot be read, or reads what is not there by name, such as a view.
    """
    if witness is None:
        return set()
    read: set[str] = set()
    for query in queries:
        if not isinstance(query, Query):
            return set()
        read |= set(map(fold, query.tables))
    present = set(map(fold, witness.rows))
    deciding = {fold(name) for name, rows in witness.deciding_rows.items() if rows}
    return present - read - deciding if read <= present else set()


def _witness_tables(witness: Refuted | None, for_keys: Collection[str]) -> tuple[TableDisplay, ...]:
    if witness is None:
        return ()
    return tuple(
        TableDisplay(
            short_text(name),
            tuple(map(short_text, table.columns)),
            plain_rows(table.rows),
            len(table.rows),
            witness.deciding_rows.get(name, ()),
            only_for_keys=fold(name) in for_keys,
        )
        for name, table in witness.rows.items()
    )


def _parse_all(
    result: Result, databases: CaseDatabases, texts: Sequence[str], schema: Schema | None
) -> list[ParseResult]:
    queries = [parse(text, databases.dialect(result)) for text in texts]
    return queries if schema is None else [with_plain_names(query, schema) for query in queries]


def _tables(
    result: Result,
    databases: CaseDatabases,
    queries: Sequence[ParseResult],
    schema: Schema | None,
) -> tuple[SchemaDisplay, ...]:
    """The tables that either query reads, by name, with their first rows."""
    if schema is None:
        return ()
    names: dict[str, Table] = {}
    for query in queries:
        for name in query.tables if isinstance(query, Query) else ():
            table = schema.table(name)
            if table is not None:
                names[table.name] = table
    descriptions = databases.descriptions(result, sorted(names))
    displays = []
    for name in sorted(names)[:MOST_TABLES]:
        table = names[name]
        columns = []
        for column in table.columns:
            about = descriptions.of(name, column.name)
            text = "" if about is None else "; ".join(filter(None, (about.text, about.values)))
            cells = (column.name, column.type, _key(table, column.name), text)
            columns.append(ColumnDisplay(*map(short_text, cells)))
        source = table.source_text()
        sql = f"SELECT * FROM {source} LIMIT {SAMPLE_ROWS}"  # noqa: S608 - a quoted name
        sample = databases.run(result, sql)
        displays.append(
            SchemaDisplay(short_text(name), tuple(columns), display_result(sample).rows)
        )
    return tuple(displays)


def _key(table: Table, column: str) -> str:
    """What a column identifies or points to."""
    keys = ["key"] if column in table.primary_key else []
    keys += [f"→ {each.parent}" for each in table.foreign_keys if column in each.columns]
    return ", ".join(dict.fromkeys(keys))


def _logged_relation(answers: LoggedAnswers) -> ResultRelation:
    """How both results relate, by the run log."""
    if answers.prediction_shape is None:
        return ""
    if answers.order_only:
        return "row_order"
    if answers.changed_count or answers.missing_count or answers.extra_count:
        return "differ"
    return "same" if answers.columns is None else "column_order"


def logged_result(answers: LoggedAnswers, side: Side) -> TableDisplay:
    """What one query returned, by the run log."""
    rows: Sequence[AnswerRow]
    if side == "gold":
        shape, names, alone = answers.gold_shape, answers.gold_columns, answers.missing
        rows = [*(change.gold for change in answers.changed), *alone]
        differing = answers.changed_count + answers.missing_count
    elif answers.prediction_shape is None:
        return TableDisplay(failure="it gave no result when the run was made")
    else:
        shape, names, alone = answers.prediction_shape, answers.prediction_columns, answers.extra
        rows = [*(change.prediction for change in answers.changed), *alone]
        differing = answers.changed_count + answers.extra_count
    marked = _logged_relation(answers) in ("differ", "row_order")
    rows = answers.same or rows
    return TableDisplay(
        columns=tuple(map(short_text, names)),
        rows=plain_rows(tuple(map(_logged_cell, row)) for row in rows),
        count=shape[0],
        marks=tuple(range(len(rows))) if marked else (),
        marked=differing if marked else 0,
    )


def _logged_cell(cell: AnswerCell) -> ExcerptCell:
    if not isinstance(cell, TypedCell):
        return cell
    text = f"x'{cell.text}'" if cell.type == "blob" else cell.text
    return f"{text}…" if cell.length else text
