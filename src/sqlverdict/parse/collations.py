"""Which declared columns take different texts for the same: NOCASE and RTRIM."""

from __future__ import annotations

from functools import lru_cache

from sqlverdict.parse.tokens import Kind, fold, kind, pieces
from sqlverdict.records import Cell

_QUOTES = "\"'`[]"
_UPPER_TO_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def collation(sql: str | None, column: str) -> str:
    """The collation of a column in a CREATE TABLE, in capitals; BINARY by default."""
    return _declared(sql or "").get(fold(column), "BINARY")


def alike(cell: Cell, by: str) -> Cell:
    """A value as a collation compares it: two that are equal are the same text."""
    if not isinstance(cell, str):
        return cell
    if by == "NOCASE":
        # ASCII letters only, as SQLite does it.
        return cell.translate(_UPPER_TO_LOWER)
    return cell.rstrip(" ") if by == "RTRIM" else cell


@lru_cache(maxsize=4_096)
def _declared(sql: str) -> dict[str, str]:
    if "collate" not in sql.lower():
        return {}
    collations: dict[str, str] = {}
    words = [part for part in pieces(sql) if kind(part) not in (Kind.SPACE, Kind.COMMENT)]
    depth, column, first = 0, "", False
    for before, part in zip(["", *words], words, strict=False):
        if depth == 1 and first:
            column, first = fold(part.strip(_QUOTES)), False
        depth += (part == "(") - (part == ")")
        if depth == 1 and part in ("(", ","):
            first = True
        if depth == 1 and before.lower() == "collate":
            collations.setdefault(column, part.strip(_QUOTES).upper())
    return collations
