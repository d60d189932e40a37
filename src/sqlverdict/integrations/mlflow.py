"""MLflow: a scorer for ``mlflow.genai.evaluate``.

The expectations hold ``gold``, and the inputs or the expectations ``db`` or ``db_id``. Unscored
is a ``Feedback`` with an error and no value, which aggregations leave out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import NAME, PairGrader, load_framework

if TYPE_CHECKING:
    from mlflow.entities import Feedback
    from mlflow.genai.scorers import Scorer


def sql_correct(**options: Any) -> Scorer:
    """A scorer: yes right, no wrong.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    scorers, entities = (
        load_framework("mlflow.genai.scorers", "mlflow"),
        load_framework("mlflow.entities", "mlflow"),
    )
    grader = PairGrader(**options)

    def score(inputs: Any = None, outputs: Any = None, expectations: Any = None) -> Feedback:
        grade = grader.grade(outputs, expectations, inputs)
        # Values of metadata are texts there.
        metadata = {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in grade.metadata.items()
        }
        unscored = entities.AssessmentError(grade.label.upper(), grade.reason)
        return entities.Feedback(
            name=NAME,
            value=None if grade.score is None else bool(grade.score),
            error=unscored if grade.score is None else None,
            rationale=grade.reason,
            metadata=metadata,
        )

    return scorers.scorer(score, name=NAME)
