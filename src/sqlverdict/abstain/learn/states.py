"""The encoder states that examples or drafts carry, and what detectors over them share.

A normal distribution is fitted to states; a detector asks how far a state is from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.learn import saved
from sqlverdict.abstain.method import Ask, Draft, GeneratorNeeds, Position, TrainingExample
from sqlverdict.errors import DataError, PredictionError, UsageError
from sqlverdict.files.text import count

_SHRINK = 1e-3


@dataclass(frozen=True)
class Gaussian:
    """A mean and the inverse of a covariance."""

    mean: Any
    precision: Any

    @classmethod
    def of(cls, states: Sequence[Sequence[float]], shrink: float = _SHRINK) -> Gaussian:
        """Fit to states.

        The covariance is mixed with a little of its own mean variance on the diagonal, so that
        it can be inverted where there are fewer states than dimensions, or where a dimension
        never varies.

        Raises:
            DataError: there are fewer than two states, or their sizes differ.
        """
        np = saved.load_numpy("featmd and featrmd")
        if len(states) < 2 or len({len(state) for state in states}) != 1 or not len(states[0]):
            raise DataError(
                f"found {count(len(states), 'encoder state')} to fit a distribution to; expected "
                f"at least two, all of one size. Does the generator give states (t5 does)?",
                reason="empty",
            )
        array = np.asarray(states, dtype=np.float64)
        mean = array.mean(axis=0)
        centred = array - mean
        covariance = centred.T @ centred / len(array)
        scale = float(np.trace(covariance)) / len(mean) or 1.0
        covariance = (1 - shrink) * covariance + shrink * scale * np.eye(len(mean))
        return cls(mean, np.linalg.inv(covariance))

    def distance(self, states: Sequence[Sequence[float]]) -> list[float]:
        """The squared Mahalanobis distance of each state."""
        np = saved.load_numpy("featmd and featrmd")
        array = np.asarray(states, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != len(self.mean):
            raise DataError(
                f"states of another size ({array.shape}) than those fitted ({len(self.mean)}): "
                f"they come from another model",
                reason="mismatch",
            )
        centred = array - self.mean
        distances: list[float] = np.einsum("ij,jk,ik->i", centred, self.precision, centred).tolist()
        return distances


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
                f"generator that gives them (t5), or 'state' in the predictions",
                reason="missing_field",
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
