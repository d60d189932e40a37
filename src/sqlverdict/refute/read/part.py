"""The part of a schema that two queries touch: a search needs no other table.

A database may have hundreds of tables. Only those that the queries read are made, with the
tables behind a view, and the parents that foreign keys ask for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from sqlverdict.parse.schema import Schema, is_view
from sqlverdict.parse.tokens import fold, solid

_QUOTES = "\"'`[]"
_CATALOGUES = ("sqlite_", "pragma_")
"""What lists all tables; whoever reads it sees which ones are there."""


def schema_part(schema: Schema, words: Iterable[str]) -> Schema:
    """The schema with the tables among these words, and with all that these need.

    The same words give the same object: what is worked out for a part is found again.

    Args:
        schema: All tables.
        words: Names of tables, in any case and quoted or not; other words do no harm.
    """
    known, _ = _needs(schema)
    folded = [fold(word.strip(_QUOTES)) for word in words]
    if any(name.startswith(_CATALOGUES) for name in folded):
        return schema
    return _part(schema, tuple(sorted({known[name] for name in folded if name in known})))


@lru_cache(maxsize=64)
def _needs(schema: Schema) -> tuple[dict[str, int], list[list[int]]]:
    """The position of each table by its folded name, and the tables that each one needs."""
    known = {fold(table.name): at for at, table in reversed(list(enumerate(schema.tables)))}
    needs: list[list[int]] = []
    for table in schema.tables:
        others = [key.parent for key in table.foreign_keys]
        if is_view(table):
            others += [word.strip(_QUOTES) for word in solid(table.sql or "")]
        needs.append([known[name] for other in others if (name := fold(other)) in known])
    return known, needs


@lru_cache(maxsize=64)
def _part(schema: Schema, positions: tuple[int, ...]) -> Schema:
    _, needs = _needs(schema)
    numbers = set(positions)
    waiting = list(positions)
    while waiting:
        further = [at for at in needs[waiting.pop()] if at not in numbers]
        numbers.update(further)
        waiting += further
    if len(numbers) == len(schema.tables):
        return schema
    tables = tuple(schema.tables[at] for at in sorted(numbers))
    return replace(schema, tables=tables)
