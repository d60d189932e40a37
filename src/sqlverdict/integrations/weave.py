"""Weave: a scorer for ``weave.Evaluation``.

A row holds ``gold`` and ``db`` or ``db_id``. Unscored is ``None``, which summaries leave out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import NAME, PairGrader, load_framework

if TYPE_CHECKING:
    from weave import Scorer


def sql_correct(**options: Any) -> Scorer:
    """A scorer: 1 right, 0 wrong.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    framework = load_framework("weave", "weave")
    base: Any = framework.Scorer
    grader = PairGrader(**options)

    class SqlCorrectScorer(base):
        """Whether the output is right."""

        @framework.op
        def score(
            self,
            output: Any,
            gold: Any,
            db: str | None = None,
            db_id: str | None = None,
            question: str | None = None,
        ) -> dict[str, Any]:
            row = {"gold": gold, "db": db, "db_id": db_id, "question": question}
            grade = grader.grade(output, row)
            return {NAME: grade.score, "verdict": grade.label, "reason": grade.reason}

    return SqlCorrectScorer(name=NAME)
