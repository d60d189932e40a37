"""A word that two columns of a table have: the *price* of a property, asked for or agreed.

Neither column is called by the word alone, which would be the plain reading. First and last names
are passed over: somebody's name is both.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sqlverdict.abstain.benchmark.columns.entities import is_entity
from sqlverdict.abstain.benchmark.columns.hypothetical import ColumnKind, is_key, kind_of
from sqlverdict.abstain.benchmark.readings.ambiguity import Ambiguity, SqlText
from sqlverdict.abstain.benchmark.readings.rows import spoken_table, title_column
from sqlverdict.abstain.benchmark.wordnet import wordnet
from sqlverdict.abstain.benchmark.words import plural, singular, words
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.tokens import word_set

_NO_NOUN = word_set("name id code number first last other is details description type from to in of")

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
_WITH_TITLES: tuple[tuple[str, str], ...] = (
    ("Show the {titles} and {words} of all {tables}.", "SELECT {title}, {column} FROM {table}"),
    ("What is the {word} of each {one}?", "SELECT {title}, {column} FROM {table}"),
    (
        "What are the {titles} of the {tables}, ordered by {word}?",
        "SELECT {title} FROM {table} ORDER BY {column}",
    ),
    (
        "Which {one} has the latest {word}?",
        "SELECT {title} FROM {table} ORDER BY {column} DESC LIMIT 1",
    ),
)


def shared_words(schema: Schema, sql: SqlText) -> Iterator[Ambiguity]:
    """Questions about a word that two columns of one table share."""
    for table in schema.tables:
        spoken = spoken_table(table)
        if spoken is None or not is_entity(table):
            continue
        for first, second, word in _pairs(table):
            title = title_column(table)
            forms = list(_FORMS[kind_of(first)])
            if title is not None:
                forms += [
                    form
                    for form in _WITH_TITLES
                    if "latest" not in form[0] or kind_of(first) == "date"
                ]
            for form, query in forms:
                text = form.format(
                    word=word,
                    words=plural(word),
                    one=spoken[0],
                    tables=spoken[1],
                    titles="titles" if title and "title" in words(title.name) else "names",
                )
                queries = [
                    query.format(
                        column=sql.name(column.name),
                        table=sql.name(table.name),
                        title=sql.name(title.name) if title is not None else "",
                    )
                    for column in (first, second)
                ]
                between = " or ".join(" ".join(words(column.name)) for column in (first, second))
                yield Ambiguity(text, (queries[0], queries[1]), table.name, between)


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
        if kind_of(first) != kind_of(second) or set(one) <= set(other) or set(other) <= set(one):
            continue
        for place in (-1, 0):
            word = one[place]
            if word != other[place] or word in alone or word in _NO_NOUN or not word.isalpha():
                continue
            if len(word) > 2 and wordnet().has(word):
                yield first, second, word
                break
