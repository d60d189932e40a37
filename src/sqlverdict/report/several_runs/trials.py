"""Several runs of one system as trials: how often k of them solve a question, and agreement."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.report.several_runs.comparison import choose_metric, named_otherwise
from sqlverdict.report.several_runs.flips import mark_of
from sqlverdict.report.several_runs.same_cases import check_same_cases
from sqlverdict.runlog.run import Run


@dataclass(frozen=True)
class TrialFigures:
    """The figures for k trials: at least one right, all right.

    Attributes:
        k: How many trials.
        any_right: The share of questions that at least one of k trials solves: pass@k.
        all_right: The share that all of k trials solve.
    """

    k: int
    any_right: float
    all_right: float


@dataclass(frozen=True)
class TrialsReport:
    """Several trials of one system.

    Attributes:
        metric: What says that a trial is right.
        trials: How many runs.
        questions: How many questions every run could score.
        unanimous: The share of these on which all runs say the same.
        figures: By the number of trials.
        unsteady: The questions on which the runs disagree.
        notes: What else is to be said.
    """

    metric: str
    trials: int
    questions: int
    unanimous: float
    figures: tuple[TrialFigures, ...]
    unsteady: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_trials(
    runs: Sequence[Run], metric: str | None = None, *, force: bool = False
) -> TrialsReport:
    """Count how many trials are right on each question that every run could score.

    The figures for k trials are means over all choices of k of the runs: with n runs of which c
    are right, one of k is right in 1 - C(n - c, k) / C(n, k) of the choices.

    Raises:
        UsageError: there are fewer than two runs, one is given twice, they have no metric or no
            scored question in common, or cases of one id differ and it is not forced.
    """
    if len({run.folder.resolve() for run in runs}) < max(2, len(runs)):
        raise UsageError(
            "trials are at least two different runs of one system: give their folders, each once"
        )
    label = choose_metric(runs, metric)
    notes = [*check_same_cases(runs, force=force).notes, *named_otherwise([metric], [label])]
    scored: dict[str, list[bool]] = {}
    ids: set[str] = set()
    for run in runs:
        for result in run.results():
            ids.add(result.id)
            right = mark_of(run, result, label).right
            if right is not None:
                scored.setdefault(result.id, []).append(right)
    whole = {key: sum(rights) for key, rights in scored.items() if len(rights) == len(runs)}
    if not whole:
        raise UsageError("no question was scored in every run")
    if len(whole) < len(ids):
        notes.append(
            f"{count(len(ids) - len(whole), 'question')} not scored in every run: left out"
        )
    unsteady = tuple(key for key, right in whole.items() if 0 < right < len(runs))
    return TrialsReport(
        label,
        len(runs),
        len(whole),
        1 - len(unsteady) / len(whole),
        tuple(_figures(list(whole.values()), len(runs), k) for k in range(1, len(runs) + 1)),
        unsteady,
        tuple(notes),
    )


def trials_by_system(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """The runs that are trials, by the name of their system."""
    systems: dict[str, list[Run]] = {}
    for run in runs:
        if run.manifest.trial_of:
            systems.setdefault(run.manifest.trial_of, []).append(run)
    return systems


def _figures(rights: Sequence[int], runs: int, k: int) -> TrialFigures:
    choices = math.comb(runs, k) * len(rights)
    none = sum(math.comb(runs - right, k) for right in rights)
    every = sum(math.comb(right, k) for right in rights)
    return TrialFigures(k, 1 - none / choices, every / choices)
