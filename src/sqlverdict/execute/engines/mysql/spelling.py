r"""One spelling for the tokens of a text, which is what MySQL and MariaDB get.

The guard reads tokens, and the server gets those tokens and nothing else. So it does not matter
how a server would have cut the original: where it would have cut it otherwise, the query fails or
answers otherwise, and never does more than the guard read. The spelling:

* no comments: one is a space, as all that stands between two tokens;
* no space where the source has none, unless the neighbours could be read as one: two operators,
  two words. ``count(*)`` is another thing than ``count (*)`` to the server, and a column without
  an alias is named after its text;
* a dot stands right between its names;
* a string stands in single quotes, with each quote and each backslash twice. So it ends at the
  same quote whether the mode NO_BACKSLASH_ESCAPES is set or not; were it set, which no session of
  ours has, the value alone would differ;
* a quoted name stands in backquotes, each backquote in it twice;
* a word has letters and digits of the first plane of Unicode, ``_`` and ``$``, and begins with a
  letter or ``_``.

What is not clear is refused: control characters outside of strings, odd spaces, numbers with a
letter right behind, character sets before strings, strings side by side, placeholders, braces.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from sqlverdict.execute.attempt import write_blocked
from sqlverdict.execute.lexemes import Lex, Lexeme
from sqlverdict.records import Failure, Reason

_IN_NAME: Final = r"[^`\x00\U00010000-\U0010ffff]"
_TOKEN: Final = re.compile(
    r"(?P<gap>(?:[ \t\n\r]+|\#[^\n\x00]*|--(?=[\x00-\x20\x7f]|\Z)[^\n\x00]*"
    r"|/\*(?!M?!).*?\*/)+)"
    r"|(?P<bits>(?:[xX]'(?:[0-9a-fA-F]{2})*'|[bB]'[01]*'|0x[0-9a-fA-F]+|0b[01]+)(?![\w$'\"`]))"
    r"|(?P<word>[^\W\d][\w$]*)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w$.\x80-\U0010ffff]))"
    r"|(?P<symbol>->>?|<=>|<=|>=|<>|!=|<<|>>|\|\||&&|[-+*%=<>!~^&|(),.;]|/(?!\*))"
    r"|(?P<string>'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'(?!')"
    r"|\"[^\"\\]*(?:(?:\\.|\"\")[^\"\\]*)*\"(?!\"))"
    rf"|(?P<name>`(?:{_IN_NAME}|``)+`(?!`))"
    r"|(?P<other>/\*M?!?|.)",
    re.DOTALL,
)
_HINT: Final = re.compile(r"set_var|max_execution_time|resource_group", re.I)
_IN_STRING: Final = {quote: re.compile(rf"\\(.)|{quote}{quote}", re.DOTALL) for quote in ("'", '"')}
_ESCAPES: Final = {
    "0": "\0",
    "b": "\b",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "Z": "\x1a",
    # These two keep their backslash: LIKE reads it.
    "%": "\\%",
    "_": "\\_",
}
_KINDS: Final = {
    "word": Lex.WORD,
    "bits": Lex.NUMBER,
    "number": Lex.NUMBER,
    "string": Lex.STRING,
    "name": Lex.NAME,
    "symbol": Lex.SYMBOL,
}
_WORD, _STRING, _SYMBOL = Lex.WORD, Lex.STRING, Lex.SYMBOL
_NAMES: Final = (Lex.WORD, Lex.NAME)
_SINGLE: Final = frozenset("(),.;")
"""No server reads one of these together with its neighbour."""
_PREFIXES: Final = frozenset("nNxXbB")
_WHY: Final = {
    "'": "a string that does not end",
    '"': "a string that does not end",
    "`": "a quoted name that does not end, or cannot be one",
    "/*": "a comment that does not end",
}


LONGEST_IN_CACHE: Final = 10_000
"""Characters of a text that is remembered; longer ones would fill the memory."""


class Spelling(NamedTuple):
    """A text as it is sent, and its tokens with their places in it; there are no gaps."""

    text: str
    parts: tuple[Lexeme, ...]


def spelling_of(sql: str) -> Spelling | Failure:
    """Write a text anew from its tokens, without semicolons at its end; or why that is refused."""
    return _spelling_once(sql) if len(sql) <= LONGEST_IN_CACHE else _spelling(sql)


def _spelling(sql: str) -> Spelling | Failure:
    pieces: list[str] = []
    parts: list[Lexeme] = []
    at = 0
    has_gap = False
    before_kind, before = Lex.SYMBOL, "("
    for match in _TOKEN.finditer(sql):
        group = match.lastgroup or ""
        text = match[0]
        kind = _KINDS.get(group)
        if kind is None:
            reply = _outside(group, text)
            if reply is not None:
                return reply
            has_gap = True
            continue
        if kind is _STRING:
            text = _string(text)
        if (
            before == "."
            or text[0] == "."
            or kind is _STRING
            or group == "bits"
            or (kind is _WORD and not text.isascii())
        ):
            reply = _odd_pair(before_kind, before, group, text, has_gap)
            if reply is not None:
                return reply
        if text == "." or before == ".":
            is_apart = False
        elif has_gap:
            is_apart = bool(pieces)
        elif text in _SINGLE or before in _SINGLE:
            is_apart = False
        else:
            is_apart = (before_kind is _SYMBOL) is (kind is _SYMBOL)
        if is_apart:
            pieces.append(" ")
            at += 1
        pieces.append(text)
        parts.append(Lexeme(kind, text, at))
        at += len(text)
        before_kind, before, has_gap = kind, text, False
    while parts and parts[-1].text == ";":
        parts.pop()
    text = "".join(pieces)[: parts[-1].end if parts else 0]
    try:
        text.encode()
    except UnicodeError:
        return Failure(Reason.PARSE_ERROR, "the SQL text cannot be sent: it is not valid Unicode")
    return Spelling(text, tuple(parts))


_spelling_once = lru_cache(maxsize=64)(_spelling)
"""A query is looked at several times before it is sent."""


def _outside(group: str, text: str) -> Failure | None:
    """Why what is no token is refused; ``None`` for spaces and comments."""
    if group == "gap":
        if "/*+" in text and _HINT.search(text):
            return write_blocked("a hint that changes settings")
        return None
    if text.endswith("!"):
        return write_blocked("code in a comment (/*! ... */)")
    if text == "@":
        return write_blocked("variables (@)")
    return _unclear(text)


def _odd_pair(
    before_kind: Lex, before: str, group: str, text: str, has_gap: bool
) -> Failure | None:
    """Why a token may not stand where it does."""
    if group == "symbol":
        if text == "." and before_kind not in _NAMES:
            return _unclear(text)
        return _unclear(f".{text}") if before == "." and text != "*" else None
    if before == "." and group not in ("word", "name"):
        return _unclear(f".{text}")
    if group in ("string", "bits"):
        if before_kind is Lex.STRING and group == "string":
            return Failure(Reason.UNSUPPORTED_FEATURE, "two strings side by side; use CONCAT")
        if before_kind is Lex.WORD and (before[0] == "_" or (not has_gap and before in _PREFIXES)):
            message = f"a character set before a string: {before[:40]}"
            return Failure(Reason.UNSUPPORTED_FEATURE, message)
    if group == "number" and text[0] == "." and not has_gap and before_kind in _NAMES:
        return _unclear(text)
    return _unclear(text) if group == "word" and max(text) >= "\U00010000" else None


def _string(text: str) -> str:
    """A string as it is sent."""
    quote, body = text[0], text[1:-1]
    if quote == "'" and "\\" not in body and "\0" not in body:
        return text
    body = _IN_STRING[quote].sub(
        lambda match: quote if match[1] is None else _ESCAPES.get(match[1], match[1]), body
    )
    return "'" + body.replace("\\", "\\\\").replace("'", "''").replace("\0", "\\0") + "'"


def _unclear(text: str) -> Failure:
    why = _WHY.get(text)
    if why is None:
        why = f"it is not clear what the server would take it for: {text[:40]!r}"
    return Failure(Reason.PARSE_ERROR, why)
