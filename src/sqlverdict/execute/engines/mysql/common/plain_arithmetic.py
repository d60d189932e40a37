"""Arithmetic in one form, among the lexemes of a query of MySQL.

* ``100.0 * x`` is ``x * 100.0`` where x is a column or a call;
* ``x / NULLIF(COUNT(v), 0)`` is ``x / COUNT(v)``, and so it is with SUM: a division by zero gives
  NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlverdict.execute.lexemes import Lex, Lexeme
from sqlverdict.parse.tokens import word_set

_BEFORE: Final = frozenset({"(", ",", "+"}) | word_set(
    "select distinct where having on and or when then else by"
)
"""What may stand before a product: it binds looser."""
_BEHIND: Final = frozenset({")", ",", "*", "/", "+", "-", "=", "<", ">"}) | word_set(
    "from as and or when then else end where having group order limit asc desc between in is union"
)
"""What may stand behind a product: it binds no tighter."""
_ENDS: Final = word_set("having order limit union intersect except window")
_AGGREGATES: Final = word_set("count sum")


def unify_arithmetic(lexemes: Sequence[Lexeme]) -> list[Lexeme]:
    """The lexemes with each product and quotient in one form."""
    plain = _without_guards(lexemes)
    if not _sees_words(plain):
        _put_numbers_last(plain)
    return plain


def _without_guards(lexemes: Sequence[Lexeme]) -> list[Lexeme]:
    idle: set[int] = set()
    for at in range(len(lexemes)):
        if word_at(lexemes, at) != "/" or word_at(lexemes, at + 1) != "nullif":
            continue
        end = end_of_call(lexemes, at + 1)
        is_aggregate = word_at(lexemes, at + 3) in _AGGREGATES
        inner = end_of_call(lexemes, at + 3) if is_aggregate else None
        if end is None or inner is None or end != inner + 3 or lexemes[inner + 2].text != "0":
            continue
        if not _ends_there(lexemes, end + 1):
            continue
        if word_at(lexemes, at + 2) == "(" and word_at(lexemes, inner + 1) == ",":
            idle |= {at + 1, at + 2, inner + 1, inner + 2, end}
    return [part for at, part in enumerate(lexemes) if at not in idle]


def _sees_words(lexemes: Sequence[Lexeme]) -> bool:
    """Whether a server may look for a product by its words: behind GROUP BY, or with DISTINCT."""
    words = [word_at(lexemes, at) for at in range(len(lexemes))]
    if "distinct" in words and "order" in words:
        return True
    for at, word in enumerate(words):
        if word == "group":
            behind = words[at:]
            end = next((n for n, each in enumerate(behind) if each in _ENDS), len(behind))
            if "*" in behind[:end]:
                return True
    return False


def _put_numbers_last(lexemes: list[Lexeme]) -> None:
    for at in range(len(lexemes) - 2):
        is_product = lexemes[at].kind is Lex.NUMBER and word_at(lexemes, at + 1) == "*"
        if is_product and word_at(lexemes, at - 1) in _BEFORE:
            end = _end_of_operand(lexemes, at + 2)
            if end is not None and _ends_there(lexemes, end):
                lexemes[at:end] = [*lexemes[at + 2 : end], lexemes[at + 1], lexemes[at]]


def _ends_there(lexemes: Sequence[Lexeme], end: int) -> bool:
    """Whether nothing there binds tighter: a text makes a date of the word DATE before it."""
    if end >= len(lexemes):
        return True
    is_arrow = word_at(lexemes, end) == "-" and word_at(lexemes, end + 1) == ">"
    return word_at(lexemes, end) in _BEHIND and not is_arrow


def _end_of_operand(lexemes: Sequence[Lexeme], at: int) -> int | None:
    """Behind a column or a call that begins at a place."""
    if at >= len(lexemes) or lexemes[at].kind not in (Lex.WORD, Lex.NAME):
        return None
    if word_at(lexemes, at + 1) == "(":
        end = end_of_call(lexemes, at)
        return end + 1 if end is not None else None
    if word_at(lexemes, at) in ("case", "interval", "not", "exists", "binary"):
        return None
    end = at + 1
    while word_at(lexemes, end) == "." and end + 1 < len(lexemes):
        end += 2
    return end


def end_of_call(lexemes: Sequence[Lexeme], at: int) -> int | None:
    """Where the parenthesis behind a name is closed."""
    depth = 0
    for end in range(at + 1, len(lexemes)):
        depth += (word_at(lexemes, end) == "(") - (word_at(lexemes, end) == ")")
        if not depth:
            return end if end > at + 1 else None
    return None


def word_at(lexemes: Sequence[Lexeme], at: int) -> str:
    """A word in lower case or a symbol; "" for anything else, and beyond the ends."""
    part = lexemes[at] if 0 <= at < len(lexemes) else None
    return part.text.lower() if part is not None and part.kind in (Lex.WORD, Lex.SYMBOL) else ""
