"""DSPy: a metric, with the evidence as feedback for GEPA.

Examples hold ``gold`` and ``db`` or ``db_id``; predictions hold ``sql``. DSPy has no word for an
unscored example and adds all scores up, so it is NaN here, and the total shows it; while prompts
are bootstrapped it is False, because nothing is to be learnt from it. :func:`scorable` leaves out
examples whose gold cannot be run, before they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import PairGrader, load_framework

if TYPE_CHECKING:
    from dspy import Example, Prediction


def sql_correct(
    *, feedback: bool = False, unscored: float = float("nan"), **options: Any
) -> Callable[..., float | bool | Prediction]:
    """A metric: 1 right, 0 wrong.

    Args:
        feedback: Give a ``dspy.Prediction`` with ``score`` and ``feedback``, as GEPA wants it: what
            is wrong, how the answers differ, and the witness where ``refute`` finds one.
        unscored: The score of an example that cannot be scored.
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    framework = load_framework("dspy", "dspy")
    grader = PairGrader(**options)

    def sql_correct(
        example: Example,
        pred: Prediction,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> float | bool | Prediction:
        grade = grader.grade(_fields(pred), _fields(example))
        score = unscored if grade.score is None else float(grade.score)
        if feedback:
            return framework.Prediction(score=score, feedback=grade.explain())
        return grade.score == 1 if trace is not None else score

    return sql_correct


def scorable(examples: Iterable[Example], **options: Any) -> list[Example]:
    """The examples whose gold can be run.

    Args:
        examples: The examples.
        options: Those of :func:`sql_correct`.
    """
    grader = PairGrader(**options)

    def is_scorable(example: Example) -> bool:
        fields = _fields(example)
        return grader.grade(grader.gold(fields), fields).score is not None

    return [example for example in examples if is_scorable(example)]


def _fields(record: Any) -> Any:
    return record.toDict() if hasattr(record, "toDict") else record
