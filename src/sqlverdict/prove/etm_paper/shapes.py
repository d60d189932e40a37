"""Small tools for the trees of the ``etm_paper`` profile.

These trees are as parsed, not resolved: names are what the text says until the preparing rules
P0-P8 have made them plain, and the copies of a table that is joined to itself are told apart by
nothing, for so the paper's script sees them.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, TypeVar

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.shape import all_of, joins, parts

T = TypeVar("T")

_UNSEEN = frozenset({"typed", "safe", "big_int", "_type", "nulls_first"})


def node_text(node: Any) -> str:
    """One text for a node; two nodes are the same where their texts are."""
    if isinstance(node, exp.Identifier):
        return f'"{node.this}"' if node.args.get("quoted") else str(node.this)
    if isinstance(node, exp.Literal):
        return repr(node.this) if node.args.get("is_string") else str(node.this)
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        table = node.args.get("table")
        inner = node_text(node.this)
        return f"{node_text(table)}.{inner}" if table is not None else inner
    if isinstance(node, Expr):
        inside = [
            f"{name}={node_text(value)}"
            for name, value in sorted(node.args.items(), key=_this_first)
            if name not in _UNSEEN and value is not None and value is not False and value != []
        ]
        return f"{node.key}({' '.join(inside)})"
    if isinstance(node, list):
        return f"[{', '.join(map(node_text, node))}]"
    return str(node).lower()


def _this_first(arg: tuple[str, Any]) -> tuple[bool, str]:
    return arg[0] != "this", arg[0]


def sort_key(node: Expr) -> tuple[str, str]:
    """The order in which operands, columns and tables are written: by kind, then by text."""
    return type(node).__name__, node_text(node)


def same_node(left: Expr, right: Expr) -> bool:
    """Whether two nodes are the same."""
    return type(left) is type(right) and node_text(left) == node_text(right)


def plain_name(column: Expr) -> tuple[str, str] | None:
    """The table and the name of a column that says both in plain words."""
    table = column.args.get("table")
    if not isinstance(column, exp.Column) or not isinstance(table, exp.Identifier):
        return None
    if not isinstance(column.this, exp.Identifier):
        return None
    return str(table.this), str(column.this.this)


def column_node(table: str, column: str) -> exp.Column:
    """A column of a table."""
    return exp.Column(this=exp.Identifier(this=column), table=exp.Identifier(this=table))


def table_name(item: Expr | None) -> str:
    """The name of a base table in FROM; empty for a derived one."""
    plain = isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier)
    return str(item.this.this) if plain and item is not None else ""


def derived_label(query: Expr) -> str:
    """What a derived table is called once its alias is gone: a word for its text."""
    return f"derived_{blake2b(node_text(query).encode(), digest_size=8).hexdigest()}"


def has_side(select: Expr) -> bool:
    """Whether a SELECT has an outer join."""
    return any(join.args.get("side") for join in joins(select))


def on_conditions(select: Expr) -> list[Expr]:
    """The conjuncts of every ON of a SELECT."""
    return [part for join in joins(select) for part in parts(join.args.get("on"))]


def set_sources(select: Expr, sources: Sequence[Expr], on: Sequence[Expr]) -> None:
    """Write FROM and JOINs anew, with all conditions at the first join."""
    select.set("from_", exp.From(this=sources[0]))
    new_joins = [exp.Join(this=source) for source in sources[1:]]
    if new_joins and on:
        new_joins[0].set("on", all_of(on))
    select.set("joins", new_joins or None)


def nodes_below(node: Expr, *kinds: type[T]) -> list[T]:
    """The nodes of some kinds in a tree, the root included, parents before children.

    sqlglot's own walk is a chain of generators; the rules walk often enough to feel it.
    """
    nodes: list[T] = []
    waiting: list[Any] = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, kinds):
            nodes.append(here)
        for value in here.args.values():
            if value is None or value is False:
                continue
            if type(value) is list:
                waiting += [part for part in value if isinstance(part, Expr)]
            elif isinstance(value, Expr):
                waiting.append(value)
    return nodes


def own_columns(select: Expr) -> list[exp.Column]:
    """The columns that a SELECT names itself, without those of queries inside it."""
    columns: list[exp.Column] = []
    waiting: list[Any] = [select]
    while waiting:
        here = waiting.pop()
        if isinstance(here, exp.Column):
            columns.append(here)
        if isinstance(here, exp.Query) and here is not select:
            continue
        for value in here.args.values():
            if type(value) is list:
                waiting.extend(part for part in value if isinstance(part, Expr))
            elif isinstance(value, Expr):
                waiting.append(value)
    return columns


def true_condition() -> exp.EQ:
    """A condition that always holds; the clean-up removes it."""
    return exp.EQ(this=exp.Literal.number("1.0"), expression=exp.Literal.number("1.0"))
