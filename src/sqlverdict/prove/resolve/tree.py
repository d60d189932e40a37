"""From a parsed tree to one in which every name is plain: the form that rules work on.

In a resolved tree

* every source has a label of its own (``emp.1``), every column names its source's label;
* base columns are spelt as the schema folds them, columns of derived tables ``c0``, ``c1`` ...;
* stars are written out, except in COUNT(*); output names are gone, for they do not count;
* ORDER BY, GROUP BY and HAVING hold expressions, never ordinals or aliases; above a set
  operation they hold its columns ``c0``, ``c1`` ... without a source;
* common table expressions are written where they are used, NATURAL and USING are ON;
* double-quoted words that name nothing are text; parentheses are gone: the tree has them;
* a SELECT with bare columns keeps the calls that choose their row (see ``bare.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.bare import keep_extremes
from sqlverdict.prove.reasoning.shape import copied
from sqlverdict.prove.resolve.parser_losses import (
    JOIN_PARTS,
    SELECT_PARTS,
    alias_of,
    cast_affinity,
    cast_type,
    ordinal,
    output_name,
    refuse,
    without_parentheses,
)
from sqlverdict.prove.resolve.scope import (
    Scope,
    Source,
    Unsupported,
    find_table,
    is_quoted,
    output_columns,
    require_own_aggregates,
    resolved,
    star_columns,
)
from sqlverdict.prove.resolve.standard_names import (
    join_by_names,
    require_different_names,
    require_single_output,
    standard_column,
    visible_aliases,
)

MOST_NODES = 6_000
"""A larger tree is not read: common table expressions can double a query again and again."""


@dataclass(frozen=True)
class Resolved:
    """A resolved tree; ``bases``: the base table of a label; ``reading``: see ``query.py``."""

    tree: Expr
    bases: dict[str, str]
    reading: int = 0


@dataclass(frozen=True)
class _Cte:
    query: Expr
    names: tuple[str, ...]
    visible: dict[str, _Cte]


def resolve_tree(tree: Expr, schema: Schema, dialect: str = DEFAULT_DIALECT) -> Resolved:
    """Resolve a copy of a parsed query.

    Args:
        tree: The parsed query. In a dialect other than SQLite's it holds common SQL alone.
        schema: The tables.
        dialect: The query's dialect.

    Raises:
        Unsupported: it has a construct that is not read.
    """
    work = _TreeResolver(schema, dialect)
    root = work.unwrap(copied(tree))
    work.query(root, None, {})
    return Resolved(root, work.bases)


class _TreeResolver:
    def __init__(self, schema: Schema, dialect: str) -> None:
        self.schema = schema
        self.dialect = dialect
        self.is_lenient = dialect_of(dialect).lenient
        self.bases: dict[str, str] = {}
        self._count = 0
        self._nodes = 0

    @staticmethod
    def unwrap(node: Expr) -> Expr:
        """A query without parentheses around it."""
        while isinstance(node, exp.Subquery | exp.Paren):
            extra = {name for name, value in node.args.items() if value} - {"this"}
            if extra:
                raise Unsupported(f"parentheses with {', '.join(sorted(extra))}")
            node = node.this
        return node

    def query(self, node: Expr, outer: Scope | None, ctes: dict[str, _Cte]) -> list[str]:
        """Resolve a query in place; returns the names of its columns."""
        ctes = self._with(node, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, outer, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, outer, ctes)
        raise Unsupported(type(node).__name__)

    def _with(self, node: Expr, ctes: dict[str, _Cte]) -> dict[str, _Cte]:
        with_ = node.args.get("with_")
        if with_ is None:
            return ctes
        if with_.args.get("recursive") and any(
            fold(cte.alias) == fold(table.name)
            for cte in with_.expressions
            for table in cte.find_all(exp.Table)
        ):
            raise Unsupported("WITH RECURSIVE")
        visible = dict(ctes)
        for cte in with_.expressions:
            names = tuple(name.name for name in cte.args["alias"].args.get("columns") or ())
            visible[fold(cte.alias)] = _Cte(cte.this, names, dict(visible))
        node.set("with_", None)
        return visible

    def _set_operation(
        self, node: exp.SetOperation, outer: Scope | None, ctes: dict[str, _Cte]
    ) -> list[str]:
        sides = []
        for part in ("this", "expression"):
            side = self.unwrap(node.args[part])
            node.set(part, side)
            sides.append(self.query(side, outer, ctes))
        if len(sides[0]) != len(sides[1]):
            raise Unsupported("the sides of a set operation have different widths")
        if node.args.get("by_name") or node.args.get("on"):
            raise Unsupported("UNION BY NAME")
        names = sides[0]
        order = node.args.get("order")
        for term in order.expressions if order is not None else ():
            self._output_term(term, names)
        self._limits(node, outer, ctes)
        return names

    @staticmethod
    def _output_term(term: Expr, names: Sequence[str]) -> None:
        """A term above a set operation: an ordinal, or the name of a column."""
        inner = term.this
        if isinstance(inner, exp.Literal) and not inner.is_string and inner.this.isdigit():
            number = int(inner.this) - 1
        elif isinstance(inner, exp.Column) and not inner.table:
            folded = [fold(name) for name in names]
            number = folded.index(fold(inner.name)) if fold(inner.name) in folded else -1
        else:
            number = -1
        if not 0 <= number < len(names):
            raise Unsupported("ORDER BY an expression above a set operation")
        term.set("this", exp.Column(this=exp.Identifier(this=f"c{number}", quoted=True)))

    def _select(self, node: exp.Select, outer: Scope | None, ctes: dict[str, _Cte]) -> list[str]:
        odd = {name for name, value in node.args.items() if value} - SELECT_PARTS
        if odd:
            raise Unsupported(", ".join(sorted(odd)))
        if not node.expressions:
            raise Unsupported("a query that shows no column")
        scope = self._sources(node, outer, ctes)
        self._distinct(node)
        names = self._projections(node, scope, ctes)
        aliases: dict[str, Expr] = {}
        for name, projection in zip(names, node.expressions, strict=True):
            aliases.setdefault(fold(name), projection)
        for part in ("where", "having"):
            clause = node.args.get(part)
            if clause is not None:
                seen = visible_aliases(part, clause.this, aliases, self.dialect)
                clause.set("this", self.expression(clause.this, scope, ctes, seen))
        self._group(node, scope, ctes, aliases)
        order = node.args.get("order")
        for term in order.expressions if order is not None else ():
            term.set("this", without_parentheses(term.this))
            if not self.is_lenient and isinstance(term.this, exp.Column) and not term.this.table:
                require_single_output(term.this.name, names, node.expressions)
            self._order_term(term, node.expressions, scope, ctes, aliases)
        self._limits(node, outer, ctes)
        require_own_aggregates(node, scope)
        if self.is_lenient:
            keep_extremes(node)
        return names

    @staticmethod
    def _distinct(node: exp.Select) -> None:
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            raise Unsupported("DISTINCT ON")

    def _limits(self, node: Expr, outer: Scope | None, ctes: dict[str, _Cte]) -> None:
        for part in ("limit", "offset"):
            clause = node.args.get(part)
            if clause is not None:
                if not isinstance(clause, exp.Limit | exp.Offset) or clause.args.get(
                    "limit_options"
                ):
                    raise Unsupported(clause.key)
                bound = self.expression(clause.expression, Scope(outer), ctes, {})
                clause.set("expression", bound)

    def _sources(self, node: exp.Select, outer: Scope | None, ctes: dict[str, _Cte]) -> Scope:
        scope = Scope(outer)
        start = node.args.get("from_")
        if start is None:
            return scope
        start.set("this", self._source(start.this, scope, outer, ctes))
        padded = False
        for join in node.args.get("joins") or []:
            odd = {name for name, value in join.args.items() if value} - JOIN_PARTS
            if odd:
                raise Unsupported(f"a join with {', '.join(sorted(odd))}")
            before = list(scope.sources)
            join.set("this", self._source(join.this, scope, outer, ctes))
            padded = padded or (join.side or "").upper() in ("RIGHT", "FULL")
            equalities = join_by_names(join, before, scope, padded, self.dialect)
            condition = join.args.get("on")
            if condition is not None and not equalities:
                join.set("on", self.expression(condition, scope, ctes, {}))
        return scope

    def _source(self, item: Expr, scope: Scope, outer: Scope | None, ctes: dict[str, _Cte]) -> Expr:
        if isinstance(item, exp.Table):
            if item.args.get("joins"):
                raise Unsupported("a join in parentheses")
            cte = ctes.get(fold(item.name)) if not item.db else None
            if cte is not None:
                inner = self.unwrap(copied(cte.query))
                self._spend(inner)
                names = self.query(inner, None, cte.visible)
                if cte.names and len(cte.names) != len(names):
                    raise Unsupported(f"{item.name} names {len(cte.names)} of {len(names)} columns")
                return self._derived(inner, item.alias_or_name, cte.names or names, scope)
            table, columns = find_table(self.schema, item)
            label = self._label(fold(table.name))
            self.bases[label] = table.name
            scope.add(Source(fold(item.alias_or_name), label, columns, table))
            name = exp.Identifier(this=table.name, quoted=True)
            return exp.Table(this=name, alias=alias_of(label))
        if isinstance(item, exp.Subquery):
            alias = item.alias
            odd = {name for name, value in item.args.items() if value} - {"this", "alias"}
            if odd or isinstance(item.this, exp.Table):
                raise Unsupported("a join in parentheses")
            if item.args.get("alias") is not None and item.args["alias"].args.get("columns"):
                raise Unsupported("column names behind an alias")
            inner = self.unwrap(item.this)
            # A derived table does not see its neighbours, but what is around the query.
            names = self.query(inner, outer, ctes)
            return self._derived(inner, alias or f"\0{self._count}", names, scope)
        raise Unsupported(f"{type(item).__name__} in FROM")

    def _derived(self, inner: Expr, name: str, names: Sequence[str], scope: Scope) -> Expr:
        label = self._label("derived")
        if not self.is_lenient:
            require_different_names(names)
        scope.add(Source(fold(name), label, output_columns(names)))
        return exp.Subquery(this=inner, alias=alias_of(label))

    def _label(self, stem: str) -> str:
        self._count += 1
        return f"{stem}.{self._count}"

    def _spend(self, node: Expr) -> None:
        self._nodes += sum(1 for _ in node.walk())
        if self._nodes > MOST_NODES:
            raise Unsupported("common table expressions that expand into too many copies")

    def _projections(self, node: exp.Select, scope: Scope, ctes: dict[str, _Cte]) -> list[str]:
        names: list[str] = []
        outputs: list[Expr] = []
        for item in node.expressions:
            qualifier = item.table if isinstance(item, exp.Column) else ""
            if isinstance(item, exp.Star) or (
                isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
            ):
                columns = list(star_columns(scope, qualifier))
                if scope.merged and not self.is_lenient:
                    raise Unsupported("a star over columns that are joined by name")
                if not columns or item.args.get("except_") or item.args.get("replace"):
                    raise Unsupported("a star that stands for nothing")
                names += [own for own, _ in columns]
                outputs += [column for _, column in columns]
                continue
            inner = item.this if isinstance(item, exp.Alias) else item
            name = item.alias if isinstance(item, exp.Alias) else output_name(inner)
            names.append(name)
            outputs.append(self.expression(inner, scope, ctes, {}))
        node.set("expressions", outputs)
        return names

    def _group(
        self, node: exp.Select, scope: Scope, ctes: dict[str, _Cte], aliases: dict[str, Expr]
    ) -> None:
        group = node.args.get("group")
        if group is None:
            return
        if {name for name, value in group.args.items() if value} - {"expressions"}:
            raise Unsupported("ROLLUP, CUBE or GROUPING SETS")
        terms = []
        for term in map(without_parentheses, group.expressions):
            number = ordinal(term, len(node.expressions))
            if number is not None:
                terms.append(node.expressions[number].copy())
            else:
                seen = visible_aliases("group", term, aliases, self.dialect)
                terms.append(self.expression(term, scope, ctes, seen))
        group.set("expressions", terms)

    def _order_term(
        self,
        term: Expr,
        projections: Sequence[Expr],
        scope: Scope,
        ctes: dict[str, _Cte],
        aliases: dict[str, Expr],
    ) -> None:
        inner = term.this
        if (number := ordinal(inner, len(projections))) is not None:
            term.set("this", projections[number].copy())
        elif isinstance(inner, exp.Column) and not inner.table and fold(inner.name) in aliases:
            # Only here an output name goes before a column.
            term.set("this", aliases[fold(inner.name)].copy())
        else:
            seen = visible_aliases("order", inner, aliases, self.dialect)
            term.set("this", self.expression(inner, scope, ctes, seen))

    def expression(
        self, node: Expr, scope: Scope, ctes: dict[str, _Cte], aliases: Mapping[str, Expr]
    ) -> Expr:
        """Resolve an expression in place; returns what stands for it."""
        if isinstance(node, exp.Literal):
            return node
        if isinstance(node, exp.Paren):
            return self.expression(node.this, scope, ctes, aliases)
        if isinstance(node, exp.Column):
            return self._column(node, scope, aliases)
        if isinstance(node, exp.Subquery):
            inner = self.unwrap(node)
            self.query(inner, scope, ctes)
            return exp.Subquery(this=inner)
        if isinstance(node, exp.Query):
            self.query(node, scope, ctes)
            return node
        refuse(node)
        if isinstance(node, exp.Cast) and self.is_lenient:
            node.set("to", cast_type(cast_affinity(node)))
        for name, value in list(node.args.items()):
            if isinstance(value, list):
                resolved_values = [
                    self.expression(v, scope, ctes, aliases) if isinstance(v, exp.Expr) else v
                    for v in value
                ]
                node.set(name, resolved_values)
            elif isinstance(value, exp.Expr) and not isinstance(value, exp.DataType):
                node.set(name, self.expression(value, scope, ctes, aliases))
        return node

    def _column(self, node: exp.Column, scope: Scope, aliases: Mapping[str, Expr]) -> Expr:
        if isinstance(node.this, exp.Star):
            raise Unsupported("a star inside an expression")
        if not self.is_lenient:
            return standard_column(node, scope, aliases)
        target = scope.find_here(node.name, node.table)
        if target is None and not node.table and fold(node.name) in aliases:
            return aliases[fold(node.name)].copy()
        if target is None and scope.outer is not None:
            target = scope.outer.find(node.name, node.table)
        if target is not None:
            return resolved(*target)
        if is_quoted(node) and not scope.hides_names():
            return exp.Literal.string(node.name)
        raise Unsupported(f"there is no column {node.sql(DEFAULT_DIALECT)}")
