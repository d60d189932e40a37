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
        part if position % 2 == 0 else f"__val_{position // 2}__"
        for position, part in enumerate(parts)
    )
    for pattern, replacement in _CUTS:
        text = pattern.sub(replacement, text)
    words: list[str] = []
    for word in text.lower().split():
        match = re.fullmatch(r"__val_(\d+)__", word)
        word = word if match is None else f'"{values[int(match[1])]}"'
        if word == "=" and words and words[-1] in ("!", ">", "<"):
            words[-1] += "="
        else:
            words.append(word)
    return words


class _ClauseReader:
    """Reads clause by clause; every method returns the position after what it read."""

    def __init__(self, words: Sequence[str], schema: Schema) -> None:
        self.words = words
        self.columns: Mapping[str, frozenset[str]] = {
            table.name.lower(): frozenset(column.name.lower() for column in table.columns)
            for table in schema.tables
        }
        aliases = {
            words[position + 1]: words[position - 1]
            for position, word in enumerate(words)
            if word == "as" and position + 1 < len(words)
        }
        if not aliases.keys().isdisjoint(self.columns):
            raise _Rejected
        self.names: Mapping[str, str] = {**aliases, **{name: name for name in self.columns}}
        self.steps = _MOST_STEPS

    def at(self, position: int, *words: str) -> bool:
        """Whether one of the words stands at a position; none does after the end."""
        return position < len(self.words) and self.words[position] in words

    def ends(self, position: int) -> bool:
        """Whether a clause ends before a position."""
        return self.at(position, *_CLAUSES, *_ENDS)

    def need(self, position: int, word: str) -> int:
        """The position after a word that has to stand there."""
        if not self.at(position, word):
            raise _Rejected
        return position + 1

    def count_step(self) -> None:
        """The script may loop for ever on some texts; those are not read."""
        self.steps -= 1
        if self.steps < 0:
            raise _Rejected

    def query(self, position: int) -> int:
        """A whole query, with what a set operation joins to it."""
        self.count_step()
        block = self.at(position, "(")
        position += block
        behind, tables = self.from_(position)
        self.select(position, tables)
        position = behind
        if self.at(position, "where"):
            position = self.condition(position + 1, tables)
        position = self.group(position, tables)
        if self.at(position, "having"):
            position = self.condition(position + 1, tables)
        position = self.order(position, tables)
        if self.at(position, "limit"):
            position += 2
            self.words[position - 1]
        position = self.semicolons(position)
        if block:
            position = self.need(position, ")")
        position = self.semicolons(position)
        return self.query(position + 1) if self.at(position, *_SET_OPERATIONS) else position

    def semicolons(self, position: int) -> int:
        while self.at(position, ";"):
            position += 1
        return position

    def from_(self, position: int) -> tuple[int, list[str]]:
        if "from" not in self.words[position:]:
            raise _Rejected
        position = self.words.index("from", position) + 1
        tables: list[str] = []
        while position < len(self.words):
            self.count_step()
            block = self.at(position, "(")
            position += block
            if self.at(position, "select"):
                position = self.query(position)
            else:
                position += self.at(position, "join")
                name = self.names.get(self.words[position])
                if name not in self.columns:
                    raise _Rejected
                tables.append(str(name))
                position += 3 if self.at(position + 1, "as") else 1
            if self.at(position, "on"):
                position = self.condition(position + 1, tables)
            if block:
                position = self.need(position, ")")
            if self.ends(position):
                break
        return position, tables

    def select(self, position: int, tables: Sequence[str]) -> None:
        position = self.need(position, "select")
        position += self.at(position, "distinct")
        while position < len(self.words) and not self.at(position, *_CLAUSES):
            self.count_step()
            position += self.at(position, *_AGGREGATES)
            position = self.expression(position, tables)
            position += self.at(position, ",")

    def group(self, position: int, tables: Sequence[str]) -> int:
        if not self.at(position, "group"):
            return position
        position = self.need(position + 1, "by")
        while position < len(self.words) and not self.ends(position):
            position = self.column_unit(self.words, position, tables)
            if not self.at(position, ","):
                break
            position += 1
        return position

    def order(self, position: int, tables: Sequence[str]) -> int:
        if not self.at(position, "order"):
            return position
        position = self.need(position + 1, "by")
        while position < len(self.words) and not self.ends(position):
            position = self.expression(position, tables)
            position += self.at(position, *_DIRECTIONS)
            if not self.at(position, ","):
                break
            position += 1
        return position

    def condition(self, position: int, tables: Sequence[str]) -> int:
        while position < len(self.words):
            self.count_step()
            position = self.expression(position, tables)
            position += self.words[position] == "not"
            if not self.at(position, *_OPERATORS):
                raise _Rejected
            between = self.at(position, "between")
            position = self.value(position + 1, tables)
            if between:
                position = self.value(self.need(position, "and"), tables)
            if self.ends(position) or self.at(position, *_JOINS):
                break
            position += self.at(position, "and", "or")
        return position

    def value(self, position: int, tables: Sequence[str]) -> int:
        start = position
        block = self.words[position] == "("
        position += block
        word = self.words[position]
        if word == "select":
            position = self.query(position)
        elif '"' in word or _is_number(word):
            position += 1
        else:
            while position < len(self.words) and not (
                self.at(position, ",", ")", "and", *_CLAUSES) or self.at(position, *_JOINS)
            ):
                position += 1
            self.column_unit(self.words[start:position], 0, tables)
        return self.need(position, ")") if block else position

    def expression(self, position: int, tables: Sequence[str]) -> int:
        block = self.words[position] == "("
        position = self.column_unit(self.words, position + block, tables)
        if self.at(position, *_ARITHMETIC):
            position = self.column_unit(self.words, position + 1, tables)
        return self.need(position, ")") if block else position

    def column_unit(self, words: Sequence[str], position: int, tables: Sequence[str]) -> int:
        block = words[position] == "("
        position += block
        if words[position] in _AGGREGATES:
            if words[position + 1] != "(":
                raise _Rejected
            position += 2
            position += words[position] == "distinct"
            self.column(words[position], tables)
            if words[position + 1] != ")":
                raise _Rejected
            return position + 2
        position += words[position] == "distinct"
        self.column(words[position], tables)
        position += 1
        if block:
            if words[position] != ")":
                raise _Rejected
            position += 1
        return position

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
