"""The figures of ``rescored.md``, computed from its facts: shares, intervals, ranks, evidence.

``bench/rescored.py`` writes the facts: what each answer came out as, question by question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from sqlverdict.records import Verdict
from sqlverdict.score.deciding import VERDICT, WORTH
from sqlverdict.score.statistics.intervals import wilson
from sqlverdict.score.statistics.significance import (
    ALPHA,
    PairedTest,
    binary_pairs,
    group_ranks,
    holm,
    indistinguishable_groups,
    mcnemar,
)
from sqlverdict.situations import Situation
from sqlverdict.verdicts import POLICIES

NO_SQL = "-"
AS_WRITTEN = "as written"
"""How a metric's name ends that reads replies with all that stands around their SQL."""
EVIDENCE: Mapping[str, tuple[str, ...]] = {
    "proved": ("proved",),
    "searched": ("equal",),
    "witness": ("duplicates", "unusual", "ties", "refuted", "lucky"),
    "form": ("harmless",),
    "open": ("open",),
    "differs": ("wrong",),
    "fails": ("failed",),
}
"""The parts of the evidence bar in a table: each column, and the parts of ``Situation`` in it."""


@dataclass(frozen=True)
class SystemShare:
    """A system under one measure: its share of right answers, and its rank."""

    system: str
    right: int
    review: int
    n: int
    rank: int

    @property
    def share(self) -> float:
        """Right answers over all."""
        return self.right / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the share."""
        return wilson(self.right, self.n)


@dataclass(frozen=True)
class Ranking:
    """Systems under one measure, best first.

    ``pairs_apart`` counts the pairs that are told apart: McNemar's test of every pair, with Holm's
    correction over all of them.
    """

    places: tuple[SystemShare, ...]
    pairs_apart: int

    @cached_property
    def by_system(self) -> Mapping[str, SystemShare]:
        """The places by the system's name."""
        return {entry.system: entry for entry in self.places}

    @property
    def first(self) -> list[str]:
        """The systems that share the first rank."""
        return [entry.system for entry in self.places if entry.rank == 1]


@dataclass(frozen=True)
class BoardFigures:
    """One board of the facts."""

    facts: Mapping[str, Any]
    situations: Mapping[str, str]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.facts["name"])

    @property
    def metrics(self) -> list[str]:
        """The benchmark's own metrics."""
        return list(self.facts["metrics"])

    @property
    def metric(self) -> str:
        """The benchmark's first metric of the SQL that was taken out of replies."""
        return next(metric for metric in self.metrics if not metric.endswith(AS_WRITTEN))

    @property
    def measures(self) -> list[str]:
        """The benchmark's own metrics, then the policies, the default before the strictest."""
        return [*self.metrics, "results", "intent", "strict"]

    @property
    def golds(self) -> list[str]:
        """The sets of golds."""
        return list(self.facts["golds"])

    @property
    def systems(self) -> list[str]:
        """The systems."""
        return [system["name"] for system in self.facts["systems"]]

    @property
    def questions(self) -> list[str]:
        """The questions that are compared."""
        return list(self.facts["questions"])

    def letters(self, system: str, golds: str, metric: str) -> str:
        """What a system's answers came out as."""
        outcomes = next(each for each in self.facts["systems"] if each["name"] == system)
        text = outcomes["outcomes"][golds][metric]
        assert len(text) == len(self.questions)
        return str(text)

    def verdicts(self, system: str, golds: str, measure: str) -> list[Verdict]:
        """The verdict on each answer by a metric of the benchmark or by a policy."""
        if measure in self.metrics:
            texts = {"1": Verdict.CORRECT, "0": Verdict.INCORRECT}
            return [texts[letter] for letter in self.letters(system, golds, measure)]
        policy = POLICIES[measure]
        return [
            Verdict.INCORRECT if situation is None else Verdict(policy.decide(situation))
            for situation in self.situations_of(system, golds)
        ]

    def situations_of(self, system: str, golds: str) -> list[Situation | None]:
        """The situation of each answer; ``None``: there is no SQL."""
        return [
            None if letter == NO_SQL else Situation(self.situations[letter])
            for letter in self.letters(system, golds, VERDICT)
        ]

    def rank(self, golds: str, measure: str, part: Sequence[str] | None = None) -> Ranking:
        """The systems by a measure; ``part``: on these questions alone."""
        selection = set(self.questions if part is None else part)
        columns: dict[str, list[float | None]] = {}
        review = {}
        for system in self.systems:
            verdicts = [
                verdict
                for case_id, verdict in zip(
                    self.questions, self.verdicts(system, golds, measure), strict=True
                )
                if case_id in selection
            ]
            columns[system] = [WORTH[verdict] for verdict in verdicts]
            review[system] = verdicts.count(Verdict.NEEDS_REVIEW)
        right = {system: int(sum(value or 0 for value in columns[system])) for system in columns}
        order = sorted(columns, key=lambda system: (-right[system], system))
        groups = indistinguishable_groups([(each, columns[each]) for each in order], binary=True)
        ranks = group_ranks(groups)
        return Ranking(
            tuple(
                SystemShare(each, right[each], review[each], len(columns[each]), ranks[each])
                for each in order
            ),
            _pairs_apart(columns),
        )

    def difference(self, golds: str, measure: str, first: str, second: str) -> PairedTest:
        """What the first system is above the second, on the same questions."""
        lost, gained = self.changes(
            self.verdicts(second, golds, measure), self.verdicts(first, golds, measure)
        )
        return binary_pairs(lost, gained, len(self.questions))

    def gold_change(self, system: str, measure: str, golds: str) -> PairedTest:
        """What other golds than the first ones change for a system."""
        lost, gained = self.changes(
            self.verdicts(system, self.golds[0], measure), self.verdicts(system, golds, measure)
        )
        return binary_pairs(lost, gained, len(self.questions))

    @staticmethod
    def changes(before: Sequence[Verdict], after: Sequence[Verdict]) -> tuple[int, int]:
        """How many answers are no longer right, and how many are now."""
        pairs = [
            (old is Verdict.CORRECT, new is Verdict.CORRECT)
            for old, new in zip(before, after, strict=True)
        ]
        return pairs.count((True, False)), pairs.count((False, True))

    def evidence(self, system: str, golds: str) -> Counter[str]:
        """How many verdicts rest on which evidence, by the columns of :data:`EVIDENCE`."""
        column = {part: name for name, parts in EVIDENCE.items() for part in parts}
        return Counter(
            "fails" if situation is None else column[situation.row.part]
            for situation in self.situations_of(system, golds)
        )

    def disagreements(self, golds: str, metric: str) -> Counter[tuple[Situation, Verdict]]:
        """Answers about which some policy says otherwise than a metric of the benchmark.

        By their situation and the metric's verdict, over all systems.
        """
        counts = Counter(
            (situation, own)
            for system in self.systems
            for situation, own in zip(
                self.situations_of(system, golds),
                self.verdicts(system, golds, metric),
                strict=True,
            )
            if situation is not None
        )
        return Counter(
            {
                (situation, own): number
                for (situation, own), number in counts.items()
                if any(policy.decide(situation) != own for policy in POLICIES.values())
            }
        )


def _pairs_apart(columns: Mapping[str, Sequence[float | None]]) -> int:
    p_values = {}
    for one, other in combinations(columns, 2):
        pairs = Counter(zip(columns[one], columns[other], strict=True))
        p_values[f"{one} {other}"] = mcnemar(pairs[1.0, 0.0], pairs[0.0, 1.0])
    return sum(p_value < ALPHA for p_value in holm(p_values).values())
