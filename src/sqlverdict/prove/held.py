"""A schema as a key of a cache: by identity, for its own hash walks through every column."""

from __future__ import annotations

from sqlverdict.parse.schema import Schema


class Held:
    """A schema that is hashed by identity, and stays alive as long as it is remembered."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and other.schema is self.schema
