"""The best, the biggest, the top three: by which measure?

Rows may be ranked by their own numbers, by how many rows of another table belong to them, and by
the sum of those rows' numbers. Ages and years put nobody first, and are no measure.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from sqlverdict.abstain.benchmark.columns.entities import EntityKind, entity_kind
from sqlverdict.abstain.benchmark.readings.rows import (
    Ambiguity,
    Measure,
    SqlText,
    asked_columns,
    measures,
    plural_of,
    spoken_table,
    title_column,
)
from sqlverdict.abstain.benchmark.words import singular
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import word_set

_WORDS: dict[EntityKind, tuple[str, ...]] = {
    "person": ("best", "most successful", "most active", "most popular"),
    "building": ("biggest", "most important", "best", "most popular"),
    "vehicle": ("best", "most important"),
    "place": ("biggest", "most important"),
    "organization": ("biggest", "best", "most successful"),
    "event": ("biggest", "best", "most popular"),
    "work": ("best", "most successful", "most popular"),
    "course": ("most popular", "best", "biggest"),
    "trip": ("best", "most popular"),
    "product": ("best", "most popular", "most successful"),
    "document": ("most important", "best"),
    "deal": ("biggest", "most important"),
}
_SIZES = word_set("area size population capacity surface member staff employee tonnage")
_POPULAR = word_set(
    "viewer vote sale attendance visitor ticket rating share download friend like fan"
)
_FORMS = (
    ("What is the {attribute} of the {word} {one}?", 1),
    ("Find the {attribute} of the {word} {one}.", 1),
    ("Return the {attribute} of the {word} {one}.", 1),
    ("Show the {many} of the 3 {word} {tables}.", 3),
    ("List the {many} of the top 3 {tables}.", 3),
    ("What are the {many} of the top 5 {tables}?", 5),
)
_OF_TITLES = (("Which {one} is the {word}?", 1), ("Give the {word} {one}.", 1))


def vague_ranks(schema: Schema, sql: SqlText) -> Iterator[Ambiguity]:
    """Questions for the first of some rows that do not say by what."""
    for table in schema.tables:
        kind, spoken, title = entity_kind(table), spoken_table(table), title_column(table)
        if kind not in _WORDS or spoken is None or title is None:
            continue
        pairs = combinations(measures(table, schema, sql), 2)
        for (first, second), word in product(pairs, _WORDS[kind]):
            if not (_fits(word, kind, first) and _fits(word, kind, second)):
                continue
            if first.counts and first.counts == second.counts and word != "most active":
                continue  # Who likes most is not the most popular.
            between = f"{first.name} or {second.name}"
            for attribute, column in asked_columns(table):
                if column.name in (first.column, second.column):
                    continue
                forms = (*_FORMS, *_OF_TITLES) if column == title else _FORMS
                select = f"SELECT {sql.column(table.name, column.name)} "
                for form, most in forms:
                    text = form.format(
                        attribute=attribute,
                        many=plural_of(attribute),
                        word=word,
                        one=spoken[0],
                        tables=spoken[1],
                    )
                    queries = [f"{select}{own.ending} LIMIT {most}" for own in (first, second)]
                    yield Ambiguity(text, (queries[0], queries[1]), table.name, between)


def _fits(word: str, kind: EntityKind, measure: Measure) -> bool:
    """Whether a measure is one of those that a word may speak of."""
    words_of_name = set(map(singular, measure.name.split()))
    if word == "biggest":
        return bool(words_of_name & _SIZES and measure.column)
    if word == "most active":
        return bool(measure.counts)
    if word == "most popular":
        return bool(words_of_name & _POPULAR or (measure.counts and kind != "person"))
    return True
