"""Untrusted queries on one connection: limits, a cancel on the server, typed outcomes.

The server ends a query at its time limit by itself, also where our process is gone. MySQL does
that for reading statements only while they work, so a second connection ends it too, half a second
later. Rows come one by one: a limit is noticed before the answer fills the memory.

FLOAT columns have every digit (``float_columns``), BIT columns are numbers, and JSON is one text
for one content. All else is as for every driver (``execute/values/driver_values.py``). A date that
is none (``0000-00-00``) is a text to the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Final

import pymysql
from msgspec import structs
from pymysql.constants import FIELD_TYPE

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import NO_RESULT, timed_out
from sqlverdict.execute.deadline import Deadline
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.connection import (
    LOST,
    is_mariadb,
    number_of,
    server_message,
)
from sqlverdict.execute.engines.mysql.float_columns import float_columns, with_exact_floats
from sqlverdict.execute.engines.mysql.sandbox import failure_of
from sqlverdict.execute.engines.mysql.unmerged import unmerged
from sqlverdict.execute.servers.session import ServerLost
from sqlverdict.execute.servers.statements import rows_of
from sqlverdict.execute.values.arriving_rows import BATCH, ArrivingRows
from sqlverdict.execute.values.driver_values import cells_of_rows, clock_cell, json_text_cell
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason, Row

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection


_SPECIAL: Final = (FIELD_TYPE.BIT, FIELD_TYPE.JSON, FIELD_TYPE.TIME)


def special_columns(described: Sequence[Sequence[object]]) -> dict[int, int]:
    """The columns, by position, whose type decides what a value means."""
    return {
        index: kind
        for index, (_, kind, *_) in enumerate(described)
        if isinstance(kind, int) and kind in _SPECIAL
    }


def rows_as_cells(rows: Sequence[tuple[object, ...]], special: dict[int, int]) -> list[Row]:
    """The rows as cells."""
    if special:
        rows = [
            tuple(
                _special(value, special[i]) if i in special else value
                for i, value in enumerate(row)
            )
            for row in rows
        ]
    return cells_of_rows(rows)


def _special(value: object, kind: int) -> object:
    if kind == FIELD_TYPE.BIT and isinstance(value, bytes):
        return int.from_bytes(value, "big")
    if kind == FIELD_TYPE.TIME and isinstance(value, timedelta):
        return clock_cell(value)
    return json_text_cell(value) if isinstance(value, str) else value


_AFTER: Final = 0.5
"""Seconds that the server has to end a query by itself."""


class LimitedCursor:
    """Runs queries that were not refused.

    Args:
        connection: Where they run.
        connect: Makes another connection to the server, to end a query.
        limits: What one query may spend.
        driver_values: Answers also hold the driver's values.
        no_result: What a statement without a result gives.
        views: The text of each view of the database.
    """

    def __init__(
        self,
        connection: Connection,
        connect: Callable[[], Connection],
        limits: Limits,
        *,
        driver_values: bool = False,
        no_result: Outcome = NO_RESULT,
        views: Mapping[str, str] | None = None,
    ) -> None:
        self.connection = connection
        self._connect = connect
        self._limits = limits
        self._driver_values = driver_values
        self._no_result = no_result
        self._deadline = Deadline(limits.seconds + _AFTER, self.stop)
        self._is_mariadb = is_mariadb(connection)
        self._views = views or {}

    def run(self, sql: str, *, volatile: bool = False) -> Outcome:
        """The outcome of a query.

        Raises:
            ServerLost: there was no answer, and the query is not to blame.
        """
        began = perf_counter()
        try:
            with self._deadline:
                outcome = self._fetch(sql, volatile)
            if self._deadline.late:
                # Inside of some functions the server looks for no end, and answers afterwards.
                return timed_out(self._limits.seconds, perf_counter() - began)
            return outcome
        except pymysql.Error as error:
            number, seconds = number_of(error), perf_counter() - began
            if self._deadline.late:
                return timed_out(self._limits.seconds, seconds)
            if number in LOST:
                raise ServerLost(server_message(error)) from error
            failure = failure_of(number, server_message(error), seconds, self._limits.seconds)
            return replace(failure, repeatable=False) if volatile else failure
        except (OSError, EOFError, AttributeError) as error:
            # PyMySQL reads from None where the connection was closed.
            raise ServerLost(server_message(error)) from error
        except UnicodeEncodeError:
            return Failure(
                Reason.PARSE_ERROR, "the SQL text cannot be sent: it is not valid Unicode"
            )
        except UnicodeDecodeError:
            return Failure(
                Reason.EXECUTION_ERROR, "the answer cannot be read: a text in it is not valid UTF-8"
            )
        except (ValueError, OverflowError) as error:
            return Failure(
                Reason.EXECUTION_ERROR, f"the answer cannot be read: {server_message(error)}"
            )

    def _fetch(self, sql: str, volatile: bool) -> Outcome:
        rows = ArrivingRows(self._limits, driver_values=self._driver_values)
        cursor = self.connection.cursor()
        try:
            text = unmerged(sql, self._views) if self._is_mariadb else sql
            cursor.execute(text)
            described = cursor.description
            if not described:
                return self._no_result
            special = special_columns(described)
            rows_left = iter(cursor.read_next, None)
            while batch := list(islice(rows_left, BATCH)):
                failure = rows.add(rows_as_cells(batch, special), batch)
                if failure is not None:
                    self._drop(cursor)
                    return failure
        finally:
            with suppress(pymysql.Error):
                cursor.close()
        columns = [str(column[0]) for column in described]
        answer = rows.answer(columns, volatile=volatile, lasting=not volatile)
        return self._with_exact_floats(text, answer, float_columns(described))

    def _with_exact_floats(self, text: str, answer: Answer, columns: Sequence[int]) -> Outcome:
        """The answer with every digit of its FLOATs."""
        if not columns or not answer.rows:
            return answer
        rows = with_exact_floats(self.connection, text, answer.rows, columns)
        if rows is not None:
            return structs.replace(answer, rows=rows)
        if answer.volatile:
            # Chance gave other rows, and nothing is compared with those.
            return answer
        why = "the answer cannot be read: asked twice, the server gave other rows"
        return Failure(Reason.EXECUTION_ERROR, why, fault=Fault.ENGINE, repeatable=False)

    def _drop(self, cursor: pymysql.cursors.SSCursor) -> None:
        """Leave an answer unread: the server stops to send it."""
        self.stop()
        with suppress(pymysql.Error):
            cursor.close()

    def stop(self) -> None:
        """End on the server what this connection runs."""
        thread: int = self.connection.thread_id()  # type: ignore[no-untyped-call]
        # A server that takes no connection is lost, and the query with it.
        with suppress(DatabaseError, pymysql.Error, OSError):
            other = self._connect()
            try:
                rows_of(other, f"KILL QUERY {thread}")
            finally:
                other.close()

    def close(self) -> None:
        """End the connection, and what it runs."""
        self._deadline.close()
        with suppress(pymysql.Error, OSError):
            self.connection.close()
