"""Phoenix: an evaluator of ``phoenix.evals``.

A record holds ``output`` (the prediction) and ``expected`` (the gold, or a record with ``gold``);
its ``metadata`` or ``input`` hold ``db`` or ``db_id``. Unscored is a score without a number, with
the verdict as its label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import NAME, PairGrader, load_framework

if TYPE_CHECKING:
    from phoenix.evals import Evaluator, Score


def sql_correct(**options: Any) -> Evaluator:
    """An evaluator: 1 right, 0 wrong.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    framework = load_framework("phoenix.evals", "phoenix")
    grader = PairGrader(**options)

    def sql_correct(output: Any, expected: Any, metadata: Any = None, input: Any = None) -> Score:
        question = {"question": input} if isinstance(input, str) else input
        grade = grader.grade(output, expected, metadata, question)
        return framework.Score(
            name=NAME,
            score=grade.score,
            label=grade.label,
            explanation=grade.reason,
            metadata=grade.metadata,
            kind="code",
            direction="maximize",
        )

    return framework.create_evaluator(name=NAME, kind="code")(sql_correct)
