"""The scratch databases of a process: one for each part of a schema, kept for the next pair."""

from __future__ import annotations

import atexit
from collections import OrderedDict
from contextlib import suppress
from dataclasses import replace

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Engine, Scratch, ScratchEngine
from sqlverdict.parse.schema import Schema
from sqlverdict.refute.trial.rebuild import SMALL

_OPEN_AT_ONCE = 8
"""How many are kept open: each may be a connection of a server."""


class Scratches:
    """Opens scratch databases and closes the least recently used ones.

    Args:
        engine: The engine on which they are made.
        near: The reference of the real database, on whose server they are made.
        trust_role: Queries run as the role of the reference, whatever it may do.
    """

    def __init__(self, engine: Engine, near: str | None, *, trust_role: bool = False) -> None:
        self._engine, self._near = engine, near
        self._limits = replace(SMALL, trust_role=trust_role)
        self._open: OrderedDict[Schema, Scratch] = OrderedDict()
        atexit.register(self.close)

    def of(self, schema: Schema) -> Scratch:
        """An empty or used scratch database with these tables.

        Raises:
            DatabaseError: the engine cannot make one.
        """
        scratch = self._open.get(schema)
        if scratch is None:
            if not isinstance(self._engine, ScratchEngine):
                raise DatabaseError(f"{self._engine.name} has no scratch databases")
            scratch = self._open[schema] = self._engine.scratch(schema, self._limits, self._near)
            if len(self._open) > _OPEN_AT_ONCE:
                _, oldest = self._open.popitem(last=False)
                oldest.close()
        self._open.move_to_end(schema)
        return scratch

    def forget(self, schema: Schema) -> None:
        """Close a scratch database that no longer answers."""
        scratch = self._open.pop(schema, None)
        if scratch is not None:
            with suppress(DatabaseError):
                scratch.close()

    def close(self) -> None:
        """Remove all of them."""
        atexit.unregister(self.close)
        for schema in list(self._open):
            self.forget(schema)
