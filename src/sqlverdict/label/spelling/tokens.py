"""A query in the one spelling, and how a text gets it by its tokens: spaces, case and quotes."""

from __future__ import annotations

from dataclasses import dataclass

from sqlverdict.label.layout_sql import KEYWORDS
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import Kind, fold, tokens


@dataclass(frozen=True)
class SpelledQuery:
    """A query in the one spelling.

    Attributes:
        text: Its text.
        columns: The names of its columns; ``None`` stands for a star.
    """

    text: str
    columns: tuple[str | None, ...]


_SAME = {"!=": "<>", "==": "="}
_NO_SPACE_BEFORE = frozenset({",", ")", ".", ";"})
_NO_SPACE_AFTER = frozenset({"(", "."})


def spell_tokens(sql: str, schema: Schema | None) -> str:
    """A text with one space between tokens, and names as the schema spells them.

    Comments go. Keywords are capitals, other words small letters where the schema has no such name.
    """
    names = {} if schema is None else _names(schema)
    words: list[str] = []
    for kind, text in tokens(sql):
        match kind:
            case Kind.SPACE | Kind.COMMENT:
                continue
            case Kind.WORD:
                word = text.upper() if text.upper() in KEYWORDS else ""
                words.append(word or names.get(fold(text), fold(text)))
            case Kind.QUOTED:
                words.append(_quoted(text, names))
            case _:
                words.append(_SAME.get(text, text))
    while words and words[-1] == ";":
        words.pop()
    return _joined(words)


def _names(schema: Schema) -> dict[str, str]:
    names: dict[str, str] = {}
    for table in schema.tables:
        for name in (table.name, *(column.name for column in table.columns)):
            names.setdefault(fold(name), name)
    return names


def _quoted(text: str, names: dict[str, str]) -> str:
    """A quoted name as the schema spells it; what names nothing keeps its quotes."""
    name = names.get(fold(text[1:-1]))
    if name is None:
        return text
    return name if name.isidentifier() and name.isascii() else '"' + name.replace('"', '""') + '"'


def _joined(words: list[str]) -> str:
    parts: list[str] = []
    previous = ""
    for word in words:
        calls = word == "(" and previous[-1:].isalnum() and previous not in KEYWORDS
        tight = word in _NO_SPACE_BEFORE or previous in _NO_SPACE_AFTER or calls or not previous
        parts.append(word if tight else f" {word}")
        previous = word
    return "".join(parts)
