"""The choices that a query leaves to the engine.

Two queries of one form leave the same choices open, and an engine may make them differently for
each: so a proof names them. The facts of the schema tell what is open. Running a query on rows in
several orders does not: an automatic index of SQLite sorts them, and the answer looks decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.reasoning.bare import EXTREMES, bare_columns
from sqlverdict.prove.reasoning.dependencies import at_most_one_row, closure, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    aggregates_in,
    is_grouped,
    is_limited,
    nodes_in,
    own_nodes,
    source_label,
)
from sqlverdict.prove.resolve.folding import stored_values
from sqlverdict.prove.resolve.query import resolve_query
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.unknown_calls import is_shown_text
from sqlverdict.prove.tree_key import expression_key
from sqlverdict.records import Query

ANY_ROW = "from which row of its group a column beside an aggregate comes"
TIED_ROWS = "which of several tied rows a LIMIT keeps"
FIRST_ROW = "which row a subquery gives that is used as one value and may have several"
WINDOW_TIES = "how a window orders tied rows"

EQUAL_TEXTS = "which of the texts of {} that its collation takes for one is shown"

_RANKING = (exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist)


def open_choices(tree: Expr, facts: Facts) -> tuple[str, ...]:
    """The choices that a resolved query leaves to the engine, in words, each once.

    A choice is named unless the facts of the schema decide it. Data may decide it as well.
    """
    return tuple(sorted(set(_choices(tree, facts))))


def shows_any_row(query: Query, schema: Schema) -> bool:
    """Whether some column beside an aggregate is neither grouped by nor decided by what is.

    MIN and MAX choose the row themselves. Where the query is beyond the prover, it is not told.
    """
    try:
        resolved = resolve_query(query, schema)
    except Unsupported:
        return False
    facts = Facts(schema, facts_of(schema, query.dialect), resolved.bases, query.dialect)
    return any(
        not _extremes(select) and _is_row_open(select, facts)
        for select in resolved.tree.find_all(exp.Select)
    )


def chosen_texts(query: Query, schema: Schema) -> frozenset[int] | None:
    """The columns in which the engine chooses which of several equal texts it shows.

    ``None`` where the query is beyond the prover.
    """
    try:
        resolved = resolve_query(query, schema)
    except Unsupported:
        return None
    facts = Facts(schema, facts_of(schema, query.dialect), resolved.bases, query.dialect)
    texts = _chosen_columns(resolved.tree, facts)
    return frozenset(number for number, _ in texts)


def _chosen_columns(tree: Expr, facts: Facts) -> Iterator[tuple[int, str]]:
    """The places in an answer where the engine chooses a text, each with the column of a table."""
    for number, item in enumerate(tree.expressions if isinstance(tree, exp.Select) else ()):
        projected = _projected(item, facts)
        if projected is not None and is_shown_text(projected):
            column = _projected(projected.expressions[0], facts)
            assert isinstance(column, exp.Column), "it stands for a table's column"
            table = facts.table(source_label(column))
            yield number, f"{table.name}.{column.name}" if table is not None else column.name


def _projected(item: Expr, facts: Facts) -> Expr | None:
    """The column of a table, or what else a derived table computes, behind a column."""
    inner: Expr | None = item
    while isinstance(inner, exp.Column) and facts.table(source_label(inner)) is None:
        inner = facts.projection(inner)
    return inner


def _choices(tree: Expr, facts: Facts) -> Iterator[str]:
    for node in nodes_in(tree):
        if isinstance(node, exp.Select):
            if _is_row_open(node, facts, plain_columns(call.this for call in _extremes(node))):
                yield ANY_ROW
            if is_limited(node) and not _breaks_ties(node, facts):
                yield TIED_ROWS
        elif isinstance(node, exp.SetOperation) and is_limited(node):
            order = node.args.get("order")
            ordered = (
                {expression_key(term.this) for term in order.expressions}
                if order is not None
                else ()
            )
            if len(ordered) < len(node.named_selects):
                yield TIED_ROWS
        elif isinstance(node, exp.Subquery) and _takes_first_row(node, facts):
            yield FIRST_ROW
        elif isinstance(node, exp.Window) and _numbers_rows(node):
            yield WINDOW_TIES
    for _, column in _chosen_columns(tree, facts):
        yield EQUAL_TEXTS.format(column)


def _extremes(select: exp.Select) -> list[Expr]:
    """The calls of MIN and MAX that choose the row of a column beside them."""
    return select.args.get(EXTREMES) or []


def _is_row_open(
    select: exp.Select, facts: Facts, also: AbstractSet[ColumnName] = frozenset()
) -> bool:
    """Whether a column beside an aggregate may have several values in a group.

    ``also`` are columns of which the query fixes the value beside those it groups by.
    """
    # The condition of a FILTER looks at every row of the group.
    outputs = (column for column in bare_columns(select) if not column.find_ancestor(exp.Filter))
    columns = plain_columns(outputs)
    if not columns:
        return False
    group = select.args.get("group")
    grouped = plain_columns(group.expressions if group is not None else ())
    return not columns <= closure(select, facts, grouped | also)


def _breaks_ties(select: exp.Select, facts: Facts) -> bool:
    """Whether rows that agree in what ORDER BY looks at are the same rows in the answer."""
    group, order = select.args.get("group"), select.args.get("order")
    if group is None and is_grouped(select):
        return True
    terms = [term.this for term in order.expressions] if order is not None else []
    if group is None and not facts.record.exact_texts:
        # Rows with equal texts tie, and may show different ones.
        terms = [term for term in terms if stored_values(term, facts) != "collated"]
    determined = closure(select, facts, plain_columns(terms))
    ordered = set(map(expression_key, terms))
    if group is not None and all(
        expression_key(term) in ordered or _is_among(term, determined) for term in group.expressions
    ):
        return True
    return all(
        expression_key(output) in ordered
        or (
            next(aggregates_in([output]), None) is None
            and not isinstance(output, exp.Subquery)
            and plain_columns(own_nodes(output)) <= determined
        )
        for output in select.expressions
    )


def _is_among(term: Expr, columns: AbstractSet[ColumnName]) -> bool:
    return isinstance(term, exp.Column) and plain_columns([term]) <= columns


def _takes_first_row(query: exp.Subquery, facts: Facts) -> bool:
    """Whether one value is meant where several rows may come; only SQLite takes the first."""
    holder = query.parent
    if not facts.record.lenient or query.alias:
        return False
    if isinstance(holder, exp.SetOperation | exp.Exists | exp.Subquery):
        return False
    if isinstance(holder, exp.In) and query.arg_key != "this":
        return False
    return not is_limited(query.this) and not at_most_one_row(query.this, facts)


def _numbers_rows(window: exp.Window) -> bool:
    """Whether a window gives rows that tie different values."""
    return window.args.get("order") is not None and not isinstance(window.this, _RANKING)
