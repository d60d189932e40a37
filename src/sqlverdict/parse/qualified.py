"""Tables that a query names with their schema or database: one plain name for each.

A schema has one table a name. A table that a query finds without its schema goes by that name, any
other one by ``schema.table`` (:attr:`~sqlverdict.parse.schema.Table.paths`). Proofs and searches
read a query in which every table stands under that one name: :func:`with_plain_names` writes it.
The text is changed at these names alone, and what comes out must parse to the tree that is meant;
what cannot be written so is refused. Answers are asked for with the query as it came.

``analytics.orders`` becomes ``"analytics.orders" AS "orders"``: whatever else names the table there
(``orders.amount``, ``analytics.orders.amount``, ``orders.*``) goes on to mean it. A common table
expression that has the name of a table which the query reads gets another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.from_names import (
    QUALIFIERS,
    common_table_of,
    has_name,
    named_items,
    qualifier_of,
    qualifying_parts,
    select_around,
)
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold, pieces
from sqlverdict.records import ParseFailure, ParseResult, Query, Reason

if TYPE_CHECKING:
    from sqlglot.expressions import Column, Expr, Identifier
    from sqlglot.expressions import Table as TableNode

Path = tuple[str, ...]
_WHOLE = 3
"""So many parts has a table's name with its database and its schema."""
_PLAIN_PARTS = frozenset({"this", "alias", "joins", *QUALIFIERS})
"""What a table may have in FROM for an alias to stand behind its name."""


class _NoPlainName(Exception):
    """A name that cannot be written as a plain one."""


def with_plain_names(query: ParseResult, schema: Schema, base: Path = ()) -> ParseResult:
    """The query with one plain name for each table of a schema; itself where it has no other.

    Args:
        query: The parsed query; what did not parse is given back.
        schema: The tables, with the paths by which a query can name them.
        base: Where a name is looked up before it is one of the schema's: that of a view.

    Returns:
        A query over the names of the schema's tables, whose answers are the same; or a failure
        with the reason ``UNSUPPORTED_FEATURE`` that names what stands in the way.
    """
    if isinstance(query, ParseFailure) or not _paths(schema):
        return query
    if not base and "." not in query.sql and "with" not in query.sql.lower():
        return query
    return _with_plain_names(query.sql, query.dialect, schema, base)


def with_real_names(sql: str, schema: Schema) -> str:
    """A query of ours over the names of a schema's tables, as the real database reads it.

    Args:
        sql: The query, in which names stand in double quotes, or in backticks where these are an
            engine's own.
        schema: The tables.
    """
    names = _real_names(schema)
    return "".join(names.get(piece, piece) for piece in pieces(sql)) if names else sql


@lru_cache(maxsize=64)
def _real_names(schema: Schema) -> dict[str, str]:
    hidden = [table for table in schema.tables if table.is_hidden]
    return {
        mark + table.name.replace(mark, mark * 2) + mark: table.source_text(mark)
        for mark in ('"', "`")
        for table in hidden
    }


@lru_cache(maxsize=1_024)
def _with_plain_names(sql: str, dialect: str, schema: Schema, base: Path) -> ParseResult:
    query = parse(sql, dialect)
    assert isinstance(query, Query), "it parsed before"
    if not base and not _has_other_names(query.tree, schema):
        return query
    try:
        return _Rewriting(query, schema, base).query()
    except _NoPlainName as error:
        return ParseFailure(sql, dialect, Reason.UNSUPPORTED_FEATURE, str(error))


def _has_other_names(tree: Expr, schema: Schema) -> bool:
    """Whether a query names a table with its schema, or may name one that is something else."""
    from sqlglot import exp

    for node in tree.walk():
        if isinstance(node, exp.Table | exp.Column) and node.args.get("db"):
            return True
        if isinstance(node, exp.CTE) and schema.table(node.alias) is not None:
            return True
        if isinstance(node, exp.Table) and "." in node.name:
            return True
    return False


@lru_cache(maxsize=64)
def _paths(schema: Schema) -> dict[Path, list[tuple[Path, Table]]]:
    """The tables by their folded paths, each with the path as the engine spells it."""
    paths: dict[Path, list[tuple[Path, Table]]] = {}
    for table in schema.tables:
        for path in table.paths:
            paths.setdefault(tuple(map(fold, path)), []).append((path, table))
    return paths


class _Rewriting:
    """One query on its way to plain names.

    Args:
        query: The query.
        schema: The tables.
        base: Where its names are looked up first.
    """

    def __init__(self, query: Query, schema: Schema, base: Path) -> None:
        from sqlglot import exp

        self._query, self._schema, self._base = query, schema, base
        self._record = dialect_of(query.dialect)
        # The copy is changed as the text is, and says what the text has to parse to.
        self._tree = query.tree.copy()
        self._edits: list[tuple[int, int, str]] = []
        # By identity: equal names may mean two tables. All nodes are kept: no id is used again.
        nodes = [each for each in self._tree.find_all(exp.Table) if has_name(each)]
        self._common = {id(each): common_table_of(each) for each in nodes}
        self._tables = {id(each): self._table_of(each) for each in nodes}
        self._nodes = nodes

    def query(self) -> Query:
        """The query with plain names.

        Raises:
            _NoPlainName: it cannot be written so.
        """
        from sqlglot import exp

        columns = [each for each in self._tree.find_all(exp.Column) if each.args.get("db")]
        qualified = [each for each in self._nodes if qualifier_of(each) or self._is_elsewhere(each)]
        # Where each qualified column belongs is found out before any name changes.
        owners = [(each, self._owner(each)) for each in columns]
        clashes = {id(each) for each in qualified if self._clashes(each)}
        for cte in self._hiding():
            self._rename(cte)
        for node in qualified:
            self._write_table(node, clashes=id(node) in clashes)
        for column, owner in owners:
            if owner is not None:
                self._write_column(column, owner)
        if not self._edits:
            return self._query
        again = parse(self._edited(), self._query.dialect)
        if not isinstance(again, Query) or again.tree != self._tree:
            raise _NoPlainName("its tables cannot be named without their schemas")
        return again

    def _table_of(self, node: TableNode) -> Table | None:
        """The table of the schema that a name in FROM means; ``None``: something else."""
        path = tuple(self._spelled(each) for each in (*qualifier_of(node), node.this))
        if len(path) > 1:
            return self._find(path)
        if self._common[id(node)] is not None:
            return None
        if self._candidates(path):
            return self._find(path)
        table = self._schema.table(path[0])
        if table is not None and table.is_hidden:
            raise _NoPlainName(f"there is no table {path[0]}")
        return table

    def _is_elsewhere(self, node: TableNode) -> bool:
        """Whether a plain name means a table that the schema calls otherwise."""
        table = self._tables[id(node)]
        return table is not None and table.is_hidden

    def _candidates(self, path: Path) -> list[tuple[Path, Table]]:
        """The tables that a path may mean, each with its path as the engine spells it."""
        tables = _paths(self._schema)
        folded = tuple(map(fold, path))
        # What a view says is completed by where it stands, as far as it is not said.
        base = tuple(map(fold, self._base[: max(0, _WHOLE - len(path))]))
        return tables.get((*base, *folded)) or tables.get(folded, [])

    def _find(self, path: Path) -> Table:
        candidates = self._candidates(path)
        same = [each for each in candidates if each[0] == path]
        if same or self._record.names_case == "quoted":
            candidates = same
        tables = {table.name: table for _, table in candidates}
        if len(tables) == 1:
            return next(iter(tables.values()))
        words = ".".join(path)
        raise _NoPlainName(
            f"{words} may be {' or '.join(tables)}"
            if tables
            else f"{words} is none of the tables of {self._schema.db_id}"
        )

    def _spelled(self, name: Identifier) -> str:
        """A name as the engine understands it."""
        if self._record.names_case == "quoted" and not name.args.get("quoted"):
            return str(name.name).lower()
        return str(name.name)

    def _clashes(self, node: TableNode) -> bool:
        """Whether another table of the same FROM has the table's own name.

        Raises:
            _NoPlainName: the name alone is used there, and may mean either; or the other item has
                it as its alias, which most engines refuse.
        """
        from sqlglot import exp

        if node.alias:
            return False
        name = fold(node.name)
        select = select_around(node)
        items = [] if select is None else [each for each in named_items(select) if each is not node]
        others = [each for each in items if fold(each.alias_or_name) == name]
        if select is None or not others:
            return False
        if any(each.alias or self._tables.get(id(each)) is None for each in others) or any(
            fold(each.table) == name
            for each in select.find_all(exp.Column)
            if not each.args.get("db")
        ):
            raise _NoPlainName(f"{node.name} may mean several tables")
        return True

    def _owner(self, column: Column) -> TableNode | None:
        """The item of FROM that a column names with its schema; ``None``: it names none so.

        Raises:
            _NoPlainName: several items are called so.
        """
        path = tuple(self._spelled(column.args[part]) for part in qualifying_parts(column))
        if not self._candidates(path):
            # A field of a value, which some engines write like that.
            return None
        table = self._find(path)
        select = select_around(column)
        while select is not None:
            owners = [
                each
                for each in named_items(select)
                if self._tables.get(id(each)) is table and not each.alias
            ]
            if len(owners) > 1:
                raise _NoPlainName(f"{'.'.join(path)} may mean several items of FROM")
            if owners:
                self._require_uncaptured(column, owners[0], select)
                owner: TableNode = owners[0]  # type: ignore[assignment]
                return owner
            select = select_around(select)
        return None

    def _require_uncaptured(self, column: Column, owner: Expr, home: Expr) -> None:
        """Refuse a column whose plain qualifier an inner query would take for itself."""
        select = select_around(column)
        while select is not None and select is not home:
            if any(fold(each.alias_or_name) == fold(owner.name) for each in named_items(select)):
                raise _NoPlainName(f"{owner.name} means another table in a query inside")
            select = select_around(select)

    def _hiding(self) -> list[Expr]:
        """The common table expressions that have the name of a table which the query reads.

        One hides the table that is named with its schema. One may also be made of the table
        (``WITH emp AS (SELECT * FROM emp) ...``), and who looks a name up would take it for itself.
        """
        from sqlglot import exp

        names = {fold(table.name) for table in self._tables.values() if table is not None}
        return [cte for cte in self._tree.find_all(exp.CTE) if fold(cte.alias) in names]

    def _rename(self, cte: Expr) -> None:
        """Give a common table expression a name that nothing else has."""
        alias = cte.args["alias"].this
        name, number = alias.name, 1
        words = fold(self._query.sql)
        while fold(f"{name}_{number}") in words or self._schema.table(f"{name}_{number}"):
            number += 1
        new = f"{name}_{number}"
        users = [each for each in self._nodes if self._common[id(each)] is cte]
        for node in users:
            own = "" if node.alias else self._spelled(node.this)
            self._replace([node.this], new, alias=own)
            self._set_alias(node, own)
            node.set("this", _identifier(new))
        self._replace([alias], new)
        cte.args["alias"].set("this", _identifier(new))

    def _write_table(self, node: TableNode, *, clashes: bool) -> None:
        table = self._tables[id(node)]
        assert table is not None, "a name with a schema was found or refused"
        parts = [*qualifier_of(node), node.this]
        name = self._spelled(node.this)
        behind = "" if node.alias or clashes or not table.is_hidden else name
        if behind and not {key for key, value in node.args.items() if value} <= _PLAIN_PARTS:
            raise _NoPlainName(f"{'.'.join(each.name for each in parts)} with more than an alias")
        self._replace(parts, table.name, alias=behind)
        if behind:
            self._set_alias(node, behind)
        node.set("this", _identifier(table.name))
        for part in QUALIFIERS:
            node.set(part, None)

    @staticmethod
    def _set_alias(node: TableNode, name: str) -> None:
        from sqlglot import exp

        if not node.alias:
            node.set("alias", exp.TableAlias(this=_identifier(name)))

    def _write_column(self, column: Column, owner: TableNode) -> None:
        name = owner.alias_or_name
        self._replace([column.args[part] for part in qualifying_parts(column)], name)
        column.set("table", _identifier(name))
        for part in QUALIFIERS:
            column.set(part, None)

    def _replace(self, parts: Sequence[Expr], name: str, *, alias: str = "") -> None:
        """Note that a plain name comes where these parts of a name stand."""
        for part in parts:
            start, end = part.meta_get("start"), part.meta_get("end")
            if not isinstance(start, int) or not isinstance(end, int):
                raise _NoPlainName(f"the place of {part.name} is not known")
        quoted = self._record.quoted
        text = quoted(name) + (f" AS {quoted(alias)}" if alias else "")
        self._edits.append((parts[0].meta_get("start"), parts[-1].meta_get("end") + 1, text))

    def _edited(self) -> str:
        sql, at, texts = self._query.sql, 0, list[str]()
        for start, end, text in sorted(self._edits):
            if start < at:
                raise _NoPlainName("its names lie over each other")
            texts += [sql[at:start], text]
            at = end
        return "".join([*texts, sql[at:]])


def _identifier(name: str) -> Identifier:
    from sqlglot import exp

    return exp.Identifier(this=name, quoted=True)
