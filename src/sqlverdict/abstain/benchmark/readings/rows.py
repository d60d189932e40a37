"""What a table's rows are called, and by which measures they may be put in order; two readings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sqlverdict.abstain.benchmark.columns.entities import head, spoken_name
from sqlverdict.abstain.benchmark.columns.hypothetical import is_key, kind_of
from sqlverdict.abstain.benchmark.wordnet import wordnet
from sqlverdict.abstain.benchmark.words import plural, sayable, singular, words
from sqlverdict.dialects import dialect_of
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.tokens import fold, word_set

_TITLES = word_set("name title")
_SPOKEN_TITLES = _TITLES | {"last"}
_NOT_ASKED = word_set("id code key is if has yn detail details other abbrev")
_NO_MEASURE = word_set(
    "age weight height latitude longitude zip code year id number birth date is if has yn flag "
    "draw version hand lowest minimum level rank ranking position finish order capital percentage "
    "percent"
)
"""Words of numbers that put no row above another."""

_NOT_ADDED = word_set("rating rate share average score price grade highest")
"""Words of numbers that have no sum."""


@dataclass(frozen=True)
class Measure:
    """What rows may be ranked by.

    Attributes:
        name: What is measured, in words.
        ending: The query from FROM on, the best row first, without a LIMIT.
        column: The table's own column; empty: rows of another table are counted or added up.
        counts: The other table, where its rows are counted.
    """

    name: str
    ending: str
    column: str = ""
    counts: str = ""


def spoken_table(table: Table) -> tuple[str, str] | None:
    """A table's name as people say it, for one row and for several."""
    noun = head(table)
    name = spoken_name(table) or (noun if wordnet().has(noun) else "")
    if not name:
        return None
    *before, last = name.split()
    one = singular(last)
    return " ".join([*before, one]), " ".join([*before, plural(one)])


def title_column(table: Table) -> Column | None:
    """The column that a table's rows are called by: a name, a title, or the table's own noun."""
    own = set(map(singular, words(table.name)))
    for column in table.columns:
        column_words = [singular(word) for word in words(column.name)]
        rest = [word for word in column_words if word not in own]
        if kind_of(column) == "text" and (
            rest in (["name"], ["title"]) or (column_words and not rest)
        ):
            return column
    titles = [c for c in table.columns if _TITLES & set(words(c.name)) and kind_of(c) == "text"]
    family = [c for c in titles if words(c.name) == ("last", "name")]
    return titles[0] if len(titles) == 1 else family[0] if family else None


def title_words(title: Column) -> str:
    """How a title is asked for: "name", "title", "last name"."""
    rest = [word for word in words(title.name) if word in _SPOKEN_TITLES]
    return " ".join(rest) or "name"


def plural_of(name: str) -> str:
    """A name in words, for several of them."""
    *before, last = name.split()
    return " ".join([*before, plural(last)])


def asked_columns(table: Table) -> list[tuple[str, Column]]:
    """What may be asked of a table's rows: their title first, then columns with sayable names."""
    title = title_column(table)
    pointing = {fold(own) for key in table.foreign_keys for own in key.columns}
    columns = [(title_words(title), title)] if title is not None else []
    for column in table.columns:
        name = sayable(column.name)
        if column == title or name is None or fold(column.name) in pointing:
            continue
        if not _NOT_ASKED & set(words(column.name)) and wordnet().has(singular(name.split()[-1])):
            columns.append((name, column))
    return columns


def keys_of(table: Table, schema: Schema) -> Iterator[tuple[ForeignKey, Table]]:
    """The keys of one column by which a table points to others, each with the other table."""
    for key in table.foreign_keys:
        parent = schema.table(key.parent)
        if parent is not None and len(key.columns) == len(key.parent_columns) == 1:
            yield key, parent


def measures(table: Table, schema: Schema, sql: SqlText) -> list[Measure]:
    """The numbers by which a table's rows may be put in order, the largest first."""
    title = title_column(table)
    if title is None:
        return []
    called = sql.column(table.name, title.name)
    here = sql.name(table.name)
    ranks = []
    for column in _numbers(table):
        number = sql.column(table.name, column.name)
        ending = f"FROM {here} WHERE {number} IS NOT NULL ORDER BY {number} DESC, {called}"
        ranks.append(Measure(_in_words(column.name), ending, column.name))
    for child in schema.tables:
        for key, parent in keys_of(child, schema):
            if fold(parent.name) != fold(table.name) or fold(child.name) == fold(table.name):
                continue
            there = sql.name(child.name)
            own_key = sql.column(table.name, key.parent_columns[0])
            join = (
                f"FROM {here} JOIN {there} ON {own_key} = {sql.column(child.name, key.columns[0])} "
                f"GROUP BY {own_key} ORDER BY "
            )
            by = f" by {_in_words(key.columns[0])}" if _points_twice(child, table) else ""
            what = f"number of rows in {_in_words(child.name)}{by}"
            ranks.append(Measure(what, f"{join}count(*) DESC, {called}", counts=child.name))
            for column in _numbers(child):
                highest = _NOT_ADDED & set(map(singular, words(column.name)))
                number = sql.column(child.name, column.name)
                total = f"max({number})" if highest else f"sum({number})"
                kind = "highest" if highest else "total"
                what = f"{kind} {_in_words(column.name)} in {_in_words(child.name)}"
                ranks.append(Measure(what, f"{join}{total} DESC, {called}"))
    return ranks


def _points_twice(child: Table, table: Table) -> bool:
    return sum(fold(key.parent) == fold(table.name) for key in child.foreign_keys) > 1


def _numbers(table: Table) -> list[Column]:
    return [
        column
        for column in table.columns
        if kind_of(column) == "number"
        and not is_key(table, column)
        and not _NO_MEASURE & set(words(column.name))
    ]


def _in_words(name: str) -> str:
    return " ".join(words(name)) or name


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Ambiguity:
    """A question that two queries answer, each in its own way.

    Attributes:
        question: The question.
        queries: The two readings.
        table: The table it is about.
        between: What it may mean, in words: "date arrived or date departed".
    """

    question: str
    queries: tuple[str, str]
    table: str
    between: str


@lru_cache(maxsize=8)
def _keywords(dialect: str) -> frozenset[str]:
    """The words that mean something in a dialect, in capitals."""
    from sqlglot import Dialect

    phrases = Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
    return frozenset(word for phrase in phrases for word in phrase.split())


@dataclass(frozen=True)
class SqlText:
    """Writes names and values in a dialect."""

    dialect: str

    def name(self, name: str) -> str:
        """A table's or column's name, quoted where it has to be."""
        from sqlglot import exp

        plain = (
            _PLAIN.fullmatch(name)
            and name.upper() not in _keywords(self.dialect)
            and (dialect_of(self.dialect).names_case == "folded" or name.islower())
        )
        return exp.to_identifier(name, quoted=not plain).sql(dialect=self.dialect)

    def value(self, value: str) -> str:
        """A text as a literal."""
        from sqlglot import exp

        return exp.Literal.string(value).sql(dialect=self.dialect)

    def column(self, table: str, column: str) -> str:
        """A column with its table."""
        return f"{self.name(table)}.{self.name(column)}"
