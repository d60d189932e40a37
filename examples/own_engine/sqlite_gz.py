"""SQLite files that are compressed with gzip.

A file is unpacked once for each process and content, into a temporary folder. The engine of SQLite
does the rest, with all of its guards.
"""

import gzip
import sqlite3
import tempfile
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Session
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.references import Reference, file_of
from sqlverdict.parse.schema import Schema

_UNPACKED = tempfile.TemporaryDirectory(prefix="sqlite-gz-")


@ENGINES.member
class SqliteGz(Engine):
    """Unpacks, and lets SQLite work."""

    name = "sqlite_gz"
    dialect = "sqlite"
    suffixes = (".sqlite-gz",)
    schemes = ("sqlite+gz",)
    # SQLite itself answers, on which the rules of its dialect were checked.
    rules_checked = True
    repeats_names = True
    counts_steps = True
    limits_memory = "counted"
    version = sqlite3.sqlite_version

    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Open the unpacked file read-only."""
        sqlite = ENGINES.get("sqlite")
        try:
            return sqlite.open(_unpack(database), limits, now=now, driver_values=driver_values)
        except DatabaseError as error:
            raise DatabaseError(f"{database}: {error}", reason=error.reason) from error

    def digest(self, database: Reference) -> str:
        """Digest of the packed file."""
        return sha256_file(_file(database))

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The schema as SQLite describes it."""
        name = _file(database).name.removesuffix(self.suffixes[0])
        return ENGINES.get("sqlite").schema(_unpack(database), db_id or name)


def _file(database: Reference) -> Path:
    file = file_of(database)
    if file is None or not file.is_file():
        raise DatabaseError(f"{database} is no file", reason="missing")
    return file


def _unpack(database: Reference) -> Path:
    file = _file(database)
    return _unpacked(str(file), sha256_file(file))


@lru_cache(maxsize=64)
def _unpacked(file: str, digest: str) -> Path:
    target = Path(_UNPACKED.name) / f"{digest}.sqlite"
    try:
        target.write_bytes(gzip.decompress(Path(file).read_bytes()))
    except (OSError, EOFError) as error:
        raise DatabaseError(
            f"{file} cannot be unpacked with gzip: {error}", reason="not_a_database"
        ) from error
    return target
