"""What the ETM paper's script takes for UNIQUE, NON_NULL and a foreign key.

Its facts come from the database's own catalogue. A column is UNIQUE where a unique index has it
alone, a partial one too, or where it is the whole primary key; it is NON_NULL where declared
NOT NULL, or where it is the whole primary key; not where it is one of several columns of a key.
The first is more than SQLite promises: a partial index says nothing of the rows that it leaves
out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Fact, NotNull, PrimaryKey, References, Unique
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.etm_paper.shapes import plain_name
from sqlverdict.prove.reasoning.facts import Facts

_PARTIAL = re.compile(r"\(\s*[\"'`\[]?([^\"'`\](),]+?)[\"'`\]]?\s*\)\s*WHERE\b", re.IGNORECASE)
"""The one column of a partial index's declaration."""


def paper_facts(schema: Schema, facts: frozenset[Fact]) -> Facts:
    """The facts as the script sees them, for trees whose labels are table names."""
    assumed = _assumed(schema, facts)
    return assumed.over(assumed.bases)


@lru_cache(maxsize=64)
def _assumed(schema: Schema, facts: frozenset[Fact]) -> Facts:
    bases = {fold(table.name): table.name for table in schema.tables}
    declared = facts - _of_composite_keys(schema)
    return Facts(schema, [*declared, *_taken_for_granted(schema, facts)], bases)


def _of_composite_keys(schema: Schema) -> frozenset[Fact]:
    """What the script does not see: the columns of a key of several are never NULL."""
    return frozenset(
        NotNull(table.name, column.name)
        for table in schema.tables
        if len(table.primary_key) > 1
        for column in table.columns
        if column.name in table.primary_key and not column.not_null
    )


def _taken_for_granted(schema: Schema, facts: frozenset[Fact]) -> Iterator[Fact]:
    for fact in facts:
        if isinstance(fact, PrimaryKey) and len(fact.columns) == 1:
            yield Unique(fact.table, fact.columns)
            yield NotNull(fact.table, fact.columns[0])
    for table in schema.tables:
        if not schema.whole_keys and len(table.primary_key) == 1:
            yield Unique(table.name, table.primary_key)
            yield NotNull(table.name, table.primary_key[0])
        for declaration in table.indexes:
            match = _PARTIAL.search(declaration)
            if match is not None and table.column(match[1]) is not None:
                yield Unique(table.name, (match[1],))


def is_unique(column: Expr, facts: Facts) -> bool:
    """Whether a column is UNIQUE; cites why."""
    name = plain_name(column)
    if name is None:
        return False
    for columns, fact in facts.uniques(name[0]):
        if columns == {name[1]}:
            facts.cite(fact)
            return True
    return False


def is_not_null(column: Expr, facts: Facts) -> bool:
    """Whether a column is NON_NULL; cites why."""
    name = plain_name(column)
    fact = facts.not_null(*name) if name is not None else None
    if fact is not None:
        facts.cite(fact)
    return fact is not None


def key_columns(table: str, facts: Facts) -> tuple[str, ...]:
    """The columns of a table's primary key."""
    declared = facts.schema.table(table)
    return tuple(map(fold, declared.primary_key)) if declared is not None else ()


def refers(child: tuple[str, str], parent: tuple[str, str], facts: Facts) -> References | None:
    """The foreign key by which a column points to a column of a primary key.

    Of several foreign keys over one column only the one declared first is looked at.
    """
    if parent[1] not in key_columns(parent[0], facts):
        return None
    table = facts.schema.table(child[0])
    target = _target(table, child[1]) if table is not None else None
    if target != parent:
        return None
    for fact in facts.references:
        tables = fold(fact.table), fold(fact.parent)
        pairs = zip(map(fold, fact.columns), map(fold, fact.parent_columns), strict=True)
        if tables == (child[0], parent[0]) and (child[1], parent[1]) in pairs:
            return fact
    return None


def _target(table: Table, column: str) -> tuple[str, str] | None:
    for foreign in table.foreign_keys:
        for name, parent in zip(foreign.columns, foreign.parent_columns, strict=False):
            if fold(name) == column:
                return fold(foreign.parent), fold(parent)
    return None


def parent_and_child(
    condition: Expr, facts: Facts
) -> tuple[tuple[str, str], tuple[str, str], References] | None:
    """For ``child = parent`` of a foreign key: the parent's column, the child's, and the key."""
    if not isinstance(condition, exp.EQ):
        return None
    left, right = plain_name(condition.this), plain_name(condition.expression)
    if left is None or right is None:
        return None
    for parent, child in ((left, right), (right, left)):
        fact = refers(child, parent, facts)
        if fact is not None:
            return parent, child, fact
    return None
