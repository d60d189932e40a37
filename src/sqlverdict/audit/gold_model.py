"""How likely a gold is wrong: a logistic model over a few features, kept in ``gold_model.json``.

The file names its labels, what was measured and what was assumed. ``bench/audit.py --write`` fits
it anew.

The model looks at features: a few numbers about one gold, each with its words. A feature is 0
where nothing was found, and ``None`` where it could not be looked at; the model then takes the
mean of its labels. Names are those of ``gold_model.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import exp, isfinite, log
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.audit.gold_report import GoldReport, SystemAnswer
from sqlverdict.audit.suspicion import DOUBT, SIGN, Suspicion
from sqlverdict.audit.suspicions.gold_distinct import distinct_against
from sqlverdict.audit.suspicions.systems_agree import same_answers, same_values
from sqlverdict.errors import UsageError
from sqlverdict.report.one_run.case import relation_kinds

MODEL = "gold_model.json"
LEAST_ODDS = 1.05
"""A feature that multiplies the odds by less is not named."""


@dataclass(frozen=True)
class Feature:
    """One number about a gold.

    Attributes:
        name: Its name in the model.
        value: The number; ``None``: it could not be looked at.
        words: What it says about this gold.
        adds: What the model adds to the log-odds for it, measured from the labels' mean.
    """

    name: str
    value: float | None
    words: str
    adds: float = 0.0

    @property
    def odds(self) -> float:
        """By how much it multiplies the odds that the gold is wrong."""
        return exp(max(-50.0, min(50.0, self.adds)))

    @property
    def raises(self) -> bool:
        """Whether something was found that makes the gold more suspect than the average one."""
        return bool(self.value) and self.odds >= LEAST_ODDS


def gold_features(report: GoldReport, raised: Sequence[Suspicion]) -> tuple[Feature, ...]:
    """All features of a gold, in a fixed order.

    Args:
        report: The gold with what systems said to it.
        raised: All suspicions against it.
    """
    by_name = {suspicion.name: suspicion for suspicion in raised}
    return (
        *_systems(report),
        *_signs(raised),
        _distinct(report),
        *_reported(by_name),
    )


def _systems(report: GoldReport) -> list[Feature]:
    compared = [entry for entry in report.answers if entry.right is not None]
    wrong = [entry for entry in compared if not entry.right]
    total = len(compared)
    if not total:
        words = "no system's result was compared with the gold's"
        return [Feature(name, None, words) for name in ("mismatch", "agreement", "same_values")]
    # Systems that are mostly right count more, but all of them together as their number.
    mean = sum(entry.weight for entry in compared) / total
    against = sum(entry.weight for entry in wrong) / mean
    # Half a system on either side: one of one says less than ten of ten.
    odds = log((against + 0.5) / (max(0.0, total - against) + 0.5))
    ran = [entry for entry in wrong if entry.runs]
    alike = [entry for entry in ran if same_values(entry)]
    others = [entry for entry in ran if not same_values(entry)]
    group = max(map(len, same_answers(others)), default=0)
    group = group if group > 1 else 0
    return [
        Feature("mismatch", odds, f"{len(wrong)} of {total} systems do not match the gold"),
        Feature("agreement", group / total if total > 1 else None, _agreement(group, total)),
        Feature(
            "same_values",
            len(alike) / total,
            f"{len(alike)} of {total} systems give the gold's values in another form"
            f"{_kinds(alike)}",
        ),
    ]


def _kinds(entries: Sequence[SystemAnswer]) -> str:
    """The relations between these answers and the gold's, by name."""
    kinds = sorted({kind for entry in entries for kind in relation_kinds(entry.result)})
    return f" ({', '.join(kinds)})" if kinds else ""


def _agreement(group: int, total: int) -> str:
    if total < 2:
        return "one system cannot agree with another"
    if not group:
        return "no two systems agree on another answer"
    return f"{group} of {total} systems agree on another answer"


def _signs(raised: Sequence[Suspicion]) -> list[Feature]:
    """What the gold itself shows: strong signs, and weaker ones."""
    names: dict[str, list[str]] = {SIGN: [], DOUBT: []}
    for suspicion in raised:
        if suspicion.name == "gold_signs":
            names[SIGN] += suspicion.detail.get("counted", ())
            names[DOUBT] += suspicion.detail.get("doubtful", ())
        elif suspicion.feature in names:
            names[suspicion.feature].append(suspicion.name)
    words = {SIGN: "no sign that counts", DOUBT: "no weaker sign"}
    return [
        Feature(name, float(bool(signs)), f"the gold shows {', '.join(signs) or words[name]}")
        for name, signs in names.items()
    ]


def _distinct(report: GoldReport) -> Feature:
    against, of = distinct_against(report)
    words = f"{len(against)} of {of} systems that differ write DISTINCT, the gold does not"
    return Feature("distinct_against", len(against) / of if of else 0.0, words)


def _reported(by_name: Mapping[str, Suspicion]) -> list[Feature]:
    """What no label set has: the coefficients of these are assumed."""
    fails, judge = by_name.get("gold_fails"), by_name.get("judge_disputes")
    limit = fails is not None and bool(fails.detail.get("limit"))
    blamed = judge is not None and bool(judge.detail.get("blamed"))
    return [
        Feature("gold_fails", float(fails is not None and not limit), "the gold fails"),
        Feature("gold_limit", float(limit), "the gold reaches a limit"),
        Feature("gold_self", float("gold_self" in by_name), "the gold does not match itself"),
        Feature("judge_blames", float(blamed), "a judge calls the gold wrong"),
        Feature(
            "judge_holds_right",
            float(judge is not None and not blamed),
            "a judge calls another result right",
        ),
    ]


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

    def weigh(self, features: Sequence[Feature]) -> list[Feature]:
        """The features with what each adds; those that the model does not know add nothing."""
        return [replace(each, adds=self._adds(each)) for each in features]

    def _adds(self, feature: Feature) -> float:
        mean = self.means.get(feature.name, 0.0)
        value = mean if feature.value is None or not isfinite(feature.value) else feature.value
        slope = self.coefficients.get(feature.name, self.assumed.get(feature.name, 0.0))
        return slope * (value - mean)

    def rank(self, features: Sequence[Feature]) -> float:
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
