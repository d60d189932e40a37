"""lm-evaluation-harness: ``process_results`` of a task.

A document holds ``gold`` and ``db`` or ``db_id``; name other fields with ``keys``. An unscored
document has no ``sql_correct``, so means leave it out, and ``sql_scored`` 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlverdict.integrations.common import NAME, PairGrader


def process_results(
    **options: Any,
) -> Callable[[Mapping[str, Any], Sequence[Any]], dict[str, float]]:
    """What a task calls for every document: 1 right, 0 wrong.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    grader = PairGrader(**options)

    def score(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
        first = results[0]
        # A filter such as take_first_k gives lists.
        output = first[0] if isinstance(first, list | tuple) and first else first
        grade = grader.grade(output, doc)
        if grade.score is None:
            return {"sql_scored": 0.0}
        return {NAME: float(grade.score), "sql_scored": 1.0}

    return score
