"""Instances of a few rows, which are written into each query (``servers/scratch.py``).

The session is that of whoever may read the database, and is in no database: a name that is not one
of the tables is not found. JSON_TABLE reads the rows into columns with types, character sets and
collations of the tables' own; MariaDB has it from 10.6 on, MySQL from 8.0.4 on.

Some types JSON_TABLE does not know: ENUM, SET, UUID ... Then tables are made in a database of our
own (``scratch_tables.py``), where the user may do so; else queries that read such a column are
refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pymysql
from sqlglot import exp

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.columns import (
    LISTS,
    encode_cell,
    knows_types,
    whole_type,
    word_of,
)
from sqlverdict.execute.engines.mysql.connection import (
    database_name,
    is_mariadb,
    quote_in_backticks,
)
from sqlverdict.execute.engines.mysql.sandbox import DIALECT, canonical
from sqlverdict.execute.engines.mysql.session import MysqlSession
from sqlverdict.execute.engines.mysql.spelling import spelling_of
from sqlverdict.execute.engines.mysql.unmerged import ALL_ROWS
from sqlverdict.execute.lexemes import Lex, Lexeme, lexemes
from sqlverdict.execute.servers.constraints import breach_query
from sqlverdict.execute.servers.rows import (
    StatementTemplate,
    expression_names,
    mark,
    names_of,
    with_tables,
)
from sqlverdict.execute.servers.scratch import RowsScratch
from sqlverdict.execute.servers.statements import rows_of, server_reason
from sqlverdict.files.references import Reference
from sqlverdict.files.text import few_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table, is_view
from sqlverdict.records import Failure, Fault, Outcome, Query, Reason, Row

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

_RIGHT: Final = "GRANT ALL ON `sqlverdict\\_%`.* lets tables be made for it"
_TABLE_BYTES: Final = 4 * 2**20
"""What a table of a few rows may take in memory; a larger one goes to the server's disk."""
_VIEW: Final = re.compile(r"\s*CREATE\s+VIEW\s.*?\sAS\s", re.DOTALL | re.IGNORECASE)
_BEFORE_STAR: Final = frozenset({"select", "distinct", "all", ",", "."})


class _NowhereSession(MysqlSession):
    """A session that is in no database, so that no table of one is found."""

    def _connect(self, name: str | None) -> Connection:
        connection = super()._connect("" if name is None else name)
        # MariaDB takes a tenth of this at once for every table that JSON is read into.
        sizes = f"tmp_table_size = {_TABLE_BYTES}, SESSION max_heap_table_size = {_TABLE_BYTES}"
        rows_of(connection, f"SET SESSION {sizes}")
        return connection


class MysqlScratch(RowsScratch):
    """The tables of a schema, whose rows are written into queries. Not for several threads at once.

    Args:
        schema: The tables, with types that the server knows.
        limits: What one query may spend.
        near: The URL of a database on the server.

    Raises:
        DatabaseError: the server does not answer.
    """

    def __init__(self, schema: Schema, limits: Limits, near: Reference) -> None:
        tables = [table for table in schema.tables if not is_view(table)]
        super().__init__(tables, quote_in_backticks)
        self._home = database_name(near)
        self._session = _NowhereSession(near, limits)
        try:
            self._read_server()
        except pymysql.Error as error:
            self._session.close()
            raise DatabaseError(
                f"{near} cannot be read: {error}", reason=server_reason(error)
            ) from error
        self._definitions = {
            _lower(table.name): self._definition(table, number)
            for number, table in enumerate(self._tables)
        }
        self._unseen = [
            (table.name, column.name)
            for table in self._tables
            for column in table.columns
            if column.invisible
        ]
        self._unread = {
            name: Failure(Reason.UNSUPPORTED_FEATURE, f"two tables are called {name} but for case")
            for name, number in Counter(_lower(table.name) for table in schema.tables).items()
            if number > 1
        }
        """Tables and views that no query can read here, by name."""
        self._add_views([table for table in schema.tables if is_view(table)])

    @property
    def has_odd_columns(self) -> bool:
        """Whether a column has a type whose values cannot be written, or is one that stars skip."""
        return bool(self._odd or self._unseen)

    def gaps(self) -> tuple[str, ...]:
        """Columns whose values cannot be written, and views."""
        gaps = [failure.message for failure in self._unread.values()]
        if self._odd:
            columns = few_of(sorted(f"{table}.{column}" for table, column in self._odd))
            gaps.append(f"values of {columns} cannot be written into a query; {_RIGHT}")
        if self._unseen:
            columns = few_of(sorted(f"{table}.{column}" for table, column in self._unseen))
            gaps.append(f"a star over rows in a query cannot leave out {columns}; {_RIGHT}")
        return tuple(gaps)

    def declaration(self, schema: Schema) -> Schema:
        """A schema whose types tell their collations, as the server declares them elsewhere."""
        return replace(schema, tables=tuple(map(self._whole_table, schema.tables)))

    def _whole_table(self, table: Table) -> Table:
        def whole(column: Column) -> Column:
            return replace(column, type=self._types.get((table.name, column.name), column.type))

        return replace(table, columns=tuple(map(whole, table.columns)))

    def _read_server(self) -> None:
        connection = self._session.connection
        ((charset, collation, folds),) = rows_of(
            connection,
            "SELECT @@character_set_server, @@collation_server, @@lower_case_table_names",
        )
        default = f"CHARACTER SET {charset} COLLATE {collation}"
        self._folds_case = folds != 0
        self._is_mariadb = is_mariadb(connection)
        self._types = {
            (table.name, column.name): whole_type(table, column, default)
            for table in self._tables
            for column in table.columns
        }
        odd = self._odd_types(connection)
        self._odd = {
            (table.name, column.name): self._types[table.name, column.name]
            for table in self._tables
            for column in table.columns
            # What is computed has a type that only a table gives it.
            if self._types[table.name, column.name] in odd or column.generated is not None
        }

    def _odd_types(self, connection: Connection) -> frozenset[str]:
        """The types that cannot be written."""
        types = sorted(set(self._types.values()))
        lists = {type_ for type_ in types if word_of(type_) in LISTS}
        others = [type_ for type_ in types if type_ not in lists]
        if knows_types(connection, others):
            return frozenset(lists)
        return frozenset(
            lists | {type_ for type_ in others if not knows_types(connection, [type_])}
        )

    def _definition(self, table: Table, number: int) -> str:
        """A table as an expression of a WITH list."""
        declared, cells = [], []
        for at, column in enumerate(table.columns):
            name, type_ = quote_in_backticks(column.name), self._types[table.name, column.name]
            word, cell = word_of(type_), name
            if column.generated is not None:
                cells.append(f"({column.generated}) AS {name}")
                continue
            if (table.name, column.name) in self._odd:
                type_ = "longtext"
            elif word == "json" and not self._is_mariadb:
                type_, cell = "longtext", f"CAST({name} AS JSON) AS {name}"
            declared.append(f"{name} {type_} PATH '$.c{at}' ERROR ON ERROR")
            cells.append(cell)
        source = f"JSON_TABLE({mark(number)}, '$[*]' COLUMNS ({', '.join(declared)}))"
        name = quote_in_backticks(table.name)
        rows = f"SELECT {', '.join(cells)} FROM {source} AS {name}"  # noqa: S608
        # Merged into the query, the rows make MariaDB 10.11 lose others, or end.
        return f"{name} AS ({rows} LIMIT {ALL_ROWS})"

    def _add_views(self, views: Sequence[Table]) -> None:
        """Views are their texts, each with the tables and views that it reads."""
        waiting = {_lower(view.name): view for view in views}
        bodies = {name: self._view_text(view) for name, view in waiting.items()}
        while waiting:
            ready = [name for name in waiting if not self._reads(bodies[name], waiting, name)]
            for name in ready or list(waiting):
                body, view = bodies[name], waiting.pop(name)
                if isinstance(body, Failure) or not ready:
                    why = body.message if isinstance(body, Failure) else "it reads itself"
                    self._unread[name] = Failure(
                        Reason.UNSUPPORTED_FEATURE,
                        f"the view {view.name} cannot be written into a query: {why}",
                    )
                    continue
                columns = ", ".join(quote_in_backticks(column.name) for column in view.columns)
                inner = with_tables(body, DIALECT, self._definitions, _lower)
                quoted = quote_in_backticks(view.name)
                self._definitions[name] = f"{quoted} ({columns}) AS ({inner})"

    @staticmethod
    def _reads(body: str | Failure, waiting: dict[str, Table], name: str) -> bool:
        if isinstance(body, Failure):
            return False
        return bool(names_of(body, DIALECT, _lower) & waiting.keys() - {name})

    def _view_text(self, view: Table) -> str | Failure:
        body = _VIEW.sub("", view.sql or "", count=1)
        if not body.strip():
            return Failure(
                Reason.UNSUPPORTED_FEATURE,
                "its text may not be seen; GRANT SHOW VIEW lets it be seen",
            )
        text = canonical(body)
        return text if isinstance(text, Failure) else self._refusal(text) or text

    def _template(self, sql: str) -> StatementTemplate | Failure:
        text = self._session.checked(self._unqualified(sql))
        if isinstance(text, Failure):
            return text
        refusal = self._refusal(text)
        if refusal is not None:
            return refusal
        return StatementTemplate(with_tables(text, DIALECT, self._definitions, _lower))

    def _breach(
        self, tables: Sequence[Table], *, are_values: bool
    ) -> StatementTemplate | Failure | None:
        # Cells that are no values were refused before.
        del are_values
        queries = [query for table in tables for query in self._constraints.queries(table)]
        for table in tables:
            computed = {column.name for column in table.columns if column.generated is not None}
            if computed & _constrained(table):
                message = f"a constraint of {table.name} is about a computed column"
                return Failure(Reason.UNSUPPORTED_FEATURE, message)
        if not queries:
            return None
        # The texts of checks are read by the guard, too.
        text = canonical(breach_query(queries))
        if isinstance(text, Failure):
            return text
        return StatementTemplate(with_tables(text, DIALECT, self._definitions, _lower))

    def _record(self, table: Table, row: Row) -> dict[str, object]:
        record: dict[str, object] = {}
        for at, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            if cell is not None and column.generated is None:
                record[f"c{at}"] = encode_cell(self._types[table.name, column.name], cell)
        return record

    def _literal(self, text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"

    def _send(self, sql: str, text: str) -> Outcome:
        outcome = self._session.send(text, volatile=bool(sql) and self._session.is_volatile(sql))
        if not sql and isinstance(outcome, Failure) and outcome.fault is Fault.ENGINE:
            raise DatabaseError(outcome.message, reason="unreachable") from ConnectionError(
                outcome.message
            )
        return outcome

    def close(self) -> None:
        """Disconnect."""
        self._session.close()

    def _refusal(self, text: str) -> Failure | None:
        """Why a text that the guard passed cannot be answered here."""
        names = names_of(text, DIALECT, _lower)
        if "default" in names:
            # DEFAULT(column) is NULL where a column is written.
            return Failure(Reason.UNSUPPORTED_FEATURE, "the query reads the default of a column")
        for name in sorted(names & self._unread.keys()):
            return self._unread[name]
        for (table, column), type_ in self._odd.items():
            if _lower(table) in names and (_lower(column) in names or _takes_all(text)):
                return Failure(
                    Reason.UNSUPPORTED_FEATURE,
                    f"the query reads {table}.{column}, and values of the type "
                    f"{type_.split(' ')[0]} cannot be written into a query; {_RIGHT}",
                )
        for table, column in self._unseen:
            if _lower(table) in names and _takes_all(text):
                return Failure(
                    Reason.UNSUPPORTED_FEATURE,
                    f"a star over {table} leaves out {table}.{column}, which rows in a query "
                    f"cannot; {_RIGHT}",
                )
        return None if self._folds_case else self._other_case(text)

    def _other_case(self, text: str) -> Failure | None:
        """A table in another case is another table to the server, but not to a WITH list."""
        query = parse(text, DIALECT)
        if not isinstance(query, Query):
            return None
        own = expression_names(text, DIALECT, _lower)
        known = {table.name for table in self._tables} | {
            name for name in self._definitions if name not in map(_lower, self._numbers)
        }
        for table in query.tree.find_all(exp.Table):
            name = table.name
            if _lower(name) in self._definitions and _lower(name) not in own and name not in known:
                return Failure(Reason.EXECUTION_ERROR, f"Table '{name}' doesn't exist")
        return None

    def _unqualified(self, sql: str) -> str:
        """The text without the name of the database; all else that names one is refused."""
        spelling = spelling_of(sql)
        if isinstance(spelling, Failure) or self._home not in sql:
            return sql
        parts = spelling.parts
        own = expression_names(spelling.text, DIALECT, _lower)
        places = [at for at, part in enumerate(parts) if _is_called(part, self._home)]
        for at in places:
            behind = parts[at + 1 : at + 3]
            if len(behind) < 2 or behind[0].text != "." or behind[1].kind not in _NAMES:
                return sql
            name = _lower(behind[1].name)
            if name not in self._definitions or name in own:
                return sql
        text, end = "", 0
        for at in places:
            text += spelling.text[end : parts[at].start]
            end = parts[at + 2].start
        return text + spelling.text[end:]


_NAMES: Final = (Lex.WORD, Lex.NAME)


def _lower(name: str) -> str:
    """Names of a WITH list are compared without case."""
    return name.lower()


def _is_called(part: Lexeme, name: str) -> bool:
    if part.kind not in _NAMES:
        return False
    return (part.text if part.kind is Lex.WORD else part.name) == name


def _constrained(table: Table) -> frozenset[str]:
    """The columns that a constraint is about, and more."""
    keys = [table.primary_key, *table.uniques, *(key.columns for key in table.foreign_keys)]
    missing = [column.name for column in table.columns if column.not_null]
    words = [part.name for check in table.checks for part in lexemes(check, DIALECT) if part.text]
    return frozenset([*missing, *words, *(name for key in keys for name in key)])


def _takes_all(text: str) -> bool:
    """Whether a text may read columns that it does not name."""
    spelling = spelling_of(text)
    if isinstance(spelling, Failure):
        return True
    texts = [part.text.lower() for part in spelling.parts]
    stars = [texts[at - 1] for at, part in enumerate(texts) if part == "*" and at]
    return "natural" in texts or not _BEFORE_STAR.isdisjoint(stars)
