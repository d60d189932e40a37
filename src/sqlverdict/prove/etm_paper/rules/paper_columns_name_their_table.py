"""A column without a table is of the one table that has it.

Statement
    SELECT c FROM t   ==   SELECT t.c FROM t

Holds when
    t is the only source, or the only base table among the sources that has such a column.

Why
    SQLite looks a bare name up among the sources; where one has it, that one is meant.

Limits
    Where t is the only source every bare name is given to it, a name of a query around it too.
    In ``SELECT a FROM u WHERE 1 IN (SELECT a FROM t)``, where t has no column a, the inner a is
    that of u; here it becomes t.a, and with ``t.a`` in another query it would be the same.
    ORDER BY looks among the names of the output first: ``SELECT v AS k FROM t ORDER BY k`` is in
    the order of v, and here in that of t.k.

Source
    ETM (Ascoli et al.), table 1, P1.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import nodes_below, table_name
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items, joins
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P1",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT v FROM t WHERE k > 1", "SELECT t.v FROM t WHERE t.k > 1"),
        Pair(
            "SELECT v, w FROM t JOIN u ON t.k = u.k", "SELECT t.v, u.w FROM t JOIN u ON t.k = u.k"
        ),
    ],
    different=[
        Pair(
            "SELECT w FROM t JOIN u ON t.k < u.k",
            "SELECT t.v FROM t JOIN u ON t.k < u.k",
            because="w is a column of u",
        ),
    ],
    corners=[
        Pair(
            "SELECT v AS k FROM t ORDER BY k",
            "SELECT v AS k FROM t ORDER BY t.k",
            because="a bare name in ORDER BY is that of an output column first",
        ),
    ],
)
def paper_columns_name_their_table(node: exp.Select, facts: Facts) -> Expr | None:
    """Write the table before each bare column."""
    changed = False
    for star in [item for item in node.expressions if isinstance(item, exp.Star)]:
        star.replace(exp.Column(this=exp.Star()))
        changed = True
    for column in nodes_below(node, exp.Column):
        if column.args.get("table") is None:
            table = _owner(column, node, facts)
            if table:
                column.set("table", exp.Identifier(this=table))
                changed = True
    return node if changed else None


def _owner(column: exp.Column, select: Expr, facts: Facts) -> str:
    """The table that a bare column belongs to; empty where it cannot be told."""
    tables = [table_name(item) for item in items(select)]
    if not joins(select):
        return tables[0] if tables else ""
    name = column.this.name if isinstance(column.this, exp.Identifier) else ""
    if not name:
        return ""
    owners = [table for table in tables if table and _has(table, name, facts)]
    return owners[0] if len(owners) == 1 else ""


def _has(table: str, column: str, facts: Facts) -> bool:
    declared = facts.schema.table(table)
    return declared is not None and declared.column(column) is not None
