"""A query laid out in lines, token by token, with the tokens marked that another one lacks.

Only spaces, the letter case of keywords and a last semicolon change, so that both queries of a pair
look alike, whoever wrote them, and say what they said.
"""

from __future__ import annotations

import msgspec

from sqlverdict.parse.tokens import Kind, tokens, word_set

LONGEST = 8_000
"""Longer texts are shown as they are, up to this many characters."""

MOST_COMPARED = 1_000
"""Queries of more tokens are not compared."""

_BREAKS = word_set(
    "SELECT FROM WHERE GROUP HAVING ORDER LIMIT UNION INTERSECT EXCEPT WINDOW VALUES"
)
_JOINS = word_set("JOIN INNER LEFT RIGHT FULL CROSS NATURAL")
KEYWORDS = (
    _BREAKS
    | _JOINS
    | word_set(
        "AND OR NOT IN IS NULL AS ON BY ASC DESC DISTINCT ALL BETWEEN LIKE GLOB EXISTS CASE WHEN "
        "THEN ELSE END OUTER USING WITH RECURSIVE OFFSET OVER PARTITION CAST ILIKE"
    )
)
_TIGHT = (",", ")", ";")
"""No space stands before these."""
_PLAIN = {Kind.WORD: "", Kind.QUOTED: "", Kind.OPERATOR: "", Kind.PARAMETER: ""}


class CodePiece(msgspec.Struct, frozen=True, array_like=True):
    """A piece of a query.

    Attributes:
        text: The text, with the line breaks and spaces before it.
        kind: ``keyword``, ``string``, ``number`` or ``comment``; empty: nothing of these.
        differs: Whether the other query lacks it.
    """

    text: str
    kind: str = ""
    differs: bool = False


def layout_pair(a: str, b: str) -> tuple[list[CodePiece], list[CodePiece]]:
    """Both queries, with what the other lacks marked."""
    left, right = layout(a), layout(b)
    if len(left) + len(right) > MOST_COMPARED:
        return left, right
    words = [[piece.text.strip().lower() for piece in side] for side in (left, right)]
    shared = _shared_positions(words[0], words[1])
    in_left, in_right = {one for one, _ in shared}, {other for _, other in shared}
    return (
        [piece if n in in_left else _marked(piece) for n, piece in enumerate(left)],
        [piece if n in in_right else _marked(piece) for n, piece in enumerate(right)],
    )


def _shared_positions(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """The positions of a longest common subsequence in both."""
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        row, below = lengths[i], lengths[i + 1]
        for j in reversed(range(len(b))):
            row[j] = below[j + 1] + 1 if a[i] == b[j] else max(below[j], row[j + 1])
    positions = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            positions.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return positions


def _marked(piece: CodePiece) -> CodePiece:
    return CodePiece(piece.text, piece.kind, True)


def layout(sql: str) -> list[CodePiece]:
    """A query in lines: one a clause, join and condition, subqueries indented."""
    if len(sql) > LONGEST:
        return [CodePiece(f"{sql[:LONGEST]} … ({len(sql):,} characters)")]
    pieces: list[CodePiece] = []
    lines = _Lines()
    space, previous, between = "", "", False
    every = list(tokens(sql.rstrip().removesuffix(";")))
    for number, (kind, text) in enumerate(every):
        if kind is Kind.SPACE:
            space = space or " "
            continue
        word = text.upper() if kind is Kind.WORD else ""
        keyword = word in KEYWORDS
        if text in _TIGHT or previous == "(":
            space = "" if space == " " else space
        if text == ")":
            space = lines.close() or space
        elif pieces and lines.in_query and _starts_line(word, previous, between):
            space = lines.start("  " if word in ("AND", "OR") else "")
        between = word == "BETWEEN" or (between and word != "AND")
        pieces.append(CodePiece(space + (word if keyword else text), _style(kind, keyword)))
        space = ""
        if text == "(":
            after = (token.text.upper() for token in every[number + 1 :] if token.text.strip())
            space = lines.open(next(after, "") in ("SELECT", "WITH", "VALUES"))
        if kind is Kind.COMMENT and text.startswith("--"):
            space = lines.start("")
        previous = word or text
    return pieces


class _Lines:
    """Where lines start: two spaces further for each query in parentheses."""

    def __init__(self) -> None:
        self._indents = [""]
        self._queries = [True]
        self._line = ""

    @property
    def in_query(self) -> bool:
        """Whether the innermost parenthesis holds a query."""
        return self._queries[-1]

    def start(self, more: str) -> str:
        """A new line, indented as its query is, and some more."""
        self._line = self._indents[-1] + more
        return f"\n{self._line}"

    def open(self, is_query: bool) -> str:
        """What follows a parenthesis: a new line, if a query does."""
        self._indents.append(f"{self._line}  " if is_query else self._indents[-1])
        self._queries.append(is_query)
        return self.start("") if is_query else ""

    def close(self) -> str:
        """What stands before the closing parenthesis: a new line, if a query does."""
        if len(self._queries) == 1:
            return ""
        indent = self._indents.pop().removesuffix("  ")
        if not self._queries.pop():
            return ""
        self._line = indent
        return f"\n{indent}"


def _starts_line(word: str, previous: str, between: bool) -> bool:
    if word in ("AND", "OR"):
        return not between
    if word in _JOINS:
        return previous not in _JOINS and previous != "OUTER"
    return word in _BREAKS and previous not in ("(", "DELETE")


def _style(kind: Kind, keyword: bool) -> str:
    return "keyword" if keyword else _PLAIN.get(kind, kind.value)
