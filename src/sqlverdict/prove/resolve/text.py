"""A resolved tree as SQL text that runs: names for derived columns, parentheses, aliases."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of, parser_dialect
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    conditions,
    copied,
    enclosing,
    is_inner,
    nodes_in,
    output_nodes,
    set_conditions,
    whole_number,
)
from sqlverdict.prove.resolve.unknown_calls import is_shown_text
from sqlverdict.prove.tree_key import expression_key

_LOOSE = (
    *(exp.Binary, exp.Not, exp.Neg, exp.BitwiseNot, exp.Between, exp.In, exp.Case, exp.Collate),
    exp.Is,
)


def resolved_sql(tree: Expr, dialect: str = DEFAULT_DIALECT) -> str:
    """SQL text for a resolved tree."""
    text = runnable(copied(tree), as_it_stands=False, dialect=dialect)
    return str(text.sql(parser_dialect(dialect), copy=False))


def runnable(
    tree: Expr, *, as_it_stands: bool, dialect: str = DEFAULT_DIALECT, spare: bool = False
) -> Expr:
    """Change a resolved tree, in place, so that it can be written as text.

    Args:
        tree: The resolved tree.
        as_it_stands: Whether sources keep their order: right where no rule has moved them.
        dialect: What the text is to be written in.
        spare: Whether AND and OR do without parentheses that say nothing.
    """
    holder = exp.Paren(this=tree)
    lenient = dialect_of(dialect).lenient
    for node in list(nodes_in(tree)):
        if is_shown_text(node):
            # The engine chooses it where it groups by the column.
            node.replace(node.expressions[0])
    nodes = list(nodes_in(tree))
    for node in nodes:
        if isinstance(node, exp.Subquery) and node.alias:
            _name_columns(node.this)
        if isinstance(node, exp.Join) and not lenient:
            _say_cross(node)
        if isinstance(node, exp.SetOperation):
            _wrap_right(node, dialect)
            if node.args.get("order") is not None:
                _name_columns(node)
    for select in [node for node in nodes if isinstance(node, exp.Select)]:
        if not as_it_stands:
            _inner_first(select)
        _say_extremes(select)
        if not lenient:
            _say_determined(select)
    _put_parentheses(list(nodes_in(tree)), spare)
    for clause in [node for node in nodes if isinstance(node, exp.Group | exp.Order)]:
        _keep_constants(clause)
    changed: Expr = holder.this
    return changed


def put_parentheses(tree: Expr, *, spare: bool = False) -> None:
    """Put parentheses around every operand that is an operation, in place.

    With ``spare`` comparisons in AND and OR have none, nor has AND in AND, nor OR in OR.
    """
    _put_parentheses(list(tree.walk()), spare)


def _put_parentheses(nodes: Sequence[Expr], spare: bool) -> None:
    for node in nodes:
        if isinstance(node, exp.Like | exp.Glob) and isinstance(node.parent, exp.Escape):
            # ESCAPE is a part of LIKE and does not stand behind parentheses.
            continue
        if spare and isinstance(node.parent, exp.Connector) and _binds_closer(node):
            continue
        if isinstance(node, _LOOSE) and isinstance(node.parent, _LOOSE):
            wrapped = exp.Paren()
            node.replace(wrapped)
            wrapped.set("this", node)


def _binds_closer(node: Expr) -> bool:
    """Whether an operand of AND or OR reads the same without parentheses."""
    return type(node) is type(node.parent) or isinstance(node, exp.Predicate)


def _inner_first(select: Expr) -> None:
    """An outer join may refer to a source that an inner join brings in: write these first."""
    joins = list(select.args.get("joins") or [])
    if all((join.side or "").upper() in ("", "LEFT") for join in joins):
        select.set("joins", sorted(joins, key=lambda join: not is_inner(join)) or None)


def _say_extremes(select: Expr) -> None:
    """MIN and MAX that choose the row of a bare column must be said, if only to be ignored."""
    outputs = {expression_key(call) for call in aggregates_in(output_nodes(select))}
    calls = [
        call for call in select.args.get("extremes") or () if expression_key(call) not in outputs
    ]
    select.set("extremes", None)
    idle: list[Expr] = [
        exp.Or(this=exp.Is(this=call, expression=exp.Null()), expression=exp.Boolean(this=True))
        for call in calls
    ]
    if idle:
        set_conditions(select, [*conditions(select, "having"), *idle], "having")


def _say_determined(select: Expr) -> None:
    """A bare column has one value in its group: its least one, which every engine takes."""
    from sqlverdict.prove.reasoning.bare import bare_columns

    for column in list(bare_columns(select)):
        if enclosing(column) is select:
            column.replace(exp.Min(this=column.copy()))


def _keep_constants(clause: Expr) -> None:
    """A whole number in GROUP BY or ORDER BY would be an ordinal."""
    for term in clause.expressions:
        value = term.this if isinstance(term, exp.Ordered) else term
        if _is_whole_number(value):
            value.replace(exp.Add(this=value.copy(), expression=exp.Literal.number(0)))


def _is_whole_number(value: Expr) -> bool:
    """Whether a value is an integer literal, with minus and parentheses around it or not."""
    while isinstance(value, exp.Paren | exp.Neg):
        value = value.this
    return whole_number(value) is not None


def _name_columns(query: Expr) -> None:
    """Name the columns of a derived table, in the first SELECT of a set operation."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    outputs = []
    for number, item in enumerate(query.expressions):
        inner = item.this if isinstance(item, exp.Alias) else item
        outputs.append(exp.Alias(this=inner, alias=exp.Identifier(this=f"c{number}", quoted=True)))
    query.set("expressions", outputs)


def _say_cross(join: exp.Join) -> None:
    """Behind a comma, ON sees the sources since the last comma alone; behind a join, all."""
    if is_inner(join) and join.args.get("on") is None:
        join.set("kind", "CROSS")


def _wrap_right(node: exp.SetOperation, dialect: str) -> None:
    """SQLite has no parentheses around the sides of a set operation: use a derived table."""
    for part in ("this", "expression"):
        side = node.args[part]
        bare = isinstance(side, exp.Select) and not (
            side.args.get("order") or side.args.get("limit") or side.args.get("offset")
        )
        nests = (
            part == "this"
            and isinstance(side, exp.SetOperation)
            and not (side.args.get("order") or side.args.get("limit"))
        )
        if not bare and not nests:
            source = exp.Subquery(this=side)
            if not dialect_of(dialect).bare_sides:
                node.set(part, source)
                continue
            node.set(part, exp.Select(expressions=[exp.Star()], from_=exp.From(this=source)))
