"""Examines the queries of a case as a user changed them: answers, proof and witness anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from sqlverdict.api.scorer import Scorer
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import Limits
from sqlverdict.files.text import near
from sqlverdict.load.databases import unknown_database
from sqlverdict.records import Case
from sqlverdict.report.html.details import CaseDetail, detail_of
from sqlverdict.runlog.run import Run

CasesOf = Callable[[Run], Mapping[str, Case]]
"""Reads the cases of a run, by id."""

METRICS = "verdict,ex"
DATABASES = 160
"""How many databases a search for a witness tries."""
SECONDS = 10.0
LONGEST = 20_000
"""Characters of a query."""


class PairCheck(Struct, frozen=True):
    """The result of examining two queries."""

    verdict: str
    policy: str
    reasons: tuple[str, ...]
    scores: Mapping[str, float | None]
    detail: CaseDetail


class Playground:
    """Examines pairs of queries on the databases of runs. For one thread.

    Args:
        cases_of: Reads the cases of a run.
        trust_role: On a server, queries run as the role of the URL, whatever it may do.
    """

    def __init__(self, cases_of: CasesOf, *, trust_role: bool = False) -> None:
        self._cases_of = cases_of
        self._limits = Limits(seconds=SECONDS, trust_role=trust_role)
        self._cases: dict[Path, Mapping[str, Case]] = {}
        self._scorers: dict[tuple[str, str], Scorer] = {}

    def check(self, run: Run, case_id: str, gold: str, prediction: str) -> PairCheck:
        """Examine a pair.

        Raises:
            UsageError: the case or its database is not known, or a query is too long.
            SqlverdictError: the run's inputs cannot be read.
        """
        if max(len(gold), len(prediction)) > LONGEST:
            raise UsageError(f"a query is longer than {LONGEST:,} characters")
        if not gold.strip() or not prediction.strip():
            raise UsageError("one of the two queries is empty")
        case = self._case(run, case_id)
        if case.script is not None or case.gold_database is not None:
            raise UsageError("queries that write, or run on two engines, cannot be tried here")
        if case.database is None:
            raise UsageError(unknown_database(case.db_id, "databases"))
        scorer = self._scorer(run)
        result = scorer.check(
            gold,
            prediction,
            case.database,
            question="\n".join((*case.earlier, case.question)),
            knowledge=case.knowledge,
            contract=case.contract,
            id=case.id,
        ).result
        return PairCheck(
            result.verdict, scorer.plan.policy, result.reasons, result.scores, detail_of(result)
        )

    def close(self) -> None:
        """Close all databases."""
        for scorer in self._scorers.values():
            scorer.close()

    def _scorer(self, run: Run) -> Scorer:
        """The scorer for the engine of a run, by the run's own policy."""
        engine, policy = run.manifest.engine, run.manifest.stages.get("policy", "")
        if (engine, policy) not in self._scorers:
            scorer = Scorer(
                METRICS,
                engine=engine,
                limits=self._limits,
                prove=True,
                refute=DATABASES,
                policy=policy or None,
                memo=1_000,
            )
            # The page shows rows of both answers as it does for the run.
            scorer.plan = replace(scorer.plan, logs=True)
            self._scorers[engine, policy] = scorer
        return self._scorers[engine, policy]

    def _case(self, run: Run, case_id: str) -> Case:
        if run.folder not in self._cases:
            self._cases[run.folder] = self._cases_of(run)
        cases = self._cases[run.folder]
        case = cases.get(case_id)
        if case is None:
            raise UsageError(f"there is no case {case_id!r}.{near(case_id, cases)}")
        return case
