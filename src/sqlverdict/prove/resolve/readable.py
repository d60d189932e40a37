"""SQL of a resolved tree for people: names without quotes and numbers where these say nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from sqlverdict.execute.common_text import unknown_call_text
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.tokens import fold, pieces, word_set
from sqlverdict.patterns import late_pattern

_LABEL = re.compile(r"(.+)\.[0-9]+", re.DOTALL)
_UNKNOWN = late_pattern(
    r"sqlverdict_[a-z]+_[a-z]+_(?P<start>[0-9a-f]{4})[0-9a-f]{16}", re.IGNORECASE
)
"""The name of an unknown function (``execute/common_text.py``)."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NO_NAMES = word_set(
    """
    add all alter and as autoincrement between case check collate commit constraint create
    default deferrable delete distinct drop else escape except exists foreign from group
    having in index insert intersect into is isnull join limit not notnull null on or order
    primary references select set table then to transaction union unique update using values
    when where
    """
)
"""Words that SQLite does not take for a name without quotes."""


def readable_sql(sql: str, labels: Iterable[str] | None = None) -> str:
    """The text of a resolved tree, or of a part of one, with plain names.

    A resolved tree calls each source by its table and a number. The number is left out where the
    query reads the table once. The name of an unknown function is cut short.

    Args:
        sql: The text.
        labels: The labels of all sources of the query; those in the text by default.
    """
    tokens = pieces(sql)
    names = [_name(token) for token in tokens]
    if labels is None:
        labels = {name for name in names if name is not None and _LABEL.fullmatch(name)}
    once = _used_once(labels)
    plain = [
        _short(token) if name is None else _as_sql(once.get(name, name))
        for token, name in zip(tokens, names, strict=True)
    ]
    return "".join(_without_idle_aliases(plain))


def with_own_words(sql: str) -> str:
    """A text with what its queries say in the place of each call of an unknown function.

    Only for common texts that this process made a moment ago; other calls stay as they are.
    """
    return "".join(_own_words(pieces(sql)))


def _own_words(tokens: list[str]) -> list[str]:
    output: list[str] = []
    at = 0
    while at < len(tokens):
        end = _closing(tokens, at + 1) if _UNKNOWN.fullmatch(tokens[at]) else None
        if end is None:
            output.append(tokens[at])
            at += 1
            continue
        arguments = ["".join(_own_words(each)).strip() for each in _parts(tokens[at + 2 : end])]
        words = unknown_call_text(tokens[at], arguments)
        if words is None:
            words = f"{tokens[at]}({', '.join(arguments)})"
        output.append(words)
        at = end + 1
    return output


def _closing(tokens: list[str], at: int) -> int | None:
    """The parenthesis that closes the one at a token; ``None`` where there is none."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[index], 0)
        if depth <= 0:
            return index if tokens[at] == "(" else None
    return None


def _parts(tokens: list[str]) -> list[list[str]]:
    """The tokens between commas."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in tokens:
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts if tokens else []


def _short(token: str) -> str:
    return _UNKNOWN.sub(lambda match: f"function_{match['start'].lower()}", token)


def _name(token: str) -> str | None:
    """The name in a token; ``None`` where it is not a quoted name."""
    return token[1:-1].replace('""', '"') if token[:1] == '"' and len(token) > 2 else None


def _used_once(labels: Iterable[str]) -> dict[str, str]:
    """The labels whose number says nothing, with what is left of each."""
    base = {label: match[1] for label in labels if (match := _LABEL.fullmatch(label))}
    uses = Counter(map(fold, base.values()))
    return {label: name for label, name in base.items() if uses[fold(name)] == 1}


def _as_sql(name: str) -> str:
    plain = _PLAIN.fullmatch(name) is not None and fold(name) not in _NO_NAMES
    return name if plain else quote_name(name)


def _without_idle_aliases(tokens: list[str]) -> list[str]:
    """The tokens without ``AS name`` behind the same name."""
    output: list[str] = []
    for token in tokens:
        if output[-3:] == [" ", "AS", " "] and fold("".join(output[-4:-3])) == fold(token):
            del output[-3:]
            continue
        output.append(token)
    return output
