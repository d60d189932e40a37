"""Both queries of a pair in one spelling: by their trees, or both by their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlverdict.label.layout_sql import LONGEST
from sqlverdict.label.spelling.tokens import SpelledQuery, spell_tokens
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema
from sqlverdict.parse.schemas.assumed import assumed_schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Query


@dataclass(frozen=True)
class SpelledPair:
    """Two queries spelled alike.

    Attributes:
        queries: Both; their ``columns`` are empty where they were spelled by tokens.
        by_tree: Whether both were read: else only spaces, case and quotes are alike.
    """

    queries: tuple[SpelledQuery, SpelledQuery]
    by_tree: bool


def spell_pair(texts: Sequence[str], dialects: Sequence[str], schema: Schema | None) -> SpelledPair:
    """Spell two queries alike.

    Args:
        texts: The queries.
        dialects: The dialect of each.
        schema: How names are spelled; ``None``: not known, and they are in small letters.
    """
    # It loads sqlglot, which a start without a page does not pay for.
    from sqlverdict.label.spelling.tree import spell_query

    if max(map(len, texts)) > LONGEST:
        # The page shows the start of such a text.
        return spell_pair_by_tokens(texts, schema)
    names = schema if schema is not None else _schema_of(texts, dialects)
    one, other = (spell_query(*pair, names) for pair in zip(texts, dialects, strict=True))
    if one is None or other is None:
        return spell_pair_by_tokens(texts, schema)
    return SpelledPair((one, other), by_tree=True)


def spell_pair_by_tokens(texts: Sequence[str], schema: Schema | None) -> SpelledPair:
    """Spell two queries alike as far as that goes without reading them."""
    one, other = (SpelledQuery(spell_tokens(text, schema), ()) for text in texts)
    return SpelledPair((one, other), by_tree=False)


def spell_columns(query: SpelledQuery, columns: Sequence[str]) -> tuple[str, ...]:
    """The names of a result's columns, which an engine takes from the text of the query.

    Args:
        query: The query in its one spelling.
        columns: The names as the engine gave them.
    """
    known = list(query.columns)
    if known.count(None) == 1 and len(known) <= len(columns) + 1:
        star, wide = known.index(None), len(columns) - len(known) + 1
        known[star : star + 1] = [_plain(name) for name in columns[star : star + wide]]
    if len(known) != len(columns) or None in known:
        known = [_plain(name) for name in columns]
    return tuple(name or "" for name in known)


def _plain(name: str) -> str:
    return "".join(fold(name).split())


def _schema_of(texts: Sequence[str], dialects: Sequence[str]) -> Schema:
    """The tables and columns that both queries name, in small letters."""
    queries = [parse(text, dialect) for text, dialect in zip(texts, dialects, strict=True)]
    schema = assumed_schema("", [query for query in queries if isinstance(query, Query)])
    tables = (
        replace(
            table,
            name=fold(table.name),
            columns=tuple(Column(fold(column.name)) for column in table.columns),
            primary_key=(),
            foreign_keys=(),
        )
        for table in schema.tables
    )
    return replace(schema, tables=tuple(tables))
