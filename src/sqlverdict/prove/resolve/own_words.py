"""Whether an engine reads a text that our parser reads.

Our parser takes words of all dialects in each of them: ``a <=> b``, ``IFNULL(a, 0)``, a JOIN
without ON, DISTINCT ON, names that a dialect reserves. A proof about a text that
its engine refuses says nothing. So a text is looked at for what the record of its dialect calls
foreign, and the engine's own parser reads it, where that is at hand without a database. So does
what knows its types: a query that always fails because of these is none.
"""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import Dialect, dialect_of
from sqlverdict.execute.common_text import grammar_error, is_same_query, types_of_query
from sqlverdict.parse.grammar import complaint
from sqlverdict.parse.qualified import with_plain_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import Kind, kind, pieces
from sqlverdict.prove.resolve.spellings import is_dual
from sqlverdict.records import ParseFailure, Query


@lru_cache(maxsize=1_024)
def foreign(sql: str, dialect: str) -> str | None:
    """What an engine of the dialect does not read in a query; ``None`` where nothing is found."""
    record = dialect_of(dialect)
    pattern = record.foreign_text
    odd = pattern.search(_skeleton(sql)) if pattern is not None else None
    if odd is not None:
        return f"{record.title} does not read {odd.group().strip()!r}"
    query = parse(sql, dialect)
    odd_part = _foreign_part(query.tree, record) if isinstance(query, Query) else None
    if odd_part is not None:
        return f"{record.title} does not read {odd_part}"
    error = grammar_error(sql, dialect)
    return f"{record.title} does not read it: {error}" if error is not None else None


def failure_of_query(sql: str, dialect: str, schema: Schema) -> str | None:
    """Why a query always fails on these tables; ``None`` where nothing is known of that."""
    if dialect_of(dialect).in_python:
        return complaint(sql, schema)
    return grammar_error(sql, dialect) or _types(sql, dialect, schema)[0]


def unknown_types(sql: str, dialect: str, schema: Schema) -> str | None:
    """What of a query's types is not known, so that it may always fail."""
    return _types(sql, dialect, schema)[1]


def _types(sql: str, dialect: str, schema: Schema) -> tuple[str | None, str | None]:
    if schema.has_labels:
        return None, "the tables have labels for types"
    query = with_plain_names(parse(sql, dialect), schema)
    if isinstance(query, ParseFailure):
        return None, query.message
    return types_of_query(query.sql, dialect, schema)


def _foreign_part(tree: Expr, record: Dialect) -> str | None:
    """What a dialect refuses in a parsed query."""
    for node in tree.walk():
        match node:
            case exp.Subquery() if not record.bare_derived and _is_bare_derived(node):
                return "a derived table without an alias"
            case exp.In() | exp.Any() | exp.All() if (
                "limited_members" in record.refusals and _has_limited_members(node)
            ):
                return "LIMIT in a query behind IN, ANY or ALL"
            case exp.Distinct() if "distinct_on" in record.refusals and node.args.get("on"):
                return "DISTINCT ON"
            case exp.Identifier() if node.name.lower() in record.reserved_words and _is_bare(node):
                return f"{node.name} as a name without quotes"
    return None


def _is_bare_derived(node: exp.Subquery) -> bool:
    """Whether it is a query in FROM that has no name."""
    in_from = isinstance(node.parent, exp.From | exp.Join)
    return in_from and isinstance(node.this, exp.Query) and not node.alias


def _has_limited_members(node: Expr) -> bool:
    """Whether a query behind IN, ANY or ALL has LIMIT, or a side of it, if it is a UNION."""
    members = node.args.get("query") if isinstance(node, exp.In) else node.this
    while isinstance(members, exp.Subquery | exp.Paren):
        if members.args.get("limit") or members.args.get("offset"):
            return True
        members = members.this
    if not isinstance(members, exp.Query):
        return False
    sides = [members]
    while sides:
        side = sides.pop()
        if side.args.get("limit") or side.args.get("offset"):
            return True
        if isinstance(side, exp.SetOperation):
            sides += (side.this, side.expression)
        elif isinstance(side, exp.Subquery):
            sides.append(side.this)
    return False


def _is_bare(name: exp.Identifier) -> bool:
    """Whether a name stands without quotes, and without a dot before or behind it."""
    around = name.parent
    start = around.parent if isinstance(around, exp.Table) else None
    if isinstance(start, exp.From) and is_dual(start):
        return False
    if name.args.get("quoted") or (name.arg_key != "this" and isinstance(around, exp.Column)):
        return False
    return not (isinstance(around, exp.Column | exp.Table) and len(around.parts) > 1)


def same_to_engine(one: str, other: str, dialect: str) -> bool:
    """Whether two texts say the same to the parser of their engine, and it has all their words."""
    if not is_same_query(one, other, dialect):
        return False
    return foreign(one, dialect) is None and foreign(other, dialect) is None


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
