"""A normal distribution fitted to states, and how far a state is from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlverdict.errors import DataError, MissingExtra
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
        np = _numpy()
        if len(states) < 2 or len({len(state) for state in states}) != 1 or not len(states[0]):
            raise DataError(
                f"found {count(len(states), 'encoder state')} to fit a distribution to; expected "
                f"at least two, all of one size. Does the generator give states (t5 does)?"
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
        np = _numpy()
        array = np.asarray(states, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != len(self.mean):
            raise DataError(
                f"states of another size ({array.shape}) than those fitted ({len(self.mean)}): "
                f"they come from another model"
            )
        centred = array - self.mean
        distances: list[float] = np.einsum("ij,jk,ik->i", centred, self.precision, centred).tolist()
        return distances


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as error:
        raise MissingExtra("featmd and featrmd", "abstain") from error
    return numpy
