"""The types of a query's columns, clause by clause."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engines.postgres.common.expressions import enum_name, is_const
from sqlverdict.execute.engines.postgres.common.result_names import target_name
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside
from sqlverdict.execute.engines.postgres.guard.parser import (
    MOST_SIGNS,
    ParserError,
    count_signs,
    parse_messages,
    with_stack,
)
from sqlverdict.execute.engines.postgres.types.coercions import can_coerce
from sqlverdict.execute.engines.postgres.types.expressions import ExpressionTypes
from sqlverdict.execute.engines.postgres.types.operators import WrongType
from sqlverdict.execute.engines.postgres.types.scope import Columns, TypedSource, TypeScope
from sqlverdict.execute.engines.postgres.types.signatures import (
    NOT_KNOWN,
    UNTYPED,
    column_types,
)
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold


def statement_error(sql: str, schema: Schema) -> str | None:
    """Why a query always fails because of its types; ``None`` where they are right.

    Args:
        sql: The query.
        schema: The tables that it reads, each by its one plain name.

    Raises:
        NoCommonText: a type in it is not known.
    """
    import postgast

    signs = count_signs(sql)
    if signs > MOST_SIGNS:
        raise NoCommonText("a text that is too long")
    try:
        return with_stack(lambda: _error(parse_messages(sql), schema), signs)
    except (postgast.PgQueryError, ParserError, RecursionError) as error:
        raise NoCommonText("a text that the parser does not read, or nested deeply") from error


def _error(tree: Any, schema: Schema) -> str | None:
    types = StatementTypes(schema)
    try:
        for each in tree.stmts:
            if each.stmt.WhichOneof("node") != "select_stmt":
                raise NoCommonText("no query")
            types.columns(each.stmt.select_stmt, TypeScope())
    except WrongType as error:
        return str(error)
    if types.unsure is not None:
        raise NoCommonText(types.unsure)
    return None


class StatementTypes(ExpressionTypes):
    """The types of a statement over the tables of a schema."""

    def __init__(self, schema: Schema) -> None:
        super().__init__()
        self.schema = schema

    def columns(self, select: Any, outer: TypeScope) -> list[str] | None:
        """The types of a query's columns; ``None`` where they are not known."""
        columns = self._outputs(select, outer)
        return None if columns is None else [own for _, own in columns]

    def _outputs(self, select: Any, outer: TypeScope, *, side: bool = False) -> Columns | None:
        """The columns of a query; a text in quotes is one of type text, but in a set operation."""
        scope = TypeScope(outer)
        if select.HasField("with_clause"):
            self._define(select.with_clause, scope)
        for part in ("limit_count", "limit_offset"):
            if select.HasField(part):
                self._number(getattr(select, part), scope)
        if enum_name(select, "op") != "SETOP_NONE":
            columns = self._united(select, scope)
        elif select.values_lists:
            columns = self._values(select, scope)
        else:
            return self._selected(select, scope, side=side)
        for term in select.sort_clause:
            self._term(term.sort_by.node, columns, scope, "ORDER BY", outputs_alone=True)
        return columns

    def _number(self, node: Any, scope: TypeScope) -> None:
        if any(scope.find(name) is None for name in _bare_names(node)):
            raise WrongType("argument of LIMIT must not contain variables")
        own = self.of(node, scope)
        if own != NOT_KNOWN and not can_coerce(own, "int8", "a"):
            raise WrongType(f"argument of LIMIT is of type {own}")
        self.read(node, own, "int8")

    def _define(self, clause: Any, scope: TypeScope) -> None:
        for cte in clause.ctes:
            each = cte.common_table_expr
            columns = None
            if each.ctequery.WhichOneof("node") == "select_stmt" and not clause.recursive:
                columns = self._outputs(each.ctequery.select_stmt, scope)
            else:
                self.not_known("a recursive query")
            scope.queries[fold(each.ctename)] = _renamed(columns, each.aliascolnames)

    def _united(self, select: Any, scope: TypeScope) -> Columns | None:
        left = self._outputs(select.larg, scope, side=True)
        right = self._outputs(select.rarg, scope, side=True)
        if left is None or right is None:
            self.not_known("a set operation")
            return None
        if len(left) != len(right):
            raise WrongType("a set operation of queries with different numbers of columns")
        folds = not select.all
        columns: Columns = []
        for number, ((name, one), (_, other)) in enumerate(zip(left, right, strict=True)):
            expressions = [_expression_at(side, number) for side in (select.larg, select.rarg)]
            if None in expressions and UNTYPED in (one, other):
                self.not_known("a text in quotes in a set operation")
            where = enum_name(select, "op").removeprefix("SETOP_")
            own = self.common(expressions, [one, other], where)
            if folds:
                self.compared(own, "a set operation", sort=False)
            columns.append((name, own))
        return columns

    def _values(self, select: Any, scope: TypeScope) -> Columns | None:
        rows = [row.list.items for row in select.values_lists]
        if len({len(row) for row in rows}) != 1:
            raise WrongType("VALUES of different lengths")
        columns: Columns = []
        for number, column in enumerate(zip(*rows, strict=True), 1):
            types = [self.of(each, scope) for each in column]
            columns.append((f"column{number}", self.common(column, types, "VALUES")))
        return columns

    def _selected(self, select: Any, scope: TypeScope, *, side: bool) -> Columns | None:
        stars: list[Columns | None] = [self._source(item, scope) for item in select.from_clause]
        if select.HasField("where_clause"):
            self.condition(select.where_clause, scope, "WHERE")
        columns: Columns | None = []
        for target in select.target_list:
            own = self._target(target.res_target, scope, stars)
            columns = None if own is None or columns is None else [*columns, *own]
        for term in select.group_clause:
            self._group(term, columns, scope)
        if select.HasField("having_clause"):
            self.condition(select.having_clause, scope, "HAVING")
        for each in select.window_clause:
            self.window(each.window_def, scope)
        for term in select.sort_clause:
            self._term(term.sort_by.node, columns, scope, "ORDER BY")
        on = [each for each in select.distinct_clause if each.WhichOneof("node") is not None]
        for term in on:
            self._term(term, columns, scope, "DISTINCT ON")
        if select.distinct_clause and not on:
            if columns is None:
                self.not_known("DISTINCT of a star")
            for _, type_name in columns or ():
                self.compared(type_name, "DISTINCT", sort=False)
        if columns is None or side:
            return columns
        return [(name, "text" if own == UNTYPED else own) for name, own in columns]

    def _target(self, target: Any, scope: TypeScope, stars: list[Columns | None]) -> Columns | None:
        if target.val.WhichOneof("node") == "column_ref":
            fields = target.val.column_ref.fields
            if fields[-1].WhichOneof("node") == "a_star":
                if len(fields) == 1:
                    return _all(stars)
                return scope.star(fields[-2].string.sval)
        own = self.of(target.val, scope)
        return [(target.name or target_name(target.val), own)]

    def _group(self, term: Any, columns: Columns | None, scope: TypeScope) -> None:
        if term.WhichOneof("node") == "grouping_set":
            for each in term.grouping_set.content:
                self._group(each, columns, scope)
        elif term.WhichOneof("node") == "row_expr":
            for each in term.row_expr.args:
                self._group(each, columns, scope)
        elif not _is_name(term) or scope.find_here(_name(term)) is None:
            self._term(term, columns, scope, "GROUP BY")
        else:
            self.compared(self.of(term, scope), "GROUP BY", sort=False)

    def _term(
        self,
        term: Any,
        columns: Columns | None,
        scope: TypeScope,
        where: str,
        *,
        outputs_alone: bool = False,
    ) -> None:
        """A term that may be an alias, or the number of a column."""
        sort = where != "GROUP BY"
        own: str | None = None
        if is_const(term):
            if term.a_const.WhichOneof("val") != "ival":
                raise WrongType(f"non-integer constant in {where}")
            number = term.a_const.ival.ival
            own = columns[number - 1][1] if columns and 0 < number <= len(columns) else NOT_KNOWN
        elif _is_name(term):
            aliases = (each for name, each in columns or () if fold(name) == fold(_name(term)))
            own = next(aliases, None)
        if own is None and outputs_alone:
            own = NOT_KNOWN
        self.compared(self.of(term, scope) if own is None else own, where, sort=sort)

    def _source(self, item: Any, scope: TypeScope) -> Columns | None:
        """Add what an item of FROM names to a scope; returns what a star shows of it."""
        kind = item.WhichOneof("node")
        own = getattr(item, kind)
        if kind == "join_expr":
            return self._join(own, scope)
        if kind == "range_table_sample":
            return self._source(own.relation, scope)
        name, columns = "", None
        if kind == "range_var":
            name, columns = own.relname, self._table(own, scope)
        elif kind == "range_subselect":
            around = scope if own.lateral else scope.outer or TypeScope()
            inner = TypeScope(around)
            inner.queries = scope.queries
            columns = self._outputs(own.subquery.select_stmt, inner)
        else:
            self.not_known("a function in FROM")
        name = own.alias.aliasname or name
        columns = _renamed(columns, own.alias.colnames)
        scope.sources.append(TypedSource(name, columns))
        return columns

    def _table(self, table: Any, scope: TypeScope) -> Columns | None:
        if not table.schemaname:
            is_query, columns = scope.common_table(table.relname)
            if is_query:
                return columns
        base = None if table.schemaname else self.schema.table(table.relname)
        return None if base is None else list(column_types(base).items())

    def _join(self, join: Any, scope: TypeScope) -> Columns | None:
        left, right = (self._source(each, scope) for each in (join.larg, join.rarg))
        names = [each.string.sval for each in join.using_clause]
        if join.is_natural or names:
            if left is None or right is None:
                self.not_known("the columns of USING")
                return None
            if join.is_natural:
                ours = {name for name, _ in right}
                names = [name for name, _ in left if name in ours]
            merged: Columns = []
            for name in names:
                types = [dict(each).get(fold(name), NOT_KNOWN) for each in (left, right)]
                self.operator("=", [], types)
                merged.append((fold(name), self.common([None, None], types, "USING")))
            scope.merged |= dict(merged)
            rest = [each for each in (*left, *right) if each[0] not in dict(merged)]
            return [*merged, *rest]
        if join.HasField("quals"):
            self.condition(join.quals, scope, "ON")
        if join.HasField("alias"):
            self.not_known("the alias of a join")
            scope.sources.append(TypedSource(join.alias.aliasname, None))
        return _all([left, right])


def _all(parts: Iterable[Columns | None]) -> Columns | None:
    columns: Columns = []
    for each in parts:
        if each is None:
            return None
        columns += each
    return columns


def _renamed(columns: Columns | None, names: Iterable[Any]) -> Columns | None:
    aliases = [each.string.sval for each in names]
    if columns is None:
        return None
    return [
        (fold(aliases[number] if number < len(aliases) else name), own)
        for number, (name, own) in enumerate(columns)
    ]


def _bare_names(node: Any) -> list[str]:
    """The last parts of the column names in an expression, without those of queries in it."""
    kind = node.WhichOneof("node")
    if kind == "column_ref":
        return [str(node.column_ref.fields[-1].string.sval)]
    inner = [] if kind == "sub_link" else nodes_inside(getattr(node, kind))
    return [name for part in inner for name in _bare_names(part)]


def _is_name(term: Any) -> bool:
    return term.WhichOneof("node") == "column_ref" and len(term.column_ref.fields) == 1


def _name(term: Any) -> str:
    return str(term.column_ref.fields[0].string.sval)


def _expression_at(select: Any, number: int) -> Any | None:
    """What a side of a set operation shows there; ``None`` where that is not one expression."""
    if enum_name(select, "op") != "SETOP_NONE" or number >= len(select.target_list):
        return None
    targets = select.target_list[: number + 1]
    if any(_is_star(each.res_target.val) for each in targets):
        return None
    return targets[number].res_target.val


def _is_star(value: Any) -> bool:
    return bool(
        value.WhichOneof("node") == "column_ref"
        and value.column_ref.fields[-1].WhichOneof("node") == "a_star"
    )
