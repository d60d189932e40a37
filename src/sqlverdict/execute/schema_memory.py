"""The schemas of databases, each read once for one content."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.engine import Engine
from sqlverdict.execute.servers.patience import patiently
from sqlverdict.files.references import is_server
from sqlverdict.parse.schema import Schema

_MOST = 256


class SchemaMemory:
    """Remembers the schemas of the databases that a query runner has open."""

    def __init__(self) -> None:
        self._schemas: OrderedDict[str, tuple[str, Schema]] = OrderedDict()
        """The schema of a database, with the digest of the file that it was read from."""

    def get(self, engine: Engine, database: str) -> Schema:
        """The schema of a file as it is now; of a server, as it was when it was read first.

        As the answers of a server are those of one snapshot, its schema stays with the runner.

        Raises:
            SchemaError: it cannot be read.
            DatabaseError: the database cannot be opened.
            OSError: its file cannot be read.
        """
        server = is_server(database)
        # The digest comes first: what changes while the schema is read is noticed the next time.
        digest = "" if server else engine.digest(database)
        known = self._schemas.get(database)
        if known is not None and known[0] == digest:
            return known[1]
        reading = partial(read_engine_schema, engine, database)
        schema = patiently(database, reading) if server else reading()
        if digest is not None:
            self._schemas[database] = digest, schema
            if len(self._schemas) > _MOST:
                self._schemas.popitem(last=False)
        return schema

    def forget(self, database: str) -> None:
        """Forget the schema of a database that is another one now."""
        self._schemas.pop(database, None)
