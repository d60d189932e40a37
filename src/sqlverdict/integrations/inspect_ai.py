"""Inspect: a scorer for tasks whose target is SQL.

The target is the gold, or several of which any counts; an empty target with ``gold`` in the
sample's metadata works too. The sample's metadata name the database (``db`` or ``db_id``). Unscored
is ``Score.unscored``, which metrics leave out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlverdict.integrations.common import NAME, PairGrader, load_framework

if TYPE_CHECKING:
    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import TaskState


def sql_correct(**options: Any) -> Scorer:
    """A scorer: C right, I wrong.

    Args:
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    framework = load_framework("inspect_ai.scorer", "inspect")

    @framework.scorer(metrics=[framework.accuracy(), framework.stderr()], name=NAME)
    def scorer(**options: Any) -> Scorer:
        grader = PairGrader(**options)

        async def score(state: TaskState, target: Target) -> Score:
            golds = [text for text in target.target if text.strip()]
            metadata = {**({"gold": golds} if golds else {}), **(state.metadata or {})}
            metadata.setdefault("question", state.input_text)
            grade = await grader.agrade(state.output.completion, metadata)
            about: dict[str, Any] = {
                "answer": grade.sql,
                "explanation": grade.reason,
                "metadata": grade.metadata,
            }
            if grade.score is None:
                return framework.Score.unscored(reason=grade.label, **about)
            value = framework.CORRECT if grade.score else framework.INCORRECT
            return framework.Score(value=value, **about)

        return score

    # Inspect writes the options into its log.
    return scorer(**options)
