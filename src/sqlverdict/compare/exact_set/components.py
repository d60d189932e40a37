"""A query cut into the clauses that Spider compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlverdict.compare.exact_set.names import (
    DerivedSource,
    FromSource,
    SelectScope,
    SourceName,
    TableSource,
    Unit,
    column_unit,
    short_unit,
    word,
)
from sqlverdict.compare.exact_set.units import Conditions, ConditionUnit, ReadingRules, Units
from sqlverdict.parse.tokens import fold

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

    from sqlverdict.parse.schema import Schema


class From(NamedTuple):
    """What FROM names, with the side of an outer join, and the conditions of its ONs."""

    tables: tuple[Unit, ...] = ()
    on: tuple[ConditionUnit, ...] = ()


NO_CONDITIONS = Conditions()
NO_TABLES = From()


@dataclass(frozen=True)
class Components:
    """The clauses of one SELECT.

    Attributes:
        operation: The set operation before it; empty for the first SELECT.
        direction: That of the last sort key that names one; empty without ORDER BY.
    """

    operation: str = ""
    distinct: bool = False
    select: tuple[Unit, ...] = ()
    source: From = NO_TABLES
    where: Conditions = NO_CONDITIONS
    group: tuple[Unit, ...] = ()
    having: Conditions = NO_CONDITIONS
    order: tuple[Unit, ...] = ()
    direction: str = ""
    limit: bool = False


@dataclass(frozen=True)
class _Read:
    """A query that was read, and what its columns are to a query around it."""

    selects: tuple[Components, ...]
    outputs: tuple[tuple[str, Unit], ...] = ()
    stars: tuple[FromSource, ...] = ()

    def source(self, names: Sequence[str] = ()) -> DerivedSource:
        """The query as a table, its columns under other names where there are some."""
        outputs = dict(reversed(self.outputs))
        if names:
            outputs = {name: unit for name, (_, unit) in zip(names, self.outputs, strict=False)}
        return DerivedSource(self.unit, outputs, () if names else self.stars)

    @property
    def unit(self) -> Unit:
        """The whole query; every clause counts, in the order in which it is written."""
        return short_unit(f"query {[astuple(select) for select in self.selects]!r}")


def read_components(
    tree: Expr, schema: Schema, *, values: bool, distinct: bool
) -> tuple[Components, ...]:
    """The clauses of each SELECT that set operations connect, in the order of the text.

    Columns that foreign keys join count as one, and DISTINCT inside aggregates as ``distinct``
    says, in these SELECTs; queries inside them are taken as they stand. ORDER BY and LIMIT
    behind a set operation belong to the last SELECT.

    Args:
        tree: The query's tree; it is not changed.
        schema: Whose tables and foreign keys the query is about.
        values: Whether the values in conditions count.
        distinct: Whether DISTINCT inside aggregates counts.
    """
    reader = _ComponentReader(schema, values)
    tables = reader.outer_tables(tree)
    reading = ReadingRules(values, distinct, _one_column(schema, tables))
    return reader.query(tree, SelectScope(None), reading).selects


class _ComponentReader:
    """Reads the queries of one text."""

    def __init__(self, schema: Schema, values: bool) -> None:
        self._schema = schema
        # Queries inside: as they stand, but for values.
        self._inside = ReadingRules(values, distinct=True)

    def outer_tables(self, tree: Expr) -> Iterator[Unit]:
        """The tables in the FROM clause of the outer SELECT, the first of a set operation."""
        from sqlglot import exp

        while isinstance(tree, exp.SetOperation | exp.Subquery):
            tree = tree.this
        if isinstance(tree, exp.Select):
            for node, _ in _from_nodes(tree):
                if isinstance(node, exp.Table):
                    yield word(node.name)

    def query(self, tree: Expr, outer: SelectScope, reading: ReadingRules) -> _Read:
        """A SELECT, a set operation or VALUES."""
        from sqlglot import exp

        ends: dict[str, Any] = {}
        parts: list[tuple[str, Expr]] = []
        waiting: list[tuple[str, Expr]] = [("", tree)]
        scope = SelectScope(outer)
        while waiting:
            operation, node = waiting.pop()
            self._with(node, scope)
            if isinstance(node, exp.Subquery):
                waiting.append((operation, node.this))
            elif isinstance(node, exp.SetOperation):
                for name in ("order", "limit"):
                    ends.setdefault(name, node.args.get(name))
                name = node.key if node.args.get("distinct", True) else f"{node.key} all"
                waiting += [(name, node.expression), (operation, node.this)]
            else:
                parts.append((operation, node))
        last = len(parts) - 1
        ends["names"] = _aliases(parts[0][1])
        reads = [
            self._select(node, scope, reading, operation, ends if at == last else {})
            for at, (operation, node) in enumerate(parts)
        ]
        return replace(reads[0], selects=tuple(read.selects[0] for read in reads))

    def _select(
        self,
        node: Any,
        outer: SelectScope,
        reading: ReadingRules,
        operation: str,
        ends: Mapping[str, Any],
    ) -> _Read:
        from sqlglot import exp

        units = Units(reading, self._nested)
        scope = SelectScope(outer)
        if not isinstance(node, exp.Select):
            return _Read((Components(operation, source=From((units.unit(node, scope),))),))
        source = self._from(node, scope, units)
        select = tuple(units.unit(column, scope) for column in node.expressions)
        # Behind a set operation, ORDER BY knows the columns by the first SELECT's aliases.
        names = _aliases(node), ends.get("names") or ()
        scope.aliases = {
            name: unit for known in reversed(names) for name, unit in _by_name(known, select)
        }
        args = {name: node.args.get(name) or ends.get(name) for name in ("order", "limit")}
        keys = args["order"].expressions if args["order"] else []
        group, where, having = (node.args.get(name) for name in ("group", "where", "having"))
        components = Components(
            operation,
            node.args.get("distinct") is not None,
            select,
            source,
            units.conditions(where.this, scope) if where else NO_CONDITIONS,
            tuple(
                self._output_at(key, select) or units.unit(key, scope) for key in _grouped(group)
            ),
            units.conditions(having.this, scope) if having else NO_CONDITIONS,
            tuple(
                self._output_at(key.this, select) or units.unit(key.this, scope, alias_first=True)
                for key in keys
            ),
            _direction(keys),
            args["limit"] is not None,
        )
        return _Read((components,), _outputs(node, select), tuple(_stars(node, scope)))

    def _output_at(self, key: Expr, select: Sequence[Unit]) -> Unit | None:
        """The output column that a number means in GROUP BY and ORDER BY."""
        from sqlglot import exp

        if isinstance(key, exp.Literal) and not key.is_string and str(key.this).isdecimal():
            at = int(str(key.this)[:9])
            return select[at - 1] if 0 < at <= len(select) else None
        return None

    def _nested(self, tree: Expr, scope: SelectScope) -> Unit:
        return self.query(tree, scope, self._inside).unit

    def _with(self, node: Expr, scope: SelectScope) -> None:
        """Make the common table expressions of a query known."""
        with_ = node.args.get("with_")
        for cte in with_.expressions if with_ is not None else ():
            # A recursive one reads itself: inside, it is a table of which nothing is known.
            inside = SelectScope(scope)
            inside.add_cte(cte.alias, TableSource("recursive", None))
            names = [column.name for column in cte.args["alias"].args.get("columns") or ()]
            read = self.query(cte.this, inside, self._inside)
            scope.add_cte(cte.alias, read.source(names))

    def _from(self, node: Any, scope: SelectScope, units: Units) -> From:
        tables: list[Unit] = []
        joined: list[tuple[Any, FromSource]] = []
        for item, join in _from_nodes(node):
            source, alias = self._item(item, scope, units)
            scope.sources.append(SourceName(fold(alias), source))
            side = (join.side or "").lower() if join is not None else ""
            tables.append(f"{side} {source.unit}".strip())
            joined.append((join, source))
        # Only now are all names known that an ON may use.
        on: list[ConditionUnit] = []
        for join, source in joined:
            on += _joining(join, source, scope, units) if join is not None else ()
        return From(tuple(tables), tuple(on))

    def _item(self, item: Expr, scope: SelectScope, units: Units) -> tuple[FromSource, str]:
        """One member of FROM and the name under which its columns are known."""
        from sqlglot import exp

        alias = item.args.get("alias")
        names = [column.name for column in alias.args.get("columns") or ()] if alias else []
        if isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier):
            cte = None if item.args.get("db") else scope.cte(item.name)
            table = TableSource(item.name, self._schema.table(item.name))
            return cte or table, item.alias or item.name
        if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query):
            # A query in FROM sees the queries around, not its neighbours.
            inner = SelectScope(scope.outer)
            return self.query(item, inner, self._inside).source(names), item.alias
        bare = item.copy()
        bare.set("alias", None)
        return DerivedSource(units.unit(bare, scope), {}, ()), item.alias


def _from_nodes(select: Any) -> Iterator[tuple[Expr, Any]]:
    """The members of FROM with the join that brings each; None for the first."""
    from sqlglot import exp

    from_ = select.args.get("from_")
    joins = select.args.get("joins") or []
    waiting = [(join.this, join) for join in reversed(joins)]
    if from_ is not None:
        waiting.append((from_.this, None))
    while waiting:
        node, join = waiting.pop()
        inner = node.args.get("joins") or []
        waiting += [(part.this, part) for part in reversed(inner)]
        if isinstance(node, exp.Subquery | exp.Paren) and isinstance(node.this, exp.Table):
            waiting.append((node.this, join))
        else:
            yield node, join


def _joining(
    join: Any, source: FromSource, scope: SelectScope, units: Units
) -> Iterator[ConditionUnit]:
    """The conditions under which a table is joined.

    Of conditions that OR connects only the first counts: Spider's annotation has no others.
    """
    from sqlglot import exp

    on = join.args.get("on")
    # A JOIN without a condition comes from the parser as ON TRUE.
    if on is not None and not isinstance(on, exp.Boolean):
        parts = units.conditions(on, scope)
        links = ("and", *parts.links)
        yield from (c for c, link in zip(parts.conditions, links, strict=True) if link == "and")
    for name in join.args.get("using") or ():
        yield units.equality(scope.find(name.name), source.column(name.name), name.name)


def _grouped(group: Any) -> list[Any]:
    return list(group.expressions) if group is not None else []


def _direction(keys: Sequence[Any]) -> str:
    """That of the last key that names one: Spider's queries have one direction each."""
    directions = [key.args.get("desc") for key in keys if key.args.get("desc") is not None]
    if not keys:
        return ""
    return "desc" if directions and directions[-1] else "asc"


def _aliases(node: Expr) -> list[str]:
    """The alias of each output column, empty where it has none."""
    return [fold(column.alias) for column in node.args.get("expressions") or ()]


def _by_name(names: Sequence[str], select: Sequence[Unit]) -> Iterator[tuple[str, Unit]]:
    """The output columns by name; of two that share one, the first comes last and wins."""
    pairs = list(zip(names, select, strict=False))
    return ((name, unit) for name, unit in reversed(pairs) if name)


def _outputs(node: Any, select: Sequence[Unit]) -> tuple[tuple[str, Unit], ...]:
    pairs = zip(node.expressions, select, strict=True)
    return tuple((column.alias_or_name, unit) for column, unit in pairs if not column.is_star)


def _stars(node: Any, scope: SelectScope) -> Iterator[FromSource]:
    """The sources whose columns all come out."""
    for column in node.expressions:
        if column.is_star:
            qualifier = fold(getattr(column, "table", "") or "")
            yield from (source for alias, source in scope.sources if qualifier in ("", alias))


def _one_column(schema: Schema, tables: Iterable[Unit]) -> dict[Unit, Unit]:
    """The representative of each column of ``tables`` that a foreign key joins to another.

    Foreign keys join columns into classes, whatever tables they belong to; the class's first
    column in the order of names stands for all. Only columns of ``tables`` are replaced: Spider
    looks at the FROM clause of the outer SELECT.
    """
    leader: dict[Unit, Unit] = {}

    def find(column: Unit) -> Unit:
        while leader.setdefault(column, column) != column:
            column = leader[column]
        return column

    for table in schema.tables:
        for key in table.foreign_keys:
            # Without parent columns the declaration names no column to be equal to.
            for child, parent in zip(key.columns, key.parent_columns, strict=False):
                ours = find(column_unit(table.name, child))
                theirs = find(column_unit(key.parent, parent))
                leader[max(ours, theirs)] = min(ours, theirs)
    present = set(tables)
    return {
        unit: find(unit)
        for table in schema.tables
        if word(table.name) in present
        for column in table.columns
        if (unit := column_unit(table.name, column.name)) in leader
    }
