"""Parts of an expression: literals, operands, what a scalar subquery returns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.records import Cell

_AGGREGATES: dict[type[Expr], str] = {
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
}


def aggregate_name(node: Expr) -> str | None:
    """The aggregate of values that a node is: a sum, a mean, a least or greatest value."""
    if isinstance(node, exp.Anonymous):
        return "total" if str(node.this).lower() == "total" else None
    return _AGGREGATES.get(type(node))


def literal_value(node: Expr) -> Cell:
    """The value of a literal."""
    text = str(node.this)
    if node.args.get("is_string"):
        return text
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def value_operands(node: Expr) -> Iterator[Expr]:
    """The expressions whose values a sum or a product takes, branches of CASE among them."""
    for child in node.iter_expressions():
        if isinstance(child, exp.Paren | exp.Cast | exp.Distinct | exp.Neg | exp.If | exp.Case):
            inner = [child.args.get("true"), child.args.get("false")]
            yield from value_operands(child) if not any(inner) else ()
            yield from (branch for branch in inner if branch is not None)
        else:
            yield child


def shows_all(star: Expr) -> bool:
    """Whether a star stands for columns: not in COUNT(*), not where only rows count."""
    return not isinstance(star.parent, exp.Count) and star.find_ancestor(exp.Exists) is None


def without_parens(node: Expr) -> Expr:
    """The expression inside parentheses."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def scalar_output(node: Expr) -> Expr:
    """The single output of a scalar subquery: x = (SELECT y FROM ...) joins x with y."""
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
        outputs = node.this.expressions
        if len(outputs) == 1:
            inner: Expr = outputs[0].unalias()
            if isinstance(inner, exp.Max | exp.Min):
                inner = inner.this
            return inner
    return node
