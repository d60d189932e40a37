"""The values that a query asks for, and whether a text mentions them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Query
from sqlverdict.signs.literals import comparison_operands, literal_of

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

SILENT = frozenset({"0", "1", "100"})
"""Numbers that conditions use as flags and percentages."""

_SHORTEST = 3
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MONTHS = "january february march april may june july august september october november december"
_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_NUMBER_WORDS = {
    **{word: str(number) for number, word in enumerate(_WORDS.split())},
    **{word: str(number) for number, word in enumerate(_MONTHS.split(), 1)},
    **{word[:3]: str(number) for number, word in enumerate(_MONTHS.split(), 1)},
    **{word: str(number) for number, word in enumerate(_ORDINALS.split(), 1)},
    "twice": "2",
    "half": "0.5",
    "dozen": "12",
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
}


def asked_values(sql: str, schema: Schema | None = None) -> list[str]:
    """The texts and numbers that conditions of a query compare with, each once.

    Not those of LIMIT, of arithmetic, of dates' formats and of places in texts; not 0, 1 and 100,
    nor texts of one or two letters.
    """
    query = parse(sql)
    if not isinstance(query, Query):
        return []
    values = dict.fromkeys(_values(query, schema))
    return [value for value in values if _speaks(value)]


def _speaks(value: str) -> bool:
    if _NUMBER.fullmatch(value):
        return value not in SILENT and not (value.endswith(".0") and value[:-2] in SILENT)
    return len("".join(_WORD.findall(value))) >= _SHORTEST


def _values(query: Query, schema: Schema | None) -> Iterator[str]:
    for node in query.tree.find_all(exp.Predicate, bfs=False):
        sides = comparison_operands(node)
        for side in sides:
            text = _literal(side, schema)
            if text is not None and any(_has_column(other) for other in sides if other is not side):
                yield text.strip("%_ ")


def _has_column(node: Expr) -> bool:
    return isinstance(node, exp.Column) or node.find(exp.Column) is not None


def _literal(node: Expr, schema: Schema | None) -> str | None:
    literal = literal_of(node)
    if literal is not None:
        return literal[0]
    quoted = isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier)
    if quoted and node.this.quoted and not node.text("table") and schema is not None:
        known = any(table.column(node.name) is not None for table in schema.tables)
        return None if known else node.name
    return None


def mentions_value(text: str, value: str) -> bool:
    """Whether a text mentions a value, in any usual spelling."""
    plain, numbers, stems = _read(text)
    plain_value = _plain(value)
    if plain_value and plain_value in plain:
        return True
    if _NUMBER.fullmatch(value.strip()):
        number = float(value)
        return number in numbers or number * 100 in numbers or number / 100 in numbers
    parts = [float(part) for part in re.findall(r"\d+", value)]
    words = [word for word in plain_words(value) if not word.isdigit()]
    dated = all(part == 0 or part in numbers for part in parts)
    return dated and all(word_stem(word) in stems for word in words) and bool(parts or words)


@lru_cache(maxsize=64)
def _read(text: str) -> tuple[str, frozenset[float], frozenset[str]]:
    """A text without case and accents, its numbers, and the stems of its words.

    A text is asked about many values, and is read once.
    """
    words = plain_words(text)
    return " ".join(words), frozenset(_numbers(text)), frozenset(map(word_stem, words))


def plain_words(text: str) -> list[str]:
    """The words of a text, without case and accents."""
    bare = unicodedata.normalize("NFKD", text)
    return _WORD.findall("".join(c for c in bare if not unicodedata.combining(c)).casefold())


def _plain(text: str) -> str:
    return " ".join(plain_words(text))


def word_stem(word: str) -> str:
    """A word without its usual endings, to compare words by."""
    for ending in ("ies", "es", "s", "y", "ed", "ing", "ian", "n"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)]
    return word


def _numbers(text: str) -> set[float]:
    bare = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    numbers = {abs(float(number)) for number in _NUMBER.findall(bare)}
    numbers |= {float(number) for number in _NUMBER.findall(bare)}
    spoken = plain_words(text)
    return numbers | {float(_NUMBER_WORDS[word]) for word in spoken if word in _NUMBER_WORDS}
