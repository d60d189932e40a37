"""Whether an engine reads a text that our parser reads.

Our parser takes words of all dialects in each of them: ``a <=> b``, ``IFNULL(a, 0)``, a JOIN
without ON. A proof about a text that its engine refuses says nothing. So a text is looked at for
what the record of its dialect calls foreign, and the engine's own parser reads it, where that is at
hand without a database.
"""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from sqlverdict.dialects import dialect_of
from sqlverdict.execute.common_text import grammar_error, is_same_query
from sqlverdict.parse.query import parse
from sqlverdict.parse.tokens import Kind, kind, pieces
from sqlverdict.records import Query


@lru_cache(maxsize=1_024)
def foreign(sql: str, dialect: str) -> str | None:
    """What an engine of the dialect does not read in a query; ``None`` where nothing is found."""
    record = dialect_of(dialect)
    pattern = record.foreign_text
    odd = pattern.search(_skeleton(sql)) if pattern is not None else None
    if odd is not None:
        return f"{record.title} does not read {odd.group().strip()!r}"
    if not record.bare_derived and _has_bare_derived(sql, dialect):
        return f"{record.title} does not read a derived table without an alias"
    error = grammar_error(sql, dialect)
    return f"{record.title} does not read it: {error}" if error is not None else None


def _has_bare_derived(sql: str, dialect: str) -> bool:
    """Whether a query in FROM has no name."""
    query = parse(sql, dialect)
    return isinstance(query, Query) and any(
        isinstance(node.parent, exp.From | exp.Join)
        and isinstance(node.this, exp.Query)
        and not node.alias
        for node in query.tree.find_all(exp.Subquery)
    )


def same_to_engine(one: str, other: str, dialect: str) -> bool:
    """Whether two texts say the same to the parser of their engine, and it has all their words."""
    return is_same_query(one, other, dialect) and foreign(one, dialect) is None


def _skeleton(sql: str) -> str:
    """The text in small letters, with single spaces and empty strings."""
    parts = []
    for piece in pieces(sql):
        match kind(piece):
            case Kind.SPACE | Kind.COMMENT:
                parts.append(" ")
            case Kind.STRING:
                parts.append("''")
            case Kind.QUOTED:
                parts.append(f"{piece[0]}x{piece[0]}")
            case _:
                parts.append(piece.lower())
    return " ".join("".join(parts).split())
