"""Checks a pair here where its queries can be stopped at any time, else in its own process.

Only SQLite needs it: the other engines end a query from another thread, or on the server.
"""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.api.brief import BRIEF_CELL, is_brief
from sqlverdict.api.isolated import IsolatedChecker
from sqlverdict.api.pair_checker import PairChecker
from sqlverdict.api.pair_result import PairResult
from sqlverdict.execute.engine import DEFAULT_ENGINE
from sqlverdict.records import Case, Prediction
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.pool.deaths import Blame
from sqlverdict.run.task import MetricValue


class BoundedChecker:
    """Checks pairs within the limits of their queries, for one thread at a time.

    Args:
        plan: What is done.
    """

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._bounds = plan.engine == DEFAULT_ENGINE
        cell = min(BRIEF_CELL, plan.limits.cell)
        here = replace(plan, limits=replace(plan.limits, cell=cell)) if self._bounds else plan
        self._here = PairChecker(here)
        self._apart: IsolatedChecker | None = None

    def close(self) -> None:
        """Close all databases, and end the process."""
        self._here.close()
        if self._apart is not None:
            self._apart.close()

    def check(self, case: Case, prediction: Prediction, digest: str) -> PairResult:
        """Check one pair on a database with a digest. Never raises."""
        if not self._bounds:
            return self._here.check(case, prediction, digest=digest)
        if _are_brief(case, prediction):
            self._here.runner.short_of_memory = False
            result = self._here.check(case, prediction, digest=digest)
            if not self._here.runner.short_of_memory:
                return result
        return self._check_apart(case, prediction)

    def value(self, case: Case, prediction: Prediction, digest: str) -> MetricValue:
        """The value of the first metric on a database with a digest. Never raises."""
        if not self._bounds:
            return self._here.value(case, prediction, digest)
        if _are_brief(case, prediction):
            self._here.runner.short_of_memory = False
            value = self._here.value(case, prediction, digest)
            if not self._here.runner.short_of_memory:
                return value
        result = self._check_apart(case, prediction)
        return MetricValue(result.scores[self._plan.specs[0].label], result.result.final)

    def forget(self) -> None:
        """Forget what was found about pairs."""
        self._here.forget()

    def _check_apart(self, case: Case, prediction: Prediction) -> PairResult:
        """Check one pair in a process that can be killed."""
        if self._here.runner.short_of_memory:
            # What was found rests on cells that are too large here.
            self._here.forget()
            self._here.runner.short_of_memory = False
        if self._apart is None:
            self._apart = IsolatedChecker(self._plan)
        try:
            return self._apart.check(case, prediction)
        except OSError as error:
            why = f"the process for queries that may run for long does not start ({error})"
            return self._here.crashed(case, prediction, Blame(False, why))


def _are_brief(case: Case, prediction: Prediction) -> bool:
    """Whether all queries of a pair can be stopped at any time."""
    return all(map(is_brief, (*case.golds, prediction.sql or "")))
