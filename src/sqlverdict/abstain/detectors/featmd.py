"""How far a question's encoder state is from those of the training questions.

Position:
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
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.learn.states import Gaussian, StateGate, states_of
from sqlverdict.abstain.method import ABSTAINERS, Ask, Detection, Draft, Need, Tools, TrainingData


@ABSTAINERS.member
@dataclass(kw_only=True)
class Featmd(StateGate):
    """The distance to the training questions; options: threshold, penalty."""

    name: ClassVar[str] = "featmd"
    needs: ClassVar[frozenset[Need]] = frozenset({"states", "threshold"})

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Fit the Gaussian."""
        del tools
        self.gaussians = {"known": Gaussian.of(states_of(self.name, training.answerable()))}

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """Minus each question's distance."""
        del tools
        return [Detection(-distance) for distance in self.distances("known", drafts)]
