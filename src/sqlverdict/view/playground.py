"""Examines the queries of a case as a user changed them: answers, proof and witness anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from sqlverdict.api.scorer import Scorer
from sqlverdict.errors import UsageError
from sqlverdict.files.text import near
from sqlverdict.records import Case
from sqlverdict.report.html.details import CaseDetail, detail_of
from sqlverdict.runlog.run import Run

CasesOf = Callable[[Run], Mapping[str, Case]]
"""The cases of a run by id, as its command reads them."""

METRICS = "verdict,ex"
DATABASES = 160
"""How many databases a search for a witness tries."""
SECONDS = 10.0
LONGEST = 20_000
"""Characters of a query."""


class PairCheck(Struct, frozen=True):
    """What became of two queries."""

    verdict: str
    reasons: tuple[str, ...]
    scores: Mapping[str, float | None]
    detail: CaseDetail


class Playground:
    """Examines pairs of queries on the databases of runs. For one thread.

    Args:
        cases_of: Reads the cases of a run.
    """

    def __init__(self, cases_of: CasesOf) -> None:
        self._cases_of = cases_of
        self._cases: dict[tuple[str, ...], Mapping[str, Case]] = {}
        self._scorers: dict[str, Scorer] = {}

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
            raise UsageError(f"no database is known for {case.db_id!r}")
        scorer = self._scorers.get(run.manifest.engine)
        if scorer is None:
            scorer = self._scorers[run.manifest.engine] = Scorer(
                METRICS,
                engine=run.manifest.engine,
                timeout=SECONDS,
                prove=True,
                refute=DATABASES,
                memo=1_000,
            )
        result = scorer.check(
            gold,
            prediction,
            case.database,
            question=case.question,
            knowledge=case.knowledge,
            contract=case.contract,
            id=case.id,
        ).result
        return PairCheck(result.verdict, result.reasons, result.scores, detail_of(result))

    def close(self) -> None:
        """Close all databases."""
        for scorer in self._scorers.values():
            scorer.close()

    def _case(self, run: Run, case_id: str) -> Case:
        words = run.manifest.command
        if words not in self._cases:
            self._cases[words] = self._cases_of(run)
        case = self._cases[words].get(case_id)
        if case is None:
            raise UsageError(f"there is no case {case_id!r}.{near(case_id, self._cases[words])}")
        return case
