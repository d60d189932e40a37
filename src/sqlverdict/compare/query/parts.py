"""A query in parts that can be compared with another's: tables, conditions, keys, outputs.

Spelling does not count: aliases stand for their tables, ``a > b`` is ``b < a``, BETWEEN is two
bounds, the order of AND, OR, + and * is free, a number in quotes is that number, CAST(x AS REAL)
and x * 1.0 are x. What remains different is where two queries differ, which says nothing yet
about whether they answer differently: good enough to name a difference by, not to prove by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlverdict.compare.query.columns import Names, join_groups, root, split_ref, walk
from sqlverdict.compare.query.computed import Computed, read_computed
from sqlverdict.compare.query.conditions import (
    QueryCondition,
    clauses,
    conjuncts,
    is_first_row,
    is_value,
    joined_columns,
    joins_of,
    selects_extreme,
    subquery,
)
from sqlverdict.compare.query.readable import ReadableSql
from sqlverdict.compare.query.text import Texts, flat
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Query

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_COMPARISONS = frozenset({"eq", "neq", "gt", "gte", "lt", "lte", "like", "is", "in", "between"})
_MOST_STARS = 20
"""So many stars of one SELECT are written out."""


@dataclass
class QueryParts:
    """What a query is made of, subqueries included unless said otherwise.

    Attributes:
        tables: The base tables.
        columns: The columns of each output, without those that COUNT sees.
        outputs: The outermost output columns, in order.
        any_count_outputs: The same, where one COUNT is like another.
        composed: Outputs that write several columns into one text: those columns.
        conditions: Of WHERE, and of ON where they join nothing.
        having: Conditions on groups.
        branches: Keys of the conditions in CASE and IIF.
        joins: Pairs of columns by which tables are joined, ``x IN (SELECT y ...)`` among them.
        outer: Tables on the optional side of an outer join.
        idle: Tables of which nothing but the columns of joins is read.
        groups: Keys of GROUP BY.
        order: Sort keys of the outermost SELECT, with their direction.
        limit: LIMIT and OFFSET of the outermost SELECT.
        distinct: The outermost SELECT is DISTINCT.
        set_operations: UNION and the like.
        nested: How many queries stand inside others.
        extreme: A column is compared with a subquery's MIN or MAX.
        cut: Some SELECT has both ORDER BY and LIMIT.
        scalar: A column must equal a subquery's value, and nothing makes sure that there is one.
        first_row: A column must equal a subquery's value, and LIMIT 1 says which.
        computed: Functions, aggregates and arithmetic.
        as_text: Names in double quotes that name no column and stand where a column would.
        readable: What keys of outputs, groups and sort keys stand for, as the query writes it; a
            key that cannot be written in one short line is not here.
        clauses: Which of DISTINCT, GROUP BY, ORDER BY and LIMIT stand anywhere in the query.
        names: Tables as the schema spells them, else the query.
        aggregates: The names of all aggregates, in capitals.
        joins_itself: Some SELECT reads a table twice.
    """

    tables: set[str] = field(default_factory=set)
    columns: dict[str, set[str]] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)
    any_count_outputs: list[str] = field(default_factory=list)
    composed: list[frozenset[str]] = field(default_factory=list)
    conditions: dict[str, QueryCondition] = field(default_factory=dict)
    having: dict[str, QueryCondition] = field(default_factory=dict)
    branches: set[str] = field(default_factory=set)
    joins: set[tuple[str, str]] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    idle: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)
    limit: str = ""
    distinct: bool = False
    set_operations: list[str] = field(default_factory=list)
    nested: int = 0
    extreme: bool = False
    cut: bool = False
    scalar: bool = False
    first_row: bool = False
    computed: Computed = field(default_factory=Computed)
    as_text: set[str] = field(default_factory=set)
    readable: dict[str, str] = field(default_factory=dict)
    clauses: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    aggregates: set[str] = field(default_factory=set)
    joins_itself: bool = False


def parts_of_both(
    gold: Query, prediction: Query, schema: Schema | None = None
) -> tuple[QueryParts, QueryParts]:
    """Take two queries apart; columns that either of them joins are taken for one."""
    both = [Names(query.tree, schema) for query in (gold, prediction)]
    joins = [set(joins_of(names)) for names in both]
    groups: dict[str, str] = {}
    for pair in sorted(joins[0] | joins[1]):
        join_groups(groups, *pair)
    same = {column_ref: root(groups, column_ref) for column_ref in list(groups)}
    parts = []
    qualified = len(both[0].tables | both[1].tables) > 1
    for query, names, pairs in zip((gold, prediction), both, joins, strict=True):
        names.same = same
        names.joined = frozenset(column_ref for pair in pairs for column_ref in pair)
        readable = ReadableSql(names, schema, query.dialect, qualified=qualified)
        parts.append(_PartsReader(query.tree, names, schema, readable).read(pairs))
    return parts[0], parts[1]


class _PartsReader:
    """Takes one query apart."""

    def __init__(
        self, tree: Expr, names: Names, schema: Schema | None, readable: ReadableSql
    ) -> None:
        self._tree = tree
        self._readable = readable
        self._names = names
        self._schema = schema
        self._key = Texts(names, counts="rows")
        self._shape = Texts(names, literals=False)
        self._parts = QueryParts(tables=set(names.tables))
        self._parts.names = {name: readable.table(name) for name in names.tables}
        self._parts.aggregates = set(map(_aggregate_name, names.nodes.aggregates))

    def read(self, joins: Iterable[tuple[str, str]]) -> QueryParts:
        """The parts, where the joins are known."""
        parts, nodes = self._parts, self._names.nodes
        parts.joins = set(joins)
        parts.readable |= {
            " = ".join(pair): " = ".join(map(self._readable.reference, pair))
            for pair in parts.joins
            if all("." in ref for ref in pair)
        }
        keys = {column_ref for pair in parts.joins for column_ref in pair}
        column_refs = {self._names.own_column_ref(column) for column in nodes.columns}
        read = {split_ref(column_ref)[0] for column_ref in column_refs - keys}
        if "?" not in read:
            parts.idle = (parts.tables & {split_ref(column_ref)[0] for column_ref in keys}) - read
        for select in nodes.selects:
            self._read_select(select)
        self._drop_given_groups()
        for branch in nodes.branches:
            parts.branches |= {
                one.key for node in conjuncts(branch.this) for one in self._conditions(node)
            }
        for operation in nodes.set_operations:
            kind = "" if operation.args.get("distinct") is not False else " all"
            parts.set_operations.append(operation.key + kind)
            parts.clauses |= {name for name in ("order", "limit") if operation.args.get(name)}
        parts.set_operations.sort()
        self._read_outermost()
        parts.computed = read_computed(self._tree, self._names, self._key, self._schema)
        return parts

    def _read_select(self, select: Expr) -> None:
        parts = self._parts
        from sqlglot import exp

        inside = select.find_ancestor(exp.Select, exp.CTE) is not None
        arm = isinstance(select.parent, exp.SetOperation) and select.arg_key == "expression"
        parts.nested += inside and not arm
        start = select.args.get("from_")
        sources = [start.this] if start is not None else []
        sources += [join.this for join in select.args.get("joins") or ()]
        names = [source.name.lower() for source in sources if isinstance(source, exp.Table)]
        parts.joins_itself |= len(set(names)) < len(names)
        for join in select.args.get("joins") or ():
            side = str(join.args.get("side") or "")
            if side:
                parts.outer.add(f"{side.lower()} {self._names.table(join.this)}")
        linked: set[frozenset[str]] = set()
        where = select.args.get("where")
        for clause in clauses(select):
            already = frozenset(linked) if where and clause is where.this else frozenset()
            self._read_conditions(clause, parts.conditions, already, linked)
        having = select.args.get("having")
        if having is not None:
            self._read_conditions(having.this, parts.having, frozenset(), linked)
        group = select.args.get("group")
        for node in group.expressions if group is not None else ():
            parts.groups.add(self._key_of(self._names.behind(node)))
        parts.clauses |= {
            name for name in ("distinct", "group", "order", "limit") if select.args.get(name)
        }
        if select.args.get("order") is not None and select.args.get("limit") is not None:
            parts.cut = True

    def _key_of(self, node: Expr) -> str:
        """The key of an expression; how the query writes it is kept."""
        key = self._key(node)
        if text := self._readable(node):
            self._parts.readable.setdefault(key, text)
        return key

    def _drop_given_groups(self) -> None:
        """Takes out keys of GROUP BY that the primary key of their table beside them gives."""
        groups, same = self._parts.groups, self._names.same
        if self._schema is None or not self._schema.whole_keys or len(groups) < 2:
            return
        for name in sorted(self._names.tables):
            table = self._schema.table(name)
            column_refs = [f"{name}.{fold(one)}" for one in (table.primary_key if table else ())]
            key = {same.get(column_ref, column_ref) for column_ref in column_refs}
            if key and key <= groups:
                groups -= {one for one in groups - key if split_ref(one)[0] == name}

    def _read_conditions(
        self,
        clause: Expr,
        conditions: dict[str, QueryCondition],
        already: frozenset[frozenset[str]],
        linked: set[frozenset[str]],
    ) -> None:
        for node in conjuncts(clause):
            inner = subquery(node)
            if inner is None and joined_columns(node, self._names, already, linked) is not None:
                continue
            if node.key == "exists" or (inner is not None and node.key == "in"):
                continue  # a join in other words; its own conditions are read with its SELECT
            if inner is not None:
                if selects_extreme(inner):
                    self._parts.extreme = True
                elif is_first_row(inner):
                    self._parts.first_row = True
                elif not self._is_single(inner):
                    self._parts.scalar = True
                continue
            for condition in self._conditions(node):
                conditions.setdefault(condition.key, condition)

    def _is_single(self, select: Expr) -> bool:
        """Whether a SELECT has at most one row: an aggregate, or a key that is given."""
        from sqlglot import exp

        outputs = [node.unalias() for node in select.expressions]
        grouped = select.args.get("group") is not None
        if not grouped and any(isinstance(node, exp.AggFunc) for node in outputs):
            return True
        where, start = select.args.get("where"), select.args.get("from_")
        if where is None or start is None or select.args.get("joins") or self._schema is None:
            return False
        table = self._schema.table(start.this.name) if start.this.name else None
        fixed_columns = {
            node.this.name.lower()
            for node in conjuncts(where.this)
            if node.key == "eq" and node.this.key == "column"
        }
        keys = () if table is None else (table.primary_key, *table.uniques)
        return any(key and {name.lower() for name in key} <= fixed_columns for key in keys)

    def _conditions(self, node: Expr) -> Iterator[QueryCondition]:
        """A condition; BETWEEN is two."""
        if node.key != "between":
            yield self._condition(node, self._key(node), self._shape(node))
            return
        low, this, high = node.args["low"], node.this, node.args["high"]
        for first, second in ((low, this), (this, high)):
            key, shape = (f"lte({say(first)}, {say(second)})" for say in (self._key, self._shape))
            yield self._condition(node, key, shape, (first, second))

    def _condition(
        self, node: Expr, key: str, shape: str, sides: tuple[Expr, ...] | None = None
    ) -> QueryCondition:
        below = [one for side in sides or (node,) for one in walk(side)]
        tested = node.this if node.key == "not" else node
        columns = {self._names.column_ref(one) for one in below if one.key == "column"}
        options = frozenset(map(self._key, flat(node))) if node.key == "or" else frozenset()
        null = tested.key == "is" and tested.args["expression"].key == "null"
        values = frozenset(self._key(one) for one in below if is_value(one))
        for one in below:
            if one.key == "column" and not self._names.own_column_ref(one) and one.name != "*":
                self._as_text(one)
        return QueryCondition(
            key,
            node,
            frozenset(columns - {""}),
            shape,
            values,
            options,
            null,
            self._readable(node),
            inside=node.parent_select is not self._tree,
        )

    def _as_text(self, column: Expr) -> None:
        """Notes a name in double quotes that is text, where a column would stand."""
        above = column.parent
        if above is None or column.arg_key != "this" or above.key not in _COMPARISONS:
            return
        # Of two that are compared, one is a column: then this is a value in double quotes.
        other = above.args.get("expression")
        if getattr(other, "key", "") != "column":
            self._parts.as_text.add(column.name)

    def _read_outermost(self) -> None:
        from sqlglot import exp

        parts, names, select = self._parts, self._names, self._tree
        order, limit, offset = (select.args.get(name) for name in ("order", "limit", "offset"))
        while isinstance(select, exp.SetOperation | exp.Subquery):
            select = select.this
        if isinstance(select, exp.Select):
            self._read_outputs(select)
        if order is not None:
            parts.order = [
                self._key_of(names.behind(node.this)) + (" desc" if node.args.get("desc") else "")
                for node in order.expressions
            ]
        # FETCH FIRST ... WITH TIES has its number elsewhere.
        clauses = [clause for clause in (limit, offset) if clause is not None]
        values = [clause.expression or clause.args.get("count") or clause for clause in clauses]
        # OFFSET 0 is none.
        parts.limit = " ".join(map(self._key, values)).removesuffix(" 0")

    def _read_outputs(self, select: Expr) -> None:
        parts, names = self._parts, self._names
        any_count_text = Texts(names, counts="any")
        parts.distinct = select.args.get("distinct") is not None
        stars = 0
        for node in select.expressions:
            if node.is_star and stars < _MOST_STARS:
                stars += 1
                column_refs = names.star(select, node.text("table"))
                if column_refs is not None:
                    parts.outputs += column_refs
                    # What stands for joined columns may have the name of another one.
                    own = set(column_refs) - set(names.same.values())
                    parts.readable |= {ref: self._readable.reference(ref) for ref in own}
                    parts.any_count_outputs += column_refs
                    parts.columns |= {column_ref: {column_ref} for column_ref in column_refs}
                    continue
            key = self._key_of(node)
            parts.outputs.append(key)
            parts.any_count_outputs.append(any_count_text(node))
            columns = list(_seen_columns(node))
            parts.columns[key] = {names.column_ref(column) for column in columns} - {""}
            bare = node.unalias().unnest()
            if bare.key in ("dpipe", "concat"):
                parts.composed.append(frozenset(parts.columns[key]))
            if bare.key == "column" and not names.own_column_ref(bare) and bare.name != "*":
                parts.as_text.add(bare.name)


def _aggregate_name(node: Expr) -> str:
    from sqlglot import exp

    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()


def _seen_columns(node: Expr) -> Iterator[Expr]:
    """The columns of an expression, without those that COUNT sees and those of subqueries."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.key in ("count", "select", "subquery"):
            continue
        if one.key == "column":
            yield one
        else:
            waiting += one.iter_expressions()
