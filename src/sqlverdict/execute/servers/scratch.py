"""Scratch databases that are no more than a way to write queries: nothing is made on the server.

Each table that a query names becomes a common table expression of the table's name. It hides the
table, so that the query stays as it is (``rows.py``). Its rows are one JSON text, which the server
reads into columns of the table's own types. No value is a constant of the query: the server treats
them as it treats those of a table. So whoever may read can also search for witnesses.

Constraints are checked before a query runs (``constraints.py``).
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence

from sqlverdict.execute.servers.constraints import Constraints, Quote, has_values
from sqlverdict.execute.servers.rows import StatementTemplate, has_mark
from sqlverdict.execute.session import Scratch, TableRows
from sqlverdict.parse.schema import Table
from sqlverdict.records import Answer, Failure, Outcome, Reason, Row

_TEXTS = 64
"""How many texts are looked at once only: those of one pair run on several instances."""


class RowsScratch(Scratch, ABC):
    """The tables of a schema, whose rows are written into queries. Not for several threads at once.

    Args:
        tables: The tables that take rows.
        quote: How a name is written.
    """

    def __init__(self, tables: Sequence[Table], quote: Quote) -> None:
        self._tables = tuple(tables)
        self._numbers = {table.name: number for number, table in enumerate(tables)}
        self._empty = (self._literal("[]"),) * len(self._tables)
        self._literals = self._empty
        self._constraints = Constraints(tables, quote)
        self._templates: dict[str, StatementTemplate | Failure] = {}
        self._breaches: dict[tuple[bool, tuple[int, ...]], StatementTemplate | Failure | None] = {}

    @abstractmethod
    def _template(self, sql: str) -> StatementTemplate | Failure:
        """An untrusted query behind the tables that it names; or why it is not sent."""

    @abstractmethod
    def _breach(
        self, tables: Sequence[Table], *, are_values: bool
    ) -> StatementTemplate | Failure | None:
        """A query that gives 1 where rows of these tables break a constraint, and 0 otherwise.

        ``None`` where nothing is left to ask; a failure where no row may be told to be legal.

        Args:
            tables: The tables with rows.
            are_values: All cells are sure to be values of their columns.
        """

    @abstractmethod
    def _send(self, sql: str, text: str) -> Outcome:
        """What the server answers to a statement.

        Args:
            sql: The untrusted query in it; empty where there is none.
            text: The statement.
        """

    @abstractmethod
    def _literal(self, text: str) -> str:
        """A text as it stands in a statement.

        Raises:
            ValueError: it cannot be sent.
        """

    @abstractmethod
    def _record(self, table: Table, row: Row) -> dict[str, object]:
        """A row as an object of JSON, without what is NULL.

        Raises:
            ValueError: a cell is no value of its column.
        """

    def gaps(self) -> tuple[str, ...]:
        """What of the schema no query can read here, and what would let it be read."""
        return ()

    def load(self, rows: TableRows) -> bool:
        """Make these rows the content; false where one breaks a type or a constraint.

        Raises:
            DatabaseError: the connection is lost.
        """
        self._literals = self._empty
        content = {name: own for name, own in rows.items() if own}
        if not content.keys() <= self._numbers.keys():
            return False
        numbers = tuple(sorted(self._numbers[name] for name in content))
        literals = list(self._empty)
        try:
            if self._constraints.are_broken(content):
                return False
            for number in numbers:
                table = self._tables[number]
                records = [self._record(table, row) for row in content[table.name]]
                literals[number] = self._literal(json.dumps(records))
        except ValueError:
            return False
        if numbers and not self._is_legal(numbers, literals, content):
            return False
        self._literals = tuple(literals)
        return True

    def _is_legal(
        self, numbers: tuple[int, ...], literals: Sequence[str], content: TableRows
    ) -> bool:
        tables = [self._tables[number] for number in numbers]
        are_values = all(has_values(table, content[table.name]) for table in tables)
        if (are_values, numbers) not in self._breaches:
            breach = self._breach(tables, are_values=are_values)
            self._breaches[are_values, numbers] = breach
        template = self._breaches[are_values, numbers]
        if not isinstance(template, StatementTemplate):
            return template is None
        outcome = self._send("", template.text(literals))
        return isinstance(outcome, Answer) and outcome.rows == [(0,)]

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query on the content."""
        template = self._templates.get(sql)
        if template is None:
            if len(self._templates) >= _TEXTS:
                self._templates.clear()
            template = self._templates[sql] = self._marked(sql)
        if isinstance(template, Failure):
            return template
        return self._send(sql, template.text(self._literals))

    def _marked(self, sql: str) -> StatementTemplate | Failure:
        if has_mark(sql):
            return Failure(Reason.UNSUPPORTED_FEATURE, "the query holds a mark for rows")
        return self._template(sql.lstrip("\ufeff"))
