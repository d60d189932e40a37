"""Small tools for resolved trees: conjuncts, sources, and what contains what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

_TOTALS = frozenset({"total"})
ColumnName = tuple[str, str]
"""A source's label and a column, as resolved trees spell them."""

MOST_INTEGER = 2**63
"""SQLite reads literals from here on as reals, which are equal where integers are not."""

NAMES = frozenset({exp.Column, exp.Table, exp.Identifier, exp.Literal, exp.Star})
"""Nodes that name or spell something: what is below them is spelling."""

# Asked so often that types are put together once.
_CALLS = (exp.AggFunc, exp.Anonymous)
_EXTREMES = (exp.Max, exp.Min)
_QUERIES = (exp.Select, exp.SetOperation)
_AROUND_CALLS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)
_LEAVES = frozenset({exp.Identifier, exp.Literal})


MIRRORED: dict[type[Expr], type[Expr]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
}
"""The same comparison with its sides exchanged."""
COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
OPPOSITES: dict[type[Expr], type[Expr]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.GT: exp.LTE,
    exp.GTE: exp.LT,
    exp.LT: exp.GTE,
    exp.LTE: exp.GT,
}
"""The comparison that is true where another one is false."""
BAG_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)
"""Aggregates that pass over NULL, and for which the order of rows does not matter."""
_BESIDE_ROWS = ("group", "having", "order", "limit", "offset", "distinct")


def all_of(conditions: Sequence[Expr]) -> Expr:
    """The conjunction of conditions, which must not be empty."""
    conjunction = conditions[0]
    for condition in conditions[1:]:
        conjunction = exp.And(this=conjunction, expression=condition)
    return conjunction


def any_of(conditions: Sequence[Expr]) -> Expr:
    """The disjunction of conditions, which must not be empty."""
    disjunction = conditions[0]
    for condition in conditions[1:]:
        disjunction = exp.Or(this=disjunction, expression=condition)
    return disjunction


def parts(node: Expr | None, kind: type[exp.And] | type[exp.Or] = exp.And) -> list[Expr]:
    """The operands of a chain of ANDs (or ORs), left to right; a chain of none is empty."""
    if node is None:
        return []
    operands: list[Expr] = []
    open_: list[Expr] = [node]
    while open_:
        node = open_.pop()
        if isinstance(node, kind):
            open_ += (node.expression, node.this)
        else:
            operands.append(node)
    return operands


def conditions(select: Expr, clause: str = "where") -> list[Expr]:
    """The conjuncts of a query's WHERE (or HAVING)."""
    holder = select.args.get(clause)
    return parts(holder.this) if holder is not None else []


def set_conditions(select: Expr, conjuncts: Sequence[Expr], clause: str = "where") -> None:
    """Put conjuncts back; none at all removes the clause."""
    if not conjuncts:
        select.set(clause, None)
        return
    wrapped = (
        exp.Where(this=all_of(conjuncts))
        if clause == "where"
        else exp.Having(this=all_of(conjuncts))
    )
    select.set(clause, wrapped)


def has_only_rows(select: Expr) -> bool:
    """Whether a SELECT has nothing but columns, sources and conditions."""
    return not any(select.args.get(part) for part in _BESIDE_ROWS)


def items(select: Expr) -> list[Expr]:
    """The sources of a SELECT, tables and derived tables, in order."""
    start = select.args.get("from_")
    if start is None:
        return []
    return [start.this, *(join.this for join in select.args.get("joins") or [])]


def joins(select: Expr) -> list[exp.Join]:
    """The joins of a SELECT."""
    return list(select.args.get("joins") or [])


def is_inner(join: Expr) -> bool:
    """Whether a join neither keeps unmatched rows nor chooses rows."""
    return not join.args.get("side") and (join.args.get("kind") or "").upper() in (
        "",
        "INNER",
        "CROSS",
    )


def all_inner(select: Expr) -> bool:
    """Whether a SELECT has no outer join."""
    return all(is_inner(join) for join in joins(select))


def is_padded(item: Expr) -> bool:
    """Whether an outer join may fill a source with NULLs."""
    holder = item.parent
    if isinstance(holder, exp.Join):
        if not is_inner(holder) and (holder.side or "").upper() != "RIGHT":
            return True
        select = holder.parent
        later = joins(select) if select is not None else []
        later = later[later.index(holder) + 1 :] if holder in later else later
    else:
        select = holder.parent if holder is not None else None
        later = joins(select) if select is not None else []
    return any((join.side or "").upper() in ("RIGHT", "FULL") for join in later)


def labels(select: Expr) -> list[str]:
    """The labels of a SELECT's own sources."""
    return [item.alias for item in items(select)]


def source_label(column: Expr) -> str:
    """The label of the source that a column belongs to; empty for one of a set operation."""
    name = column.args.get("table")
    return str(name.args["this"]) if name is not None else ""


def column_name(column: Expr) -> ColumnName:
    """A column's label and name."""
    return source_label(column), str(column.args["this"].args["this"])


def nodes_in(node: Expr) -> Iterator[Expr]:
    """A node and all below it, without the parts of names; in no order that counts.

    Rules look at trees so often that walking them must be quick.
    """
    open_ = [node]
    while open_:
        here = open_.pop()
        yield here
        if type(here) in NAMES:
            continue
        for value in here.args.values():
            if isinstance(value, Expr):
                open_.append(value)
            elif isinstance(value, list):
                open_ += [part for part in value if isinstance(part, Expr)]


def copied(node: Expr) -> Expr:
    """A copy without comments and places in the text, on which ``copy()`` spends its time."""
    kind = type(node)
    if kind in _LEAVES:
        return kind(**node.args)
    args = {
        name: copied(value)
        if isinstance(value, Expr)
        else [copied(part) if isinstance(part, Expr) else part for part in value]
        if isinstance(value, list)
        else value
        for name, value in node.args.items()
    }
    return kind(**args)


def columns_in(node: Expr) -> Iterator[exp.Column]:
    """Every column reference inside a node, those in subqueries too."""
    return (part for part in nodes_in(node) if isinstance(part, exp.Column))


def labels_in(node: Expr) -> set[str]:
    """The labels that a node refers to."""
    return {source_label(column) for column in columns_in(node)}


def has_subquery(node: Expr) -> bool:
    """Whether there is a query inside a node."""
    return any(isinstance(part, exp.Query) for part in nodes_in(node))


def own_nodes(node: Expr) -> Iterator[Expr]:
    """The nodes of an expression, without those of queries inside it (but with their roots)."""
    open_ = [node]
    while open_:
        here = open_.pop()
        yield here
        if type(here) in NAMES or (here is not node and isinstance(here, exp.Query)):
            continue
        if isinstance(here, exp.Query) and not isinstance(here, exp.Subquery):
            continue
        for value in reversed(here.args.values()):
            if isinstance(value, Expr):
                open_.append(value)
            elif isinstance(value, list):
                open_ += [part for part in reversed(value) if isinstance(part, Expr)]


def is_aggregate(node: Expr) -> bool:
    """Whether a node is a call of an aggregate function (not one of a window)."""
    if not isinstance(node, _CALLS):
        return False
    call: Expr = node
    while isinstance(call.parent, _AROUND_CALLS):
        call = call.parent
    if isinstance(call.parent, exp.Window) and call.arg_key == "this":
        return False
    if isinstance(node, _EXTREMES) and node.expressions:
        return False
    if isinstance(node, exp.AggFunc):
        return True
    return str(node.this).lower() in _TOTALS


def aggregates_in(nodes: Iterable[Expr]) -> Iterator[Expr]:
    """The aggregate calls among expressions, without those inside subqueries."""
    for node in nodes:
        if not isinstance(node, exp.Query):
            yield from filter(is_aggregate, own_nodes(node))


def output_nodes(select: Expr) -> list[Expr]:
    """What a SELECT computes behind WHERE: columns, HAVING and ORDER BY."""
    having, order = select.args.get("having"), select.args.get("order")
    terms = [term.this for term in order.expressions] if order is not None else []
    return [*select.expressions, *([having.this] if having is not None else []), *terms]


def is_grouped(select: Expr) -> bool:
    """Whether a SELECT folds rows into groups: GROUP BY, HAVING or an aggregate."""
    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    return next(aggregates_in(output_nodes(select)), None) is not None


def groups_without(part: Expr) -> bool:
    """Whether the SELECT around an expression folds its rows without that expression, too.

    ``SELECT COUNT(*) IS NULL FROM t`` is one row because of its call alone. True where the SELECT
    folds nothing.
    """
    select = enclosing(part)
    if not isinstance(select, exp.Select):
        return True
    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    calls = list(aggregates_in(output_nodes(select)))
    inside = {id(node) for node in own_nodes(part)}
    return not calls or any(id(call) not in inside for call in calls)


def has_window(select: Expr) -> bool:
    """Whether a SELECT calls a window function itself."""
    return any(
        isinstance(part, exp.Window)
        for node in output_nodes(select)
        if not isinstance(node, exp.Query)
        for part in own_nodes(node)
    )


def is_closed(item: Expr) -> bool:
    """Whether a source refers to nothing outside itself."""
    inside = {part.alias for part in item.find_all(exp.Table, exp.Subquery) if part.alias}
    return labels_in(item) <= inside | {""}


def leaves(query: Expr) -> Iterator[Expr]:
    """The SELECTs of a set operation, left to right; a SELECT itself."""
    if isinstance(query, exp.SetOperation):
        yield from leaves(query.this)
        yield from leaves(query.expression)
    else:
        yield query


def is_limited(query: Expr) -> bool:
    """Whether a query has LIMIT or OFFSET."""
    return query.args.get("limit") is not None or query.args.get("offset") is not None


def enclosing(node: Expr) -> Expr | None:
    """The nearest SELECT or set operation around a node."""
    around = node.parent
    while around is not None and not isinstance(around, _QUERIES):
        around = around.parent
    return around


def is_constant(node: Expr | None) -> bool:
    """Whether a node is a literal, with a minus before it or not."""
    return isinstance(node.this if isinstance(node, exp.Neg) else node, exp.Literal)


def is_integer_literal(node: exp.Literal) -> bool:
    """Whether a literal is an integer to SQLite: digits alone, and within 64 bits."""
    digits = str(node.this)
    return not node.is_string and digits.isdigit() and int(digits) < MOST_INTEGER


def whole_number(node: Expr | None) -> int | None:
    """The value of an integer literal, with a minus before it or not."""
    if isinstance(node, exp.Neg):
        inner = whole_number(node.this)
        return -inner if inner is not None else None
    return int(node.this) if isinstance(node, exp.Literal) and is_integer_literal(node) else None
