"""Braintrust: a scorer for ``braintrust.Eval``.

The expected value is the gold or a record with ``gold``; it, the metadata or the input hold
``db`` or ``db_id``. Unscored is a score of ``None``, which Braintrust counts as skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import NAME, PairGrader, load_framework

if TYPE_CHECKING:
    from braintrust import Score


def sql_correct(**options: Any) -> Callable[..., Score]:
    """A scorer: 1 right, 0 wrong.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    framework = load_framework("braintrust", "braintrust")
    grader = PairGrader(**options)

    def sql_correct(input: Any, output: Any, expected: Any = None, metadata: Any = None) -> Score:
        question = {"question": input} if isinstance(input, str) else input
        grade = grader.grade(output, expected, metadata, question)
        about = {**grade.metadata, "reason": grade.reason}
        return framework.Score(name=NAME, score=grade.score, metadata=about)

    return sql_correct
