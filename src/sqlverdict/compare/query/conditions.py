"""The conditions of a query: which join, which ask for a subquery's value, which are left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlverdict.compare.query.columns import Names, split_ref
from sqlverdict.compare.query.text import flat
from sqlverdict.dialects import DEFAULT_DIALECT

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_DEEPEST_TEXT = 50


@dataclass(frozen=True)
class QueryCondition:
    """One of the conditions that AND connects.

    Attributes:
        key: It, whatever its spelling.
        node: Where the query has it.
        columns: The columns that it speaks of.
        shape: As ``key`` with every literal taken out, to find the same condition with
            another value.
        values: The literals in it.
        options: Where OR connects them: each, as ``key``.
        null: ``x IS NULL`` or ``x IS NOT NULL``.
        readable: It, as a reader knows it; empty where it holds a query.
        inside: Whether it stands in a query inside the query, or beside one by UNION or the like.
    """

    key: str
    node: Expr = field(compare=False)
    columns: frozenset[str] = field(compare=False)
    shape: str = field(compare=False)
    values: frozenset[str] = field(default=frozenset(), compare=False)
    options: frozenset[str] = field(default=frozenset(), compare=False)
    null: bool = field(default=False, compare=False)
    readable: str = field(default="", compare=False)
    inside: bool = field(default=False, compare=False)

    @property
    def text(self) -> str:
        """It, as the query writes it; by its key where it is nested deep."""
        level, levels = [self.node], 0
        while level:
            levels += 1
            if levels > _DEEPEST_TEXT:
                # To write it would take more calls than Python allows on some stacks.
                return self.key
            level = [child for node in level for child in node.iter_expressions()]
        return self.node.sql(DEFAULT_DIALECT)


def conjuncts(node: Expr) -> Iterator[Expr]:
    """The conditions that AND connects."""
    while node.key == "paren":
        node = node.this
    if node.key == "and":
        for one in flat(node):
            # The parentheses around it are gone, and there may be another AND in them.
            yield from conjuncts(one)
    else:
        yield node


def clauses(select: Expr) -> Iterator[Expr]:
    """The conditions of ON and WHERE."""
    for join in select.args.get("joins") or ():
        if join.args.get("on") is not None:
            yield join.args["on"]
    if select.args.get("where") is not None:
        yield select.args["where"].this


def joins_of(names: Names) -> Iterator[tuple[str, str]]:
    """Pairs of columns by which a query joins; columns that share a name, for USING."""
    for select in names.nodes.selects:
        linked: set[frozenset[str]] = set()
        where = select.args.get("where")
        for clause in clauses(select):
            # Of two tables that ON has joined, a further pair of columns is a condition.
            already = frozenset(linked) if where and clause is where.this else frozenset()
            for node in conjuncts(clause):
                pair = joined_columns(node, names, already, linked)
                if pair is not None:
                    yield pair
        for join in select.args.get("joins") or ():
            for using in join.args.get("using") or ():
                column_refs = names.owners(select, using.name) or [f"using {using.name.lower()}"]
                yield from ((column_refs[0], other) for other in column_refs[1:] or column_refs)


def joined_columns(
    node: Expr, names: Names, already: frozenset[frozenset[str]], linked: set[frozenset[str]]
) -> tuple[str, str] | None:
    """The two columns that a condition sets equal, where it does no more than that."""
    # What a node holds may be a bare value: TRUE holds a bool.
    left, right = _column(node.args.get("this")), _column(node.args.get("expression"))
    if left is None:
        return None
    if node.key == "eq" and right is not None:
        tables = frozenset({left.text("table").lower(), right.text("table").lower()})
        if "" in tables:
            # Bare names: two tables that the schema tells apart.
            tables = frozenset(split_ref(names.own_column_ref(side))[0] for side in (left, right))
            if "?" in tables or "" in tables:
                return None
        if len(tables) < 2 or tables in already:
            return None
        linked.add(tables)
    else:
        inner = subquery(node)
        outputs = inner.expressions if inner is not None else ()
        right = _column(outputs[0].unalias()) if len(outputs) == 1 else None
        if right is None:
            return None
    pair = sorted(names.own_column_ref(side) for side in (left, right))
    return (pair[0], pair[1]) if all(pair) else None


def _column(node: Expr | None) -> Expr | None:
    return node if getattr(node, "key", "") == "column" else None


def subquery(node: Expr) -> Expr | None:
    """The SELECT that a column is compared with by ``=``, or that it must be IN."""
    from sqlglot import exp

    query = node.args.get("query") if isinstance(node, exp.In) else None
    sides = (query, node.this, node.args.get("expression")) if node.key in ("in", "eq") else ()
    for side in sides:
        if isinstance(side, exp.Subquery) and isinstance(side.this, exp.Select):
            select: Expr = side.this
            return select
        if side is query and isinstance(query, exp.Select):
            return query
    return None


def selects_extreme(select: Expr) -> bool:
    """Whether a SELECT's one output is MIN or MAX."""
    outputs = [node.unalias() for node in select.expressions]
    return len(outputs) == 1 and outputs[0].key in ("max", "min")


def is_first_row(select: Expr) -> bool:
    """Whether a SELECT has LIMIT 1."""
    limit = select.args.get("limit")
    number = limit.args.get("expression") if limit is not None else None
    return number is not None and number.name == "1"


def is_value(node: Expr) -> bool:
    """Not the format of a date, nor the place in a text: those are part of a function."""
    from sqlglot import exp

    if node.key != "literal":
        return False
    return not isinstance(node.parent, exp.Func) or isinstance(node.parent, exp.In | exp.Connector)
