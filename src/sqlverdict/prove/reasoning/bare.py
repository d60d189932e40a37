"""Bare columns: shown beside an aggregate, neither grouped by nor inside it.

SQLite takes them from some row of the group; where the query has MIN or MAX anywhere, even in
ORDER BY, from the row that holds that value. So a call of MIN or MAX says more than its value,
and must not get lost with it: a resolved SELECT with bare columns keeps its calls apart, as
``extremes``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from collections.abc import Set as AbstractSet

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    is_aggregate,
    is_grouped,
    items,
    labels,
    output_nodes,
    source_label,
)
from sqlverdict.prove.reasoning.strict import is_null_with_its_columns
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.tree_key import expression_key

EXTREMES = "extremes"


def keep_extremes(select: exp.Select) -> None:
    """Note the calls of MIN and MAX that choose the row of a bare column.

    Raises:
        Unsupported: a bare column is something that SQLite may or may not compute for no rows.
    """
    columns = list(bare_columns(select))
    if not columns:
        return
    if select.args.get("group") is None and not all(
        is_null_with_its_columns(_projection(column, select)) for column in columns
    ):
        raise Unsupported("a computed column beside an aggregate without GROUP BY")
    calls = [
        call for call in aggregates_in(output_nodes(select)) if isinstance(call, exp.Max | exp.Min)
    ]
    if calls:
        select.set(EXTREMES, [call.copy() for call in calls])


def _projection(column: Expr, select: Expr) -> Expr | None:
    """What a derived table computes for a column; ``None`` where it is none of that.

    One with groups, too: where each is one row, rules make a plain one of it, and of its COUNT a
    constant, which SQLite then shows for no rows.
    """
    item = next((source for source in items(select) if source.alias == source_label(column)), None)
    inner = item.this if isinstance(item, exp.Subquery) else None
    if not isinstance(inner, exp.Select):
        return None
    output: Expr = inner.expressions[int(column.name[1:])]
    return output


def bare_columns(
    select: Expr, key: Callable[[Expr], Hashable] = expression_key
) -> Iterator[exp.Column]:
    """A grouped SELECT's own columns that are shown bare, those in inner queries too.

    Args:
        select: A resolved SELECT.
        key: What an expression shares with the same expression behind GROUP BY.
    """
    if not is_grouped(select):
        return
    group = select.args.get("group")
    grouped = {key(term) for term in group.expressions} if group is not None else set()
    yield from _bare(output_nodes(select), grouped, set(labels(select)), key)


def _bare(
    nodes: Iterable[Expr],
    grouped: AbstractSet[Hashable],
    own: set[str],
    key: Callable[[Expr], Hashable],
) -> Iterator[exp.Column]:
    for node in nodes:
        if isinstance(node, exp.Column):
            if source_label(node) in own and key(node) not in grouped:
                yield node
        elif isinstance(node, exp.Filter) and is_aggregate(node.this):
            # Its condition looks at every row, as an argument does.
            continue
        elif not is_aggregate(node) and not (grouped and key(node) in grouped):
            yield from _bare(node.iter_expressions(), grouped, own, key)
