"""What closes its databases at the end of a ``with`` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Holds open databases, and closes them at the end of a ``with`` block."""

    @abstractmethod
    def close(self) -> None:
        """Close all databases; the object can be used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
