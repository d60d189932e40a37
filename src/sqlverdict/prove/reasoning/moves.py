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
    labels,
    nodes_in,
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
    again = source.copy()
    again.set("alias", alias_of(_free_label(source.root(), fold(table), facts)))
    facts.rebase({**facts.bases, again.alias: table})
    return again


def tell_sources_apart(tree: Expr, facts: Facts) -> None:
    """Give a source inside a query another label where one around the query has the same.

    A rule that copies an expression copies the queries in it. Where one of the copies then becomes
    part of the query around them, its label is that of the other copies, too: to put something for
    a column of the outer source would change theirs.
    """
    declared = [
        node for node in nodes_in(tree) if isinstance(node, exp.Table | exp.Subquery) and node.alias
    ]
    if len({node.alias for node in declared}) == len(declared):
        return
    hidden = [(node, select) for node in declared for select in [_reader(node)] if _hides(node)]
    for node, select in sorted(hidden, key=lambda pair: -pair[0].depth):
        old = node.alias
        new = _free_label(tree, old.rpartition(".")[0], facts)
        for column in list(columns_in(select)):
            if source_label(column) == old:
                column.set("table", exp.Identifier(this=new, quoted=True))
        node.set("alias", alias_of(new))
        if old in facts.bases:
            facts.rebase({**facts.bases, new: facts.bases[old]})


def _reader(source: Expr) -> Expr:
    """The SELECT whose source this is."""
    around = source.parent
    while around is not None and not isinstance(around, exp.Select):
        around = around.parent
    return around if around is not None else source


def _hides(source: Expr) -> bool:
    """Whether a query around a source's own has a source of the same label."""
    around = _reader(source).parent
    while around is not None:
        if isinstance(around, exp.Select) and source.alias in labels(around):
            return True
        around = around.parent
    return False


def _free_label(tree: Expr, stem: str, facts: Facts) -> str:
    """A label that nothing in a tree has."""
    others = [*facts.bases, *(part.alias for part in tree.find_all(exp.Subquery))]
    last = max(int(label.rpartition(".")[2] or 0) for label in others if label)
    return f"{stem}.{last + 1}"
