"""Makes text from outside harmless before a model reads it.

Questions, queries, schemas, cells and a model's own earlier replies may hold anything: a
verdict in a comment, an instruction in a string, a fence that pretends to end ours, a chat
template's control token. Four measures, none of which changes what a query means:

* **Every line is marked.** :func:`quote` puts ``> `` before each line, and no character that
  anything takes for a line end is left inside one. So no text can leave its place: there is
  no closing delimiter to forge. The prompt says what the mark means, and the reader of
  replies skips marked lines, so a model that repeats its prompt says nothing.
* **Nothing can be taken for our syntax.** Braces become ``⦃`` and ``⦄`` (so no text holds a
  JSON object), runs of backticks and tildes lose their meaning, control tokens such as
  ``<|im_end|>`` and tags such as ``</think>`` are split.
* **Nothing is invisible.** Control characters, zero-width characters, text direction marks,
  tag characters and half surrogates are written as escapes.
* **Comments of queries are left out** (:func:`quote_sql`): they change no answer, so they can
  only talk to the judge. Very long strings are shortened and say so.

:func:`neutralise` is idempotent: a text that was made harmless stays as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.parse.tokens import Kind, tokens

MARK = "> "
"""Begins every line that comes from outside."""
LONGEST_STRING = 200
"""A query's string with more characters is shortened."""
LONGEST_SQL = 20_000
LONGEST_TEXT = 200_000

# SQLite's; to it other spaces of Unicode are letters.
_SPACES = " \t\n\f\r\ufeff"
_LINE_END = re.compile(r"\r\n|\r")
_FENCE = re.compile(r"`{3,}|~{3,}")
_FENCE_AS = {"`": "\u02cb", "~": "\u02dc"}
# What chat templates use for control, plain or with a full-width bar, and anything like a tag.
_CONTROL = re.compile(r"<(?=[|\uff5c])|[|\uff5c](?=>)|<(?=/?[A-Za-z_][\w:-]*/?>)|\[(?=/?INST\])")


def neutralise(text: str) -> str:
    """The text with nothing in it that could be taken for our syntax, or not be seen."""
    text = _LINE_END.sub("\n", text).replace("{", "⦃").replace("}", "⦄")
    text = _visible(text)
    # Most texts hold nothing of the kind, and looking for a part of it is much faster.
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(lambda match: _FENCE_AS[match[0][0]] * len(match[0]), text)
    if any(part in text for part in ("<", "|>", "\uff5c>", "INST]")):
        text = _CONTROL.sub(lambda match: f"{match[0]} ", text)
    return text


def quote(text: str, longest: int = LONGEST_TEXT) -> str:
    """The text, clean, with every line marked; empty text stays empty."""
    cleaned = neutralise(shorten(text, longest)).strip("\n")
    if not cleaned.strip():
        return ""
    return "\n".join(f"{MARK}{line}".rstrip() for line in cleaned.split("\n"))


def quote_sql(sql: str, dialect: str = DEFAULT_DIALECT) -> str:
    """A query, quoted, without its comments and with long strings shortened."""
    if dialect_of(dialect).plain_tokens:
        # Nobody writes so long a query: not even its comments are worth looking for.
        sql = bare_sql(shorten(sql, 2 * LONGEST_SQL))
    return quote(sql, LONGEST_SQL)


@lru_cache(maxsize=128)  # A brief is fitted and then written, for each judge, sample and turn.
def bare_sql(sql: str) -> str:
    """A query of SQLite without comments; long strings and quoted names are shortened."""
    parts: list[str] = []
    for kind, text in tokens(sql):
        if kind is Kind.SPACE and "\n" in text:
            # A line that held only a comment leaves no empty line behind.
            parts = _without_blanks(parts)
            text = "\n" + text.rpartition("\n")[2]
        if kind is Kind.COMMENT:
            text = " "
        elif kind in (Kind.STRING, Kind.QUOTED) and len(text) > LONGEST_STRING + 2:
            text = f"{shorten(text[:-1], LONGEST_STRING)}{text[-1]}"
        if parts or kind not in (Kind.SPACE, Kind.COMMENT):
            parts.append(text)
    return "".join(_without_blanks(parts))


def _without_blanks(parts: list[str]) -> list[str]:
    while parts and not parts[-1].strip(_SPACES):
        parts.pop()
    return parts


def shorten(text: str, longest: int) -> str:
    """The text with its middle left out where it is too long; says how long it was."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} [... {len(text)} characters in all ...] {text[-half:]}"


def _visible(text: str) -> str:
    # Most texts hold nothing odd, and asking for a whole text is a hundred times faster.
    if text.replace("\t", " ").replace("\n", " ").isprintable():
        return text
    odd = (each for each in set(text) if not each.isprintable() and each not in "\t\n")
    return text.translate({ord(each): _escape(ord(each)) for each in odd})


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
