"""The tokens of a text as PostgreSQL, DuckDB or MySQL cuts it, for sandboxes and frozen clocks.

What one engine takes for code, another takes for a string: backslashes escape in MySQL, comments
nest in PostgreSQL, ``/*! ... */`` is code in MySQL, ``$$ ... $$`` is a string in PostgreSQL and
DuckDB. A sandbox that cuts a text in another way than the engine does can be passed by. So where
it is open, more is taken for code: a comment or a string that never ends fails in the engine.

Every text is accepted, and the lexemes join back to it.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, NamedTuple

from sqlverdict.errors import UsageError
from sqlverdict.patterns import late_pattern


class Lex(Enum):
    """What a lexeme is."""

    WORD = "word"
    NAME = "quoted name"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    GAP = "space or comment"


class Lexeme(NamedTuple):
    """One lexeme: what it is, its text, and where it begins."""

    kind: Lex
    text: str
    start: int

    @property
    def name(self) -> str:
        """The name that a word or a quoted name stands for; words are folded to lower case."""
        if self.kind is Lex.WORD:
            return self.text.lower()
        quote = self.text[-1:]
        return self.text[1:-1].replace(quote * 2, quote)

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


# Letters are A to Z, the underscore and all characters above U+007F. The sets name what they leave
# out: one that names all those characters takes milliseconds to compile, at every start.
_LETTER = r"[^\x00-@\[-^`{-\x7f]"
_LETTER_OR_DIGIT = r"[^\x00-/:-@\[-^`{-\x7f]"
_IN_WORD = r"[^\x00-#%-/:-@\[-^`{-\x7f]"
_WORD = rf"(?P<word>{_LETTER}{_IN_WORD}*)"
_NUMBER = r"(?P<number>(?:[0-9][0-9_]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_SYMBOL = r"(?P<symbol>::|\|\||.)"
_ESCAPED = r"'[^'\\]*(?:(?:\\.|'')[^'\\]*)*(?:'|\Z)"
_PLAIN = r"'[^']*(?:''[^']*)*(?:'|\Z)"


def _dollar_pattern(spaces: str, word: str) -> re.Pattern[str]:
    """PostgreSQL and DuckDB, which differ in what is a space: DuckDB takes all that Unicode has."""
    return late_pattern(
        rf"(?P<gap>[{spaces}\ufeff]+|--[^\r\n]*)"
        r"|(?P<comment>/\*)"
        rf"|(?P<string>[eE]{_ESCAPED}|(?:[uU]&|[bBxXnN])?{_PLAIN}"
        rf"|\$(?P<tag>(?:{_LETTER}{_LETTER_OR_DIGIT}*)?)\$.*?(?:\$(?P=tag)\$|\Z))"
        r'|(?P<name>(?:[uU]&)?"[^"]*(?:""[^"]*)*(?:"|\Z))'
        rf"|{word}|{_NUMBER}|{_SYMBOL}",
        re.DOTALL,
    )


_MYSQL = late_pattern(
    r"(?P<gap>[ \t\n\r\f\v\ufeff]+|\#[^\n]*|--(?=[\x00-\x20\x7f]|\Z)[^\n]*"
    r"|/\*M?!\d*|\*/|/\*.*?(?:\*/|\Z))"
    r"|(?P<comment>(?!))"
    rf"|(?P<string>(?:[bBxXnN]|_[a-z0-9]+[ \n\t]*)?{_ESCAPED}"
    rf"|{_ESCAPED.replace(chr(39), chr(34))})"
    r"|(?P<name>`[^`]*(?:``[^`]*)*(?:`|\Z))"
    rf"|{_WORD}|{_NUMBER}|{_SYMBOL}",
    re.DOTALL,
)
_PATTERNS: Final = {
    "postgres": _dollar_pattern(r" \t\n\r\f\v", _WORD),
    "duckdb": _dollar_pattern(r"\s\u200b", r"(?P<word>[^\W\d][\w$]*)"),
    "mysql": _MYSQL,
}
_KINDS: Final = {
    "gap": Lex.GAP,
    "comment": Lex.GAP,
    "string": Lex.STRING,
    "name": Lex.NAME,
    "word": Lex.WORD,
    "number": Lex.NUMBER,
    "symbol": Lex.SYMBOL,
}
_COMMENT = re.compile(r"/\*|\*/")


def lexemes(sql: str, dialect: str) -> list[Lexeme]:
    """Cut a text into lexemes, spaces and comments included.

    Raises:
        UsageError: no lexer is known for the dialect.
    """
    pattern = _PATTERNS.get(dialect)
    if pattern is None:
        known = ", ".join(sorted(_PATTERNS))
        raise UsageError(f"no lexer for the dialect {dialect}; known: {known}")
    parts: list[Lexeme] = []
    start = 0
    while start < len(sql):
        match = pattern.match(sql, start)
        # Every character is a symbol at least.
        assert match is not None
        group = match.lastgroup or "symbol"
        end = _comment_end(sql, match.end()) if group == "comment" else match.end()
        parts.append(Lexeme(_KINDS[group], sql[start:end], start))
        start = end
    return parts


def solid_lexemes(sql: str, dialect: str) -> list[Lexeme]:
    """The lexemes without spaces and comments."""
    return [part for part in lexemes(sql, dialect) if part.kind is not Lex.GAP]


def string_value(part: Lexeme) -> str:
    """What a string says, as far as a plain one does; escapes are left as they are."""
    if part.text.startswith("$"):
        mark = part.text.index("$", 1) + 1
        return part.text[mark:-mark]
    begin = min(part.text.find(quote) % (len(part.text) + 1) for quote in "'\"")
    quote = part.text[begin]
    return part.text[begin + 1 : -1].replace(quote * 2, quote)


def _comment_end(sql: str, inside: int) -> int:
    """Where a comment ends; comments nest."""
    depth = 1
    for mark in _COMMENT.finditer(sql, inside):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return mark.end()
    return len(sql)
