"""The program that SQLite makes of a query on a schema."""

from __future__ import annotations

from sqlverdict.parse.accepted import explained
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.resolve.programs import Instruction, comparable


def program(sql: str, schema: Schema) -> list[Instruction] | None:
    """The program that SQLite compiles a query to, on empty tables; ``None`` where it does not."""
    rows = explained(sql, schema)
    return None if rows is None else comparable(rows)
