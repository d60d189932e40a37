"""A star is all columns.

Statement
    SELECT * FROM t   ==   SELECT c1, c2, ... FROM t

Holds when
    c1, c2, ... are the columns of t, and t is no derived table.

Why
    This is what the star means.

Limits
    In a NATURAL join and with USING the star shows a shared column once, here twice. After a
    column is added to t the two differ, as every fact of a schema does.

Source
    ETM (Ascoli et al.), table 2, rule 11.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import fold
from sqlverdict.prove.etm_paper.shapes import column_node, table_name
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("11",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT * FROM t", "SELECT k, v FROM t"),
        Pair("SELECT u.* FROM t JOIN u ON t.k = u.w", "SELECT u.k, u.w FROM t JOIN u ON t.k = u.w"),
    ],
    different=[Pair("SELECT * FROM t", "SELECT v FROM t", because="t has k too")],
    corners=[
        Pair(
            "SELECT * FROM t NATURAL JOIN u",
            "SELECT t.k, t.v, u.k, u.w FROM t NATURAL JOIN u",
            because="the star shows the shared k once",
        ),
    ],
)
def paper_star_is_all_columns(node: exp.Select, facts: Facts) -> Expr | None:
    """Write the columns out."""
    outputs: list[Expr] = []
    changed = False
    for item in node.expressions:
        columns = _columns(item, node, facts)
        changed = changed or columns is not None
        outputs += [item] if columns is None else columns
    if not changed:
        return None
    node.set("expressions", outputs)
    return node


def _columns(item: Expr, select: Expr, facts: Facts) -> list[Expr] | None:
    """The columns that a star stands for; ``None`` where it is none, or cannot be told."""
    if not isinstance(item, exp.Column) or not isinstance(item.this, exp.Star):
        return None
    qualifier = item.args.get("table")
    names = [qualifier.name] if qualifier is not None else list(map(table_name, items(select)))
    tables = [(name, facts.schema.table(name)) for name in names]
    return (
        [
            column_node(name, fold(column.name))
            for name, table in tables
            if table is not None
            for column in table.columns
        ]
        if all(table is not None for _, table in tables)
        else None
    )
