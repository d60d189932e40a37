"""Ragas: a metric.

``score(response=..., gold=..., db=...)``, or ``reference`` for the gold, as samples of Ragas call
it. Unscored is NaN, Ragas' own value for a sample without a score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import NAME, PairGrader, load_framework

if TYPE_CHECKING:
    from ragas.metrics.collections.base import BaseMetric
    from ragas.metrics.result import MetricResult


def sql_correct(**options: Any) -> BaseMetric:
    """A metric: 1 right, 0 wrong.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    base: Any = load_framework("ragas.metrics.collections.base", "ragas").BaseMetric
    results = load_framework("ragas.metrics.result", "ragas")

    class RagasSqlCorrect(base):
        """Whether the response is right."""

        def __init__(self) -> None:
            super().__init__(name=NAME)
            self._grader = PairGrader(**options)

        async def ascore(self, *, response: Any, **row: Any) -> MetricResult:
            fields = {"gold": row["reference"], **row} if "reference" in row else row
            grade = await self._grader.agrade(response, fields, {"question": row.get("user_input")})
            value = float("nan") if grade.score is None else float(grade.score)
            traces = {"input": {"gold": fields.get("gold")}, "output": grade.metadata}
            return results.MetricResult(value=value, reason=grade.reason, traces=traces)

    return RagasSqlCorrect()
