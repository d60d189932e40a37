"""How far annotators are, how long they take, and how they agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import msgspec

from sqlverdict.errors import UsageError
from sqlverdict.load.people.labels import labels_of_votes
from sqlverdict.load.people.votes import VoteLogContent
from sqlverdict.load.people.weights import weighted_labels
from sqlverdict.score.agreement.annotators import AnnotatorAgreement, annotator_agreement


class LabelProgress(msgspec.Struct, frozen=True):
    """One annotator's progress.

    Attributes:
        done: Pairs of the annotator's queue with a vote.
        total: All of them.
        seconds: The median time of a vote; ``None``: there is none.
    """

    done: int
    total: int
    seconds: float | None


def progress_of(content: VoteLogContent, annotator: str, pairs: Sequence[str]) -> LabelProgress:
    """How far an annotator is with these pairs."""
    every = (content.pairs[pair].votes.get(annotator) for pair in pairs if pair in content.pairs)
    votes = [vote for vote in every if vote is not None]
    times = [vote.seconds for vote in votes if vote.seconds is not None]
    return LabelProgress(len(votes), len(pairs), round(median(times), 1) if times else None)


def agreement_of(content: VoteLogContent, path: Path) -> AnnotatorAgreement | None:
    """How annotators agree, as ``agree`` computes it; ``None``: fewer than two, or it refuses."""
    if len(content.annotators) < 2:
        return None
    try:
        labels = weighted_labels(labels_of_votes(content, path))
    except UsageError:
        return None
    items = labels.items
    rows = [(item.votes, item.equal) for item in items]
    return annotator_agreement(labels.annotators, rows, [item.weight for item in items])
