"""How sure the figures of a risk-coverage curve are, and whether one curve is below another.

Up to :data:`LIMIT` items every item is resampled. Beyond that neighbouring groups are put
together, at most :data:`BINS` of them, and resampled as counts; the interval is then laid around
the figure of the whole curve. Two systems are compared on the items that both answered,
resampled together; beyond the limit by the infinitesimal jackknife, which weighs what each item
adds to the difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum, sqrt
from statistics import NormalDist

from sqlverdict.errors import UsageError
from sqlverdict.score.reliability.curve import RISKS, Curve, augrc, aurc, coverage_at, curve_of
from sqlverdict.score.statistics.intervals import CONFIDENCE, RESAMPLES, z_of
from sqlverdict.score.statistics.resample import generator, multinomial, percentiles
from sqlverdict.score.statistics.significance import PairedTest, bootstrap_p

LIMIT = 2_000
BINS = 200

Figure = Callable[[Curve], float | None]
Item = tuple[float, bool]
"""A confidence, and whether the answer is right."""


@dataclass(frozen=True)
class CurveEstimate:
    """A figure with its interval and how that was found; ``None`` without items."""

    value: float | None
    low: float | None = None
    high: float | None = None
    interval: str = "none"


def curve_figures(risks: Sequence[float] = RISKS) -> dict[str, Figure]:
    """The figures that are reported of a curve, by name."""
    by_name: dict[str, Figure] = {"aurc": aurc, "augrc": augrc}
    for risk in risks:
        by_name[f"coverage_at_{risk:g}"] = partial(_coverage, risk=risk)
    return by_name


def _coverage(curve: Curve, risk: float) -> float:
    return coverage_at(curve, risk).coverage


def curve_intervals(
    curve: Curve,
    only: Mapping[str, Figure] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, CurveEstimate]:
    """Figures of a curve with bootstrap intervals."""
    figures_by_name = curve_figures() if only is None else only
    values = {name: figure(curve) for name, figure in figures_by_name.items()}
    if not curve.items:
        return {name: CurveEstimate(value) for name, value in values.items()}
    whole = curve.items <= LIMIT
    base = curve if whole else _coarse(curve, BINS)
    cells = [n for _, size, bad in base.groups() for n in (bad, size - bad)]
    owners = _owners(cells) if whole else []
    rng = generator(seed)
    samples: dict[str, list[float]] = {name: [] for name in figures_by_name}
    for _ in range(resamples):
        if whole:
            picks = Counter(rng.choices(owners, k=curve.items))
            counts = [picks[cell] for cell in range(len(cells))]
        else:
            counts = multinomial(rng, cells)
        other = _curve_from(base.thresholds, counts)
        for name, figure in figures_by_name.items():
            value = figure(other)
            if value is not None:
                samples[name].append(value)
    intervals = {}
    for name, figure in figures_by_name.items():
        low, high = percentiles(samples[name], CONFIDENCE)
        exact, rough = values[name], figure(base)
        shift = 0.0 if exact is None or rough is None else exact - rough
        low, high = min(max(low + shift, 0.0), 1.0), min(max(high + shift, 0.0), 1.0)
        intervals[name] = CurveEstimate(
            exact, low, high, "bootstrap" if whole else "grouped bootstrap"
        )
    return intervals


def _owners(cells: Sequence[int]) -> list[int]:
    """The number of the cell that each item is in."""
    return [cell for cell, size in enumerate(cells) for _ in range(size)]


def _curve_from(thresholds: Sequence[float], counts: Sequence[int]) -> Curve:
    """The curve with wrong and right items of each group as given; empty groups are left out."""
    confidences: list[float] = []
    answered: list[int] = []
    wrong: list[int] = []
    items = errors = 0
    for value, bad, good in zip(thresholds, counts[::2], counts[1::2], strict=True):
        if bad or good:
            items += bad + good
            errors += bad
            confidences.append(value)
            answered.append(items)
            wrong.append(errors)
    return Curve(confidences, answered, wrong)


def _coarse(curve: Curve, groups: int) -> Curve:
    """The curve at about so many evenly spaced coverages; its points are points of the curve."""
    indexes = []
    goal = 1
    for index in range(len(curve)):
        if curve.answered[index] * groups >= goal * curve.items:
            indexes.append(index)
            goal = curve.answered[index] * groups // curve.items + 1
    return Curve(
        [curve.thresholds[index] for index in indexes],
        [curve.answered[index] for index in indexes],
        [curve.wrong[index] for index in indexes],
    )


@dataclass(frozen=True)
class PairedCurves:
    """Two systems on the items that both answered.

    Attributes:
        figure: What is compared: aurc or augrc.
        a: The first system's figure on these items.
        b: The second's.
        items: How many these are.
        test: The difference b - a, its interval and p-value; below 0 the second is better.
    """

    figure: str
    a: float
    b: float
    items: int
    test: PairedTest


def compare_curves(
    a: Mapping[str, Item],
    b: Mapping[str, Item],
    figure: str = "aurc",
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    limit: int = LIMIT,
) -> PairedCurves:
    """Compare two systems' curves on the items that both answered with a confidence.

    Args:
        a: The first system's items by id.
        b: The second's.
        figure: ``aurc`` or ``augrc``.
        seed: For the bootstrap.
        resamples: How many samples are drawn.
        limit: Items beyond which the jackknife is used.

    Raises:
        UsageError: there is no such figure, or no common item.
    """
    if figure not in _FIGURES:
        raise UsageError(f"curves are compared by {' or '.join(_FIGURES)}, not by {figure!r}")
    common = [case_id for case_id in a if case_id in b]
    if not common:
        raise UsageError("the two systems answered no item in common; compare runs of one set")
    pairs = [[side[case_id] for case_id in common] for side in (a, b)]
    area, influence = _FIGURES[figure]
    curves = [curve_of(*zip(*items, strict=True)) for items in pairs]
    values = [area(curve) or 0.0 for curve in curves]
    difference = values[1] - values[0]
    n = len(common)
    if n > limit:
        pulls = [influence(curve, items) for curve, items in zip(curves, pairs, strict=True)]
        error = sqrt(fsum((second - first) ** 2 for first, second in zip(*pulls, strict=True))) / n
        reach = z_of(CONFIDENCE) * error
        p_value = 2 * NormalDist().cdf(-abs(difference) / error) if error else float(not difference)
        test = PairedTest(
            difference, difference - reach, difference + reach, p_value, "jackknife", "normal", n
        )
        return PairedCurves(figure, values[0], values[1], n, test)
    rng = generator(seed)
    cells_of_items = [_item_cells(curve, items) for curve, items in zip(curves, pairs, strict=True)]
    samples = []
    for _ in range(resamples):
        picks = rng.choices(range(n), k=n)
        areas = []
        for curve, item_cells in zip(curves, cells_of_items, strict=True):
            times = Counter(map(item_cells.__getitem__, picks))
            counts = [times[cell] for cell in range(2 * len(curve))]
            areas.append(area(_curve_from(curve.thresholds, counts)) or 0.0)
        samples.append(areas[1] - areas[0])
    low, high = percentiles(samples, CONFIDENCE)
    p_value = bootstrap_p(samples)
    test = PairedTest(difference, low, high, p_value, "paired bootstrap", "bootstrap", n)
    return PairedCurves(figure, values[0], values[1], n, test)


def _item_cells(curve: Curve, items: Sequence[Item]) -> list[int]:
    """The number of each item's cell: twice its group's, and one more if it is right."""
    indexes = {value: index for index, value in enumerate(curve.thresholds)}
    return [2 * indexes[value] + right for value, right in items]


def _aurc_influence(curve: Curve, items: Sequence[Item]) -> list[float]:
    """How each item pulls the AURC, as the derivative by its weight says."""
    area = aurc(curve) or 0.0
    # Below a group: sums over it and all groups after it of size / answered, and times the risk.
    after: dict[float, tuple[float, float, float]] = {}
    plain = risky = 0.0
    starts = (0, *curve.answered[:-1])
    rows = zip(starts, curve.thresholds, curve.answered, curve.wrong, strict=True)
    for start, value, answered, wrong in reversed(list(rows)):
        share, risk = (answered - start) / answered, wrong / answered
        plain, risky = plain + share, risky + share * risk
        after[value] = (risk, plain, risky)
    pulls = []
    for value, right in items:
        risk, plain, risky = after[value]
        pulls.append((risk - area) + (0.0 if right else plain) - risky)
    return pulls


def _augrc_influence(curve: Curve, items: Sequence[Item]) -> list[float]:
    n, area = curve.items, augrc(curve) or 0.0
    influence: dict[float, tuple[float, float]] = {}
    before = 0
    for (value, size, bad), answered in zip(curve.groups(), curve.answered, strict=True):
        influence[value] = ((before + bad / 2) / n, (n - answered + size / 2) / n)
        before += bad
    return [
        generalised + (0.0 if right else below) - 2 * area
        for generalised, below, right in ((*influence[value], right) for value, right in items)
    ]


_FIGURES: dict[str, tuple[Figure, Callable[[Curve, Sequence[Item]], list[float]]]] = {
    "aurc": (aurc, _aurc_influence),
    "augrc": (augrc, _augrc_influence),
}
