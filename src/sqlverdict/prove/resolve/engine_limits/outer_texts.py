"""What a subquery may do with a text from around it: compare it under its own collation.

MariaDB remembers what a subquery gave, by the values it reads from around it, and takes equal texts
for the same there. So ``(SELECT COUNT(*) FROM g WHERE g.n < LENGTH(s.name))`` is the same for 'ann'
and 'Ann ', whichever of them comes first, and so is ``EXISTS (SELECT 1 FROM g WHERE g.title LIKE
s.name)``. Comparisons under the column's own collation are the same for all equal texts anyway.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import compares_like_keys
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import columns_in, enclosing, labels, source_label
from sqlverdict.prove.resolve.folding import compared_with, is_tested_for_null
from sqlverdict.prove.resolve.scope import Unsupported


def require_like_texts(tree: Expr, facts: Facts, type_of: Callable[[Expr], str]) -> None:
    """Refuse a subquery that may tell equal texts from around it apart.

    Args:
        tree: The resolved query.
        facts: The facts.
        type_of: The type of an expression of the tree.

    Raises:
        Unsupported: there is one.
    """
    if facts.record.exact_texts:
        return
    for column in columns_in(tree):
        if _is_read_by_subquery(column) and type_of(column) == "collated":
            text = _letters_alone(column)
            others = list(compared_with(text))
            is_compared = bool(others) and all(_are_alike(text, other, facts) for other in others)
            if not is_compared and not is_tested_for_null(text):
                raise Unsupported("a subquery that may tell equal texts from around it apart")


def _is_read_by_subquery(column: exp.Column) -> bool:
    """Whether a column is one of a query around its own, or stands before IN and a query."""
    own = enclosing(column)
    if own is None or not source_label(column):
        return False
    if source_label(column) not in labels(own):
        return True
    inner: Expr = column
    while (around := inner.parent) is not own and around is not None:
        if inner.arg_key == "this" and isinstance(around, exp.In) and around.args.get("query"):
            return True
        inner = around
    return False


def _letters_alone(column: exp.Column) -> Expr:
    """The column with LOWER and UPPER around it: equal texts have equal capitals."""
    text: Expr = column
    while isinstance(text.parent, exp.Lower | exp.Upper):
        text = text.parent
    return text


def _are_alike(text: Expr, other: Expr, facts: Facts) -> bool:
    """Whether two texts are compared under the collation that both have."""
    column, second = (_stored(each, facts) for each in (text, other))
    return isinstance(column, exp.Column) and compares_like_keys(column, second, facts)


def _stored(node: Expr, facts: Facts) -> Expr:
    """The column of a table that an expression shows, or shows in small or capital letters."""
    while True:
        if isinstance(node, exp.Lower | exp.Upper):
            node = node.this
            continue
        inner = facts.projection(node) if isinstance(node, exp.Column) else None
        if inner is None:
            return node
        node = inner
