"""The situations in the order of what they say for an answer.

A step says more for an answer than every later one, whatever the labels: a proof more than a
match that a search did not refute, this more than a difference that people mostly accept, and so
on down to a query that does not run. So more evidence against an answer never raises its
probability. A match that was not searched stands below one that was, and beside one that a search
refutes on unusual data alone: neither not to search nor such a witness is worth anything.
Situations of one step share a rate: there are too few labels to tell them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from sqlverdict.situations import Situation, Step

NAMES: tuple[str, ...] = get_args(Step)
"""The steps in words, the one that says most for an answer first."""

STEPS: tuple[tuple[str, ...], ...] = tuple(
    tuple(str(situation) for situation in Situation if situation.row.step == step) for step in NAMES
)
"""The situations of each step."""

STEP_OF: Mapping[str, int] = {
    situation: number for number, step in enumerate(STEPS) for situation in step
}
"""The step of each situation; situations without one say nothing about an answer."""
