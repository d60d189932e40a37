"""Two runs over the same cases: what one gained, what it lost, and whether that is chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sqlverdict.errors import RunLogError, UsageError
from sqlverdict.records import Result
from sqlverdict.score.deciding import counted_value
from sqlverdict.score.statistics.significance import PairedTest, binary_pairs, paired_bootstrap

RIGHT = 1.0
"""A case is right from this value on."""


@dataclass(frozen=True)
class PairedOutcome:
    """How run b differs from run a under one metric.

    Attributes:
        metric: The metric's label.
        common: Cases in both runs.
        only_in_a: Ids that only run a has, in its order.
        only_in_b: Ids that only run b has, in its order.
        both_right: Common cases with the same value, 1 or more.
        both_wrong: Common cases with the same value, below 1.
        gained: Ids whose value rose from a to b, in run b's order.
        lost: Ids whose value fell, in run b's order.
        unscored: Common ids unscored in either run; they enter no other count and no test.
        test: Mean difference b - a with its interval and p-value.
    """

    metric: str
    common: int
    only_in_a: tuple[str, ...]
    only_in_b: tuple[str, ...]
    both_right: int
    both_wrong: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    unscored: tuple[str, ...]
    test: PairedTest

    @property
    def p_value(self) -> float | None:
        """The chance of a difference as large if the systems were alike; None without pairs."""
        return self.test.p_value

    @property
    def difference(self) -> float | None:
        """The mean of b - a over the cases scored in both."""
        return self.test.difference


def paired(
    results_a: Iterable[Result],
    results_b: Iterable[Result],
    metric: str,
    *,
    binary: bool | None = None,
    seed: int = 0,
) -> PairedOutcome:
    """Compare two runs case by case.

    Memory holds ids and values of the runs, never the results themselves.

    Args:
        results_a: The earlier run or the baseline.
        results_b: The run that is held against it.
        metric: A label of both runs' scores, such as ``ex[bird]``.
        binary: Whether every value is 0 or 1, so that McNemar's test applies and questions
            without an answer count; None looks at the values.
        seed: For the bootstrap of metrics that are not binary.

    Raises:
        UsageError: a run has no scores under that label.
        RunLogError: a run has a case twice.
    """
    before = _scores(results_a, metric, "first", binary=bool(binary))
    after = _scores(results_b, metric, "second", binary=bool(binary))
    gained: list[str] = []
    lost: list[str] = []
    unscored: list[str] = []
    same = Counter[bool]()
    differences = Counter[float]()
    zero_or_one = True
    for case_id, new in after.items():
        if case_id not in before:
            continue
        old = before[case_id]
        if old is None or new is None:
            unscored.append(case_id)
            continue
        differences[new - old] += 1
        zero_or_one = zero_or_one and old in (0.0, 1.0) and new in (0.0, 1.0)
        if new > old:
            gained.append(case_id)
        elif new < old:
            lost.append(case_id)
        else:
            same[new >= RIGHT] += 1
    if zero_or_one if binary is None else binary:
        test = binary_pairs(len(lost), len(gained), differences.total())
    else:
        test = paired_bootstrap(differences, seed=seed)
    return PairedOutcome(
        metric=metric,
        common=differences.total() + len(unscored),
        only_in_a=tuple(case_id for case_id in before if case_id not in after),
        only_in_b=tuple(case_id for case_id in after if case_id not in before),
        both_right=same[True],
        both_wrong=same[False],
        gained=tuple(gained),
        lost=tuple(lost),
        unscored=tuple(unscored),
        test=test,
    )


def _scores(
    results: Iterable[Result], metric: str, which: str, *, binary: bool
) -> dict[str, float | None]:
    scores: dict[str, float | None] = {}
    labels: dict[str, None] = {}
    for result in results:
        if result.id in scores:
            raise RunLogError(
                f"the {which} run has case {result.id!r} twice; each case must be there once. "
                "Evaluate it again into an empty folder.",
                reason="damaged",
            )
        scores[result.id] = counted_value(result, metric, binary=binary)
        labels.update(dict.fromkeys(result.scores))
    if scores and metric not in labels:
        known = ", ".join(labels) or "none"
        raise UsageError(
            f"the {which} run has no scores for {metric!r}, only for: {known}. "
            "Name one of these, or evaluate the run with that metric."
        )
    return scores
