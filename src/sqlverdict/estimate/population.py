"""The cases of a run before anybody labels: what is known of them, and their strata.

A stratum is a set of cases of which people call a similar share right. Labels are drawn from each
of them, and an estimate weighs each by its size. Any partition that was fixed before the first vote
is valid; a good one makes each label say more.

=========  ============================================================================
stratum    cases
=========  ============================================================================
proved     the verdict is right, and there is a proof
accepted   any other verdict of right: a match, a harmless difference, a judge's word
review     the verdict is left to people, or the case is unscored: nothing is known of it
rejected   the verdict is wrong, and the prediction runs
failed     the prediction does not run, has no SQL, or abstains from a question with an answer
=========  ============================================================================

Where a judge was asked about every pair, its word and that of the evidence make three strata:
``both_right``, ``differ`` and ``both_wrong``. A case of which either says nothing is in ``differ``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.text import count
from sqlverdict.reasons import WITHOUT_SQL
from sqlverdict.records import Result, Verdict
from sqlverdict.situations import Situation


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


_SITUATIONS = {situation.value: situation for situation in Situation}
_INTENT = 2
"""Where the decision of the policy ``intent`` stands in a row of the table of situations."""


def stratum_of(result: Result) -> str:
    """The stratum of a case by its evidence: one of ``load.people.sampling.STRATA``."""
    match result.verdict:
        case Verdict.CORRECT if result.situation == Situation.PROVED.value:
            return "proved"
        case Verdict.CORRECT | Verdict.ABSTAINED_RIGHT:
            return "accepted"
        case Verdict.NEEDS_REVIEW | Verdict.UNSCORED:
            return "review"
        case Verdict.ABSTAINED_WRONG:
            return "failed"
        case Verdict.INCORRECT:
            runs = bool((result.prediction or "").strip())
            return "rejected" if runs and result.situation != Situation.FAILED.value else "failed"


def stratum_with_judge(result: Result, judge_says_right: bool | None) -> str:
    """The stratum of a case by its evidence and a judge's word: one of ``JUDGE_STRATA``.

    What the evidence says is what the policy ``intent`` makes of it without a judge: the verdict of
    a run may be that judge's word already.

    Args:
        result: The case.
        judge_says_right: The judge's word; ``None``: it has none.
    """
    evidence_says_right = _without_judge(result)
    if judge_says_right is None or evidence_says_right is not judge_says_right:
        return "differ"
    return "both_right" if judge_says_right else "both_wrong"


def _without_judge(result: Result) -> bool | None:
    """Whether the evidence says that the answer is right; ``None``: it leaves that open."""
    situation = _SITUATIONS.get(result.situation)
    decision = result.verdict.value if situation is None else situation.row.decisions[_INTENT]
    right = (Verdict.CORRECT.value, Verdict.ABSTAINED_RIGHT.value)
    wrong = (Verdict.INCORRECT.value, Verdict.ABSTAINED_WRONG.value)
    return True if decision in right else False if decision in wrong else None


def allocate(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """How many pairs of each stratum are drawn: in proportion to its size, and at least one.

    Raises:
        UsageError: there are fewer to draw than strata.
    """
    if size < len(sizes):
        raise UsageError(
            f"an estimate needs a pair of each of {count(len(sizes), 'stratum', 'strata')}: "
            f"{', '.join(sizes)}. Draw more than {size} with ",
            OptionName("n", str(len(sizes))),
        )
    if size >= sum(sizes.values()):
        return dict(sizes)
    single: set[str] = set()
    while True:
        rest = {name: number for name, number in sizes.items() if name not in single}
        ratio = Fraction(size - len(single), sum(rest.values()))
        small = {name for name, number in rest.items() if number * ratio < 1}
        if not small:
            break
        single |= small
    shares = {name: floor(number * ratio) for name, number in rest.items()}
    missing = size - len(single) - sum(shares.values())
    by_remainder = sorted(rest, key=lambda name: (shares[name] - rest[name] * ratio, name))
    for name in by_remainder[:missing]:
        shares[name] += 1
    return {name: shares.get(name, 1) for name in sizes}
