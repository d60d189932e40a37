"""Statements over one connection: several in one round trip, with a deadline.

Each statement goes by the extended protocol, which takes one statement a message. At the deadline
the server is told to cancel, and its answer is awaited: nothing runs on behind our back. A server
that does not answer the cancel loses its connection, at which it ends the query by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import monotonic
from typing import Any

import psycopg
from psycopg import pq
from psycopg.pq.abc import PGresult

_GRACE = 10.0
"""Seconds that a server has to answer a cancel."""
_DONE = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)


class ConnectionLost(Exception):
    """The server, or the way to it, is gone."""


class ServerError(Exception):
    """A statement failed.

    Attributes:
        state: The SQLSTATE.
        message: What the server says.
        cancelled: Whether the deadline, or the server's own limit in time, ended it.
    """

    def __init__(self, state: str, message: str) -> None:
        super().__init__(message)
        self.state = state
        self.message = message
        self.cancelled = state == "57014"


class PostgresExchange:
    """Sends statements and waits for their results. Not for several threads at once."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self._selector = DefaultSelector()
        self._selector.register(self._pgconn.socket, EVENT_READ)

    def ask(self, statements: Sequence[bytes], deadline: float) -> list[PGresult]:
        """The results of the statements, in one round trip.

        Raises:
            ServerError: one of them failed; those behind it were not run.
            ConnectionLost: the connection ended.
        """
        try:
            results = self._results(statements, deadline)
        except psycopg.Error as error:
            raise ConnectionLost(str(error)) from error
        except BaseException:
            # Ctrl-C: the server must not go on with it.
            self.close()
            raise
        for result in results:
            if result.status not in _DONE:
                raise self._error(result)
        return results

    def close(self) -> None:
        """End the connection; the server ends what it is doing."""
        self._selector.close()
        with suppress(psycopg.Error):
            if self._pgconn.transaction_status == pq.TransactionStatus.ACTIVE:
                self._connection.cancel_safe(timeout=_GRACE)
        self._connection.close()

    def _results(self, statements: Sequence[bytes], deadline: float) -> list[PGresult]:
        pgconn = self._pgconn
        pgconn.enter_pipeline_mode()
        for statement in statements:
            pgconn.send_query_params(statement, None)
        pgconn.pipeline_sync()
        cancelled = False
        results: list[PGresult] = []
        sending = bool(pgconn.flush())
        while True:
            while sending or pgconn.is_busy():
                if not self._wait(deadline, sending):
                    if cancelled:
                        raise psycopg.OperationalError("the server does not answer a cancel")
                    cancelled, deadline = True, monotonic() + _GRACE
                    self._connection.cancel_safe(timeout=_GRACE)
                    continue
                pgconn.consume_input()
                sending = sending and bool(pgconn.flush())
            result = pgconn.get_result()
            if result is None:
                continue
            if result.status == pq.ExecStatus.PIPELINE_SYNC:
                break
            results.append(result)
        pgconn.exit_pipeline_mode()
        return results

    def _wait(self, deadline: float, sending: bool) -> bool:
        """Wait for the server; false where the deadline is over."""
        events = EVENT_READ | EVENT_WRITE if sending else EVENT_READ
        if sending:
            self._selector.modify(self._pgconn.socket, events)
        try:
            return bool(self._selector.select(max(0.0, deadline - monotonic())))
        finally:
            if sending:
                self._selector.modify(self._pgconn.socket, EVENT_READ)

    def _error(self, result: PGresult) -> Exception:
        state = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
        message = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or result.error_message
        text = message.decode("utf-8", "backslashreplace").strip()
        if state.startswith("57P") or self._pgconn.status == pq.ConnStatus.BAD:
            return ConnectionLost(text)
        if not state:
            # libpq itself gives up: the result does not fit into memory, or the line is dead.
            state = "53200" if "memory" in text else ""
        return ServerError(state, text) if state else ConnectionLost(text)
