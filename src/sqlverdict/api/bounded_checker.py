"""Checks a pair here where its queries can be stopped at any time, else in its own process.

Engines say themselves which queries need it (``execute/apart/brief``); sessions of the others keep
their time by themselves.
"""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.api.isolated import IsolatedChecker
from sqlverdict.api.pair_checker import PairChecker
from sqlverdict.api.pair_result import PairResult
from sqlverdict.execute.apart.brief import BriefEngine
from sqlverdict.execute.engine import ENGINES
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
        engine = ENGINES.get(plan.engine)
        self._engine = engine if isinstance(engine, BriefEngine) else None
        here = plan
        if self._engine is not None:
            cell = min(self._engine.brief_cell, plan.limits.cell)
            here = replace(plan, limits=replace(plan.limits, cell=cell))
        self._here = PairChecker(here)
        self._apart: IsolatedChecker | None = None

    def close(self) -> None:
        """Close all databases, and end the process."""
        self._here.close()
        if self._apart is not None:
            self._apart.close()

    def check(self, case: Case, prediction: Prediction, digest: str) -> PairResult:
        """Check one pair on a database with a digest. Never raises."""
        if self._engine is None:
            return self._here.check(case, prediction, digest=digest)
        if _are_brief(self._engine, case, prediction):
            self._here.runner.short_of_memory = False
            result = self._here.check(case, prediction, digest=digest)
            if not self._here.runner.short_of_memory:
                return result
        return self._check_apart(case, prediction)

    def value(self, case: Case, prediction: Prediction, digest: str) -> MetricValue:
        """The value of the first metric on a database with a digest. Never raises."""
        if self._engine is None:
            return self._here.value(case, prediction, digest)
        if _are_brief(self._engine, case, prediction):
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


def _are_brief(engine: BriefEngine, case: Case, prediction: Prediction) -> bool:
    """Whether all queries of a pair can be stopped at any time."""
    return all(map(engine.is_brief, (*case.golds, prediction.sql or "")))
