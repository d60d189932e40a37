"""Changes that several rules make: an expression for a column, a source less, a source more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    column_name,
    columns_in,
    is_inner,
    items,
    joins,
    source_label,
)
from sqlverdict.prove.resolve.parser_losses import alias_of


def substitute(
    root: Expr, mapping: Mapping[ColumnName, Expr], left_alone: Collection[int] = ()
) -> None:
    """Put copies of expressions for columns everywhere below a node, subqueries included.

    Columns whose ``id`` is in ``left_alone`` stay.
    """
    for column in list(columns_in(root)):
        value = mapping.get(column_name(column))
        if value is not None and column is not root and id(column) not in left_alone:
            column.replace(counted_copy(value))


def set_items(select: Expr, sources: Sequence[Expr], outer: Sequence[exp.Join] = ()) -> None:
    """Make a SELECT read from sources, joined without conditions, and then from outer joins."""
    select.set("from_", exp.From(this=sources[0]))
    new_joins: list[Expr] = [exp.Join(this=source) for source in sources[1:]]
    select.set("joins", [*new_joins, *outer] or None)


def is_flat(select: Expr) -> bool:
    """Whether sources can be moved: inner joins have no condition left, no side is padded late."""
    return all(
        join.args.get("on") is None
        if is_inner(join)
        else (join.side or "").upper() not in ("RIGHT", "FULL")
        for join in joins(select)
    )


def split_items(select: Expr) -> tuple[list[Expr], list[exp.Join]]:
    """The sources that are joined by inner joins, and the outer joins, each in order."""
    inner = items(select)[:1]
    outer: list[exp.Join] = []
    for join in joins(select):
        if is_inner(join):
            inner.append(join.this)
        else:
            outer.append(join)
    return inner, outer


def drop_item(select: Expr, label: str) -> None:
    """Take a source away; it must not be the only one, nor have conditions in an ON."""
    inner, outer = split_items(select)
    rest = [item for item in inner if item.alias != label]
    set_items(select, rest, [join for join in outer if join.this.alias != label])


def uses(select: Expr, label: str, besides: Sequence[Expr] = ()) -> bool:
    """Whether anything in a SELECT refers to a source, apart from some nodes."""
    skipped = {id(column) for node in besides for column in columns_in(node)}
    return any(
        source_label(column) == label and id(column) not in skipped for column in columns_in(select)
    )


def read_again(source: exp.Table, facts: Facts) -> exp.Table:
    """A base table once more, under a label that nothing else in the tree has."""
    table = facts.bases[source.alias]
    other_labels = [*facts.bases, *(part.alias for part in source.root().find_all(exp.Subquery))]
    last = max(int(label.rpartition(".")[2] or 0) for label in other_labels if label)
    again = source.copy()
    again.set("alias", alias_of(f"{fold(table)}.{last + 1}"))
    facts.rebase({**facts.bases, again.alias: table})
    return again
