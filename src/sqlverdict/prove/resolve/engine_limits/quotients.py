"""Quotients whose value depends on where they are computed: beside a SUM, or in a query inside."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.fractions import is_fraction
from sqlverdict.prove.reasoning.shape import (
    has_subquery,
    has_window,
    is_grouped,
    is_limited,
    items,
    leaves,
    nodes_in,
    own_nodes,
)
from sqlverdict.prove.resolve.scope import Unsupported


def require_lasting_quotients(tree: Expr, facts: Facts) -> None:
    """Refuse a query with a quotient that may have another value where a rule moves it.

    Raises:
        Unsupported: there is one.
    """
    if (objection := _objection(tree, facts)) is not None:
        raise Unsupported(objection)
    facts.cited.clear()


def _objection(tree: Expr, facts: Facts) -> str | None:
    record = facts.record
    if record.wide_sums and _may_divide_sums(tree, facts):
        # A sum of integers may be a decimal, and then it is not divided as an integer is.
        return "a division beside a sum"
    if record.short_division and any(
        isinstance(node, _COMPUTED) and any(_is_cut(part, facts) for part in own_nodes(node))
        for node in nodes_in(tree)
    ):
        # What a query hands on is cut to the digits of its type; what is computed at once is not.
        return "arithmetic on a quotient that another query gives"
    return None


_COMPUTED = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Sum, exp.Avg)


def _may_divide_sums(tree: Expr, facts: Facts) -> bool:
    """Whether a query has a sum, and a division that may be one of integers."""
    nodes = list(nodes_in(tree))
    return any(isinstance(node, exp.Sum) for node in nodes) and not all(
        is_fraction(node.this, facts) for node in nodes if isinstance(node, exp.Div)
    )


def _is_cut(node: Expr, facts: Facts) -> bool:
    """Whether a value is a quotient of decimals that a query for one value or a table gives."""
    if isinstance(node, exp.Subquery):
        return any(_has_quotient(leaf.expressions[0], facts) for leaf in leaves(node.this))
    source = facts.home(node) if isinstance(node, exp.Column) else None
    if source is None or not isinstance(source[1], exp.Subquery):
        return False
    query = source[1].this
    output = facts.projection(node)
    if output is not None and _is_merged(query):
        return any(_is_cut(part, facts) for part in own_nodes(output))
    number = int(node.name[1:])
    return any(_has_quotient(leaf.expressions[number], facts) for leaf in leaves(query))


def _is_merged(query: Expr) -> bool:
    """Whether an engine reads through a derived table as if it were not there."""
    plain = isinstance(query, exp.Select) and not query.args.get("distinct")
    if not plain or is_grouped(query) or is_limited(query) or not items(query):
        return False
    # MySQL keeps the rows of a table with a query in its SELECT list.
    return not has_window(query) and not any(map(has_subquery, query.expressions))


def _has_quotient(output: Expr, facts: Facts) -> bool:
    """Whether a value is computed from a quotient of decimals."""
    for node in own_nodes(output):
        if isinstance(node, exp.Div | exp.Avg):
            operands = (node.this, node.args.get("expression"))
            if not any(part is not None and facts.kind(part) == "real" for part in operands):
                return True
        elif isinstance(node, exp.Column | exp.Subquery) and _is_cut(node, facts):
            return True
    return False
