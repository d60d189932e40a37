"""One order for what has none in SQL, and no words that say nothing.

The parts of AND and OR, the sides of a comparison, the members of a list and the terms of GROUP BY
stand in one order. ASC, INNER and OUTER, an offset of nothing, and parentheses that say nothing are
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.resolve.text import put_parentheses

TextOf = Callable[[Expr], str]
_FLIPS: dict[type[Expr], type[Expr]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.GT: exp.LT,
    exp.LT: exp.GT,
    exp.GTE: exp.LTE,
    exp.LTE: exp.GTE,
}


def spell_conditions(tree: Expr, text_of: TextOf) -> None:
    """Put conditions in order and leave out what says nothing, in place.

    Args:
        tree: A tree of one's own, with its names as they will be.
        text_of: The text of a part of it.
    """
    for paren in list(tree.find_all(exp.Paren)):
        paren.replace(paren.this)
    for node in list(tree.walk()):
        _leave_out(node)
    # From the inside out: the text of a condition decides where it stands.
    for node in reversed(list(tree.walk(bfs=False))):
        if type(node) in _FLIPS:
            _order_sides(node, text_of)
        elif isinstance(node, exp.In | exp.Group) and node.expressions:
            node.set("expressions", sorted(node.expressions, key=text_of))
        elif isinstance(node, exp.Connector) and type(node.parent) is not type(node):
            _order_parts(node, text_of)
    put_parentheses(tree, spare=True)


def _leave_out(node: Expr) -> None:
    node.comments = None
    if isinstance(node, exp.Join):
        has_condition = bool(node.args.get("on") or node.args.get("using"))
        if node.kind == "OUTER" or (node.kind == "INNER" and has_condition):
            node.set("kind", None)
    elif isinstance(node, exp.Ordered) and not node.args.get("desc"):
        node.set("desc", None)
    elif isinstance(node, exp.Query):
        offset = node.args.get("offset")
        if offset is not None and offset.expression.is_number and offset.expression.name == "0":
            node.set("offset", None)
    elif isinstance(node, exp.Not) and _is_plain_like(node.this):
        node.this.set("negate", True)
        node.replace(node.this)


def _is_plain_like(node: Expr) -> bool:
    return isinstance(node, exp.Like | exp.ILike) and not node.args.get("negate")


def _order_sides(node: Expr, text_of: TextOf) -> None:
    left, right = node.this, node.expression
    if isinstance(left, exp.Collate) or isinstance(right, exp.Collate):
        # The left side's collation counts.
        return
    if (_rank(right), text_of(right)) < (_rank(left), text_of(left)):
        node.replace(_FLIPS[type(node)](this=right, expression=left))


def _rank(side: Expr) -> int:
    """Columns stand first, constants last."""
    if isinstance(side, exp.Column):
        return 0
    if isinstance(side, exp.Subquery | exp.Query):
        return 2
    inner = side.this if isinstance(side, exp.Neg) else side
    return 3 if isinstance(inner, exp.Literal | exp.Null | exp.Boolean) else 1


def _order_parts(node: exp.Connector, text_of: TextOf) -> None:
    kind = type(node)
    parts = sorted(_parts(node, kind), key=text_of)
    joined = parts[0]
    for part in parts[1:-1]:
        joined = kind(this=joined, expression=part)
    node.set("this", joined)
    node.set("expression", parts[-1])


def _parts(node: Expr, kind: type[Expr]) -> Iterator[Expr]:
    """The parts of a chain of one connector; it may be long."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if type(one) is kind:
            waiting += (one.expression, one.this)
        else:
            yield one
