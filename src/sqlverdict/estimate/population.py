"""The cases of a run, by what is known of them without a label."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlverdict.reasons import WITHOUT_SQL
from sqlverdict.records import Result, Verdict


@dataclass
class Population:
    """The cases of a run, by what is known of them without a label.

    Attributes:
        pairs: The cases with a gold and a prediction.
        known: Cases without a query to label, each with whether it is right.
        never_drawn: Those of them whose question has no answer: without a gold no queue has them.
        without_gold: Cases that nobody can label, by id.
    """

    pairs: list[Result] = field(default_factory=list)
    known: dict[str, bool] = field(default_factory=dict)
    never_drawn: set[str] = field(default_factory=set)
    without_gold: list[str] = field(default_factory=list)

    @property
    def ids(self) -> dict[str, None]:
        """The ids of all cases."""
        ids = (*(result.id for result in self.pairs), *self.known, *self.without_gold)
        return dict.fromkeys(ids)


def population_of(results: Iterable[Result]) -> Population:
    """Sort the cases of a run."""
    population = Population()
    for result in results:
        if is_labelled_by_pair(result):
            population.pairs.append(result)
        elif result.verdict is Verdict.UNSCORED:
            population.without_gold.append(result.id)
        else:
            population.known[result.id] = result.verdict is Verdict.ABSTAINED_RIGHT
            if not result.gold:
                population.never_drawn.add(result.id)
    return population


def is_labelled_by_pair(result: Result) -> bool:
    """Whether there are two queries to compare; a reply in words is none."""
    has_query = bool((result.prediction or "").strip()) and WITHOUT_SQL.isdisjoint(result.reasons)
    return not result.abstained and has_query and bool(result.gold)
