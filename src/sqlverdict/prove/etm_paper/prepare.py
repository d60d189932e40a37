"""A parsed query as the ETM paper's script reads it, before any rule."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.etm_paper.shapes import nodes_below
from sqlverdict.prove.resolve.scope import is_quoted


def prepared(tree: Expr, schema: Schema) -> Expr:
    """A copy in which quoted words that name nothing in the database are strings.

    Casts to REAL and to FLOAT are one, as in the script's parser.
    """
    root = tree.copy()
    while isinstance(root, exp.Subquery | exp.Paren) and not _has_more(root):
        root = root.this
    root.parent = None
    root.arg_key = None
    words = _words(schema)
    for node in nodes_below(root, exp.Column, exp.DataType, exp.Join):
        if isinstance(node, exp.Column):
            if is_quoted(node) and node.name.lower() not in words:
                node.replace(exp.Literal.string(node.name))
        elif isinstance(node, exp.DataType) and node.is_type("double"):
            node.set("this", exp.DataType.Type.FLOAT)
        elif isinstance(node, exp.Join) and isinstance(node.args.get("on"), exp.Boolean):
            # Our parser writes ON TRUE where several joins share one ON behind them.
            node.set("on", None)
    return root


def _has_more(node: Expr) -> bool:
    return any(value for name, value in node.args.items() if name != "this")


@lru_cache(maxsize=64)
def _words(schema: Schema) -> frozenset[str]:
    tables = schema.tables
    names = {fold(table.name) for table in tables}
    return frozenset(names | {fold(c.name) for table in tables for c in table.columns})
