"""Which questions became wrong or right since the baseline, and how much of that is noise.

The baseline may be several runs of one system. A question was right if every run that could score
it calls it right. Where the runs of the baseline disagree about a question, a change of it shows
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sqlverdict.records import Result, Verdict
from sqlverdict.report.one_run.case import prediction_text, separated_text
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import VERDICT, counted_value, verdict_by
from sqlverdict.score.statistics.pairing import RIGHT

_STANDARD_ERRORS = 1.96
"""A run of an unchanged system falls out of the band below once in 40 times."""


@dataclass(frozen=True)
class CaseMark:
    """A case in one run: the metric's value, and whether it was right; ``None``: unscored."""

    value: float | None = None
    right: bool | None = None


@dataclass(frozen=True)
class FlippedCase:
    """A question whose result changed, with both predictions."""

    id: str
    db_id: str
    question: str
    gold: tuple[str, ...]
    before: str
    after: str
    why: str = ""


@dataclass(frozen=True)
class Flips:
    """How a run differs from its baseline under one metric.

    Attributes:
        label: The metric.
        baselines: How many runs the baseline has.
        lost: Questions that were right and are wrong, unscored or absent now.
        gained: Questions that were wrong and are right now.
        unsteady: Questions on which the runs of the baseline disagree and that are not right now.
        right_before: How many questions were right.
        noise_lost: The most questions that one run of the baseline loses against its others;
            ``None`` with one run.
        pairs: How many questions both could score.
        before: The baseline's mean over them.
        after: The run's mean over them.
        drop: How far the mean fell.
        noise_drop: How far a run of the unchanged system may fall below the baseline;
            ``None`` with one run.
    """

    label: str
    baselines: int
    lost: tuple[FlippedCase, ...]
    gained: tuple[FlippedCase, ...]
    unsteady: tuple[FlippedCase, ...]
    right_before: int
    noise_lost: int | None
    pairs: int
    before: float | None
    after: float | None
    drop: float | None
    noise_drop: float | None


def find_flips(run: Run, baselines: Sequence[Run], label: str) -> Flips:
    """Hold a run against the runs of its baseline, question by question.

    Args:
        run: The run.
        baselines: One run of the baseline, or several of the same system.
        label: A metric of all of them.
    """
    history = _history(baselines, label)
    lost: dict[str, FlippedCase] = {}
    gained: dict[str, FlippedCase] = {}
    unsteady: dict[str, FlippedCase] = {}
    absent = dict.fromkeys(history)
    before: list[float] = []
    after: list[float] = []
    variance = 0.0
    for result in run.results():
        marks = history.get(result.id)
        if marks is None:
            continue
        absent.pop(result.id, None)
        now = mark_of(run, result, label)
        values = [mark.value for mark in marks if mark.value is not None]
        if values and now.value is not None:
            before.append(math.fsum(values) / len(values))
            after.append(now.value)
            variance += _variance(values) * (1 + 1 / len(values))
        was = _agreed(marks)
        if was is False and now.right:
            gained[result.id] = _flipped(result, now, label)
        elif was is True and not now.right:
            lost[result.id] = _flipped(result, now, label)
        elif was is None and not now.right and any(mark.right for mark in marks):
            unsteady[result.id] = _flipped(result, now, label)
    changed = (lost, gained, unsteady)
    _add_baseline(baselines, changed, {key for key in absent if _agreed(history[key])})
    several = len(baselines) > 1
    pairs = len(before)
    return Flips(
        label=label,
        baselines=len(baselines),
        lost=tuple(lost.values()),
        gained=tuple(gained.values()),
        unsteady=tuple(unsteady.values()),
        right_before=sum(_agreed(marks) is True for marks in history.values()),
        noise_lost=_own_losses(history.values(), len(baselines)) if several else None,
        pairs=pairs,
        before=_mean(before),
        after=_mean(after),
        # Not the difference of the means: that of 0.73 and 0.72 is above 0.01.
        drop=_mean([old - new for old, new in zip(before, after, strict=True)]),
        noise_drop=_STANDARD_ERRORS * math.sqrt(variance) / pairs if several and pairs else None,
    )


def mark_of(run: Run, result: Result, label: str) -> CaseMark:
    """The mark of a case by one metric: right, wrong or none."""
    value = counted_value(result, label, binary=label in run.manifest.binary)
    return CaseMark() if value is None else CaseMark(value, value >= RIGHT)


def _history(baselines: Sequence[Run], label: str) -> dict[str, list[CaseMark]]:
    history: dict[str, list[CaseMark]] = {}
    for number, run in enumerate(baselines):
        for result in run.results():
            marks = history.setdefault(result.id, [CaseMark()] * len(baselines))
            marks[number] = mark_of(run, result, label)
    return history


def _agreed(marks: Iterable[CaseMark]) -> bool | None:
    """What all runs that scored a case say of it; ``None`` where they disagree or none did."""
    views = {mark.right for mark in marks if mark.right is not None}
    return views.pop() if len(views) == 1 else None


def _own_losses(histories: Iterable[Sequence[CaseMark]], runs: int) -> int:
    """The most cases that one run does not have right and all others have."""
    losses = [0] * runs
    for marks in histories:
        for number in range(runs):
            others = [*marks[:number], *marks[number + 1 :]]
            losses[number] += _agreed(others) is True and not marks[number].right
    return max(losses)


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _variance(values: Sequence[float]) -> float:
    """The variance of one case's values among runs, from a sample."""
    if len(values) < 2:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _flipped(result: Result, now: CaseMark, label: str = "") -> FlippedCase:
    # Another metric than the verdict may call wrong what the evidence calls a match.
    lucky = separated_text(result) if label == VERDICT else ""
    why = lucky or ", ".join(result.reasons)
    needs_review = label == VERDICT and verdict_by(result, label) is Verdict.NEEDS_REVIEW
    if now.right is None or needs_review:
        word = "needs review" if needs_review else "unscored"
        why = f"{word} now, {why}" if why else f"{word} now"
    elif not now.right:
        why = why or "wrong now"
    return FlippedCase(
        result.id,
        result.db_id,
        result.question_line,
        tuple(result.gold),
        "",
        prediction_text(result),
        why,
    )


def _add_baseline(
    baselines: Sequence[Run], changed: Sequence[dict[str, FlippedCase]], absent: set[str]
) -> None:
    """Add the baseline's predictions, and to the first group the cases that the run lacks."""
    lost = changed[0]
    for result in _first_results(baselines, {*absent, *(key for each in changed for key in each)}):
        text = prediction_text(result)
        if result.id in absent:
            lost[result.id] = replace(
                _flipped(result, CaseMark()), before=text, after="", why="not in this run"
            )
        for group in changed:
            if result.id in group and result.id not in absent:
                group[result.id] = replace(group[result.id], before=text)


def _first_results(baselines: Sequence[Run], ids: set[str]) -> Iterator[Result]:
    """The cases of these ids, each from the first run that has it."""
    missing = set(ids)
    for run in baselines:
        if not missing:
            return
        for result in run.results():
            if result.id in missing:
                missing.discard(result.id)
                yield result
