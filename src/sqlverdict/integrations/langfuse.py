"""Langfuse: an evaluator for ``run_experiment``.

The expected output is the gold or a record with ``gold``; it, the metadata or the input hold
``db`` or ``db_id``. Two evaluations: the boolean ``sql_correct``, and the verdict in words.
Unscored has the second alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import NAME, PairGrader, load_framework

if TYPE_CHECKING:
    from langfuse import Evaluation


def sql_correct(**options: Any) -> Callable[..., list[Evaluation]]:
    """An evaluator: 1 right, 0 wrong.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    framework = load_framework("langfuse", "langfuse")
    grader = PairGrader(**options)

    def sql_correct(
        *,
        input: Any = None,
        output: Any,
        expected_output: Any = None,
        metadata: Any = None,
        **more: Any,
    ) -> list[Evaluation]:
        question = {"question": input} if isinstance(input, str) else input
        grade = grader.grade(output, expected_output, metadata, question)
        about: dict[str, Any] = {"comment": grade.reason, "metadata": grade.metadata}
        word = framework.Evaluation(
            name="sql_verdict", value=grade.label, data_type="CATEGORICAL", **about
        )
        if grade.score is None:
            return [word]
        score = framework.Evaluation(name=NAME, value=grade.score, data_type="BOOLEAN", **about)
        return [score, word]

    return sql_correct
