"""A query without the one around it that passes all its rows and columns on.

``WITH t(a, b) AS (q) SELECT * FROM t`` is q, lexeme by lexeme, whatever q is made of: so two such
texts are one query, though nothing in them is understood. The rows of q come in no order of its
own: MariaDB drops an ORDER BY inside. Nor may the server choose in q what it shows, which it might
choose otherwise where it stores the rows first: q has no LIMIT, and does not fold rows itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from sqlverdict.execute.lexemes import Lex, Lexeme, solid_lexemes
from sqlverdict.parse.tokens import word_set

_CHOOSING: Final = word_set(
    "order limit fetch offset group distinct distinctrow union except intersect into for lock "
    "procedure values returning straight_join sql_calc_found_rows high_priority"
)
"""What a query that is passed on does not have, outside of its parentheses."""
_CUTTING: Final = word_set("limit fetch rownum")
"""What it has nowhere."""


def plain_text(sql: str) -> str | None:
    """The text in single spaces, without a query around it that only passes its rows on."""
    if "\\" in sql or "/*" in sql or "--" in sql or "#" in sql:
        return None
    parts = solid_lexemes(sql.strip().rstrip(";"), "mysql")
    return _text(_inner_query(parts) or parts)


def _text(parts: Sequence[Lexeme]) -> str:
    """The lexemes with single spaces where there are any: ``COUNT (*)`` is no ``COUNT(*)``."""
    text, end = "", None
    for part in parts:
        text += f" {part.text}" if end is not None and part.start > end else part.text
        end = part.end
    return text


def _inner_query(parts: Sequence[Lexeme]) -> list[Lexeme] | None:
    """The query inside, where the one around it is ``WITH t(...) AS (...) SELECT * FROM t``."""
    words = [part.text.lower() if part.kind in (Lex.WORD, Lex.SYMBOL) else "" for part in parts]
    if words[:1] != ["with"] or words[2:3] != ["("] or words[-4:-1] != ["select", "*", "from"]:
        return None
    names = _end_of_parenthesis(words, 2)
    start = names + 2
    if (
        words[names + 1 : start + 1] != ["as", "("]
        or _end_of_parenthesis(words, start) != len(parts) - 5
    ):
        return None
    columns = [part.name.lower() for part in parts[3:names:2]]
    if parts[1].text != parts[-1].text or len(set(columns)) != len(columns):
        return None
    if not all(words[at] == "," for at in range(4, names, 2)):
        return None
    inner = list(parts[start + 1 : len(parts) - 5])
    return inner if _width(words[start + 1 : len(parts) - 5]) == len(columns) else None


def _end_of_parenthesis(words: Sequence[str], start: int) -> int:
    """Where a parenthesis is closed; -1 where it is not."""
    depth = 0
    for at in range(start, len(words)):
        depth += (words[at] == "(") - (words[at] == ")")
        if not depth:
            return at
    return -1


def _width(words: Sequence[str]) -> int | None:
    """How many columns a query shows that leaves nothing to choose; ``None`` for any other."""
    if set(words) & _CUTTING:
        return None
    outer, depth = [], 0
    for word in words:
        depth -= word == ")"
        if not depth:
            outer.append(word)
        depth += word == "("
    begins = [at for at, word in enumerate(outer) if word == "select"]
    if depth or len(begins) != 1 or set(outer) & _CHOOSING:
        return None
    outputs = outer[begins[0] + 1 :]
    outputs = outputs[: outputs.index("from")] if "from" in outputs else outputs
    if outputs[:1] == ["all"] or any(
        word == "*" and before in ("", ",", ".") for before, word in pairwise(["", *outputs])
    ):
        return None
    return outputs.count(",") + 1
