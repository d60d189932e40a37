"""A literal as the data spell it.

Candidate: the literal in the spelling that occurs in its column.

Applies where the sign ``dead_literal`` names a value that differs only in case or in spaces.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject
from sqlverdict.signs.mend import mend

NAME = "literal_spelling"


@REPAIRS.member
class LiteralSpelling:
    """Golds that ask for a value in a spelling that no row has."""

    title = "literals as the data spell them"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with other literals."""
        signs = gold.notices("dead_literal")
        text = mend(gold.query, gold.subject.schema, signs)
        if text is not None:
            near = ", ".join(
                f"{each.detail['text']!r} as {each.detail['near']!r}"
                for each in signs
                if isinstance(each.detail.get("near"), str)
            )
            yield CandidateGold(text, NAME, f"spells {near}")
