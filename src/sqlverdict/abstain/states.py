"""The encoder states that examples or drafts carry."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.abstain.method import Ask, Draft, Example
from sqlverdict.errors import PredictionError


def states_of(
    detector: str, known: Sequence[Example] | Sequence[tuple[Ask, Draft | None]]
) -> list[tuple[float, ...]]:
    """The state of each, in order.

    Raises:
        PredictionError: one has none.
    """
    states = []
    for one in known:
        ask, draft = (one.ask, one.draft) if isinstance(one, Example) else one
        if draft is None or not draft.state:
            raise PredictionError(
                f"{detector}: the answer to {ask.id!r} carries no encoder state. Expected a "
                f"generator that gives them (t5), or 'state' in the predictions"
            )
        states.append(draft.state)
    return states
