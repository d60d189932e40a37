"""DISTINCT where whole rows repeat.

Candidate: SELECT becomes SELECT DISTINCT.

Applies where the gold's answer holds a row more than once and the outermost SELECT has neither
DISTINCT nor GROUP BY.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject

NAME = "distinct_rows"


@REPAIRS.member
class DistinctRows:
    """Golds that return a row more than once."""

    title = "DISTINCT where whole rows repeat"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with DISTINCT."""
        tree, answer = gold.copy_outer(), gold.answer
        if tree is None or answer is None or len(answer.bag) == len(answer.rows):
            return
        if tree.args.get("distinct") or tree.args.get("group"):
            return
        tree.set("distinct", exp.Distinct())
        repeats = len(answer.rows) - len(answer.bag)
        yield CandidateGold(gold.text(tree), NAME, f"DISTINCT: {repeats:,} rows are repetitions")
