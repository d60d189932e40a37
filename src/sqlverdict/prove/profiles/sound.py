"""Only rules that hold on every legal database; bags of rows, in order where the gold orders."""

from __future__ import annotations

from sqlverdict.prove.derive import derive_by_normal_forms
from sqlverdict.prove.profile import PROFILES, ProofQuestion
from sqlverdict.prove.proof import Derivation


@PROFILES.member
class Sound:
    """The default: a proof is a proof."""

    name = "sound"
    about = "the two queries give the same rows on every legal database"

    def derive(self, question: ProofQuestion) -> Derivation:
        """Rewrite both queries to normal forms and compare these."""
        return derive_by_normal_forms(question, "sound")
