"""What the members for servers say in the same way: no files, a clock for a limit, a driver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime
from importlib import import_module, metadata
from typing import ClassVar

from sqlverdict.errors import MissingExtra
from sqlverdict.execute.engine import Engine, Limits, Session
from sqlverdict.files.references import Reference


class ServerMember(Engine, ABC):
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

    @abstractmethod
    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Open a snapshot of a database."""

    def digest(self, database: Reference) -> str | None:
        """Digest of what the database contains now."""
        session = self.open(database, Limits())
        try:
            return session.digest()
        finally:
            session.close()

    def _require_extra(self) -> None:
        try:
            import_module(self.driver.lower())
        except ImportError as error:
            raise MissingExtra(f"the engine {self.name}", self.name) from error
