"""COUNT(DISTINCT column) where the gold counts a value more than once.

Candidate: every COUNT(column) becomes COUNT(DISTINCT column).

Applies where the gold has a COUNT of a column without DISTINCT. Where no value repeats the answer
does not change, and the candidate is not proposed.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject

NAME = "distinct_count"


@REPAIRS.member
class DistinctCount:
    """Golds that count rows where values are asked for."""

    title = "COUNT(DISTINCT ...) where values repeat"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with DISTINCT in every COUNT of a column."""
        tree = gold.query.tree.copy()
        counts = [node for node in tree.find_all(exp.Count) if isinstance(node.this, exp.Column)]
        counts = [node for node in counts if not isinstance(node.this.this, exp.Star)]
        if not counts:
            return
        texts = [gold.text(node) for node in counts]
        for node in counts:
            node.set("this", exp.Distinct(expressions=[node.this.copy()]))
        yield CandidateGold(gold.text(tree), NAME, f"{', '.join(texts)} counts each value once")
