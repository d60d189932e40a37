"""A word that two columns of a table have: the *price* of a property, asked for or agreed.

Neither column is called by the word alone, which would be the plain reading. First and last names
are passed over: somebody's name is both.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sqlverdict.abstain.benchmark.columns.entities import is_entity
from sqlverdict.abstain.benchmark.columns.hypothetical import ColumnKind, is_key, kind_of
from sqlverdict.abstain.benchmark.readings.rows import (
    Ambiguity,
    SqlText,
    asked_columns,
    plural_of,
    spoken_table,
)
from sqlverdict.abstain.benchmark.wordnet import wordnet
from sqlverdict.abstain.benchmark.words import GENERIC, plural, singular, words
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.tokens import word_set

_NO_NOUN = word_set(
    "name id code number first last other is details description type from to in of"
)

_FORMS: dict[ColumnKind, tuple[tuple[str, str], ...]] = {
    "number": (
        ("What is the average {word} of all {tables}?", "SELECT avg({column}) FROM {table}"),
        ("What is the highest {word} of the {tables}?", "SELECT max({column}) FROM {table}"),
        ("Find the lowest {word} among all {tables}.", "SELECT min({column}) FROM {table}"),
        ("What is the total {word} of all {tables}?", "SELECT sum({column}) FROM {table}"),
        ("List the {words} of all {tables}.", "SELECT {column} FROM {table}"),
    ),
    "text": (
        ("List the {words} of all {tables}.", "SELECT {column} FROM {table}"),
        ("Show the different {words} of the {tables}.", "SELECT DISTINCT {column} FROM {table}"),
        (
            "How many different {words} do the {tables} have?",
            "SELECT count(DISTINCT {column}) FROM {table}",
        ),
    ),
    "date": (
        ("List the {words} of all {tables}.", "SELECT {column} FROM {table}"),
        ("What is the earliest {word} of the {tables}?", "SELECT min({column}) FROM {table}"),
        ("Find the latest {word} among all {tables}.", "SELECT max({column}) FROM {table}"),
        ("Show the {words} of the {tables}.", "SELECT {column} FROM {table}"),
        (
            "How many different {words} do the {tables} have?",
            "SELECT count(DISTINCT {column}) FROM {table}",
        ),
    ),
}
_WITH_OTHERS: tuple[tuple[str, str], ...] = (
    ("Show the {many} and {words} of all {tables}.", "SELECT {other}, {column} FROM {table}"),
    ("What are the {attribute} and {word} of each {one}?", "SELECT {other}, {column} FROM {table}"),
    ("Find the {attribute} and {word} for every {one}.", "SELECT {other}, {column} FROM {table}"),
    (
        "List the {words} of the {tables} with their {many}.",
        "SELECT {column}, {other} FROM {table}",
    ),
)


def shared_words(schema: Schema, sql: SqlText) -> Iterator[Ambiguity]:
    """Questions about a word that two columns of one table share."""
    for table in schema.tables:
        spoken = spoken_table(table)
        if spoken is None or not is_entity(table):
            continue
        for first, second, word in _pairs(table):
            for form, query, attribute, other in _forms(table, first, word):
                text = form.format(
                    word=word,
                    words=plural(word),
                    one=spoken[0],
                    tables=spoken[1],
                    attribute=attribute,
                    many=plural_of(attribute) if attribute else "",
                )
                queries = [
                    query.format(
                        column=sql.name(column.name),
                        table=sql.name(table.name),
                        other=sql.name(other),
                    )
                    for column in (first, second)
                ]
                between = " or ".join(" ".join(words(column.name)) for column in (first, second))
                yield Ambiguity(text, (queries[0], queries[1]), table.name, between)


def _forms(table: Table, column: Column, word: str) -> Iterator[tuple[str, str, str, str]]:
    """Each form with its query, and a further column that it asks for."""
    for form, query in _FORMS[kind_of(column)]:
        yield form, query, "", ""
    for attribute, other in asked_columns(table):
        if word not in map(singular, words(other.name)):
            for form, query in _WITH_OTHERS:
                yield form, query, attribute, other.name


def _pairs(table: Table) -> Iterator[tuple[Column, Column, str]]:
    """Two columns of a kind, and the noun that both have beside other words."""
    own = set(map(singular, words(table.name)))
    names = {
        column.name: [singular(word) for word in words(column.name) if singular(word) not in own]
        for column in table.columns
        if not is_key(table, column)
    }
    alone = {name_words[0] for name_words in names.values() if len(name_words) == 1}
    columns = [column for column in table.columns if len(names.get(column.name, ())) > 1]
    for first, second in combinations(columns, 2):
        one, other = names[first.name], names[second.name]
        apart = [{word for word in own if word.isalpha()} - GENERIC for own in (one, other)]
        if kind_of(first) != kind_of(second) or not apart[0] - apart[1] or not apart[1] - apart[0]:
            continue  # A first and a second line of an address are one thing.
        for index in (-1, 0):
            word = one[index]
            if word != other[index] or word in alone or word in _NO_NOUN or not word.isalpha():
                continue
            if len(word) > 2 and wordnet().has(word):
                yield first, second, word
                break
