"""From a stream of results to a summary: estimates with intervals, verdicts, slices."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Estimate:
    """A metric over some cases: mean, interval, and how many cases could not be scored."""

    metric: str
    value: float | None
    scored: int
    unscored: int
    low: float | None = None
    high: float | None = None
    interval: str = "none"
    total: float = 0.0
    """The sum of the values: for a binary metric, how many cases are right."""


@dataclass(frozen=True)
class Slice:
    """The estimates over the cases that share a property, such as a database."""

    by: str
    key: str
    cases: int
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True)
class Summary:
    """Everything a report prints about a run."""

    cases: int
    answered: int
    abstained: int
    estimates: tuple[Estimate, ...]
    verdicts: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    slices: tuple[Slice, ...] = ()
