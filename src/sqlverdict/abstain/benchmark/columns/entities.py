"""What the rows of a table are: persons, animals, buildings ...

A question about a column makes sense only of things that can have it: a singer may have an eye
colour, a stadium may not. The table's name says what its rows are, by WordNet; columns that only
persons have (a first and a last name, a gender) say it too, where the name is a rare word.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from sqlverdict.abstain.benchmark.wordnet import wordnet
from sqlverdict.abstain.benchmark.words import sayable, singular, words
from sqlverdict.parse.schema import Table
from sqlverdict.parse.tokens import fold, word_set

EntityKind = Literal[
    "person",
    "animal",
    "building",
    "vehicle",
    "place",
    "organization",
    "event",
    "work",
    "course",
    "trip",
    "product",
    "deal",
    "document",
]

_ROOTS: dict[EntityKind, tuple[tuple[str, int], ...]] = {
    "person": (("person", 1),),
    "animal": (("animal", 1),),
    "building": (("structure", 1), ("facility", 1)),
    "vehicle": (("vehicle", 1),),
    "place": (("region", 1), ("region", 3), ("district", 1), ("political_unit", 1)),
    "organization": (("organization", 1), ("college", 1)),
    "work": (("publication", 1), ("movie", 1), ("musical_composition", 1), ("art", 1)),
    "event": (("social_event", 1), ("contest", 1)),
}
"""The nouns above each kind, with the number of the sense. The first kind that fits counts."""

_NOUNS: dict[EntityKind, frozenset[str]] = {
    "person": word_set("highschooler member climber builder"),
    "building": word_set("property cinema farm"),
    "place": word_set("continent mountain"),
    "vehicle": word_set("train"),
    "organization": word_set("airline maker channel manufacturer brand chain"),
    "event": word_set("match battle game event festival competition election debate show"),
    "work": word_set(
        "journal album track series cartoon episode photo image volume artwork book playlist"
    ),
    "document": word_set("document template paragraph paper report file transcript page"),
    "course": word_set("course program lecture lesson seminar"),
    "trip": word_set("flight route voyage trip"),
    "product": word_set("product item part asset phone device"),
    "deal": word_set(
        "order invoice payment purchase booking transaction claim contract policy treatment "
        "service charge settlement"
    ),
}
"""What the rows of tables are called where WordNet's most frequent sense is another, or none."""

_KIND_OF_NOUN: dict[str, EntityKind] = {
    noun: kind for kind, nouns in _NOUNS.items() for noun in nouns
}

_OF_PERSONS = word_set("gender sex hometown surname forename")
_SUIT_PERSONS = word_set(
    "age birth birthday birthdate nationality citizenship email phone salary address job position"
)
_HOLDERS = word_set("data list info record")
_NO_ENTITY = word_set(
    "ref reference type info list data record history detail status code category link log lookup "
    "mapping has in of by to and with for"
)


def head(table: Table) -> str:
    """The noun that a table's rows are called by, in the singular; empty where there is none."""
    table_words = _thing_words(table)
    return singular(table_words[-1]) if table_words else ""


def spoken_name(table: Table) -> str | None:
    """What a table's rows are called, in words; ``None`` where that cannot be told."""
    return sayable("_".join(_thing_words(table)))


def _thing_words(table: Table) -> tuple[str, ...]:
    """The words of a table's name without a last one that says no more: the data of cars."""
    table_words = words(table.name)
    if len(table_words) > 1 and singular(table_words[-1]) in _HOLDERS:
        return table_words[:-1]
    return table_words


def is_entity(table: Table) -> bool:
    """Whether a table's rows are things that people ask about, not links or lists of codes."""
    pointing = {fold(own) for key in table.foreign_keys for own in key.columns}
    linking = len(table.primary_key) > 1 and {fold(own) for own in table.primary_key} <= pointing
    return (
        not linking
        and bool(head(table))
        and not _NO_ENTITY & set(map(singular, _thing_words(table)))
    )


@lru_cache(maxsize=4096)
def entity_kind(table: Table) -> EntityKind | None:
    """What the rows of a table are; ``None`` where that is not known."""
    if not is_entity(table):
        return None
    noun, names = head(table), [words(column.name) for column in table.columns]
    if noun in _KIND_OF_NOUN:
        return _KIND_OF_NOUN[noun]
    column_words = {word for name in names for word in name}
    of_persons = bool(_OF_PERSONS & column_words) or ("first", "name") in names
    kind = noun_kind(noun)
    if kind in (None, "organization"):  # To WordNet, staff is an organization.
        return "person" if of_persons else kind
    if kind == "person" and not of_persons and not _SUIT_PERSONS & column_words:
        # A browser may be somebody who browses, or a program.
        return kind if len(wordnet().senses(noun)) < 2 or noun_kind(noun, 1) == kind else None
    return kind


@lru_cache(maxsize=16384)
def noun_kind(noun: str, sense: int = 0) -> EntityKind | None:
    """What a noun stands for, in its most frequent sense or in a later one."""
    senses = wordnet().senses(noun)
    if sense >= len(senses):
        return None
    above = wordnet().ancestors(senses[sense])
    return next((kind for kind, roots in _roots().items() if roots & above), None)


@lru_cache(maxsize=1)
def _roots() -> dict[EntityKind, frozenset[int]]:
    return {
        kind: frozenset(wordnet().senses(noun)[number - 1] for noun, number in nouns)
        for kind, nouns in _ROOTS.items()
    }


def same_entity(first: Table, second: Table) -> bool:
    """Whether two tables' rows are called by the same noun, or by one that is a kind of it."""
    return wordnet().alike(head(first), head(second), 1)


def names_entity(question_words: Iterable[str], table: Table) -> bool:
    """Whether some words, in the singular, name what a table's rows are."""
    spoken = list(question_words)
    noun = head(table)
    joined = "".join(map(singular, words(table.name)))
    pairs = (first + second for first, second in pairwise(spoken))
    return (
        any(word == noun or wordnet().alike(word, noun) for word in spoken)
        or joined in spoken
        or joined in pairs
    )
