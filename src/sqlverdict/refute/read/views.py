"""Views and generated columns, written out: what a query reads of the base tables.

The search chooses values for base columns. Behind a view, and behind a generated column, these
stand in an expression; so a query is read with both replaced by the queries that they are. Only
the reading uses such a tree: what runs is always the text itself.
"""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.frozen import freeze
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.tokens import Kind, fold, kind, pieces
from sqlverdict.records import Query

_DEPTH = 8
"""How many views may stand behind each other; a view cannot read itself."""


def view_query(view: Table) -> str:
    """The query of a view: what stands behind AS in its declaration; empty: nothing does."""
    parts = pieces(view.sql or "")
    depth = 0
    for index, piece in enumerate(parts):
        depth += (piece == "(") - (piece == ")")
        if depth == 0 and kind(piece) is Kind.WORD and fold(piece) == "as":
            return "".join(parts[index + 1 :]).strip().rstrip(";").rstrip()
    return ""


def written_out(tree: Expr, schema: Schema) -> Expr:
    """The tree with views and tables that compute columns as subqueries; itself without any."""
    behind = _behind(schema)
    if not behind:
        return tree
    changed = tree
    for _ in range(_DEPTH):
        references = [node for node in changed.find_all(exp.Table) if _stands_for(node, behind)]
        if not references:
            break
        if changed is tree:
            changed = tree.copy()
            continue
        for node in references:
            _replace(node, behind[fold(node.name)])
    return changed


def _stands_for(node: Expr, behind: dict[str, Expr]) -> bool:
    if fold(node.name) not in behind or node.args.get("joins"):
        return False
    around: Expr | None = node
    while around is not None:
        with_ = around.args.get("with_")
        for cte in with_.expressions if with_ is not None else ():
            if fold(cte.alias) == fold(node.name):
                return False
        if around.meta_get("computes") == fold(node.name):
            return False
        around = around.parent
    return True


def _replace(node: Expr, query: Expr) -> None:
    name = exp.to_identifier(node.alias_or_name, quoted=True)
    node.replace(exp.Subquery(this=query.copy(), alias=exp.TableAlias(this=name)))


@lru_cache(maxsize=64)
def _behind(schema: Schema) -> dict[str, Expr]:
    """The query behind each view and each table with generated columns, by folded name."""
    queries: dict[str, Expr] = {}
    for table in schema.tables:
        query = _of_view(table) if is_view(table) else _of_table(table)
        if query is not None:
            freeze(query)
            queries[fold(table.name)] = query
    return queries


def _of_view(view: Table) -> Expr | None:
    """The query of a view, its outputs named as the view's columns are."""
    query = parse(view_query(view))
    return _output_names(query, view) if isinstance(query, Query) else None


def _output_names(query: Query, view: Table) -> Expr:
    select: Expr = query.tree.copy()
    first = select
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    outputs = first.expressions
    names = [column.name for column in view.columns]
    if isinstance(first, exp.Select) and len(outputs) == len(names):
        renamed = [
            output
            if isinstance(output, exp.Star) or output.alias_or_name == name
            else exp.alias_(output.unalias(), name, quoted=True)
            for output, name in zip(outputs, names, strict=True)
        ]
        first.set("expressions", renamed)
    return select


def _of_table(table: Table) -> Expr | None:
    """A table with generated columns as a query over the columns that are not."""
    if not any(column.generated for column in table.columns):
        return None
    outputs = ", ".join(
        f"({column.generated}) AS {quote_name(column.name)}"
        if column.generated
        else quote_name(column.name)
        for column in table.columns
    )
    query = parse(f"SELECT {outputs} FROM {quote_name(table.name)}")
    if not isinstance(query, Query):
        return None
    tree: Expr = query.tree.copy()
    tree.meta["computes"] = fold(table.name)
    return tree
