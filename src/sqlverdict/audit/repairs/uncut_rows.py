"""All rows where a LIMIT without ORDER BY keeps some of them.

Candidate: the gold without LIMIT.

Applies where the sign ``unordered_limit`` shows.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject

NAME = "uncut_rows"


@REPAIRS.member
class UncutRows:
    """Golds that return some of several rows by chance."""

    title = "no LIMIT without ORDER BY"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold without its LIMIT."""
        tree = gold.copy_outer()
        if tree is None or not gold.notices("unordered_limit"):
            return
        tree.set("limit", None)
        yield CandidateGold(gold.text(tree), NAME, "no LIMIT: nothing says which rows it keeps")
