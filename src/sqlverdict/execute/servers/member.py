"""What the engines of servers say in the same way: their parts, a driver, no files.

The folder of such an engine has the same parts under the same names, each of which is loaded when
it is needed:

* ``session.py``, ``workspace.py``, ``scratch.py``: a class each, named after the engine's own:
  ``MysqlSession(database, limits, now, driver_values=...)``, ``MysqlWorkspace(database, limits,
  now)`` and ``MysqlScratch(schema, limits, near)``;
  The first two inherit from ``ServerSession`` and ``ServerWorkspace``;
* ``connection.py``: ``server_version(database)``;
* ``schema.py``: ``database_schema(database, db_id)``;
* ``own_database.py``: ``own_database(server, name, statements)`` and ``drop_leftovers(server,
  prefix)``;
* ``rights.py``: ``excess_rights(database)``, ``reader_statements(database)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from importlib import import_module, metadata
from types import ModuleType
from typing import Any, ClassVar

from sqlverdict.errors import DatabaseError, MissingExtra, SchemaError
from sqlverdict.execute.engine import Engine, Limits, Scratch, Session, Workspace
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Schema


class ServerMember(Engine):
    """An engine whose databases are on servers; its extra has the engine's name."""

    driver: ClassVar[str]
    """The package of the driver."""
    search = "scratch"

    @property
    def version(self) -> str:
        """The driver's version; the server's own is part of each digest."""
        try:
            return f"{self.driver} {metadata.version(self.driver)}"
        except metadata.PackageNotFoundError as error:
            raise MissingExtra(f"the engine {self.name}", self.name) from error

    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Open a snapshot of a database."""
        session: Session = self._class("Session")(
            database, limits, now, driver_values=driver_values
        )
        return session

    def workspace(
        self, database: Reference, limits: Limits, *, now: datetime | None = None
    ) -> Workspace:
        """What may be written without a change of the database: a copy, or a transaction."""
        workspace: Workspace = self._class("Workspace")(database, limits, now)
        return workspace

    def scratch(self, schema: Schema, limits: Limits, near: Reference | None = None) -> Scratch:
        """Rows of our own in the text of each query."""
        scratch: Scratch = self._class("Scratch")(schema, limits, near)
        return scratch

    def digest(self, database: Reference) -> str | None:
        """Digest of what the database contains now."""
        session = self.open(database, Limits())
        try:
            return session.digest()
        finally:
            session.close()

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The schema as the catalogue describes it."""
        try:
            schema: Schema = self._part("schema").database_schema(database, db_id)
        except DatabaseError as error:
            raise SchemaError(str(error), reason=error.reason) from error
        return schema

    def own_database(
        self, server: Reference, name: str, statements: Iterable[str]
    ) -> AbstractContextManager[str]:
        """A new database on a server, which is dropped at the end."""
        own: AbstractContextManager[str] = self._part("own_database").own_database(
            server, name, statements
        )
        return own

    def drop_leftovers(self, server: Reference, prefix: str) -> tuple[str, ...]:
        """Drop databases of our own whose process was killed."""
        dropped: tuple[str, ...] = self._part("own_database").drop_leftovers(server, prefix)
        return dropped

    def server_version(self, database: Reference) -> str:
        """The version of a database's server."""
        version: str = self._part("connection").server_version(database)
        return version

    def excess_rights(self, database: Reference) -> tuple[str, ...]:
        """What the role of the URL could do more than read."""
        rights: tuple[str, ...] = self._part("rights").excess_rights(database)
        return rights

    def reader_statements(self, database: Reference) -> tuple[str, ...]:
        """What an administrator can run to make a role that may only read this database."""
        statements: tuple[str, ...] = self._part("rights").reader_statements(database)
        return statements

    def _class(self, kind: str) -> Any:
        return getattr(self._part(kind.lower()), f"{type(self).__name__}{kind}")

    def _part(self, name: str) -> ModuleType:
        """A module of the engine's folder.

        Raises:
            MissingExtra: the driver is not installed.
        """
        self._require_extra()
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.{name}")

    def _require_extra(self) -> None:
        try:
            import_module(self.driver.lower())
        except ImportError as error:
            raise MissingExtra(f"the engine {self.name}", self.name) from error
