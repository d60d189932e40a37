"""An engine as a plug-in has it: it runs in a process apart, and its module takes much memory.

Allocators of such engines reserve gigabytes of addresses when they are loaded, and use few.
"""

from __future__ import annotations

import mmap
import sys
from functools import partial
from pathlib import Path
from typing import Any

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.apart.session import ApartSession
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Session
from sqlverdict.files.references import file_of
from sqlverdict.parse.schema import Schema

_FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
RESERVED = mmap.mmap(-1, 4 * 2**30, flags=_FLAGS) if sys.platform == "linux" else None


class ApartSqlite(Engine):
    """SQLite in a process apart, without a guard of its own."""

    name = "apart_sqlite"
    dialect = "sqlite"
    suffixes = (".sqlite",)
    counts_steps = True
    version = "1"

    def open(self, database: Any, limits: Limits, **how: Any) -> Session:
        file = file_of(database)
        if file is None or not file.is_file():
            raise DatabaseError(f"{database} is no file", reason="missing")
        return ApartSession(
            partial(_open, file, limits, how), limits, lambda: self.digest(database)
        )

    def digest(self, database: Any) -> str | None:
        return ENGINES.get("sqlite").digest(database)

    def schema(self, database: Any, db_id: str | None = None) -> Schema:
        return ENGINES.get("sqlite").schema(database, db_id)


def _open(file: Path, limits: Limits, how: dict[str, Any]) -> Session:
    return ENGINES.get("sqlite").open(file, limits, **how)
