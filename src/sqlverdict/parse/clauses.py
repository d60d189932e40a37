"""The outer SELECT of a SQLite statement, cut into the texts of its clauses.

A probe must run exactly what the author wrote, so it is put together from verbatim text:
a tree printed back changes type names, quotes and functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sqlverdict.parse.tokens import Kind, kind, pieces

_SET_OPERATIONS = ("union", "intersect", "except")
_AFTER_PROJECTIONS = ("from", "where", "group", "having", "order", "limit", *_SET_OPERATIONS)


@dataclass(frozen=True)
class Clauses:
    """The outer SELECT in pieces.

    Attributes:
        head: WITH and SELECT up to the end of the output columns.
        columns: The text of each output column, alias included.
        body: From FROM to the end, without ORDER BY and LIMIT.
        order: ORDER BY with its keys, or empty.
        keys: The text of each sort key, without its direction.
        limited: Whether a LIMIT was cut off.
        distinct: SELECT DISTINCT.
        compound: A set operation; ``columns`` are those of its first SELECT.
    """

    head: str
    columns: tuple[str, ...]
    body: str
    order: str
    keys: tuple[str, ...]
    limited: bool
    distinct: bool
    compound: bool


@lru_cache(maxsize=1_024)
def outer_clauses(sql: str) -> Clauses | None:
    """Cut one SELECT statement into its clauses; None for VALUES and for anything odd.

    Comments are dropped.
    """
    parts = [" " if kind(piece) is Kind.COMMENT else piece for piece in pieces(sql)]
    while parts and (parts[-1] == ";" or kind(parts[-1]) is Kind.SPACE):
        parts.pop()
    # The words outside of all parentheses, with their positions among the parts.
    outside: list[tuple[str, int]] = []
    depth = 0
    for position, part in enumerate(parts):
        if part == "(":
            depth += 1
        elif part == ")":
            depth -= 1
        if kind(part) is not Kind.SPACE:
            outside.append((part.lower() if not depth else "(", position))
    words = [word for word, _ in outside]
    if depth or words[:1] not in (["select"], ["with"]) or "select" not in words:
        return None

    select = words.index("select")
    quantified = words[select + 1 : select + 2] in (["distinct"], ["all"])
    first = select + 1 + quantified
    end = next((at for at in range(first, len(words)) if _ends_projections(words, at)), len(words))
    order = next((at for at in range(end, len(words)) if _is_order_by(words, at)), len(words))
    limit = next((at for at in range(end, len(words)) if words[at] == "limit"), len(words))

    def text(start: int, stop: int) -> str:
        until = outside[stop][1] if stop < len(outside) else len(parts)
        return "".join(parts[outside[start][1] : until]).strip() if start < stop else ""

    def split(start: int, stop: int) -> tuple[str, ...]:
        texts = []
        for at in range(start, stop):
            if words[at] == ",":
                texts.append(text(start, at))
                start = at + 1
        return (*texts, text(start, stop))

    stop = min(order, limit)
    return Clauses(
        head=text(0, end),
        columns=split(first, end),
        body=text(end, stop),
        order=text(order, limit),
        keys=tuple(map(_undirected, split(order + 2, limit))) if order < limit else (),
        limited=limit < len(words),
        distinct=words[select + 1 : select + 2] == ["distinct"],
        compound=any(word in _SET_OPERATIONS for word in words),
    )


def _ends_projections(words: list[str], at: int) -> bool:
    if words[at] not in _AFTER_PROJECTIONS:
        return False
    # a IS [NOT] DISTINCT FROM b
    return not (words[at] == "from" and words[at - 1] == "distinct")


def _is_order_by(words: list[str], at: int) -> bool:
    return words[at] == "order" and words[at + 1 : at + 2] == ["by"]


def _undirected(key: str) -> str:
    """A sort key without ASC, DESC and NULLS FIRST or LAST."""
    parts = pieces(key)

    def strip() -> list[str]:
        while parts and kind(parts[-1]) is Kind.SPACE:
            parts.pop()
        return [part.lower() for part in parts if kind(part) is not Kind.SPACE]

    words = strip()
    if words[-2:] in (["nulls", "first"], ["nulls", "last"]) and len(words) > 2:
        parts.pop()
        strip()
        parts.pop()
        words = strip()
    if words[-1:] in (["asc"], ["desc"]) and len(words) > 1:
        parts.pop()
        strip()
    return "".join(parts)
