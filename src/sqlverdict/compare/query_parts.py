"""A query in parts that can be compared with another's: tables, conditions, keys, outputs.

Spelling does not count: aliases stand for their tables, ``a > b`` is ``b < a``, BETWEEN is two
bounds, the order of AND, OR, + and * is free, a number in quotes is that number, CAST(x AS REAL)
and x * 1.0 are x. What remains different is where two queries differ, which says nothing yet
about whether they answer differently: good enough to name a difference by, not to prove by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlverdict.compare.query_text import Names, key
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Query

if TYPE_CHECKING:
    from sqlglot.expressions import Expr


@dataclass(frozen=True)
class Condition:
    """One of the conditions that AND connects.

    Attributes:
        key: It, whatever its spelling.
        text: It, as the query writes it.
        columns: The columns that it speaks of.
        shape: As ``key`` with every literal taken out, to find the same condition with
            another value.
        values: The literals in it.
        null: ``x IS NULL`` or ``x IS NOT NULL``.
    """

    key: str
    text: str = field(compare=False)
    columns: frozenset[str] = field(compare=False)
    shape: str = field(compare=False)
    values: frozenset[str] = field(default=frozenset(), compare=False)
    null: bool = field(default=False, compare=False)


@dataclass
class QueryParts:
    """What a query is made of, subqueries included unless said otherwise.

    Attributes:
        tables: The base tables.
        columns: The columns of each output, without those that COUNT sees.
        outputs: The outermost output columns, in order.
        conditions: Of WHERE, and of ON where they join nothing.
        having: Conditions on groups.
        joins: Pairs of columns by which tables are joined.
        pairs: The same, as pairs.
        outer: Tables on the optional side of an outer join.
        groups: Keys of GROUP BY.
        order: Sort keys of the outermost SELECT, with their direction.
        limit: LIMIT and OFFSET of the outermost SELECT.
        distinct: The outermost SELECT is DISTINCT.
        distinct_counts: What aggregates see once only.
        counted: What COUNT sees: columns, or ``*``.
        averaged: What AVG sees.
        summed: What SUM sees.
        aggregates: The names of aggregate functions in outputs, sort keys and groups.
        set_operations: UNION and the like.
        extreme: A column is compared with a subquery's MIN or MAX.
        cut: Some SELECT has both ORDER BY and LIMIT.
        scalar: A column must equal a subquery's one value that is no aggregate.
    """

    tables: set[str] = field(default_factory=set)
    columns: dict[str, set[str]] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)
    conditions: dict[str, Condition] = field(default_factory=dict)
    having: dict[str, Condition] = field(default_factory=dict)
    joins: set[str] = field(default_factory=set)
    pairs: set[tuple[str, str]] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)
    limit: str = ""
    distinct: bool = False
    distinct_counts: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    averaged: set[str] = field(default_factory=set)
    summed: set[str] = field(default_factory=set)
    aggregates: set[str] = field(default_factory=set)
    set_operations: list[str] = field(default_factory=list)
    extreme: bool = False
    cut: bool = False
    scalar: bool = False


def parts_of_both(
    gold: Query, prediction: Query, schema: Schema | None = None
) -> tuple[QueryParts, QueryParts]:
    """Take two queries apart; columns that either of them joins are taken for one."""
    same: dict[str, str] = {}
    for query in (gold, prediction):
        for pair in sorted(query_parts(query, schema).pairs):
            one, other = (same.get(place, place) for place in pair)
            first = min(one, other)
            for place, stands in list(same.items()):
                if stands in (one, other):
                    same[place] = first
            same |= {one: first, other: first, pair[0]: first, pair[1]: first}
    return query_parts(gold, schema, same), query_parts(prediction, schema, same)


def query_parts(
    query: Query, schema: Schema | None = None, same: Mapping[str, str] | None = None
) -> QueryParts:
    """Take a query apart.

    Args:
        query: The parsed query.
        schema: Its schema, which tells the table of a bare column name, and a string in double
            quotes from a column.
        same: Columns that are taken for one, from each to the one that stands for it.
    """
    from sqlglot import exp

    # Parsed queries are shared, and columns are marked with their tables.
    tree = query.tree.copy()
    names = Names(tree, schema, same)
    parts = QueryParts(tables=set(names.tables))
    for select in tree.find_all(exp.Select):
        _read_select(select, names, parts)
    for operation in tree.find_all(exp.SetOperation):
        kind = "" if operation.args.get("distinct") is not False else " all"
        parts.set_operations.append(operation.key + kind)
    parts.set_operations.sort()
    _read_outermost(tree, names, parts)
    _read_aggregates(tree, names, parts)
    return parts


def _read_select(select: Expr, names: Names, parts: QueryParts) -> None:
    linked: set[frozenset[str]] = set()
    for join in select.args.get("joins") or ():
        on = join.args.get("on")
        side = str(join.args.get("side") or "")
        if side:
            parts.outer.add(f"{side.lower()} {names.table(join.this)}")
        if on is not None:
            _read_conditions(on, names, parts.conditions, parts, linked)
        for using in join.args.get("using") or ():
            parts.joins.add(f"using {using.name.lower()}")
    where = select.args.get("where")
    if where is not None:
        # Of two tables that ON has joined, a further pair of columns is a condition.
        _read_conditions(where.this, names, parts.conditions, parts, linked, frozenset(linked))
    having = select.args.get("having")
    if having is not None:
        _read_conditions(having.this, names, parts.having, parts, linked)
    group = select.args.get("group")
    for node in group.expressions if group is not None else ():
        parts.groups.add(key(names.behind(node), names))
    if select.args.get("order") is not None and select.args.get("limit") is not None:
        parts.cut = True


def _read_columns(node: Expr) -> Iterator[Expr]:
    """The columns of an expression, without those that COUNT sees and those of subqueries."""
    from sqlglot import exp

    if isinstance(node, exp.Count | exp.Select | exp.Subquery):
        return
    if isinstance(node, exp.Column):
        yield node
        return
    for child in node.iter_expressions():
        yield from _read_columns(child)


def conjuncts(node: Expr) -> Iterator[Expr]:
    """The conditions that AND connects; BETWEEN is two of them."""
    from sqlglot import exp

    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.And):
        yield from conjuncts(node.this)
        yield from conjuncts(node.expression)
    elif isinstance(node, exp.Between):
        yield exp.LTE(this=node.args["low"].copy(), expression=node.this.copy())
        yield exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
    else:
        yield node


def _read_conditions(
    root: Expr,
    names: Names,
    found: dict[str, Condition],
    parts: QueryParts,
    linked: set[frozenset[str]],
    already: frozenset[frozenset[str]] = frozenset(),
) -> None:
    from sqlglot import exp

    for node in conjuncts(root):
        bare = node.this if isinstance(node, exp.Not) else node
        inner = _subquery(bare)
        tables = _joined_tables(node)
        if tables is not None and tables not in already:
            linked.add(tables)
            pair = sorted(names.own_place(side) for side in (node.this, node.expression))
            parts.pairs.add((pair[0], pair[1]))
            parts.joins.add(" = ".join(pair))
            continue
        if isinstance(bare, exp.In) and bare.args.get("query") is not None and bare is node:
            continue  # a join in other words; its own conditions are read with its SELECT
        if isinstance(node, exp.Exists):
            continue
        if isinstance(node, exp.EQ) and inner is not None:
            if _is_extreme(inner):
                parts.extreme = True
            else:
                parts.scalar = True
            continue
        condition = _condition(node, names)
        found.setdefault(condition.key, condition)


def _condition(node: Expr, names: Names) -> Condition:
    from sqlglot import exp

    tested = node.this if isinstance(node, exp.Not) else node
    null = isinstance(tested, exp.Is) and isinstance(tested.expression, exp.Null)
    columns = frozenset(names.place(column) for column in node.find_all(exp.Column)) - {""}
    return Condition(
        key=key(node, names),
        text=node.sql("sqlite"),
        columns=columns,
        shape=key(node, names, literals=False),
        values=frozenset(key(value, names) for value in _values(node)),
        null=null,
    )


def _values(node: Expr) -> Iterator[Expr]:
    from sqlglot import exp

    for one in node.find_all(exp.Literal):
        # Not the format of a date, nor the place in a text: those are part of a function.
        if not isinstance(one.parent, exp.Func) or isinstance(one.parent, exp.In):
            yield one


def _joined_tables(node: Expr) -> frozenset[str] | None:
    """The two sources whose columns a condition sets equal, where it does no more than that."""
    from sqlglot import exp

    if not isinstance(node, exp.EQ):
        return None
    left, right = node.this, node.expression
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
        return None
    different = left.table and right.table and left.table.lower() != right.table.lower()
    return frozenset({left.table.lower(), right.table.lower()}) if different else None


def _subquery(node: Expr) -> Expr | None:
    from sqlglot import exp

    for side in (node.this, node.args.get("expression")):
        if isinstance(side, exp.Subquery) and isinstance(side.this, exp.Select):
            found: Expr = side.this
            return found
    return None


def _is_extreme(select: Expr) -> bool:
    from sqlglot import exp

    outputs = [node.unalias() for node in select.expressions]
    return len(outputs) == 1 and isinstance(outputs[0], exp.Max | exp.Min)


def _read_outermost(tree: Expr, names: Names, parts: QueryParts) -> None:
    from sqlglot import exp

    select: Expr = tree
    order, limit, offset = (tree.args.get(name) for name in ("order", "limit", "offset"))
    while isinstance(select, exp.SetOperation | exp.Subquery):
        select = select.this
    if isinstance(select, exp.Select):
        parts.outputs = [key(node, names) for node in select.expressions]
        parts.distinct = select.args.get("distinct") is not None
        parts.columns = {
            output: {names.place(column) for column in _read_columns(node)} - {""}
            for output, node in zip(parts.outputs, select.expressions, strict=True)
        }
    if order is not None:
        parts.order = [
            key(names.behind(node.this), names) + (" desc" if node.args.get("desc") else "")
            for node in order.expressions
        ]
    values = [clause.expression for clause in (limit, offset) if clause is not None]
    # OFFSET 0 is none.
    parts.limit = " ".join(key(value, names) for value in values).removesuffix(" 0")


def _read_aggregates(tree: Expr, names: Names, parts: QueryParts) -> None:
    from sqlglot import exp

    for node in tree.find_all(exp.AggFunc):
        inner = node.this
        distinct = isinstance(inner, exp.Distinct)
        arguments: Iterable[Expr] = inner.expressions if distinct else [inner]
        texts = {key(argument, names) for argument in arguments if argument is not None}
        if distinct:
            parts.distinct_counts |= texts
        if isinstance(node, exp.Count) and not distinct:
            parts.counted |= texts
        elif isinstance(node, exp.Avg):
            parts.averaged |= texts
        elif isinstance(node, exp.Sum):
            parts.summed |= texts
        select = node.find_ancestor(exp.Select)
        compared = select is not None and _is_extreme(select) and select is not tree
        if not compared:
            parts.aggregates.add(node.key)
