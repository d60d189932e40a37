"""deepeval: a metric for ``LLMTestCase``.

The expected output is the gold, the actual output the prediction. ``db`` or ``db_id`` stand in the
test case's metadata, or ``db`` is an option of the metric. Unscored is a skipped metric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import PairGrade, PairGrader, load_framework

if TYPE_CHECKING:
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase


def sql_correct(**options: Any) -> BaseMetric:
    """A metric: 1 right, 0 wrong; the threshold is 1.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    base: Any = load_framework("deepeval.metrics", "deepeval").BaseMetric

    class SqlCorrect(base):
        """Whether the actual output is right."""

        _required_params = ()
        threshold = 1.0
        async_mode = True

        def __init__(self) -> None:
            self._grader = PairGrader(**options)

        @property
        def __name__(self) -> str:
            return "SQL correct"

        def measure(self, test_case: LLMTestCase, *args: Any, **more: Any) -> float | None:
            return self._keep(self._grader.grade(*_records(test_case)))

        async def a_measure(self, test_case: LLMTestCase, *args: Any, **more: Any) -> float | None:
            return self._keep(await self._grader.agrade(*_records(test_case)))

        def _keep(self, grade: PairGrade) -> float | None:
            self.score = None if grade.score is None else float(grade.score)
            self.reason, self.error = grade.reason, None
            self.skipped = grade.score is None
            self.success = None if grade.score is None else bool(grade.score)
            self.score_breakdown = grade.metadata
            return self.score

        def is_successful(self) -> bool | None:
            return self.success

    return SqlCorrect()


def _records(case: LLMTestCase) -> tuple[Any, ...]:
    return case.actual_output, case.metadata, case.expected_output, {"question": case.input}
