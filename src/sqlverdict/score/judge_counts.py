"""What judges were asked in a run, and what it took: counted result by result."""

from __future__ import annotations

from sqlverdict.evidence import Contradicted, Judged, OpenQuestion
from sqlverdict.records import Reason, Result

_COUNTS = (
    "questions",
    "calls",
    "cached",
    "prompt_tokens",
    "completion_tokens",
    "unparseable",
    "unavailable",
    "repeated",
    "flipped",
    "panels",
    "unanimous",
    "would_ask",
    "contradictions",
)


class JudgeCounts:
    """Running counts over the evidence of results.

    ``questions`` were put; ``calls`` were read, ``cached`` of them at hand; ``unparseable`` and
    ``unavailable`` got no verdict;
    ``repeated`` were asked more than once, and ``flipped`` with different verdicts; ``panels``
    were put to several judges, ``unanimous`` of them with one verdict;
    ``would_ask``: open, in a run that asks nobody.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = dict.fromkeys(_COUNTS, 0)

    def add(self, result: Result) -> None:
        """Count a result's evidence."""
        for piece in result.evidence:
            match piece:
                case Judged():
                    self._add_opinion(piece)
                case OpenQuestion():
                    self._counts["would_ask"] += 1
                case Contradicted():
                    self._counts["contradictions"] += 1

    def _add_opinion(self, opinion: Judged) -> None:
        counts = self._counts
        counts["questions"] += 1
        counts["calls"] += opinion.calls
        counts["cached"] += opinion.cached
        counts["prompt_tokens"] += opinion.tokens[0]
        counts["completion_tokens"] += opinion.tokens[1]
        counts["unparseable"] += Reason.JUDGE_UNPARSEABLE in opinion.reasons
        counts["unavailable"] += Reason.JUDGE_UNAVAILABLE in opinion.reasons
        votes = [vote for vote in opinion.repeats if vote is not None]
        counts["repeated"] += len(votes) > 1
        counts["flipped"] += len(set(votes)) > 1
        counts["panels"] += len(opinion.votes) > 1
        counts["unanimous"] += opinion.unanimous

    def totals(self) -> dict[str, int]:
        """What is not zero."""
        return {name: value for name, value in self._counts.items() if value}
