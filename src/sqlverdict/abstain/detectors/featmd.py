"""How far a question's encoder state is from those of the training questions.

Place:
    with f (``t5[featmd]``); f must give encoder states
Learns from:
    the states of the training questions; validation questions, for the threshold
Confidence:
    minus the squared Mahalanobis distance of the mean encoder state to the training Gaussian
Source:
    TrustSQL, section 4.2 (FEATMD)
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
class Featmd(Gate):
    """The distance to the training questions; options: threshold, penalty."""

    name: ClassVar[str] = "featmd"
    version: ClassVar[int] = 1
    place: ClassVar[Place] = "with"
    needs: ClassVar[frozenset[Need]] = frozenset({"states", "threshold"})

    threshold: float | None = None
    known: Gaussian | None = field(default=None, init=False, repr=False)

    def wishes(self) -> Wishes:
        """The encoder's states."""
        return Wishes(states=True)

    def fit(self, lessons: Lessons, tools: Tools) -> None:
        """Fit the Gaussian."""
        del tools
        self.known = Gaussian.of(states_of(self.name, lessons.answerable()))

    def score(self, asked: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Finding]:
        """Minus each question's distance."""
        del tools
        if self.known is None:
            raise UsageError("featmd was not fitted; see sqlverdict abstain fit")
        states = states_of(self.name, asked)
        return [Finding(-distance) for distance in self.known.distance(states)] if states else []

    def save(self, folder: Path) -> None:
        """Write the Gaussian."""
        if self.known is not None:
            path = folder / "gaussian.npz"
            saved.write_arrays(path, mean=self.known.mean, precision=self.known.precision)

    def load(self, folder: Path) -> None:
        """Read the Gaussian."""
        self.known = Gaussian(**saved.read_arrays(folder / "gaussian.npz"))
