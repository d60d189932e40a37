"""A small, fast lexer for SQLite's SQL, and what can be said from tokens alone.

It accepts every text: an unterminated string, quoted name or block comment runs to the end
of the text, an illegal character is an operator of its own. The pieces always join back to
the text they came from, and the time is linear in its length.

Words follow SQLite's rules: letters, ``_``, digits, ``$`` and every character above
U+007F, the non-breaking space included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of


class Kind(StrEnum):
    """What a token is."""

    WORD = "word"
    QUOTED = "quoted"
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    OPERATOR = "operator"
    COMMENT = "comment"
    SPACE = "space"


class Token(NamedTuple):
    """One token and its text, verbatim."""

    kind: Kind
    text: str


# The set of what a word does not contain: one that names all characters above U+007F takes
# milliseconds to compile, whenever the program starts.
_IN_WORD = r"[^\x00-#%-/:-@\[-^`{-\x7f]"

# Words first: most tokens are words. A quote that is never closed runs to the end (\Z),
# so no alternative can backtrack.
_BODY = (
    rf"[A-WYZa-wyz_]{_IN_WORD}*"
    r"|[(),;=]|\.(?![0-9])"
    r"|0[xX][0-9A-Fa-f]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|'[^']*(?:''[^']*)*(?:'|\Z)"
    r'|"[^"]*(?:""[^"]*)*(?:"|\Z)'
    r"|`[^`]*(?:``[^`]*)*(?:`|\Z)"
    r"|\[[^\]]*(?:\]|\Z)"
    rf"|[xX](?:'[^']*(?:'|\Z)|{_IN_WORD}*)"
    r"|--[^\n]*"
    r"|/\*(?s:.*?)(?:\*/|\Z)"
    r"|->>|->|<=|>=|<>|<<|>>|!=|\|\|"
    rf"|[?:@$#]{_IN_WORD}*"
    rf"|(?!\ufeff)[^\x00-\x7f]{_IN_WORD}*"
)
_SPACES = r" \t\n\f\r\ufeff"
_PIECES = re.compile(rf"{_BODY}|[{_SPACES}]+|(?s:.)")
_SOLID = re.compile(rf"{_BODY}|[^{_SPACES}]")

# None: the first character does not decide. Characters above U+007F start a word.
_KINDS: dict[str, Kind | None] = {
    **{chr(code): Kind.OPERATOR for code in range(128)},
    **dict.fromkeys(" \t\n\f\r\ufeff", Kind.SPACE),
    **dict.fromkeys("abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ_", Kind.WORD),
    **dict.fromkeys("0123456789", Kind.NUMBER),
    **dict.fromkeys("?:@$#", Kind.PARAMETER),
    **dict.fromkeys('"`[', Kind.QUOTED),
    **dict.fromkeys("xX.-/"),
    "'": Kind.STRING,
}
_SPACES_AND_COMMENTS = (Kind.SPACE, Kind.COMMENT)
_JOINING = frozenset("(),;")


def word_set(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())


def pieces(sql: str) -> list[str]:
    """The text cut into tokens, nothing left out; ``"".join(pieces(sql)) == sql``."""
    return _PIECES.findall(sql)


def kind(piece: str) -> Kind:
    """What one of :func:`pieces` is."""
    kind_of_first = _KINDS.get(piece[0], Kind.WORD)
    if kind_of_first is not None:
        return kind_of_first
    if piece[0] == ".":
        return Kind.NUMBER if len(piece) > 1 else Kind.OPERATOR
    if piece[0] in "xX":
        return Kind.STRING if piece[1:2] == "'" else Kind.WORD
    return Kind.COMMENT if piece.startswith(("--", "/*")) else Kind.OPERATOR


def tokens(sql: str) -> Iterator[Token]:
    """Every token of the text with its kind, spaces and comments included."""
    for piece in _PIECES.findall(sql):
        yield Token(kind(piece), piece)


def solid(sql: str) -> list[str]:
    """The text's tokens without spaces and comments."""
    words: list[str] = _SOLID.findall(sql)
    if "--" in sql or "/*" in sql:
        words = [piece for piece in words if not piece.startswith(("--", "/*"))]
    return words


def fold(word: str) -> str:
    """Lower case as SQLite folds names: ASCII letters only."""
    return word.lower() if word.isascii() else re.sub("[A-Z]+", lambda m: m[0].lower(), word)


def has_word(sql: str, word: str) -> bool:
    """Whether a bare word occurs outside strings, quoted names and comments."""
    folded = fold(word)
    if folded not in sql.lower():
        return False
    # A quoted token keeps its quotes, so it never equals a word.
    return folded in map(str.lower, solid(sql))


def statements(sql: str) -> list[str]:
    """The statements of the text, verbatim, without their semicolons.

    Stretches of nothing but spaces and comments are no statements.
    """
    if ";" not in sql:
        return [sql] if solid(sql) else []
    texts: list[str] = []
    current: list[str] = []
    empty = True
    for piece in [*pieces(sql), ";"]:
        if piece == ";":
            if not empty:
                texts.append("".join(current))
            current, empty = [], True
            continue
        current.append(piece)
        empty = empty and kind(piece) in _SPACES_AND_COMMENTS
    return texts


def statement_count(sql: str) -> int:
    """How many statements the text holds."""
    return len(statements(sql))


def first_statement(sql: str) -> str:
    """The first statement, verbatim, without its semicolon; empty if there is none."""
    return next(iter(statements(sql)), "")


def without_distinct(sql: str) -> str:
    """The first statement without any bare word DISTINCT, all else verbatim.

    This is what Spider's script does to both queries before it runs them, so
    ``count(DISTINCT a)`` loses its word too. Spaces stay where they were.
    """
    if ";" in sql:
        sql = first_statement(sql)
    if "distinct" not in sql.lower():
        return sql
    return "".join(piece for piece in pieces(sql) if piece.lower() != "distinct")


def normalised(sql: str) -> str:
    """One spelling for texts that differ in case, spaces, comments or a final semicolon.

    Nothing inside quotes changes. Words are apart by one space; punctuation stands
    without spaces, except where joining two tokens would make another token.
    """
    words = solid(sql)
    while words and words[-1] == ";":
        words.pop()
    parts: list[str] = []
    before = Kind.SPACE
    for piece in words:
        what = Kind.SPACE if piece in _JOINING else kind(piece)
        if what is not Kind.SPACE and before is not Kind.SPACE:
            # Two symbols could make another symbol ("- -1" is no comment), two words
            # another word, and "1 ." another number; a symbol beside a word cannot.
            symbols = (what is Kind.OPERATOR) + (before is Kind.OPERATOR)
            dotted = symbols == 1 and "." in (piece, parts[-1])
            if symbols != 1 or (dotted and Kind.NUMBER in (what, before)):
                parts.append(" ")
        parts.append(fold(piece) if what is Kind.WORD or what is Kind.NUMBER else piece)
        before = what
    return "".join(parts)


def leading_keyword(sql: str) -> str:
    """The first word, in upper case, after spaces, comments and opening parentheses.

    Empty where the text begins with something else.
    """
    for match in _PIECES.finditer(sql):
        piece = match[0]
        what = kind(piece)
        if what is Kind.WORD:
            return piece.upper()
        if what not in _SPACES_AND_COMMENTS and piece != "(":
            return ""
    return ""


def same_text(one: str, other: str, dialect: str = DEFAULT_DIALECT) -> bool:
    """Whether two queries are the same text, up to what no engine of the dialect looks at.

    In SQLite that is spacing, comments and the case of words. In other dialects a comment may be
    executed and names may keep their case: there it is space around the text and a last semicolon.
    """
    if not dialect_of(dialect).plain_tokens:
        return one.strip().rstrip("; \n") == other.strip().rstrip("; \n")
    letters = ["".join(sql.lower().split()).rstrip(";") for sql in (one, other)]
    has_comment = any(sign in sql for sql in (one, other) for sign in ("--", "/*"))
    # Most texts differ at first sight; to read them as tokens takes longer.
    return (has_comment or letters[0] == letters[1]) and normalised(one) == normalised(other)
