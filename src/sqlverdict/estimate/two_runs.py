"""The questions of two runs that can make a difference, and what is labelled of them.

Where both runs gave the same query, or two that are proved equal in both directions, no label can
tell the runs apart. Of the other questions each run's own answer is labelled: the strata are those
of the evidence, of the first run's answers and of the second's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlverdict.errors import UsageError
from sqlverdict.estimate.matching import AskProof, are_proved_equal
from sqlverdict.estimate.population import Population, population_of, stratum_of
from sqlverdict.load.people.sampling import SIDES, STRATA, side_stratum
from sqlverdict.load.people.votes import vote_digest
from sqlverdict.records import Result


@dataclass(frozen=True)
class TwoRuns:
    """Two runs on the questions that both have.

    Attributes:
        cases: These questions, by id.
        same: Those with one query in both runs.
        proved: Those with two queries that are proved equal.
        populations: What is known of either run without a label.
    """

    cases: frozenset[str]
    same: frozenset[str]
    proved: frozenset[str]
    populations: tuple[Population, Population]

    @property
    def apart(self) -> frozenset[str]:
        """The questions that can make a difference."""
        return self.cases - self.same - self.proved

    def strata(self) -> dict[str, list[Result]]:
        """The answers to label, by stratum; those of the first run come first."""
        apart = self.apart
        strata: dict[str, list[Result]] = {
            side_stratum(side, name): [] for side in SIDES for name in STRATA
        }
        for side, population in zip(SIDES, self.populations, strict=True):
            for result in population.pairs:
                if result.id in apart:
                    strata[side_stratum(side, stratum_of(result))].append(result)
        return {name: own for name, own in strata.items() if own}

    def stratum_by_pair(self) -> dict[str, str]:
        """The stratum of each pair to label, by the pair's digest."""
        return {
            vote_digest(each.id, each.gold, each.prediction): name
            for name, own in self.strata().items()
            for each in own
        }

    def known(self) -> list[list[bool]]:
        """Of either run the questions that can make a difference and need no label: if right."""
        return [
            [right for case, right in population.known.items() if case in self.apart]
            for population in self.populations
        ]


def tell_apart(first: Iterable[Result], second: Iterable[Result], ask_proof: AskProof) -> TwoRuns:
    """Tell which questions of two runs can make a difference.

    Args:
        first: The results of the first run.
        second: Those of the second.
        ask_proof: Asks for a proof; it is asked in both directions.

    Raises:
        UsageError: the runs share no question.
    """
    populations = population_of(first), population_of(second)
    queries: list[Mapping[str, str]] = [
        {result.id: result.prediction or "" for result in each.pairs} for each in populations
    ]
    ours, theirs = ({*own, *each.known} for own, each in zip(queries, populations, strict=True))
    cases = ours & theirs
    if not cases:
        raise UsageError("the runs share no question that can be labelled")
    pairs = {
        case: (query, queries[1][case]) for case, query in queries[0].items() if case in queries[1]
    }
    same = {case for case, (one, other) in pairs.items() if one == other}
    proved = {
        case
        for case, (one, other) in pairs.items()
        if case not in same and are_proved_equal(ask_proof, case, one, other)
    }
    return TwoRuns(frozenset(cases), frozenset(same), frozenset(proved), populations)
