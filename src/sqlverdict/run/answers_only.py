"""Cases of which two answers are compared, and nothing more: no proof, no search for a witness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from sqlverdict.evidence import Relation
from sqlverdict.evidence_parts import GeneratedRelation
from sqlverdict.records import Reason
from sqlverdict.refute.witness import NotRefuted, Refutation
from sqlverdict.run.item import RunItem
from sqlverdict.run.prove_stage import SOUND

if TYPE_CHECKING:
    from sqlverdict.prove.proof import Derivation


class AnswersOnlyItem(RunItem):
    """An item whose answers are all that can be compared.

    Attributes:
        why: Why there is nothing stronger, in words.
        reason: The same as a reason.
    """

    why: ClassVar[str]
    reason: ClassVar[Reason] = Reason.UNSUPPORTED_FEATURE

    def databases(self) -> Sequence[str]:
        """The one database that the answers are of."""
        return (self.database,)

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """Nothing is timed: the two sides do not run side by side."""
        del rounds
        return [], []

    def prove(self, profile: str = SOUND) -> Derivation:
        """Nothing."""
        from sqlverdict.prove.proof import NotProved

        del profile
        return NotProved(self.why, self.reason)

    def refute(self) -> Refutation:
        """Nothing."""
        return NotRefuted(0, reason=self.reason, message=self.why)

    def refute_relation(self, relation: Relation) -> Refutation | None:
        """Nothing."""
        del relation
        return self.refute()

    def relate(self) -> GeneratedRelation | None:
        """Nothing."""
        return None
