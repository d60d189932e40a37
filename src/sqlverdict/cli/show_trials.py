"""How trials of one system are printed, by ``table`` and by ``evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlverdict.cli.show_run import show_notes
from sqlverdict.files.text import count
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import percent, table

if TYPE_CHECKING:
    from sqlverdict.report.several_runs.trials import TrialsReport


def show_trials(screen: Screen, report: TrialsReport, show: int) -> None:
    """pass@k by k, agreement, and the first questions on which trials disagree."""
    screen.line(
        f"{report.metric}: {count(report.trials, 'trial')} of "
        f"{count(report.questions, 'question')}",
        "heading",
    )
    rows = [(str(f.k), percent(f.any_right), percent(f.all_right)) for f in report.figures]
    screen.table(table(("k", "pass@k", "all of k right"), rows, left=()))
    screen.line()
    screen.line(f"all trials agree on {percent(report.unanimous)} of the questions")
    if report.unsteady and show:
        screen.line(f"they disagree on {', '.join(report.unsteady[:show])}")
    show_notes(screen, report.notes)
