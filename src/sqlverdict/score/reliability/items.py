"""One pass over a run: outcome tables, slices, and the confidences of its answers.

Memory is nine bytes for each answer with a confidence and nine for each unanswerable item;
results are never held.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlverdict.records import Result
from sqlverdict.score.estimates import UNLABELLED, difficulty_rank
from sqlverdict.score.reliability.curve import Curve, curve_of
from sqlverdict.score.reliability.outcomes import (
    ANSWERED,
    Cell,
    FailurePolicy,
    ItemOutcome,
    OutcomeTable,
    from_counts,
    item_outcomes,
    label_by,
)
from sqlverdict.score.reliability.reliability_score import SHARE, rank_of, subset

_RIGHT, _ANSWERABLE = 1, 2
_TYPES = ("column-surface", "column-related", "column-unrelated", "non-sql", "out-of-domain")
"""The order of TrustSQL's tables, about from hard to easy; other types follow."""


@dataclass(frozen=True)
class SliceTable:
    """The outcomes of the items that share a property.

    Attributes:
        by: ``difficulty`` for answerable items, ``unanswerable_type`` for the others.
        key: The level or the type; with "seen" or "unseen" before it where items say so.
        table: The outcomes.
    """

    by: str
    key: str
    table: OutcomeTable


@dataclass
class _Answers:
    """The confidences of answers, each with whether it is right and the question answerable."""

    confidences: array[float] = field(default_factory=lambda: array("d"))
    flags: bytearray = field(default_factory=bytearray)
    without: int = 0


class ReliabilityCounts:
    """Takes results one by one and keeps what reliability reports need.

    Args:
        source: Where "correct" comes from; see ``outcomes.label_by``.
        policy: How failures count.
        beside: Further sources, for which only the outcome table is kept.
        seed: For the seeded subset of unanswerable items.
    """

    def __init__(
        self, source: str, policy: FailurePolicy, *, beside: Sequence[str] = (), seed: int = 0
    ) -> None:
        self.source = source
        self.policy = policy
        self.seed = seed
        names = tuple(dict.fromkeys((source, *beside)))
        self._labels = [label_by(name) for name in names]
        self._tables = {name: _Counts() for name in names}
        self._counts = tuple(self._tables.values())
        self._slices: dict[tuple[str, str], _Counts] = {}
        self._answers = _Answers()
        self._ranks = array("Q")
        self._abstentions = bytearray()

    def add(self, result: Result) -> None:
        """Take one result."""
        outcomes = item_outcomes(result, self._labels, self.policy)
        for counts, one in zip(self._counts, outcomes, strict=True):
            counts.add(one)
        outcome = outcomes[0]
        slice_key = _slice_of(result)
        part = self._slices.get(slice_key)
        if part is None:
            part = self._slices[slice_key] = _Counts()
        part.add(outcome)
        if outcome.cell is None:
            return
        if not result.answerable:
            self._ranks.append(rank_of(result.id, self.seed))
            self._abstentions.append(outcome.cell is Cell.ABSTAINED_UNANSWERABLE)
        if outcome.cell in ANSWERED:
            self._take_answer(result, outcome.cell)

    def _take_answer(self, result: Result, cell: Cell) -> None:
        if result.confidence is None:
            self._answers.without += 1
            return
        self._answers.confidences.append(result.confidence)
        right = _RIGHT if cell is Cell.CORRECT else 0
        self._answers.flags.append(right | (_ANSWERABLE if result.answerable else 0))

    def add_all(self, results: Iterable[Result]) -> ReliabilityCounts:
        """Take many results; returns itself."""
        for result in results:
            self.add(result)
        return self

    @property
    def table(self) -> OutcomeTable:
        """The outcome table by the main source."""
        return self._tables[self.source].table()

    def table_by(self, source: str) -> OutcomeTable:
        """The outcome table by one of the sources."""
        return self._tables[source].table()

    def subset(self, share: float = SHARE) -> OutcomeTable:
        """The table with a seeded share of the unanswerable items."""
        items = zip(self._ranks, map(bool, self._abstentions), strict=True)
        return subset(self.table, items, share)

    def slices(self) -> tuple[SliceTable, ...]:
        """The slices, answerable ones first; types that nobody foresaw are there too."""
        ranked = sorted(self._slices.items(), key=lambda item: _slice_order(*item[0]))
        return tuple(SliceTable(*slice_key, counts.table()) for slice_key, counts in ranked)

    @property
    def without_confidence(self) -> int:
        """Answers that came without a confidence."""
        return self._answers.without

    def curve(self, *, unanswerable: bool = True) -> Curve:
        """The risk-coverage curve of the answers with a confidence.

        ``unanswerable=False`` leaves out answers to unanswerable questions, which are wrong.
        """
        answers = self._answers
        selection = (
            (confidence, bool(flags & _RIGHT))
            for confidence, flags in zip(answers.confidences, answers.flags, strict=True)
            if unanswerable or flags & _ANSWERABLE
        )
        confidences, right = array("d"), bytearray()
        for confidence, good in selection:
            confidences.append(confidence)
            right.append(good)
        return curve_of(confidences, map(bool, right))


class _Counts:
    """Running counts of outcomes; equal ones are one object, so that its id is the key."""

    def __init__(self) -> None:
        self._times: dict[int, int] = {}
        self._outcomes: dict[int, ItemOutcome] = {}

    def add(self, outcome: ItemOutcome) -> None:
        key = id(outcome)
        if key in self._times:
            self._times[key] += 1
        else:
            self._times[key] = 1
            self._outcomes[key] = outcome

    def table(self) -> OutcomeTable:
        cells: Counter[Cell | None] = Counter()
        mishaps: Counter[str] = Counter()
        for key, outcome in self._outcomes.items():
            cells[outcome.cell] += self._times[key]
            if outcome.mishap is not None:
                mishaps[outcome.mishap.value] += self._times[key]
        return from_counts(cells, mishaps)


def _slice_of(result: Result) -> tuple[str, str]:
    if not result.answerable:
        return "unanswerable_type", result.tags.get("unanswerable_type") or UNLABELLED
    level = result.difficulty or UNLABELLED
    seen = result.tags.get("seen")
    return "difficulty", f"{seen} {level}" if seen else level


def _slice_order(by: str, key: str) -> tuple[bool, bool, str, int, str]:
    if by != "difficulty":
        return True, key == UNLABELLED, "", *type_order(key)
    seen, _, level = key.rpartition(" ")
    return False, key == UNLABELLED, seen, difficulty_rank(level), key


def type_order(key: str) -> tuple[int, str]:
    """Where a type of unanswerable question stands among others."""
    name = key.replace("_", "-")
    return _TYPES.index(name) if name in _TYPES else len(_TYPES), key
