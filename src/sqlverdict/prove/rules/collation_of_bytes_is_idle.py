"""COLLATE BINARY says what holds anyway.

Statement
    s COLLATE BINARY   ==   s

Holds when
    s is a column of a table, which is declared without a collation.

Why
    Such a column is compared and sorted under BINARY. COLLATE changes neither the value nor the
    affinity.

Limits
    A column that is declared NOCASE is compared under NOCASE without it: left alone.

Source
    SQLite's documentation of datatypes.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schemas.column_types import declared_collation
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import column_name
from sqlverdict.prove.rule import SQLITE, Pair, rule


@rule(
    trust="proved",
    dialects=SQLITE,
    needs=(exp.Collate,),
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE s COLLATE BINARY = 'a'", "SELECT k FROM t WHERE s = 'a'"),
        Pair("SELECT k FROM t ORDER BY s COLLATE BINARY", "SELECT k FROM t ORDER BY s"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE s COLLATE BINARY = 'a'",
            "SELECT k FROM t WHERE LOWER(s) = 'a'",
            because="letter case counts",
        ),
    ],
)
def collation_of_bytes_is_idle(node: exp.Collate, facts: Facts) -> Expr | None:
    """Drop it."""
    column = node.this
    if node.expression.name.lower() != "binary" or not isinstance(column, exp.Column):
        return None
    label, name = column_name(column)
    table = facts.table(label)
    own = table.column(name) if table is not None else None
    if table is None or own is None or declared_collation(table, own):
        return None
    return column
