"""A query in the one spelling."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SpelledQuery:
    """A query in the one spelling.

    Attributes:
        text: Its text.
        columns: The names of its columns; ``None`` stands for a star.
    """

    text: str
    columns: tuple[str | None, ...]
