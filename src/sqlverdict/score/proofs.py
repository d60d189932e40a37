"""Metrics of proofs: 1 where gold and prediction are proved to be one query under a profile."""

from __future__ import annotations

from typing import ClassVar

from sqlverdict.records import ParseFailure, Reason, Score
from sqlverdict.score.metric import Item, Need


class ProofMetric:
    """A metric whose value is whether there is a derivation under its profile."""

    profile: ClassVar[str]
    dialects: ClassVar[frozenset[str] | None] = None
    """The dialects whose queries the profile reads; ``None``: it decides about each query."""
    needs: frozenset[Need] = frozenset({"proof"})
    parameters: tuple[str, ...] = ()
    binary = True

    def score(self, item: Item, parameter: str) -> Score:  # noqa: ARG002 - takes none
        """1 for a derivation, 0 for none; unscored where no gold can be read."""
        if self.dialects is not None and not _dialects(item) <= self.dialects:
            return Score(None, (Reason.UNSUPPORTED_FEATURE,))
        return score_proof(item, self.profile)


def _dialects(item: Item) -> set[str]:
    """The dialects of the golds."""
    return {item.query(gold).dialect for gold in item.case.golds}


def score_proof(item: Item, profile: str) -> Score:
    """1 for a derivation under a profile, 0 for none; unscored where no gold can be read."""
    golds = [gold for gold in item.case.golds if gold.strip()]
    if not golds:
        return Score(None, (Reason.GOLD_SUSPECT,))
    if item.schema() is None:
        return Score(None, (Reason.DATABASE_UNAVAILABLE,))
    derivation = item.prove(profile)
    if derivation.proved:
        return Score(1.0)
    read = [item.query(gold) for gold in golds]
    if all(isinstance(query, ParseFailure) for query in read):
        reasons = {query.reason for query in read if isinstance(query, ParseFailure)}
        return Score(None, tuple(sorted(reasons)))
    reason = getattr(derivation, "reason", None)
    return Score(0.0, () if reason is None else (reason,))
