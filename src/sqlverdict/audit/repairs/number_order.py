"""Numbers in the order of numbers where they are stored as text.

Candidate: the column is cast to a real number where it is sorted or compared.

Applies where the sign ``numbers_as_text`` shows.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject
from sqlverdict.signs.mend import mend

NAME = "number_order"


@REPAIRS.member
class NumberOrder:
    """Golds for which '9' is more than '10'."""

    title = "numbers in the order of numbers"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with casts."""
        signs = gold.notices("numbers_as_text")
        text = mend(gold.query, gold.subject.schema, signs)
        if text is not None:
            columns = ", ".join(dict.fromkeys(str(each.detail["column"]) for each in signs))
            yield CandidateGold(text, NAME, f"takes {columns} as numbers")
