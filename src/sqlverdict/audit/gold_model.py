"""How likely a gold is wrong: a logistic model over a few features, kept in ``gold_model.json``.

The file names its labels, what was measured and what was assumed. ``bench/audit.py --write`` fits
it anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, isfinite
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.audit.features import Feature
from sqlverdict.errors import UsageError

MODEL = "gold_model.json"
LEAST_ODDS = 1.05
"""A feature that multiplies the odds by less is not named."""


@dataclass(frozen=True)
class WeightedFeature:
    """A feature with what it adds to the log-odds, measured from the labels' mean."""

    feature: Feature
    adds: float

    @property
    def odds(self) -> float:
        """By how much it multiplies the odds that the gold is wrong."""
        return exp(max(-50.0, min(50.0, self.adds)))

    @property
    def raises(self) -> bool:
        """Whether something was found that makes the gold more suspect than the average one."""
        return bool(self.feature.value) and self.odds >= LEAST_ODDS


class GoldModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model's numbers.

    Attributes:
        intercept: The log-odds of a gold that is average in every feature.
        coefficients: What one unit of a feature adds to the log-odds.
        means: The mean of each feature among the labels; where a feature is unknown it counts as
            this.
        assumed: Coefficients of features that no label set has, taken from people's judgement.
        provenance: Which labels, how many, and how it was fitted.
    """

    intercept: float
    coefficients: dict[str, float]
    means: dict[str, float]
    assumed: dict[str, float] = {}
    provenance: dict[str, Any] = {}

    def weigh(self, features: Sequence[Feature]) -> list[WeightedFeature]:
        """What each feature adds; those that the model does not know add nothing."""
        return [WeightedFeature(each, self._adds(each)) for each in features]

    def _adds(self, feature: Feature) -> float:
        mean = self.means.get(feature.name, 0.0)
        value = mean if feature.value is None or not isfinite(feature.value) else feature.value
        slope = self.coefficients.get(feature.name, self.assumed.get(feature.name, 0.0))
        return slope * (value - mean)

    def rank(self, features: Sequence[WeightedFeature]) -> float:
        """How likely the gold is wrong, by features that were weighed."""
        return logistic(self.intercept + sum(one.adds for one in features))

    def probability(self, features: Sequence[Feature]) -> float:
        """How likely the gold is wrong, above 0 and below 1."""
        return self.rank(self.weigh(features))


def logistic(x: float) -> float:
    """The probability of some log-odds, without overflow."""
    if x >= 0:
        return 1 / (1 + exp(-min(x, 700.0)))
    grown = exp(max(x, -700.0))
    return grown / (1 + grown)


@cache
def gold_model() -> GoldModel:
    """The model of this version."""
    return read_gold_model(files("sqlverdict.audit").joinpath(MODEL).read_bytes(), MODEL)


def read_gold_model(data: bytes, name: str | Path) -> GoldModel:
    """A model from JSON.

    Raises:
        UsageError: it is no model, or one of its numbers is not finite.
    """
    try:
        model = msgspec.json.decode(data, type=GoldModel)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{name}: not a model of wrong golds ({error})") from error
    numbers = (model.intercept, *model.coefficients.values(), *model.assumed.values())
    if not all(map(isfinite, (*numbers, *model.means.values()))):
        raise UsageError(f"{name}: a number of the model is not finite")
    if set(model.coefficients) != set(model.means):
        raise UsageError(f"{name}: coefficients and means name different features")
    return model
