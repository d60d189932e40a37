"""``FROM a, b ON ...`` as ``FROM a JOIN b ON ...``: SQLite takes both, sqlglot the second.

To SQLite a comma between tables is an inner join of the same precedence as JOIN, and it may have
an ON. Only texts that sqlglot cannot read otherwise are written so.
"""

from __future__ import annotations

from sqlverdict.parse.tokens import Kind, kind, pieces, word_set

_ENDS = word_set("where group having order limit window union intersect except select values")
_BEFORE_TABLES = word_set("from join , (")


def joined_by_words(sql: str) -> str:
    """The text with JOIN in place of the commas between tables."""
    parts = pieces(sql)
    levels = [False]
    before = ""
    for at, part in enumerate(parts):
        if kind(part) in (Kind.SPACE, Kind.COMMENT):
            continue
        word = part.lower()
        if part == "(":
            # A parenthesis among tables holds tables, unless it belongs to a function.
            levels.append(levels[-1] and before in _BEFORE_TABLES)
        elif part == ")":
            if len(levels) > 1:
                levels.pop()
        elif word == "from":
            levels[-1] = True
        elif word in _ENDS:
            levels[-1] = False
        elif part == "," and levels[-1]:
            parts[at] = " JOIN "
        before = word
    return "".join(parts)
