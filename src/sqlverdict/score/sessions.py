"""Conversations: which are right as a whole, and how far their turns go together.

A session is right under a metric of 0 and 1 where all of its turns are: SParC and CoSQL call this
interaction match. A session with an unscored turn is unscored, and so is one of which the run lacks
a turn before its last.

The turns of one session are not independent. So the interval of a metric over turns is Wilson's for
as many cases as the turns are worth: their number divided by the design effect, which is the
variance of the mean by sessions over that of independent turns, and at least 1. Where every turn is
right, or none, the sessions are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlverdict.records import Result, Verdict
from sqlverdict.score.deciding import WORTH, counted_verdict
from sqlverdict.score.estimates import Estimate, MetricValues
from sqlverdict.score.statistics.intervals import BOOTSTRAP_LIMIT, wilson

BY_SESSION = "wilson by session"
_WORST = (
    Verdict.UNSCORED,
    Verdict.INCORRECT,
    Verdict.ABSTAINED_WRONG,
    Verdict.NEEDS_REVIEW,
    Verdict.CORRECT,
)
"""What a session is called by its turns: the first of these that one of them is."""
_AS_RIGHT = {Verdict.ABSTAINED_RIGHT: Verdict.CORRECT}


class _TurnCounts:
    """What is kept of a session: per metric its worst turn, and how many are scored and right."""

    def __init__(self, metrics: int) -> None:
        self.worst = [len(_WORST) - 1] * metrics
        self.scored = [0] * metrics
        self.right = [0] * metrics
        self.turns = 0
        self.last = 0

    def add(self, turn: int, verdicts: Iterable[Verdict]) -> None:
        self.turns += 1
        self.last = max(self.last, turn)
        for n, verdict in enumerate(verdicts):
            rank = _WORST.index(_AS_RIGHT.get(verdict, verdict))
            self.worst[n] = min(self.worst[n], rank)
            worth = WORTH[verdict]
            self.scored[n] += worth is not None
            self.right[n] += bool(worth)


class SessionTally:
    """Counts the turns of sessions under metrics of 0 and 1; memory grows with the sessions.

    Args:
        labels: The metrics.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = labels
        self._sessions: dict[str, _TurnCounts] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def add(self, result: Result) -> None:
        """Count one result; one without a session is no turn."""
        if not result.session:
            return
        counts = self._sessions.get(result.session)
        if counts is None:
            counts = self._sessions[result.session] = _TurnCounts(len(self._labels))
        counts.add(result.turn or 0, (counted_verdict(result, label) for label in self._labels))

    def estimates(self) -> tuple[Estimate, ...]:
        """Interaction match under each metric: the cases of an estimate are sessions."""
        matches = []
        for n, label in enumerate(self._labels):
            values = MetricValues(label, binary=True)
            for session in self._sessions.values():
                whole = session.turns == session.last
                values.add(_WORST[session.worst[n]] if whole else Verdict.UNSCORED)
            matches.append(values.estimate(0, 0))
        return tuple(matches)

    def by_session(self, estimate: Estimate) -> Estimate:
        """The estimate of a metric over turns, with an interval that knows of sessions.

        A case without a session is one of its own.
        """
        if estimate.metric not in self._labels or not self._sessions or estimate.value is None:
            return estimate
        n = self._labels.index(estimate.metric)
        parts = [(each.right[n], each.scored[n]) for each in self._sessions.values()]
        cases = effective_cases(
            estimate.right, estimate.scored, [part for part in parts if part[1]]
        )
        low, high = wilson(estimate.value * cases, cases)
        return replace(estimate, low=low, high=high, interval=BY_SESSION)


def effective_cases(right: int, scored: int, parts: Sequence[tuple[int, int]]) -> float:
    """How many independent cases so many dependent ones are worth.

    Args:
        right: How many cases are right.
        scored: How many there are.
        parts: How many are right, and how many there are, in each group of dependent cases; other
            cases stand alone.
    """
    alone = scored - sum(size for _, size in parts)
    groups = alone + len(parts)
    share = right / scored
    if right in (0, scored):
        return groups
    alone_right = right - sum(good for good, _ in parts)
    squares = sum((good - share * size) ** 2 for good, size in parts)
    squares += alone_right * (1 - share) ** 2 + (alone - alone_right) * share**2
    effect = squares / (scored * share * (1 - share))
    return max(1.0, scored / max(1.0, effect))


def estimate_of(results: Iterable[Result], label: str, *, binary: bool, seed: int = 0) -> Estimate:
    """One metric over some results: the value that a summary of these results would have."""
    values = MetricValues(label, binary)
    sessions = SessionTally([label] if binary else [])
    for result in results:
        values.add(counted_verdict(result, label) if binary else result.scores.get(label))
        sessions.add(result)
    return sessions.by_session(values.estimate(seed, BOOTSTRAP_LIMIT))
