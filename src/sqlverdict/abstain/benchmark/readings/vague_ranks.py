"""The best, the biggest, the top three: by which measure?

Rows may be ranked by their own numbers, by how many rows of another table belong to them, and by
the sum of those rows' numbers. Ages and years put nobody first, and are no measure.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sqlverdict.abstain.benchmark.columns.entities import EntityKind, entity_kind
from sqlverdict.abstain.benchmark.readings.ambiguity import Ambiguity, SqlText
from sqlverdict.abstain.benchmark.readings.rows import measures, spoken_table, title_column
from sqlverdict.abstain.benchmark.words import plural, words
from sqlverdict.parse.schema import Schema

_WORDS: dict[EntityKind, tuple[str, ...]] = {
    "person": ("best", "most successful", "most active"),
    "building": ("biggest", "most important", "best"),
    "vehicle": ("best", "most important"),
    "place": ("biggest", "most important"),
    "organization": ("biggest", "best", "most successful"),
    "event": ("biggest", "best", "most important"),
    "work": ("best", "most successful", "most popular"),
    "course": ("most popular", "best", "biggest"),
    "trip": ("best", "most popular"),
    "product": ("best", "most popular", "most successful"),
    "document": ("most important", "best"),
    "deal": ("biggest", "most important"),
}
_FORMS = (
    ("What is the {title} of the {word} {one}?", 1),
    ("Which {one} is the {word}?", 1),
    ("Find the {word} {one}.", 1),
    ("Show the {titles} of the 3 {word} {tables}.", 3),
    ("List the {titles} of the top 3 {tables}.", 3),
    ("What are the {titles} of the top 5 {tables}?", 5),
)


def vague_ranks(schema: Schema, sql: SqlText) -> Iterator[Ambiguity]:
    """Questions for the first of some rows that do not say by what."""
    for table in schema.tables:
        kind, spoken, title = entity_kind(table), spoken_table(table), title_column(table)
        if kind not in _WORDS or spoken is None or title is None:
            continue
        own = "title" if "title" in words(title.name) else "name"
        select = f"SELECT {sql.column(table.name, title.name)} "
        for first, second in combinations(measures(table, schema, sql), 2):
            for word in _WORDS[kind]:
                for form, most in _FORMS:
                    text = form.format(
                        title=own, titles=plural(own), word=word, one=spoken[0], tables=spoken[1]
                    )
                    queries = (
                        f"{select}{first.ending} LIMIT {most}",
                        f"{select}{second.ending} LIMIT {most}",
                    )
                    yield Ambiguity(text, queries, table.name, f"{first.name} or {second.name}")
