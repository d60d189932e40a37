"""Statements over one connection: several in one round trip, rows in chunks, with a deadline.

Each statement goes by the extended protocol, which takes one statement a message. At the deadline
the server is told to cancel, and its answer is awaited. A server that does not answer the cancel
loses its connection: it ends the query when it next looks for one. Where the server's process runs
on this machine, its memory is looked at meanwhile: a value has up to a gigabyte on PostgreSQL, a
query has several, and no setting limits their sum. Linux tells what a process uses.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import monotonic
from typing import Any, NoReturn

import psycopg
from psycopg import pq
from psycopg.pq.abc import PGresult

from sqlverdict.execute.servers.session import ServerLost


def backend_of(connection: psycopg.Connection[Any]) -> Path | None:
    """Where the server's process tells what it uses; ``None`` where that is another machine's."""
    folder = Path("/proc") / str(connection.info.backend_pid)
    try:
        title = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
        with socket.socket(fileno=os.dup(connection.pgconn.socket)) as line:
            name = line.getsockname()
    except (OSError, psycopg.Error):
        return None
    # The server names the role, the database and the client's port in its title.
    client = f"({name[1]})" if isinstance(name, tuple) else "[local]"
    words = f" {connection.info.user} {connection.info.dbname} "
    is_ours = title.startswith("postgres: ") and words in title and client in title
    return folder / "status" if is_ours else None


def memory_of(status: Path) -> int:
    """The bytes that a process uses by itself; 0 where it is gone or Linux does not tell."""
    try:
        lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    for line in lines:
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


CHUNK = 1_000
"""Rows of one result; fewer are the last ones."""
_GRACE = 10.0
"""Seconds that a server has to answer a cancel, at least."""
_AGAIN = 1.0
"""Seconds after which a cancel is sent again."""
_GRACE_SHARE = 3.0
"""The same, as a share of the time that a query has: what goes on keeps a connection of the server,
and memory."""
_LOOK = 0.05
"""Seconds between two looks at the memory of the server's process."""
_CANCELLED = "57014"
_TURNS = 4
"""After how many reads from the socket the memory is looked at: on a busy machine each brings some
megabytes, and short answers take fewer."""
_PARTS = (pq.ExecStatus.SINGLE_TUPLE, pq.ExecStatus.TUPLES_CHUNK)
_DONE = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)


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
        self.cancelled = state == _CANCELLED


class PostgresExchange:
    """Sends statements and reads the rows of the last one. Not for several threads at once.

    :meth:`send` comes first, then :meth:`rows`, to its end or to :meth:`drop`.

    Args:
        connection: The connection.
        seconds: The time that a statement has.
        most: The bytes that the server's process may use meanwhile; more is an error of the state
            53200.
    """

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        seconds: float = 0.0,
        most: int | None = None,
    ) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self._selector = DefaultSelector()
        self._selector.register(self._pgconn.socket, EVENT_READ)
        self._statements = 0
        self._is_sending = False
        self._is_cancelled = False
        self._deadline = self._last_deadline = 0.0
        self._memory: int | None = None
        self._grace = max(_GRACE, _GRACE_SHARE * seconds)
        self._most = most
        self._next_look = 0.0

    def send(self, statements: Sequence[bytes]) -> None:
        """Send statements.

        Raises:
            ServerLost: the connection ended.
        """
        pgconn = self._pgconn
        try:
            pgconn.enter_pipeline_mode()
            for statement in statements:
                pgconn.send_query_params(statement, None)
            pgconn.pipeline_sync()
            self._is_sending = bool(pgconn.flush())
        except psycopg.Error as error:
            raise ServerLost(str(error)) from error
        self._statements = len(statements)

    def ask(self, statements: Sequence[bytes], deadline: float) -> list[PGresult]:
        """The whole result of each statement, for statements of ours.

        Raises:
            ServerError: one of them failed; those behind it were not run.
            ServerLost: the connection ended.
        """
        self.send(statements)
        return list(self._guarded(deadline, None))

    def rows(self, deadline: float, memory: int) -> Iterator[PGresult]:
        """The results of the last statement, a chunk of rows each; at least one.

        Args:
            deadline: When the server is told to cancel.
            memory: How many bytes this process may grow by meanwhile; more is an error of the
                state 53200.

        Raises:
            ServerError: a statement failed; those behind it were not run.
            ServerLost: the connection ended.
        """
        yield from self._guarded(deadline, memory)

    def _guarded(self, deadline: float, memory: int | None) -> Iterator[PGresult]:
        """The results, with what may happen to a connection; ``memory``: only the rows."""
        self._deadline, self._memory, self._is_cancelled = deadline, memory, False
        self._next_look = monotonic() + _LOOK
        try:
            yield from self._results(only_rows=memory is not None)
        except psycopg.Error as error:
            raise ServerLost(str(error)) from error
        except (ServerError, ServerLost, GeneratorExit):
            raise
        except BaseException:
            # Ctrl-C: the server must not go on with it.
            self.close()
            raise

    def drop(self) -> None:
        """Let the server end a statement whose other rows are not wanted.

        Raises:
            ServerLost: the connection ended.
        """
        try:
            self._cancel()
            self._end()
        except psycopg.Error as error:
            raise ServerLost(str(error)) from error

    def close(self) -> None:
        """End the connection; the server ends what it is doing."""
        self._selector.close()
        with suppress(psycopg.Error):
            if self._pgconn.transaction_status == pq.TransactionStatus.ACTIVE:
                self._connection.cancel_safe(timeout=_GRACE)
        self._connection.close()

    def _results(self, *, only_rows: bool) -> Iterator[PGresult]:
        failure: ServerError | ServerLost | None = None
        for number in range(self._statements):
            is_last = number == self._statements - 1
            if is_last and only_rows and failure is None:
                self._ask_for_chunks()
            while (result := self._result()) is not None:
                if result.status in _PARTS or result.status in _DONE:
                    if is_last or not only_rows:
                        yield result
                elif failure is None:
                    failure = self._error(result)
        self._end()
        if failure is not None:
            raise failure

    def _ask_for_chunks(self) -> None:
        try:
            self._pgconn.set_chunked_rows_mode(CHUNK)
        except psycopg.NotSupportedError:
            # The client library is older than 17.
            self._pgconn.set_single_row_mode()

    def _end(self) -> None:
        """Read up to the end of what was sent."""
        while True:
            result = self._result()
            if result is not None and result.status == pq.ExecStatus.PIPELINE_SYNC:
                break
        self._pgconn.exit_pipeline_mode()

    def _result(self) -> PGresult | None:
        """The next result; ``None`` at the end of a statement."""
        pgconn = self._pgconn
        turns, before = 0, 0
        while self._is_sending or pgconn.is_busy():
            if not self._wait():
                if self._is_cancelled and monotonic() >= self._last_deadline:
                    # It is inside of a function that looks for no cancel. The query is to blame,
                    # and must not be sent again; the next one gets a new connection.
                    self._pgconn.finish()
                    raise ServerError(_CANCELLED, "the server does not answer a cancel")
                self._cancel()
                continue
            pgconn.consume_input()
            self._is_sending = self._is_sending and bool(pgconn.flush())
            turns += 1
            if turns % _TURNS == 0 and self._memory is not None:
                peak = peak_memory()
                before = before or peak
                if peak - before > self._memory:
                    self._end_for_memory("a batch of rows does not fit")
        return pgconn.get_result()

    def _cancel(self) -> None:
        if not self._is_cancelled:
            self._is_cancelled, self._memory = True, None
            self._last_deadline = monotonic() + self._grace
        # A cancel that comes before the server has begun is lost: it is sent again.
        self._deadline = min(self._last_deadline, monotonic() + _AGAIN)
        self._connection.cancel_safe(timeout=_GRACE)

    def _end_for_memory(self, why: str) -> NoReturn:
        # One that looks for no cancel has lost its connection.
        with suppress(ServerError):
            self.drop()
        raise ServerError("53200", why)

    def _wait(self) -> bool:
        """Wait for the server; false where the deadline is over."""
        while True:
            seconds = max(0.0, self._deadline - monotonic())
            if self._most is None or self._is_cancelled:
                return self._select(seconds)
            until_look = max(0.0, self._next_look - monotonic())
            has_news = self._select(min(seconds, until_look))
            self._look(self._most)
            if has_news or monotonic() >= self._deadline:
                return has_news

    def _look(self, most: int) -> None:
        """End a statement for which the server's process uses too much."""
        if monotonic() < self._next_look:
            return
        self._next_look = monotonic() + _LOOK
        status = self._backend
        if status is not None and memory_of(status) > most:
            self._end_for_memory(f"the server's process uses more than {most:,} bytes")

    @cached_property
    def _backend(self) -> Path | None:
        return backend_of(self._connection)

    def _select(self, seconds: float) -> bool:
        if not self._is_sending:
            return bool(self._selector.select(seconds))
        self._selector.modify(self._pgconn.socket, EVENT_READ | EVENT_WRITE)
        try:
            return bool(self._selector.select(seconds))
        finally:
            self._selector.modify(self._pgconn.socket, EVENT_READ)

    def _error(self, result: PGresult) -> ServerError | ServerLost:
        state = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
        message = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or result.error_message
        text = message.decode("utf-8", "backslashreplace").strip()
        if state.startswith("57P") or self._pgconn.status == pq.ConnStatus.BAD:
            return ServerLost(text)
        if not state:
            # libpq itself gives up: the result does not fit into memory, or the line is dead.
            state = "53200" if "memory" in text else ""
        return ServerError(state, text) if state else ServerLost(text)


def peak_memory() -> int:
    """The most bytes that this process has used so far; 0 where that is not known."""
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
