"""The conditions of a gate as users write them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.reasons import Reason
from sqlverdict.records import Verdict

Noise = Literal["noise"]
NOISE: Final[Noise] = "noise"
"""As much as the runs of the baseline differ among themselves."""

UNBOUNDED = frozenset({"ves", "r_ves"})
"""Metrics that may be above 1."""


@dataclass(frozen=True)
class Allowance:
    """How many cases may be so: a number, or a share of all."""

    number: int | None = None
    share: float | None = None

    def most(self, cases: int) -> int:
        """The largest number that is still allowed."""
        return self.number if self.number is not None else math.floor((self.share or 0.0) * cases)

    def __str__(self) -> str:
        return f"{self.number:,}" if self.number is not None else f"{(self.share or 0) * 100:g}%"


@dataclass(frozen=True)
class Rules:
    """What a run must meet.

    Attributes:
        minimums: The least value of a metric, by label.
        maximums: How many cases may have a verdict or a reason, by its word.
        max_regressions: How many cases that are right in the baseline may not be right now.
        max_drop: How far a metric may fall below the baseline, as a fraction.
        max_unscored: How many cases may be unscored.
        metrics: The metrics that are held against the baseline; empty: those with a minimum,
            else the one that decides.
    """

    minimums: Mapping[str, float] = field(default_factory=dict)
    maximums: Mapping[str, Allowance] = field(default_factory=dict)
    max_regressions: Allowance | Noise | None = None
    max_drop: float | Noise | None = None
    max_unscored: Allowance | None = None
    metrics: tuple[str, ...] = ()

    @property
    def need_baseline(self) -> bool:
        """Whether a run must be held against another."""
        return self.max_regressions is not None or self.max_drop is not None

    @property
    def need_noise(self) -> bool:
        """Whether the baseline must have been run several times."""
        return NOISE in (self.max_regressions, self.max_drop)


def parse_minimum(text: str) -> tuple[str, float]:
    """Read ``ex[bird]=0.60`` or ``ex=60%``.

    Raises:
        UsageError: it is neither, or a fraction above 1 of a metric that has none.
    """
    label, sign, number = (part.strip() for part in text.rpartition("="))
    value = _number(number)
    if sign and value is not None and value > 1 and label.partition("[")[0] not in UNBOUNDED:
        raise UsageError(
            OptionName("min", text),
            f": {label} lies between 0 and 1. Write {label}={number.rstrip('%')}% "
            f"or {label}={value / 100:g}"
            if value <= 100 and not number.endswith("%")
            else f": {label} lies between 0 and 1, that is 0% and 100%",
        )
    if not sign or not label or value is None:
        raise UsageError(
            OptionName("min", text), ": expected METRIC=VALUE such as ex[bird]=0.60 or ex=60%"
        )
    return label, value


def parse_maximum(text: str) -> tuple[str, Allowance]:
    """Read ``incorrect=10%`` or ``EXECUTION_ERROR=3``.

    Raises:
        UsageError: it is neither, or the word is no verdict and no reason.
    """
    word, sign, number = (part.strip() for part in text.rpartition("="))
    known = [*map(str, Verdict), *map(str, Reason)]
    if not sign or word not in known:
        raise UsageError(
            OptionName("max", text),
            ": expected WORD=N or WORD=P%, where WORD is a verdict "
            f"({', '.join(Verdict)}) or a reason such as EXECUTION_ERROR (docs/words.md)",
        )
    return word, parse_allowance(number, OptionName("max", text))


def parse_drop(text: str) -> float | Noise:
    """Read how far a metric may fall: ``0.01`` or ``1%``, both one percentage point; ``noise``.

    Raises:
        UsageError: it is none of these, or negative.
    """
    if text.strip() == NOISE:
        return NOISE
    value = _number(text)
    if value is None or not 0 <= value <= 1:
        raise UsageError(
            OptionName("max_drop", text), ": expected a fraction such as 0.01, 1%, or noise"
        )
    return value


def parse_regressions(text: str) -> Allowance | Noise:
    """Read ``3`` (cases), ``1%`` (of the cases that were right) or ``noise``.

    Raises:
        UsageError: it is none of these.
    """
    if text.strip() == NOISE:
        return NOISE
    return parse_allowance(text, OptionName("max_regressions", text))


def parse_allowance(text: str, option: OptionName | None = None) -> Allowance:
    """Read ``5`` (cases) or ``2%`` (of all cases).

    Args:
        text: What the user wrote.
        option: What it was written for; by default the cases that may be unscored.

    Raises:
        UsageError: it is neither.
    """
    if re.fullmatch(r"[0-9]+", text.strip()):
        return Allowance(number=int(text))
    share = _number(text) if text.strip().endswith("%") else None
    if share is None or not 0 <= share <= 1:
        option = option or OptionName("max_unscored", text)
        raise UsageError(option, ": expected a number of cases, or a share like 2%")
    return Allowance(share=share)


def _number(text: str) -> float | None:
    """A fraction, written as such or in percent."""
    text = text.strip()
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
