"""Names of tables and columns as the schema spells them, for sentences about resolved queries.

A resolved query has folded names, and ``"b.t"`` for a table ``t`` of a database or schema ``b``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import Kind, fold, kind, pieces

_PLAIN = re.compile(r"[A-Za-z_]\w*")


def with_spelled_names(text: str, schema: Schema) -> str:
    """A part of a resolved query with its names as the schema spells them.

    Args:
        text: The part, in SQLite's words: these are capitals, and names are not.
        schema: The tables that the query was resolved with.
    """
    tables, columns = _spellings(schema)
    parts = pieces(text)
    table = ""
    for index, piece in enumerate(parts):
        if kind(piece) not in (Kind.WORD, Kind.QUOTED) or piece != fold(piece):
            continue
        name = piece[1:-1].replace('""', '"') if kind(piece) is Kind.QUOTED else piece
        is_table = parts[index + 1 : index + 2] == ["."]
        if is_table:
            table = name
        owner = table if parts[max(index - 1, 0)] == "." else ""
        spelled = tables.get(name) if is_table or not owner else None
        spelled = spelled or columns.get((owner, name)) or columns.get(("", name))
        parts[index] = spelled if spelled is not None else piece
    return "".join(parts)


@lru_cache(maxsize=64)
def _spellings(schema: Schema) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """Each table by its folded name, and each column by its table's and its own."""
    tables = {fold(table.name): _table(table) for table in reversed(schema.tables)}
    columns = {
        (owner, fold(column.name)): _name_text(column.name)
        for table in reversed(schema.tables)
        for column in table.columns
        for owner in (fold(table.name), "")
    }
    return tables, columns


def _table(table: Table) -> str:
    if not table.is_hidden:
        return _name_text(table.name)
    parts = table.name.split(".")
    return ".".join(parts if all(map(_PLAIN.fullmatch, parts)) else map(_name_text, table.address))


def _name_text(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else quote_name(name)
