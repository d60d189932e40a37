"""What is worked out once for a schema and found again without a look at all of it.

A schema is long, and to hash it takes as long as to try an instance. So it is known by its
identity first; one that is equal and not the same is found by its content.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache, update_wrapper
from typing import Generic, TypeVar

from sqlverdict.parse.schema import Schema

T = TypeVar("T")

_KEPT = 64


class PerSchema(Generic[T]):
    """A function of a schema, and of little else, that remembers its results."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = lru_cache(maxsize=_KEPT)(make)
        self._known: dict[tuple[Hashable, ...], tuple[Schema, T]] = {}
        update_wrapper(self, make)

    def __call__(self, schema: Schema, *rest: Hashable) -> T:
        """What the function says, kept for the next time."""
        key = (id(schema), *rest)
        kept = self._known.get(key)
        # The schema itself is compared too: an id may be used again.
        if kept is not None and kept[0] is schema:
            return kept[1]
        result = self._make(schema, *rest)
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[key] = (schema, result)
        return result


def per_schema(make: Callable[..., T]) -> PerSchema[T]:
    """Remember the results of a function whose first argument is a schema."""
    return PerSchema(make)
