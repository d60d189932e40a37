"""What an engine of servers can do beside what every engine can."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from sqlverdict.files.references import Reference


@runtime_checkable
class ServerEngine(Protocol):
    """An engine whose databases are on servers, where a role may do more than read.

    One that does not answer is waited for, once a process; then its cases fail:
    ``DATABASE_UNAVAILABLE``.
    """

    def own_database(
        self, server: Reference, name: str, statements: Iterable[str]
    ) -> AbstractContextManager[str]:
        """A new database on a server, which is dropped at the end; gives its URL.

        Args:
            server: The URL of any database there.
            name: The name of the new one.
            statements: What makes its content.

        Raises:
            DatabaseError: it cannot be made, or does not take the content; nothing is left.
        """
        ...

    def drop_leftovers(self, server: Reference, prefix: str) -> tuple[str, ...]:
        """Drop databases that :meth:`own_database` made in processes that were killed.

        Only those whose name begins with the prefix, that we made, and that nobody uses. What the
        role may not drop is left.

        Args:
            server: The URL of any database there.
            prefix: How their names begin.

        Returns:
            Their names.

        Raises:
            DatabaseError: the server does not answer.
        """
        ...

    def server_version(self, database: Reference) -> str:
        """The version of a database's server; two of one version answer alike.

        Raises:
            DatabaseError: the server does not answer.
        """
        ...

    def excess_rights(self, database: Reference) -> tuple[str, ...]:
        """What the role could do more than read: "is a superuser", "may write to 3 tables".

        Raises:
            DatabaseError: the server does not answer.
        """
        ...

    def reader_statements(self, database: Reference) -> tuple[str, ...]:
        """What an administrator can run to make a role that may only read this database."""
        ...
