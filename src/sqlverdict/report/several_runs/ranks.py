"""How a ranking changes when another metric ranks: FLEX's tables 1, 8 and 9, figures 5 and 7.

Values are over the cases that every run has and scored under both metrics, so that a change of
rank is never a change of cases. A rank is 1 + the number of systems with a higher value: systems
of equal value share it. With the baseline's verdict held against the metric's,

* FP is the share of cases that the baseline calls right and the metric wrong,
* FN the share that the baseline calls wrong and the metric right,

so that, for metrics of 0 and 1, the metric's value less the baseline's is FN - FP.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.text import count, decode_json, few_of, near, read_bytes
from sqlverdict.report.several_runs.comparison import choose_metric
from sqlverdict.report.several_runs.leaderboard import RANK_BY_VALUE
from sqlverdict.report.terminal.tables import TextTable, percent, points, table
from sqlverdict.runlog.run import Run, system_names
from sqlverdict.score.deciding import counted_value
from sqlverdict.score.estimates import UNLABELLED, difficulty_rank
from sqlverdict.score.statistics.pairing import RIGHT

UNTYPED = "untyped"
"""The type of the systems for which none is given, where others have one."""


@dataclass(frozen=True)
class RankShift:
    """One system under both metrics.

    Attributes:
        system: Its name.
        type: What kind of system it is, where given.
        rank: Its rank under the metric.
        before: Its rank under the baseline.
        change: How many places it rose.
        value: The metric's mean.
        baseline: The baseline's mean.
        delta: The one less the other.
        fp: Share of cases that only the baseline calls right.
        fn: Share of cases that only the metric calls right.
    """

    system: str
    type: str
    rank: int
    before: int
    change: int
    value: float
    baseline: float
    delta: float
    fp: float
    fn: float


@dataclass(frozen=True)
class RankPart:
    """Several systems, or one difficulty: means over the systems.

    ``systems`` and ``cases`` say how many stand behind the means.
    """

    key: str
    systems: int
    cases: int
    value: float
    baseline: float
    delta: float
    fp: float
    fn: float


@dataclass(frozen=True)
class Reranking:
    """A ranking by one metric beside that by another.

    Attributes:
        metric: What ranks now.
        baseline: What ranked before.
        cases: Cases behind every figure.
        common: Cases that all runs have.
        shifts: One a system, best first.
        mean_delta: Mean over the systems of the values' differences.
        mean_change: Mean over the systems of the places moved, up or down.
        largest_change: The most places that a system moved.
        types: Means by type of system; empty where no type is given.
        difficulties: Means by difficulty; empty where there is only one.
        notes: What weakens the comparison.
    """

    metric: str
    baseline: str
    cases: int
    common: int
    shifts: tuple[RankShift, ...]
    mean_delta: float
    mean_change: float
    largest_change: int
    types: tuple[RankPart, ...] = ()
    difficulties: tuple[RankPart, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Both:
    value: float
    baseline: float
    level: str


def rerank(
    runs: Sequence[Run],
    metric: str,
    baseline: str = "ex",
    *,
    types: Mapping[str, str] | None = None,
) -> Reranking:
    """Rank systems by a metric, and say how that differs from ranking them by the baseline.

    Args:
        runs: One a system.
        metric: What ranks now; a label that all runs have.
        baseline: What ranked before.
        types: From a system's name to its type.

    Raises:
        UsageError: a run lacks a metric, no case is scored under both in every run, or a type is
            given for a system that is not there.
    """
    if not runs:
        raise UsageError("no run is given; name the folders that evaluate wrote")
    label, before = choose_metric(runs, metric), choose_metric(runs, baseline)
    if label == before:
        raise UsageError(f"the baseline is {label} and so is the metric; name two different ones")
    names = system_names(runs)
    kinds = _types(names, types or {})
    read, common = _read(runs, names, label, before)
    rows = {name: list(cases.values()) for name, cases in read.items()}
    number = len(rows[names[0]])
    totals = {name: _part(name, 1, [rows[name]]) for name in names}
    now = _ranks({name: part.value for name, part in totals.items()})
    was = _ranks({name: part.baseline for name, part in totals.items()})
    shifts = tuple(
        RankShift(
            system=name,
            type=kinds.get(name, ""),
            rank=now[name],
            before=was[name],
            change=was[name] - now[name],
            value=totals[name].value,
            baseline=totals[name].baseline,
            delta=totals[name].delta,
            fp=totals[name].fp,
            fn=totals[name].fn,
        )
        for name in sorted(names, key=lambda name: (now[name], was[name], name))
    )
    left_out = common - number
    notes = [f"{count(left_out, 'common case')} unscored under a metric: left out"]
    return Reranking(
        metric=label,
        baseline=before,
        cases=number,
        common=common,
        shifts=shifts,
        mean_delta=sum(shift.delta for shift in shifts) / len(shifts),
        mean_change=sum(abs(shift.change) for shift in shifts) / len(shifts),
        largest_change=max(abs(shift.change) for shift in shifts),
        types=_by_type(rows, kinds),
        difficulties=_by_level(rows),
        notes=tuple(notes if left_out else ()),
    )


def read_types(texts: Iterable[str]) -> dict[str, str]:
    """Types of systems: ``NAME=TYPE``, or a JSON file of an object from name to type.

    Raises:
        UsageError: a text is neither.
        DataError: the file is not such an object.
    """
    types: dict[str, str] = {}
    for text in texts:
        path = Path(text)
        if path.suffix.lower() == ".json" or path.is_file():
            types |= decode_json(read_bytes(path, DataError), str(path), DataError, dict[str, str])
            continue
        name, equals, kind = text.rpartition("=")
        if not equals or not name or not kind:
            raise UsageError(f"{text!r} is not a type; write SYSTEM=TYPE, or name a .json file")
        types[name] = kind
    return types


def ranks_table(reranking: Reranking) -> TextTable:
    """The ranking with its changes, as FLEX's tables 1, 8 and 9."""
    typed = any(shift.type for shift in reranking.shifts)
    rows = [
        (
            f"{shift.rank} ({arrow(shift.change)})",
            shift.system,
            *((shift.type,) if typed else ()),
            percent(shift.value, 2),
            percent(shift.baseline, 2),
            f"{shift.delta * 100:+.2f}",
            percent(shift.fp, 2),
            percent(shift.fn, 2),
        )
        for shift in reranking.shifts
    ]
    kinds = ("type",) if typed else ()
    # Not the metrics' own values where a case is unscored under one of them: n says so.
    values = [f"{name} (n {reranking.cases:,})" for name in (reranking.metric, reranking.baseline)]
    headers = (RANK_BY_VALUE, "system", *kinds, *values, "Δ", "FP", "FN")
    return table(headers, rows, left=range(1, 2 + typed))


def rank_parts_table(title: str, reranking: Reranking, parts: Sequence[RankPart]) -> TextTable:
    """Means by type or by difficulty."""
    rows = [
        (
            part.key,
            f"{part.systems:,}",
            f"{part.cases:,}",
            percent(part.value),
            percent(part.baseline),
            points(part.delta),
            percent(part.fp, 2),
            percent(part.fn, 2),
        )
        for part in parts
    ]
    return table(
        (title, "systems", "cases", reranking.metric, reranking.baseline, "Δ", "FP", "FN"), rows
    )


def arrow(change: int) -> str:
    """A change of rank as tables print it."""
    return f"↑{change}" if change > 0 else f"↓{-change}" if change < 0 else "-"


def rank_sentence(reranking: Reranking) -> str:
    """The ranking's change in words."""
    return (
        f"from {reranking.baseline} to {reranking.metric}: "
        f"{points(reranking.mean_delta)} points on average, "
        f"{reranking.mean_change:.1f} places moved on average, {reranking.largest_change} at most; "
        f"FP: only {reranking.baseline} calls it right, FN: only {reranking.metric} does"
    )


def _types(names: Sequence[str], types: Mapping[str, str]) -> dict[str, str]:
    unknown = [name for name in types if name not in names]
    if unknown:
        raise UsageError(
            f"a type is given for {unknown[0]!r}, which is not a system here."
            f"{near(unknown[0], names)} There are {few_of(names)}."
        )
    return {name: types.get(name, UNTYPED) for name in names} if types else {}


def _read(
    runs: Sequence[Run], names: Sequence[str], metric: str, baseline: str
) -> tuple[dict[str, dict[str, _Both]], int]:
    """The cases that every run has and scored under both metrics, in the first run's order."""
    read: dict[str, dict[str, _Both]] = {}
    every: list[set[str]] = []
    for name, run in zip(names, runs, strict=True):
        cases: dict[str, _Both] = {}
        seen: set[str] = set()
        for result in run.results():
            seen.add(result.id)
            value, before = (
                counted_value(result, each, binary=each in run.manifest.binary)
                for each in (metric, baseline)
            )
            if value is not None and before is not None:
                cases[result.id] = _Both(value, before, result.difficulty or UNLABELLED)
        read[name] = cases
        every.append(seen)
    shared = set.intersection(*(set(cases) for cases in read.values()))
    if not shared:
        raise UsageError(
            f"no case is scored under {metric} and under {baseline} in every run; nothing to rank"
        )
    order = [case_id for case_id in read[names[0]] if case_id in shared]
    shared_cases = {
        name: {case_id: cases[case_id] for case_id in order} for name, cases in read.items()
    }
    return shared_cases, len(set.intersection(*every))


def _part(key: str, systems: int, rows: Sequence[Sequence[_Both]]) -> RankPart:
    """Means over the systems; each system's cases weigh the same, as all have the same ones."""
    every = [both for cases in rows for both in cases]
    n = len(every)
    value, baseline = sum(both.value for both in every) / n, sum(b.baseline for b in every) / n
    return RankPart(
        key=key,
        systems=systems,
        cases=n // systems,
        value=value,
        baseline=baseline,
        delta=value - baseline,
        fp=sum(both.baseline >= RIGHT > both.value for both in every) / n,
        fn=sum(both.value >= RIGHT > both.baseline for both in every) / n,
    )


def _ranks(values: Mapping[str, float]) -> dict[str, int]:
    # Sums of the same cases: equal up to noise is equal.
    return {
        name: 1 + sum(other > value + 1e-12 for other in values.values())
        for name, value in values.items()
    }


def _by_type(rows: Mapping[str, Sequence[_Both]], kinds: Mapping[str, str]) -> tuple[RankPart, ...]:
    groups: dict[str, list[Sequence[_Both]]] = {}
    for name, kind in kinds.items():
        groups.setdefault(kind, []).append(rows[name])
    return tuple(_part(kind, len(groups[kind]), groups[kind]) for kind in sorted(groups))


def _by_level(rows: Mapping[str, Sequence[_Both]]) -> tuple[RankPart, ...]:
    levels = dict.fromkeys(both.level for cases in rows.values() for both in cases)
    if len(levels) < 2:
        return ()

    return tuple(
        _part(
            level,
            len(rows),
            [[both for both in cases if both.level == level] for cases in rows.values()],
        )
        for level in sorted(levels, key=lambda level: (difficulty_rank(level), level))
    )
