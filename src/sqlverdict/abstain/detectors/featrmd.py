"""How much farther a question is from the training questions than from questions at large.

Position:
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
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.learn.states import Gaussian, StateGate, states_of
from sqlverdict.abstain.method import ABSTAINERS, Ask, Detection, Draft, Need, Tools, TrainingData


@ABSTAINERS.member
@dataclass(kw_only=True)
class Featrmd(StateGate):
    """The relative distance; options: threshold, penalty."""

    name: ClassVar[str] = "featrmd"
    needs: ClassVar[frozenset[Need]] = frozenset({"states", "background", "threshold"})
    fitted: ClassVar[tuple[str, ...]] = ("known", "strange")

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Fit both Gaussians."""
        del tools
        self.gaussians = {
            "known": Gaussian.of(states_of(self.name, training.answerable())),
            "strange": Gaussian.of(states_of(self.name, training.background)),
        }

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """How much nearer each question is to the training questions."""
        del tools
        near, far = self.distances("known", drafts), self.distances("strange", drafts)
        return [Detection(there - here) for here, there in zip(near, far, strict=True)]
