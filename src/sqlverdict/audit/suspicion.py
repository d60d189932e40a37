"""What a suspicion against a gold query is: one file in ``suspicions/``, one kind of sign.

A suspicion looks at one gold with all that several systems said and what was found out about it,
and says what speaks against the gold, with the evidence. Its weight is between 0 and 1 and orders
the suspicions of one gold; it is no probability. Golds are ordered by ``gold_model``, and a gold
under suspicion may be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sqlverdict.registry import Registry

if TYPE_CHECKING:
    from sqlverdict.audit.gold_report import GoldReport


SIGN = "gold_signs"
"""The feature of signs that a right gold hardly ever shows."""
DOUBT = "gold_doubts"
"""The feature of weaker signs, which right golds show too."""


@dataclass(frozen=True)
class Suspicion:
    """One sign that a gold is wrong.

    Attributes:
        name: The suspicion's name, which is its file's name.
        weight: How much it says, above 0 and below 1.
        message: What was found, in a sentence.
        systems: The systems whose answers show it.
        detail: What shows it, for programs.
        feature: The feature of the model that it raises; empty: none, or the model asks for it.
    """

    name: str
    weight: float
    message: str
    systems: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)
    feature: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.weight < 1:
            raise ValueError(f"suspicion {self.name!r} weighs {self.weight}; expected 0 < w < 1")


class Suspector(Protocol):
    """A kind of sign; ``title`` says in a few words what it looks for."""

    @property
    def title(self) -> str:
        """What it looks for."""
        ...

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """What speaks against the gold; nothing where it cannot tell."""
        ...


SUSPICIONS: Registry[Suspector] = Registry(
    "suspicion", "sqlverdict.audit.suspicions", "sqlverdict.suspicions"
)
