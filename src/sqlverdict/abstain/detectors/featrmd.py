"""How much farther a question is from the training questions than from questions at large.

Place:
    with f (``t5[featrmd]``); f must give encoder states
Learns from:
    the states of the training questions and of background questions (TriageSQL in the paper);
    validation questions, for the threshold
Confidence:
    the squared Mahalanobis distance of the mean encoder state to the background Gaussian, minus
    that to the training Gaussian
Source:
    TrustSQL, section 4.2 (FEATRMD)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from sqlverdict.abstain import saved
from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.gaussian import Gaussian
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Draft,
    Finding,
    Lessons,
    Need,
    Place,
    Tools,
    Wishes,
)
from sqlverdict.abstain.states import states_of
from sqlverdict.errors import UsageError


@ABSTAINERS.member
@dataclass(kw_only=True)
class Featrmd(Gate):
    """The relative distance; options: threshold, penalty."""

    name: ClassVar[str] = "featrmd"
    version: ClassVar[int] = 1
    place: ClassVar[Place] = "with"
    needs: ClassVar[frozenset[Need]] = frozenset({"states", "background", "threshold"})

    threshold: float | None = None
    known: Gaussian | None = field(default=None, init=False, repr=False)
    strange: Gaussian | None = field(default=None, init=False, repr=False)

    def wishes(self) -> Wishes:
        """The encoder's states."""
        return Wishes(states=True)

    def fit(self, lessons: Lessons, tools: Tools) -> None:
        """Fit both Gaussians."""
        del tools
        self.known = Gaussian.of(states_of(self.name, lessons.answerable()))
        self.strange = Gaussian.of(states_of(self.name, lessons.background))

    def score(self, asked: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Finding]:
        """How much nearer each question is to the training questions."""
        del tools
        if self.known is None or self.strange is None:
            raise UsageError("featrmd was not fitted; see sqlverdict abstain fit")
        states = states_of(self.name, asked)
        if not states:
            return []
        near, far = self.known.distance(states), self.strange.distance(states)
        return [Finding(there - here) for here, there in zip(near, far, strict=True)]

    def save(self, folder: Path) -> None:
        """Write both Gaussians."""
        for name, found in (("known", self.known), ("strange", self.strange)):
            if found is not None:
                path = folder / f"{name}.npz"
                saved.write_arrays(path, mean=found.mean, precision=found.precision)

    def load(self, folder: Path) -> None:
        """Read both Gaussians."""
        self.known = Gaussian(**saved.read_arrays(folder / "known.npz"))
        self.strange = Gaussian(**saved.read_arrays(folder / "strange.npz"))
