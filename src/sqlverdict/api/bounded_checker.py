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
from sqlverdict.execute.engine import ENGINES, Engine, engine_for
from sqlverdict.records import Case, Prediction
from sqlverdict.run.outcome import MetricValue
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.pool.deaths import Blame


class BoundedChecker:
    """Checks pairs within the limits of their queries, for one thread at a time.

    Args:
        plan: What is done.
    """

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._usual = ENGINES.get(plan.engine)
        self._here: dict[str, PairChecker] = {}
        """By the name of the engine: a cell of a query that is run here may have another size."""
        self._apart: IsolatedChecker | None = None

    def close(self) -> None:
        """Close all databases, and end the process."""
        for checker in self._here.values():
            checker.close()
        if self._apart is not None:
            self._apart.close()

    def check(self, case: Case, prediction: Prediction, digest: str) -> PairResult:
        """Check one pair on a database with a digest. Never raises."""
        engine = engine_for(self._usual, case.database or "")
        here = self._checker(engine)
        if not isinstance(engine, BriefEngine):
            return here.check(case, prediction, digest=digest)
        if _are_brief(engine, case, prediction):
            here.runner.short_of_memory = False
            result = here.check(case, prediction, digest=digest)
            if not here.runner.short_of_memory:
                return result
        return self._check_apart(here, case, prediction)

    def value(self, case: Case, prediction: Prediction, digest: str) -> MetricValue:
        """The value of the first metric on a database with a digest. Never raises."""
        engine = engine_for(self._usual, case.database or "")
        here = self._checker(engine)
        if not isinstance(engine, BriefEngine):
            return here.value(case, prediction, digest)
        if _are_brief(engine, case, prediction):
            here.runner.short_of_memory = False
            value = here.value(case, prediction, digest)
            if not here.runner.short_of_memory:
                return value
        result = self._check_apart(here, case, prediction)
        return MetricValue(result.scores[self._plan.specs[0].label], result.result.final)

    def refresh(self, database: str, digest: str) -> None:
        """Forget answers of other content than that with the digest, which a database has now."""
        for checker in self._here.values():
            checker.runner.refresh(database, digest)

    def _checker(self, engine: Engine) -> PairChecker:
        """What checks pairs on databases of an engine in this process."""
        checker = self._here.get(engine.name)
        if checker is None:
            # The plan's own engine decides which files are whose; it stays.
            plan, limits = self._plan, self._plan.limits
            if isinstance(engine, BriefEngine):
                cell = min(engine.brief_cell, limits.cell)
                plan = replace(plan, limits=replace(limits, cell=cell))
            checker = self._here[engine.name] = PairChecker(plan)
        return checker

    def _check_apart(self, here: PairChecker, case: Case, prediction: Prediction) -> PairResult:
        """Check one pair in a process that can be killed."""
        here.runner.short_of_memory = False
        if self._apart is None:
            self._apart = IsolatedChecker(self._plan)
        try:
            return self._apart.check(case, prediction)
        except OSError as error:
            why = f"the process for queries that may run for long does not start ({error})"
            return here.crashed(case, prediction, Blame(False, why))


def _are_brief(engine: BriefEngine, case: Case, prediction: Prediction) -> bool:
    """Whether all queries of a pair can be stopped at any time."""
    return all(map(engine.is_brief, (*case.golds, prediction.sql or "")))
