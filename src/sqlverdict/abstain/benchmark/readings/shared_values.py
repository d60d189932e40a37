"""A value that two columns hold: flights for APG, the population of Singapore.

In one table: two columns that hold the same value, or two keys that point to the same table
(somebody who likes, and somebody who is liked). In two tables: rows of the same name in both, and
a column that both have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice

from sqlverdict.abstain.benchmark.columns.entities import is_entity
from sqlverdict.abstain.benchmark.columns.hypothetical import is_key, kind_of
from sqlverdict.abstain.benchmark.readings.rows import (
    Ambiguity,
    SqlText,
    asked_columns,
    keys_of,
    plural_of,
    spoken_table,
    title_column,
)
from sqlverdict.abstain.benchmark.words import sayable, singular, words
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold, word_set

Values = Callable[[str], list[str]]
"""Runs a query of one column and gives its texts."""

_MOST_VALUES = 12
_MOST_PAIRS = 40
"""So many pairs of a table's columns are compared: each takes a query over the whole table."""
_MOST_COMPARED = 300
"""So many pairs of columns of a database."""
_MOST_ROWS = 200_000
"""A larger table is passed over: 40 pairs of its columns would take more than ten seconds."""

_PLACES = word_set("city town state country region continent district county location address")
_LONGEST = 40
_NO_VALUES = word_set("yes true false none null unknown other")
_COUNTS = (
    "How many {tables} are there {at} {value}?",
    "Count the number of {tables} {at} {value}.",
    "What is the number of {tables} {at} {value}?",
)
_LISTS = (
    "What are the {many} of the {tables} {at} {value}?",
    "List the {many} of all {tables} {at} {value}.",
    "Show the {attribute} of each {one} {at} {value}.",
)
_OF_ONE = ("What is the {column} of {value}?", "Find the {column} of {value}.")


@dataclass(frozen=True)
class _Slot:
    """A column by which a value picks rows: the rest of a query, and the values it holds."""

    column: str
    join: str
    compared: str
    joined: tuple[Table, ...] = ()


class _Comparisons:
    """Compares pairs of columns, as many as a database may cost."""

    def __init__(self, sql: SqlText, values: Values) -> None:
        self._sql, self._values = sql, values
        self._left = _MOST_COMPARED
        self._large: dict[str, bool] = {}

    def common(self, query: str, *tables: Table) -> list[str]:
        """The texts that both columns hold and that may stand in a question."""
        if any(map(self._is_large, tables)) or not self._left:
            return []
        self._left -= 1
        return list(filter(_is_sayable, self._values(query)))

    def _is_large(self, table: Table) -> bool:
        if table.name not in self._large:
            beyond = f"SELECT 'more' FROM {self._sql.name(table.name)} LIMIT 1 OFFSET {_MOST_ROWS}"  # noqa: S608 (quoted)
            self._large[table.name] = bool(self._values(beyond))
        return self._large[table.name]


def shared_values(schema: Schema, sql: SqlText, values: Values) -> Iterator[Ambiguity]:
    """Questions with a value that two columns hold."""
    compared = _Comparisons(sql, values)
    for table in schema.tables:
        yield from _in_one_table(table, schema, sql, compared)
    for first, second in combinations(schema.tables, 2):
        if is_entity(first) and is_entity(second):
            yield from _in_two_tables(first, second, sql, compared)


def _in_one_table(
    table: Table, schema: Schema, sql: SqlText, compared: _Comparisons
) -> Iterator[Ambiguity]:
    spoken = spoken_table(table)
    if spoken is None:
        return
    here = sql.name(table.name)
    for first, second in _slots(table, schema, sql):
        places = [bool(_PLACES & _singulars(slot.column)) for slot in (first, second)]
        if places[0] != places[1]:
            continue  # Countries in Micronesia are not those that are called so.
        common = (
            f"SELECT DISTINCT {first.compared} FROM {here}{first.join} WHERE {first.compared} IN "  # noqa: S608 (quoted)
            f"(SELECT {second.compared} FROM {here}{second.join}) ORDER BY 1 LIMIT {_MOST_VALUES}"
        )
        forms = [(form, "", "count(*)") for form in _COUNTS]
        forms += [
            (form, attribute, sql.column(table.name, column.name))
            for attribute, column in asked_columns(table)
            if column.name not in (first.column, second.column)
            for form in _LISTS
        ]
        for value in compared.common(common, table, *first.joined):
            for form, attribute, output in forms:
                text = form.format(
                    tables=spoken[1],
                    one=spoken[0],
                    at="in" if places[0] else "for",
                    value=value.strip(),
                    attribute=attribute,
                    many=plural_of(attribute) if attribute else "",
                )
                queries = [
                    f"SELECT {output} FROM {here}{slot.join} "  # noqa: S608 (quoted)
                    f"WHERE {slot.compared} = {sql.value(value)}"
                    for slot in (first, second)
                ]
                between = " or ".join(" ".join(words(slot.column)) for slot in (first, second))
                yield Ambiguity(text, (queries[0], queries[1]), table.name, between)


def _slots(table: Table, schema: Schema, sql: SqlText) -> Iterator[tuple[_Slot, _Slot]]:
    """Pairs of columns of a table that may hold the same value."""
    title = title_column(table)
    texts = [
        _Slot(column.name, "", sql.column(table.name, column.name))
        for column in table.columns
        if kind_of(column) == "text"
        and (title is None or column.name != title.name)
        and "id" not in words(column.name)
    ]
    yield from islice(combinations(texts, 2), _MOST_PAIRS)
    for (one, parent), (other, again) in combinations(keys_of(table, schema), 2):
        called = title_column(parent)
        if fold(parent.name) != fold(again.name) or called is None:
            continue
        if fold(parent.name) == fold(table.name) or one.columns == other.columns:
            continue
        if any(_singulars(key.columns[0]) & _singulars(table.name) for key in (one, other)):
            continue  # A friend's rows are found by whose friend it is.
        slots = []
        for key in (one, other):
            on = (
                f"{sql.column(table.name, key.columns[0])} = "
                f"{sql.column(parent.name, key.parent_columns[0])}"
            )
            join = f" JOIN {sql.name(parent.name)} ON {on}"
            name = sql.column(parent.name, called.name)
            slots.append(_Slot(key.columns[0], join, name, (parent,)))
        yield slots[0], slots[1]


def _in_two_tables(
    first: Table, second: Table, sql: SqlText, compared: _Comparisons
) -> Iterator[Ambiguity]:
    one, other = title_column(first), title_column(second)
    if one is None or other is None:
        return
    shared = [
        (mine.name, yours.name)
        for mine in first.columns
        for yours in second.columns
        if words(mine.name) == words(yours.name)
        and not is_key(first, mine)
        and not is_key(second, yours)
        and mine.name != one.name
        and yours.name != other.name
        and sayable(mine.name)
    ]
    if not shared:
        return
    common = (
        f"SELECT DISTINCT {sql.name(one.name)} FROM {sql.name(first.name)} WHERE "  # noqa: S608 (quoted)
        f"{sql.name(one.name)} IN (SELECT {sql.name(other.name)} FROM {sql.name(second.name)}) "
        f"ORDER BY 1 LIMIT {_MOST_VALUES}"
    )
    for value in compared.common(common, first, second):
        for mine, yours in shared:
            for form in _OF_ONE:
                queries = [
                    f"SELECT {sql.name(column)} FROM {sql.name(table.name)} "  # noqa: S608 (quoted)
                    f"WHERE {sql.name(title.name)} = {sql.value(value)}"
                    for table, title, column in ((first, one, mine), (second, other, yours))
                ]
                between = f"of {first.name} or of {second.name}"
                text = form.format(column=sayable(mine), value=value.strip())
                yield Ambiguity(text, (queries[0], queries[1]), first.name, between)


def _singulars(name: str) -> set[str]:
    return set(map(singular, words(name)))


def _is_sayable(value: str) -> bool:
    """Whether a value may stand in a question: short, with a letter, on one line."""
    return (
        2 < len(value.strip()) <= _LONGEST
        and value.strip().lower() not in _NO_VALUES
        and "\n" not in value
        and any(letter.isalpha() for letter in value)
    )
