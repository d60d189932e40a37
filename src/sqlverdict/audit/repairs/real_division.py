"""A division with its fraction where whole numbers are divided.

Candidate: a / b becomes CAST(a AS REAL) / b.

Applies where the sign ``integer_division`` shows. Divisions with a CAST, ROUND or a real number
stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject

NAME = "real_division"


@REPAIRS.member
class RealDivision:
    """Golds whose quotients lose what is behind the point."""

    title = "divisions with their fractions"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with real numbers above every division line."""
        if not gold.notices("integer_division"):
            return
        tree = gold.query.tree.copy()
        divisions = [node for node in tree.find_all(exp.Div) if not _has_reals(node)]
        texts = [gold.text(node) for node in divisions]
        for node in divisions:
            node.set("this", exp.cast(node.this.unnest().copy(), "DOUBLE"))
        if divisions:
            yield CandidateGold(gold.text(tree), NAME, f"{', '.join(texts)} keeps its fraction")


def _has_reals(node: exp.Div) -> bool:
    return any(
        not each.is_int if isinstance(each, exp.Literal) and not each.is_string else False
        for each in node.find_all(exp.Literal)
    ) or any(True for _ in node.find_all(exp.Cast, exp.Round))
