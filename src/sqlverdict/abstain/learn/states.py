"""The encoder states that examples or drafts carry, and what detectors over them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.learn import saved
from sqlverdict.abstain.learn.gaussian import Gaussian
from sqlverdict.abstain.method import Ask, Draft, GeneratorNeeds, Position, TrainingExample
from sqlverdict.errors import PredictionError, UsageError


def states_of(
    detector: str, known: Sequence[TrainingExample] | Sequence[tuple[Ask, Draft | None]]
) -> list[tuple[float, ...]]:
    """The state of each, in order.

    Raises:
        PredictionError: one has none.
    """
    states = []
    for one in known:
        ask, draft = (one.ask, one.draft) if isinstance(one, TrainingExample) else one
        if draft is None or not draft.state:
            raise PredictionError(
                f"{detector}: the answer to {ask.id!r} carries no encoder state. Expected a "
                f"generator that gives them (t5), or 'state' in the predictions"
            )
        states.append(draft.state)
    return states


@dataclass(kw_only=True)
class StateGate(Gate):
    """A detector over encoder states: one Gaussian or more, fitted, kept, and asked how far.

    Attributes:
        fitted: The names of the Gaussians; a file each where they are kept.
        gaussians: What was fitted, by name.
    """

    version: ClassVar[int] = 1
    position: ClassVar[Position] = "with"
    fitted: ClassVar[tuple[str, ...]] = ("known",)

    threshold: float | None = None
    gaussians: dict[str, Gaussian] = field(default_factory=dict, init=False, repr=False)

    def generator_needs(self) -> GeneratorNeeds:
        """The encoder's states."""
        return GeneratorNeeds(states=True)

    def distances(self, name: str, drafts: Sequence[tuple[Ask, Draft | None]]) -> Sequence[float]:
        """How far each question is from what a Gaussian was fitted to.

        Raises:
            UsageError: it was not fitted.
            PredictionError: a draft carries no state.
        """
        if name not in self.gaussians:
            raise UsageError(f"{self.name} was not fitted; see sqlverdict abstain fit")
        states = states_of(self.name, drafts)
        return self.gaussians[name].distance(states) if states else ()

    def save(self, folder: Path) -> None:
        """Write what was fitted."""
        for name, gaussian in self.gaussians.items():
            path = folder / f"{name}.npz"
            saved.write_arrays(path, mean=gaussian.mean, precision=gaussian.precision)

    def load(self, folder: Path) -> None:
        """Read what was fitted."""
        self.gaussians = {
            name: Gaussian(**saved.read_arrays(folder / f"{name}.npz")) for name in self.fitted
        }
