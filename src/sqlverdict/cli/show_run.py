"""How finished runs are printed, by ``evaluate`` and ``demo``, and trials, also by ``table``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlverdict.errors import NothingEvaluated, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.columns.guess import is_column_note
from sqlverdict.records import Verdict
from sqlverdict.report.files import FILES, HTML, size_notes
from sqlverdict.report.html.bar import luck_sentence
from sqlverdict.report.one_run.classic import classic
from sqlverdict.report.one_run.judge_section import (
    contradiction_lines,
    judge_sentences,
    no_verdict_sentences,
)
from sqlverdict.report.one_run.score_parts import score_sentence
from sqlverdict.report.one_run.sections import (
    ABSTAIN_OPTION,
    Outcome,
    benchmark_name,
    expected_sentences,
    header,
    interactions_table,
    metrics_table,
    reason_table,
    refusal_sentences,
    search_sentences,
    unscored_messages,
    usage_sentences,
    usage_table,
    verdict_table,
    warning_sentences,
)
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import TextTable, percent, printable, table
from sqlverdict.runlog.case_filter import is_lucky
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import VERDICT
from sqlverdict.score.summary import summary_to_json

if TYPE_CHECKING:
    from sqlverdict.report.several_runs.trials import TrialsReport


def show_run(screen: Screen, run: Run) -> None:
    """Metrics, verdicts, reasons, the classic table and notes of one run.

    Which columns were guessed was printed at the start.

    Args:
        screen: Where to.
        run: The run.
    """
    screen.line(header(run), "heading")
    screen.line(score_sentence(run.summary))
    for line in [*search_sentences(run), *_unsearched(run), *_luck(run)]:
        screen.line(line, "warning")
    screen.table(metrics_table(run.summary, run.manifest.binary))
    screen.table(interactions_table(run.summary))
    screen.table(verdict_table(run))
    for line in expected_sentences(run.summary):
        screen.line(f"  {line}")
    screen.table(reason_table(run.summary))
    screen.table(usage_table(run.summary.usage))
    show_classic(screen, run)
    show_judge(screen, run)
    summary = run.summary
    ours = [*run.resumed, *warning_sentences(summary), *usage_sentences(summary.usage)]
    ours += _refusals(run)
    notes = [note for note in run.manifest.notes if not is_column_note(note)]
    show_notes(screen, [*ours, *notes, *unscored_messages(run)])


def _refusals(run: Run) -> list[str]:
    """How to count refusals in words, in the spelling of the command line."""
    return [each.replace(ABSTAIN_OPTION, "--no-sql abstain") for each in refusal_sentences(run)]


def _unsearched(run: Run) -> list[str]:
    """That matches may be luck, where no stage looks for a witness."""
    matches = run.summary.verdicts.get(Verdict.CORRECT, 0)
    if not matches or not {"search", "refute"}.isdisjoint(run.manifest.stages):
        return []
    metrics = ",".join(dict.fromkeys([*run.manifest.metrics, VERDICT]))
    return [
        f"not searched: {count(matches, 'match', 'matches')} may be luck on this data. "
        f"--metrics {shlex.quote(metrics)} looks for data that tell the queries apart"
    ]


def _luck(run: Run) -> list[str]:
    """How many matches a witness on ordinary data refutes, and how to see them."""
    if {"search", "refute"}.isdisjoint(run.manifest.stages):
        return []
    right = [run.verdict(result) is Verdict.CORRECT for result in run.results() if is_lucky(result)]
    sentence = luck_sentence(len(right), sum(right)).removesuffix(".")
    command = shlex.join(["sqlverdict", "show", str(run.folder), "--lucky"])
    return [f"{sentence}. {command}"] if sentence else []


def show_judge(screen: Screen, run: Run, name: str = "") -> None:
    """What a judge was asked, or would have been; contradictions, loudly."""
    sentences = judge_sentences(run.summary)
    if sentences:
        screen.line()
    for line in sentences:
        screen.line(f"{name}{line}")
    for line in no_verdict_sentences(run):
        screen.line(f"  {line}", "warning")
    for line in contradiction_lines(run):
        screen.line(f"{name}{line}", "bad")


def show_classic(screen: Screen, run: Run, title: str = "") -> None:
    """The table of the benchmark's own script, where it has one."""
    script_table = classic(run.manifest.benchmark, run.summary, run.results())
    if script_table is None:
        return
    screen.line()
    if title:
        screen.line(title)
    screen.line(script_table.text)
    for note in script_table.notes:
        screen.line(f"  {note}", "quiet")


def show_runs(screen: Screen, runs: Sequence[Run]) -> None:
    """Several systems of one evaluation: who leads, then each one's verdicts.

    Args:
        screen: Where to.
        runs: Their runs.
    """
    # Loaded late: the run of one system need not wait for it.
    from sqlverdict.report.several_runs.leaderboard import (
        group_sentences,
        leaderboard_table,
        rank_runs,
    )

    first = runs[0]
    screen.line(
        f"{count(len(runs), 'system')} on {benchmark_name(first)}: "
        f"{count(first.summary.cases, 'case')} each, {first.manifest.engine} "
        f"{first.manifest.engine_version}, sqlverdict {first.manifest.sqlverdict}",
        "heading",
    )
    for label in first.manifest.metrics:
        try:
            board = rank_runs(runs, label)
        except UsageError as nothing_common:
            screen.line(f"{label}: {nothing_common}", "warning")
            continue
        screen.table(leaderboard_table(board))
        show_notes(screen, [*group_sentences(board), *board.notes])
    screen.table(verdicts_by_system(runs))
    for run in runs:
        searches = [*search_sentences(run), *_unsearched(run), *_luck(run)]
        for line in [*searches, *expected_sentences(run.summary)]:
            screen.line(f"{run.manifest.system}: {line}")
    for run in runs:
        show_classic(screen, run, f"{run.manifest.system}:")
        show_judge(screen, run, f"{run.manifest.system}: ")
    notes: dict[str, None] = {}
    for run in runs:
        ours = [
            *run.resumed,
            *warning_sentences(run.summary),
            *_refusals(run),
            *unscored_messages(run),
        ]
        own = [f"{run.manifest.system}: {note}" for note in ours]
        notes.update(dict.fromkeys([*run.manifest.notes, *own]))
    show_notes(screen, [note for note in notes if not is_column_note(note)])


def verdicts_by_system(runs: Sequence[Run]) -> TextTable:
    """How often each verdict was given, a column per system."""
    rows = [
        (verdict, *(f"{run.summary.verdicts.get(verdict, 0):,}" for run in runs))
        for verdict in Verdict
        if any(run.summary.verdicts.get(verdict) for run in runs)
    ]
    return table(("verdict", *(run.manifest.system for run in runs)), rows)


def show_notes(screen: Screen, notes: Sequence[str]) -> None:
    """What a user should know, one a line."""
    if notes:
        screen.line()
    for note in notes:
        screen.line(f"note: {printable(note)}", "warning")


def show_end(screen: Screen, runs: Sequence[Run], end: Outcome) -> None:
    """Where the files are, how the command ends, what to try next, and the page, last."""
    screen.line()
    folders = {
        run.folder if not run.manifest.trial_of else _trials(run): run.folder for run in runs
    }
    for where, folder in folders.items():
        names = [name for name in FILES if (folder / name).is_file()]
        screen.line(f"written to {where}: {', '.join(names)}")
    show_notes(screen, [*dict.fromkeys(note for run in runs for note in size_notes(run))])
    if end.exit_code:
        screen.line(f"{end.message} (exit code {end.exit_code})", "bad")
    screen.line(f"next: {_next(runs, end)}", "quiet")
    pages = [run.folder / HTML for run in runs if (run.folder / HTML).is_file()]
    if pages and end.exit_code != NothingEvaluated.exit_code:
        screen.line()
    for page in pages if end.exit_code != NothingEvaluated.exit_code else ():
        screen.line(f"open {shlex.quote(str(page))}")


def _trials(run: Run) -> Path:
    """The folders of all trials of a run's system, as a shell writes them."""
    return run.folder.with_name("trial-*")


def _next(runs: Sequence[Run], end: Outcome) -> str:
    if any(run.summary.judge.get("unavailable") for run in runs):
        return "run the same command again when the judge answers; replies that came are kept"
    if end.exit_code == NothingEvaluated.exit_code:
        return "sqlverdict doctor, with the same data, shows what is wrong with them"
    if runs[0].manifest.trial_of:
        folders = _trials(runs[0])
        # The star is the shell's.
        return f"sqlverdict table {shlex.quote(str(folders.parent))}/{folders.name} --of trials"
    if len(runs) > 2:
        return shlex.join(["sqlverdict", "leaderboard", *(str(run.folder) for run in runs)])
    if len(runs) > 1:
        return shlex.join(["sqlverdict", "compare", str(runs[0].folder), str(runs[1].folder)])
    run = runs[0]
    wrong = (result.id for result in run.results() if run.verdict(result) is Verdict.INCORRECT)
    # The log is read only where the summary says that there is one.
    case_id = next(wrong, None) if run.summary.verdicts.get(Verdict.INCORRECT) else None
    if case_id is None:
        return shlex.join(["sqlverdict", "check", str(run.folder), "--max-unscored", "0"])
    return shlex.join(["sqlverdict", "show", str(run.folder), case_id])


def run_json(run: Run) -> dict[str, Any]:
    """A run as JSON."""
    labels = {"system": run.manifest.system, "benchmark": run.manifest.benchmark}
    notes = [*run.resumed, *run.manifest.notes, *size_notes(run)]
    return labels | summary_to_json(run.summary) | {"notes": notes, "folder": str(run.folder)}


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
