"""A witness under the question "why": what would the queries say if something were otherwise?

An explanation is tried, not guessed: a circumstance (a NULL, a tie, a condition) explains the
difference where the two queries agree once it is taken away and nothing else is changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from sqlverdict.dialects import dialect_of
from sqlverdict.errors import SchemaError
from sqlverdict.execute.in_memory import ScratchDatabase, warm_scratch
from sqlverdict.execute.session import TableRows
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import ColumnRef, Table
from sqlverdict.records import Answer, Cell, Contract, Outcome, Query, Row
from sqlverdict.refute.explain.spellings import Spelling, is_of
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.read.reading import QueryReading
from sqlverdict.refute.trial.rebuild import compare_on
from sqlverdict.refute.witness import Witness

_TRIES = 150
"""How many changes are tried for one sentence."""
_CHARACTERS = 40_000
"""How many characters of changed queries are tried for one sentence. To write a query takes as long
as to run it on a few rows: a text of 150 conditions would be written 150 times."""
_NO_FACTS: frozenset[Fact] = frozenset()


class WhatIf:
    """A witness whose rows and queries can be changed and tried again.

    ``queries``, ``resolvers`` and ``readings`` are the gold's and the prediction's;
    ``texts`` are the two queries as they are run;
    ``usable`` is false where a query does not parse or the difference does not show here;
    ``memo`` is for what several explanations look at.
    """

    def __init__(
        self,
        witness: Witness,
        preset: str,
        contract: Contract | None,
        spellings: Sequence[Spelling] | None = None,
    ) -> None:
        self.witness = witness
        self._spellings = spellings
        self.schema = witness.instance.schema
        self.rows: dict[str, list[Row]] = {
            name: list(rows) for name, rows in witness.instance.rows.items() if rows
        }
        self.preset = preset
        self.contract = contract
        self.memo: dict[str, Any] = {}
        self._left = _TRIES
        self._characters = _CHARACTERS
        self._both_return = _has_rows(witness.gold) and _has_rows(witness.prediction)
        self.texts = witness.queries
        parsed = [*map(parse, self.texts)]
        self.queries = [query for query in parsed if isinstance(query, Query)]
        self._scratch = self._stage() if len(self.queries) == 2 else None
        self.usable = self._scratch is not None
        if self.usable:
            self.resolvers = [Resolver(query.tree, self.schema) for query in self.queries]
            self.readings = [read_query(query, self.schema) for query in self.queries]
            self.reading: QueryReading = self.readings[0].merge(self.readings[1])

    def _stage(self) -> ScratchDatabase | None:
        """An engine on which the witness's difference shows, with the schema's facts or without."""
        for facts in (None, _NO_FACTS):
            try:
                scratch = warm_scratch(self.schema, facts, False)
                scratch.load(self.rows)
            except (SchemaError, sqlite3.Error, LookupError):
                continue
            if scratch.whole and self._compare(scratch)[2] is False:
                return scratch
        return None

    def _compare(
        self, scratch: ScratchDatabase, gold: str = "", prediction: str = ""
    ) -> tuple[Outcome, Outcome, bool | None]:
        ours, theirs, compared = compare_on(
            scratch.run,
            gold or self.texts[0],
            prediction or self.texts[1],
            self.preset,
            self.contract,
        )
        return ours, theirs, compared.equal

    def quoted(self, side: int, text: str) -> str:
        """What a sentence says for a part of a query; empty: it is not quoted.

        Args:
            side: 0 for the gold, 1 for the prediction.
            text: The part as SQLite has it.
        """
        if self._spellings is not None:
            return self._spellings[side].get(text, "")
        # Where another engine runs the query, its tree may be written in words of a third one.
        own = dialect_of(self.witness.engine).in_python or is_of(text, self.texts[side])
        return text if own else ""

    @property
    def spent(self) -> bool:
        """Whether nothing more is tried."""
        return self._scratch is None or self._left <= 0

    @property
    def texts_spent(self) -> bool:
        """Whether no other text is tried; it need not be made."""
        return self.spent or self._characters <= 0

    def agree_on(self, rows: TableRows) -> bool:
        """Whether the two queries agree on other rows; rows that the schema forbids do not.

        Where both return something on the witness, agreeing on nothing explains nothing.
        """
        outcomes = self.outcomes_on(rows)
        if outcomes is None:
            return False
        gold, _, equal = outcomes
        return equal is True and (_has_rows(gold) or not self._both_return)

    def outcomes_on(self, rows: TableRows) -> tuple[Outcome, Outcome, bool | None] | None:
        """What both return on other rows, and whether it is equal; ``None``: it is not tried."""
        if self._scratch is None or self.spent:
            return None
        self._left -= 1
        try:
            self._scratch.load(rows)
        except (sqlite3.Error, LookupError, OverflowError):
            return None
        return self._compare(self._scratch) if self._scratch.whole else None

    def agree_as(self, gold: str, prediction: str) -> bool:
        """Whether two other queries agree on the witness's rows."""
        return self._equal_as(gold, prediction) is True

    def differ_as(self, gold: str, prediction: str) -> bool:
        """Whether two other queries differ on the witness's rows."""
        return self._equal_as(gold, prediction) is False

    def _equal_as(self, gold: str, prediction: str) -> bool | None:
        if self._scratch is None or self.texts_spent:
            return None
        self._left -= 1
        self._characters -= len(gold) + len(prediction)
        self._scratch.load(self.rows)
        return self._compare(self._scratch, gold, prediction)[2]

    def returns_rows(self, sql: str) -> bool | None:
        """Whether a query returns a row on the witness; ``None``: it fails, or is not tried."""
        if self._scratch is None or self.spent:
            return None
        self._left -= 1
        self._scratch.load(self.rows)
        outcome = self._scratch.run(sql)
        return _has_rows(outcome) if isinstance(outcome, Answer) else None

    def table(self, name: str) -> Table:
        """The table of that name."""
        table = self.schema.table(name)
        assert table is not None
        return table

    def cells(self, column_ref: ColumnRef) -> list[Cell]:
        """The values of a column, a row each."""
        at = self.index(column_ref)
        return [row[at] for row in self.rows.get(column_ref[0], ())]

    def index(self, column_ref: ColumnRef) -> int:
        """Where a column stands in its table."""
        names = [column.name for column in self.table(column_ref[0]).columns]
        return names.index(column_ref[1])

    def with_cell(
        self, column_ref: ColumnRef, number: int, value: Cell, rows: TableRows | None = None
    ) -> dict[str, list[Row]]:
        """The rows (by default the witness's) with one cell changed."""
        at = self.index(column_ref)
        changed = _copy(self.rows if rows is None else rows)
        row = changed[column_ref[0]][number]
        changed[column_ref[0]][number] = (*row[:at], value, *row[at + 1 :])
        return changed

    def with_row(self, table: str, row: Row, rows: TableRows | None = None) -> dict[str, list[Row]]:
        """The rows (by default the witness's) with one more."""
        changed = _copy(self.rows if rows is None else rows)
        changed.setdefault(table, []).append(row)
        return changed

    def without_row(self, table: str, number: int) -> dict[str, list[Row]]:
        """The witness's rows less one."""
        changed = _copy(self.rows)
        del changed[table][number]
        return changed


def _copy(rows: TableRows) -> dict[str, list[Row]]:
    return {name: list(content) for name, content in rows.items()}


def _has_rows(outcome: Outcome) -> bool:
    return isinstance(outcome, Answer) and bool(outcome.rows)
