"""LangSmith: an evaluator for ``langsmith.evaluate``.

The reference outputs hold ``gold``; they or the inputs hold ``db`` or ``db_id``. Unscored is a
result with the score ``None`` and the verdict as its value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import NAME, PairGrader, load_framework

if TYPE_CHECKING:
    from langsmith.evaluation import EvaluationResult


def sql_correct(**options: Any) -> Callable[..., EvaluationResult]:
    """An evaluator: 1 right, 0 wrong.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    framework = load_framework("langsmith.evaluation", "langsmith")
    grader = PairGrader(**options)

    def sql_correct(
        inputs: dict[str, Any], outputs: dict[str, Any], reference_outputs: dict[str, Any]
    ) -> EvaluationResult:
        grade = grader.grade(outputs, reference_outputs, inputs)
        return framework.EvaluationResult(
            key=NAME,
            score=grade.score,
            value=grade.label,
            comment=grade.reason,
            metadata=grade.metadata,
        )

    return sql_correct
