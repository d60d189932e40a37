"""What names in FROM mean: qualified names, items of FROM, common table expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sqlverdict.parse.tokens import fold

if TYPE_CHECKING:
    from sqlglot.expressions import Expr, Identifier
    from sqlglot.expressions import Table as TableNode

QUALIFIERS = ("catalog", "db")
"""The parts that a table's name may have before it."""


def has_name(node: Expr) -> bool:
    """Whether an item of FROM has a name, and is no call."""
    from sqlglot import exp

    return isinstance(node.this, exp.Identifier)


def qualifier_of(node: Expr) -> list[Identifier]:
    """The parts of a name before the table's own, outermost first."""
    return [node.args[part] for part in QUALIFIERS if node.args.get(part)]


def qualifying_parts(column: Expr) -> list[str]:
    """The parts of a column's name before its own, outermost first."""
    return [part for part in (*QUALIFIERS, "table") if column.args.get(part)]


def select_around(node: Expr) -> Expr | None:
    """The SELECT that a part stands in."""
    from sqlglot import exp

    return node.find_ancestor(exp.Select)


def named_items(select: Expr) -> Iterator[Expr]:
    """What the FROM of a SELECT names, joins in parentheses included."""
    from sqlglot import exp

    start = select.args.get("from_")
    waiting = [] if start is None else [start, *(select.args.get("joins") or ())]
    while waiting:
        item = waiting.pop(0).this
        waiting = [*(item.args.get("joins") or ()), *waiting]
        if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Table):
            waiting.insert(0, item)
        else:
            yield item


def common_table_of(node: TableNode) -> Expr | None:
    """The common table expression that a name in FROM means; ``None``: it means a table.

    One is seen by the query that it belongs to and by those after it; a recursive one by itself.
    """
    from sqlglot import exp

    if qualifier_of(node):
        return None
    folded = fold(node.name)
    inside: Expr = node
    around = node.parent
    while around is not None:
        seen: Sequence[Expr] = ()
        if isinstance(around, exp.With):
            seen = around.expressions
            if not around.args.get("recursive"):
                seen = seen[: next(at for at, each in enumerate(seen) if each is inside)]
        elif around.args.get("with_") is not None and around.args["with_"] is not inside:
            seen = around.args["with_"].expressions
        for cte in seen:
            if fold(cte.alias) == folded:
                return cte
        inside, around = around, around.parent
    return None
