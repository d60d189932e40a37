"""What the parser of Spider's evaluation script accepts, for scores as published tables print them.

The script reads a small part of SQL. What it cannot read counts as wrong there, whatever it
means. This is a recogniser of that part, written from how the script behaves: its tokens (words
apart by spaces and some punctuation, so that ``a=1`` is one word), its names (every column has to
belong to a table that FROM names; an alias needs AS and may not be a table's name) and its
clauses. Text behind the last clause is not looked at, as in the script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlverdict.parse.schema import Schema

_CLAUSES = frozenset(
    ["select", "from", "where", "group", "order", "limit", "intersect", "union", "except"]
)
_JOINS = frozenset({"join", "on", "as"})
_OPERATORS = frozenset(
    ["not", "between", "=", ">", "<", ">=", "<=", "!=", "in", "like", "is", "exists"]
)
_ARITHMETIC = frozenset({"none", "-", "+", "*", "/"})
_AGGREGATES = frozenset({"none", "max", "min", "count", "sum", "avg"})
_SET_OPERATIONS = frozenset({"intersect", "union", "except"})
_DIRECTIONS = frozenset({"asc", "desc"})
_ENDS = frozenset({")", ";"})
_MOST_STEPS = 100_000

# Where words are cut besides white space: brackets, and some punctuation of English prose.
_CUTS = (
    (re.compile(r"\.\.\."), " ... "),
    (re.compile(r"[;@#$%&?!\[\](){}<>]"), r" \g<0> "),
    (re.compile(r"([:,])([^\d])"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"--"), " -- "),
    (re.compile(r"([^.])\.\s*$"), r"\1 . "),
)


class _Rejected(Exception):
    """The script's parser would stop here."""


def script_accepts(sql: str, schema: Schema) -> bool:
    """Whether the script's parser reads a query.

    Args:
        sql: The query.
        schema: The tables, whose names the script looks up.
    """
    try:
        words = _words(sql)
        _ClauseReader(words, schema).query(0)
    except (_Rejected, IndexError, RecursionError):
        return False
    return True


def _words(sql: str) -> list[str]:
    text = sql.replace("'", '"')
    parts = text.split('"')
    if len(parts) % 2 == 0:
        raise _Rejected
    values = parts[1::2]
    # A value keeps its place as one word, glued to what stands beside it without a space.
    text = "".join(
        part if place % 2 == 0 else f"__val_{place // 2}__" for place, part in enumerate(parts)
    )
    for pattern, replacement in _CUTS:
        text = pattern.sub(replacement, text)
    words: list[str] = []
    for word in text.lower().split():
        found = re.fullmatch(r"__val_(\d+)__", word)
        word = word if found is None else f'"{values[int(found[1])]}"'
        if word == "=" and words and words[-1] in ("!", ">", "<"):
            words[-1] += "="
        else:
            words.append(word)
    return words


class _ClauseReader:
    """Reads clause by clause; every method returns the place behind what it read."""

    def __init__(self, words: Sequence[str], schema: Schema) -> None:
        self.words = words
        self.columns: Mapping[str, frozenset[str]] = {
            table.name.lower(): frozenset(column.name.lower() for column in table.columns)
            for table in schema.tables
        }
        aliases = {
            words[place + 1]: words[place - 1]
            for place, word in enumerate(words)
            if word == "as" and place + 1 < len(words)
        }
        if not aliases.keys().isdisjoint(self.columns):
            raise _Rejected
        self.names: Mapping[str, str] = {**aliases, **{name: name for name in self.columns}}
        self.steps = _MOST_STEPS

    def at(self, place: int, *words: str) -> bool:
        """Whether one of the words stands at a place; none does behind the end."""
        return place < len(self.words) and self.words[place] in words

    def ends(self, place: int) -> bool:
        """Whether a clause ends before a place."""
        return self.at(place, *_CLAUSES, *_ENDS)

    def need(self, place: int, word: str) -> int:
        """The place behind a word that has to stand there."""
        if not self.at(place, word):
            raise _Rejected
        return place + 1

    def count_step(self) -> None:
        """The script may loop for ever on some texts; those are not read."""
        self.steps -= 1
        if self.steps < 0:
            raise _Rejected

    def query(self, place: int) -> int:
        """A whole query, with what a set operation joins to it."""
        self.count_step()
        block = self.at(place, "(")
        place += block
        behind, tables = self.from_(place)
        self.select(place, tables)
        place = behind
        if self.at(place, "where"):
            place = self.condition(place + 1, tables)
        place = self.group(place, tables)
        if self.at(place, "having"):
            place = self.condition(place + 1, tables)
        place = self.order(place, tables)
        if self.at(place, "limit"):
            place += 2
            self.words[place - 1]
        place = self.semicolons(place)
        if block:
            place = self.need(place, ")")
        place = self.semicolons(place)
        return self.query(place + 1) if self.at(place, *_SET_OPERATIONS) else place

    def semicolons(self, place: int) -> int:
        while self.at(place, ";"):
            place += 1
        return place

    def from_(self, place: int) -> tuple[int, list[str]]:
        if "from" not in self.words[place:]:
            raise _Rejected
        place = self.words.index("from", place) + 1
        tables: list[str] = []
        while place < len(self.words):
            self.count_step()
            block = self.at(place, "(")
            place += block
            if self.at(place, "select"):
                place = self.query(place)
            else:
                place += self.at(place, "join")
                name = self.names.get(self.words[place])
                if name not in self.columns:
                    raise _Rejected
                tables.append(str(name))
                place += 3 if self.at(place + 1, "as") else 1
            if self.at(place, "on"):
                place = self.condition(place + 1, tables)
            if block:
                place = self.need(place, ")")
            if self.ends(place):
                break
        return place, tables

    def select(self, place: int, tables: Sequence[str]) -> None:
        place = self.need(place, "select")
        place += self.at(place, "distinct")
        while place < len(self.words) and not self.at(place, *_CLAUSES):
            self.count_step()
            place += self.at(place, *_AGGREGATES)
            place = self.expression(place, tables)
            place += self.at(place, ",")

    def group(self, place: int, tables: Sequence[str]) -> int:
        if not self.at(place, "group"):
            return place
        place = self.need(place + 1, "by")
        while place < len(self.words) and not self.ends(place):
            place = self.column_unit(self.words, place, tables)
            if not self.at(place, ","):
                break
            place += 1
        return place

    def order(self, place: int, tables: Sequence[str]) -> int:
        if not self.at(place, "order"):
            return place
        place = self.need(place + 1, "by")
        while place < len(self.words) and not self.ends(place):
            place = self.expression(place, tables)
            place += self.at(place, *_DIRECTIONS)
            if not self.at(place, ","):
                break
            place += 1
        return place

    def condition(self, place: int, tables: Sequence[str]) -> int:
        while place < len(self.words):
            self.count_step()
            place = self.expression(place, tables)
            place += self.words[place] == "not"
            if not self.at(place, *_OPERATORS):
                raise _Rejected
            between = self.at(place, "between")
            place = self.value(place + 1, tables)
            if between:
                place = self.value(self.need(place, "and"), tables)
            if self.ends(place) or self.at(place, *_JOINS):
                break
            place += self.at(place, "and", "or")
        return place

    def value(self, place: int, tables: Sequence[str]) -> int:
        start = place
        block = self.words[place] == "("
        place += block
        word = self.words[place]
        if word == "select":
            place = self.query(place)
        elif '"' in word or _is_number(word):
            place += 1
        else:
            while place < len(self.words) and not (
                self.at(place, ",", ")", "and", *_CLAUSES) or self.at(place, *_JOINS)
            ):
                place += 1
            self.column_unit(self.words[start:place], 0, tables)
        return self.need(place, ")") if block else place

    def expression(self, place: int, tables: Sequence[str]) -> int:
        block = self.words[place] == "("
        place = self.column_unit(self.words, place + block, tables)
        if self.at(place, *_ARITHMETIC):
            place = self.column_unit(self.words, place + 1, tables)
        return self.need(place, ")") if block else place

    def column_unit(self, words: Sequence[str], place: int, tables: Sequence[str]) -> int:
        block = words[place] == "("
        place += block
        if words[place] in _AGGREGATES:
            if words[place + 1] != "(":
                raise _Rejected
            place += 2
            place += words[place] == "distinct"
            self.column(words[place], tables)
            if words[place + 1] != ")":
                raise _Rejected
            return place + 2
        place += words[place] == "distinct"
        self.column(words[place], tables)
        place += 1
        if block:
            if words[place] != ")":
                raise _Rejected
            place += 1
        return place

    def column(self, word: str, tables: Sequence[str]) -> None:
        if word == "*":
            return
        if "." in word:
            parts = word.split(".")
            known = self.columns.get(self.names.get(parts[0], ""), frozenset())
            if len(parts) != 2 or parts[1] not in known:
                raise _Rejected
            return
        if not any(word in self.columns[self.names.get(name, name)] for name in tables):
            raise _Rejected


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
