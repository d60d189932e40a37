"""What judges were asked in a run, and what it took: counted result by result."""

from __future__ import annotations

from sqlverdict.records import Evidence, Reason, Result, Rung

_COUNTS = (
    "questions",
    "calls",
    "cached",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "unpriced",
    "unparseable",
    "unavailable",
    "repeated",
    "flipped",
    "would_ask",
    "contradictions",
)


class JudgeCounts:
    """Running counts over the evidence of results.

    ``questions`` were put; ``calls`` were read, ``cached`` of them at hand; ``cost`` is in US
    dollars, ``unpriced`` questions have none; ``unparseable`` and ``unavailable`` got no verdict;
    ``repeated`` were asked more than once, and ``flipped`` with different verdicts;
    ``would_ask``: open, in a run that asks nobody.
    """

    def __init__(self) -> None:
        self._counts: dict[str, float] = dict.fromkeys(_COUNTS, 0)

    def add(self, result: Result) -> None:
        """Count a result's evidence."""
        for found in result.evidence:
            if found.rung is Rung.JUDGED:
                self._hear(found)
            elif found.rung is Rung.UNKNOWN:
                self._counts["would_ask"] += "would_ask" in found.detail
                self._counts["contradictions"] += "contradiction" in found.detail

    def _hear(self, found: Evidence) -> None:
        counts, detail = self._counts, found.detail
        counts["questions"] += 1
        counts["calls"] += detail.get("calls") or 0
        counts["cached"] += detail.get("cached") or 0
        read, written = detail.get("tokens") or (0, 0)
        counts["prompt_tokens"] += read
        counts["completion_tokens"] += written
        cost = detail.get("cost")
        counts["cost"] += cost or 0.0
        counts["unpriced"] += cost is None
        counts["unparseable"] += Reason.JUDGE_UNPARSEABLE in found.reasons
        counts["unavailable"] += Reason.JUDGE_UNAVAILABLE in found.reasons
        votes = [vote for vote in detail.get("repeats") or () if vote is not None]
        counts["repeated"] += len(votes) > 1
        counts["flipped"] += len(set(votes)) > 1

    def totals(self) -> dict[str, float]:
        """What is not zero."""
        return {name: value for name, value in self._counts.items() if value}
