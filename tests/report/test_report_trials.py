"""Several runs of one system as trials."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.report.several_runs.trials import read_trials
from sqlverdict.runlog.run import Run

Scored = Callable[..., Run]
VALUES = ([1.0, 1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0, None], [1.0, 0.0, 0.0, 1.0, 1.0])


def test_figures_are_means_over_all_choices_of_k_runs(scored_run: Scored) -> None:
    report = read_trials([scored_run(f"t{n}", values) for n, values in enumerate(VALUES)])
    for figures in report.figures:
        choices = list(combinations(range(3), figures.k))
        some = sum(any(VALUES[n][q] for n in c) for c in choices for q in range(4))
        every = sum(all(VALUES[n][q] for n in c) for c in choices for q in range(4))
        assert figures.any_right == pytest.approx(some / len(choices) / 4)
        assert figures.all_right == pytest.approx(every / len(choices) / 4)
    assert [figures.k for figures in report.figures] == [1, 2, 3]
    assert (report.questions, report.unanimous, report.unsteady) == (4, 0.5, ("q1", "q3"))
    assert any("1 question not scored in every run" in note for note in report.notes)


def test_trials_are_different_runs_with_something_in_common(scored_run: Scored) -> None:
    run = scored_run("a", [1.0])
    for runs in ([run], [run, run]):
        with pytest.raises(UsageError, match="two different"):
            read_trials(runs)
    with pytest.raises(UsageError, match="no question"):
        read_trials([run, scored_run("b", [None])])
