"""Rank several systems, with intervals and groups that do not differ significantly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.gold_columns import gold_columns
from sqlverdict.cli.options.fields import Heading, group, option
from sqlverdict.cli.options.labels import LabelFieldArgs
from sqlverdict.cli.options.shared import (
    FILE,
    FOLDER,
    OVERLAY_FILE,
    figures_option,
    force_option,
    html_option,
    json_option,
    print_json,
    quiet_option,
    runs_argument,
    show_option,
    write_figures,
)
from sqlverdict.cli.show_run import show_notes
from sqlverdict.cli.write_html import write_html
from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.report.reliability.systems import read_rs_name
from sqlverdict.report.several_runs.comparison import choose_metric
from sqlverdict.report.several_runs.golds_board import GoldsBoard, rank_golds
from sqlverdict.report.several_runs.golds_tables import (
    golds_sentences,
    golds_table,
    moving_questions,
    questions_table,
    sets_table,
)
from sqlverdict.report.several_runs.leaderboard import (
    Leaderboard,
    group_sentences,
    leaderboard_table,
)
from sqlverdict.report.several_runs.leaderboard import rank_runs as rank_systems
from sqlverdict.report.several_runs.metric_errors import (
    ErrorAnalysis,
    errors_table,
    metric_errors,
)
from sqlverdict.report.several_runs.ranks import (
    Reranking,
    rank_parts_table,
    rank_sentence,
    ranks_table,
    read_types,
    rerank,
)
from sqlverdict.report.several_runs.ranks_figures import rank_figures
from sqlverdict.report.several_runs.same_cases import check_same_cases
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import TextTable, markdown
from sqlverdict.runlog.run import Run, read_run

_EXAMPLES = (
    "sqlverdict leaderboard runs/*",
    "sqlverdict leaderboard runs/a runs/b --metric 'ex[spider]' --format md",
    "sqlverdict leaderboard runs/* --metric flex --baseline-metric ex --type C3=prompted",
    "sqlverdict leaderboard runs/* --metric verdict --metric 'rs(10)'",
    "sqlverdict leaderboard runs/* --reference sound --format md",
    "sqlverdict leaderboard runs/* --golds old.json --golds experts=fixed.jsonl --html golds.html",
)


@dataclass(frozen=True, kw_only=True)
class LeaderboardArgs:
    """The options of ``leaderboard``."""

    runs: tuple[Path, ...] = runs_argument()
    metrics: tuple[str, ...] = option(
        "--metric",
        multiple=True,
        heading=Heading.METRICS,
        help="Rank by this metric, or by a reliability score such as 'rs(10)' or 'rs(N, verdict)'. "
        "Repeatable. [default: the one that decides]",
    )
    baseline_metric: str | None = option(
        "--baseline-metric",
        metavar="METRIC",
        heading=Heading.METRICS,
        help="Show how ranks change from this metric.",
    )
    types: tuple[str, ...] = option(
        "--type",
        multiple=True,
        metavar="SYSTEM=TYPE",
        heading=Heading.DATA,
        help="A system's type, or a JSON file of them, for means by type. Repeatable.",
    )
    reference: str | None = option(
        "--reference",
        metavar="METRIC",
        heading=Heading.METRICS,
        help="Show where the metrics are wrong according to this one, or to 'sound': a proof says "
        "right, a witness or other rows say wrong, the rest is left out and counted.",
    )
    labels: Path | None = option(
        "--labels",
        type=FILE,
        heading=Heading.LABELS,
        help="Show where the metrics are wrong according to people's labels, for one run.",
    )
    label_fields: LabelFieldArgs = group(LabelFieldArgs)
    golds: tuple[tuple[str, Path], ...] = option(
        "--golds",
        multiple=True,
        type=OVERLAY_FILE,
        metavar="[NAME=]FILE",
        heading=Heading.DATA,
        help="Also rank by these golds: a benchmark's JSON list or gold file, or corrections "
        "(JSONL, CSV). Repeatable.",
    )
    out: Path | None = option(
        "--out",
        type=FOLDER,
        help="With --golds: the folder of the runs under them. [default: golds, in each run]",
    )
    show: int = show_option(20, "this many questions that move systems, with --golds")
    quiet: bool = quiet_option()
    force: bool = force_option()
    figures: Path | None = figures_option("the changed ranks")
    html: Path | None = html_option()
    format: str = option(
        "--format", type=click.Choice(["text", "md"]), default="text", help="How to print it."
    )
    as_json: bool = json_option()


@command(LeaderboardArgs, examples=_EXAMPLES)
def leaderboard(args: LeaderboardArgs) -> None:
    """Rank systems by their values over the cases that all of their runs have.

    Systems that do not differ significantly from the best of their group (McNemar's test with
    Holm's correction, on the cases that every run could score) share a rank; that does not show
    that they are equally good.

    With --baseline-metric, systems are also ranked by their plain values under each metric, beside
    their rank under the baseline: the change of rank, the difference of the values, and the shares
    of cases that only the baseline calls right (FP) or only the metric (FN), also by difficulty
    and by --type. With --reference or --labels, the FP and FN rates of each metric according to
    that reference. A system that is first by a metric and does harm by RS(10), so that never
    answering would be better, is named in a note. --json prints a list of boards, or an object
    if there is more than boards.

    With --golds, every system stands in one table by every set of golds, metric and policy, ranked
    by the value alone, without a test. It says which ranks move and which questions move them, each
    with what is known of its two golds: a proof, a witness, or other answers. Only cases whose
    golds differ are evaluated, into new runs; all other results are those of the run. The inputs
    are read again as the evaluate command of each run names them, so start in the same folder. It
    is refused where anything but the golds changed since.
    """
    if args.format != "text" and args.as_json:
        raise UsageError("--format and --json cannot be combined")
    baseline = args.baseline_metric
    if baseline is None and (args.figures or args.types):
        raise UsageError("--figures and --type show how ranks change; give --baseline-metric")
    runs = [read_run(folder) for folder in args.runs]
    if args.golds:
        _under_golds(runs, args)
        return
    if args.out is not None:
        raise UsageError("--out is for the runs under other golds; give --golds")
    if baseline is not None:
        baseline = choose_metric(runs, baseline)
    forced = check_same_cases(runs, force=args.force)
    boards = list(_boards(runs, args.metrics, baseline))
    changes: list[Reranking] = []
    if baseline is not None:
        types = read_types(args.types)
        names = [
            board.metric
            for board in boards
            if board.metric != baseline and read_rs_name(board.metric) is None
        ]
        changes = [rerank(runs, name, baseline, types=types) for name in names]
    errors = _errors(runs, args)
    figures = [
        path for change in changes for path in write_figures(args.figures, rank_figures(change))
    ]
    if args.html is not None:
        write_html(args.html, runs, remarks=forced.notes)
    if args.as_json:
        more: dict[str, object] = {"changes": changes, "errors": errors, "figures": figures}
        if forced.different:
            more["different_cases"] = forced.different
        whole = changes or errors or forced.different
        print_json({"boards": boards} | more if whole else boards)
        return
    for note in forced.notes:
        click.echo(f"note: {note}", err=True)
    printer = _Printer(args.format)
    revisions = dict.fromkeys(run.manifest.revision for run in runs if run.manifest.revision)
    _show(
        printer, boards, changes, errors, [f"revision of the cases: {each}" for each in revisions]
    )
    for path in figures:
        click.echo(f"written: {path}", err=True)


def _under_golds(runs: Sequence[Run], args: LeaderboardArgs) -> None:
    """Rank systems under several sets of golds.

    Raises:
        UsageError: another option is given that ranks by the runs' own golds alone.
    """
    others = {
        "--baseline-metric": args.baseline_metric,
        "--reference": args.reference,
        "--labels": args.labels,
        "--force": args.force,
    }
    for name, value in others.items():
        if value:
            raise UsageError(f"{name} and --golds cannot be combined")
    columns = gold_columns(runs, args.golds, args.out, quiet=args.quiet or args.as_json)
    board = rank_golds(columns, args.metrics)
    if args.html is not None:
        write_html(args.html, columns[0].runs, golds=(board, columns))
    if args.as_json:
        print_json(board)
        return
    _show_golds(_Printer(args.format), board, args.show)
    for each in board.sets:
        for folder in each.folders.values() if each.file else ():
            click.echo(f"runs by {each.name}: {folder}", err=True)


def _show_golds(printer: _Printer, board: GoldsBoard, most: int) -> None:
    systems, sets = count(len(board.systems), "system"), count(len(board.sets), "set")
    printer.block(f"{systems} under {sets} of golds", [sets_table(board), golds_table(board)], ())
    moving = len(moving_questions(board))
    notes = [*golds_sentences(board), *board.notes]
    if moving > most:
        notes.append(f"{moving - most:,} more questions; --show prints more, --json has all")
    questions = [questions_table(board, most)] if moving and most else []
    printer.screen.line()
    printer.block("what moves", questions, notes)


def _boards(
    runs: Sequence[Run], metrics: Sequence[str], baseline: str | None
) -> Iterator[Leaderboard]:
    """A board for each metric of ``--metric``.

    Without it: the common metric that decides, or with a baseline that and every other common
    metric; of these one that scored nothing is left out.
    """
    names: Sequence[str | None] = metrics or _common_metrics(runs, baseline)
    for index, metric in enumerate(names):
        try:
            yield rank_systems(runs, metric)
        except UsageError:
            if metrics or not index:
                raise
            click.echo(f"note: {metric} scored no case in every run: left out", err=True)


def _common_metrics(runs: Sequence[Run], baseline: str | None) -> Sequence[str | None]:
    if baseline is None:
        return (None,)
    others = [
        name
        for name in runs[0].manifest.metrics
        if name != baseline and all(name in run.manifest.metrics for run in runs)
    ]
    return (baseline, *others)


def _errors(runs: Sequence[Run], args: LeaderboardArgs) -> ErrorAnalysis | None:
    if not args.reference and args.labels is None:
        return None
    labels = None if args.labels is None else args.label_fields.read(args.labels, runs)
    others = [
        name for name in args.metrics if name != args.reference and read_rs_name(name) is None
    ]
    return metric_errors(runs, others, reference=args.reference, labels=labels)


class _Printer:
    """Prints blocks of a sentence, tables and notes, for people or as Markdown."""

    def __init__(self, form: str) -> None:
        self.is_markdown = form == "md"
        self.screen = Screen(colour=False if self.is_markdown else None)

    def block(self, sentence: str, tables: Sequence[TextTable], notes: Sequence[str]) -> None:
        """Print one block."""
        if not self.is_markdown:
            self.screen.line(sentence, "heading")
            for each in tables:
                self.screen.table(each)
            show_notes(self.screen, notes)
            return
        click.echo(f"{sentence}\n")
        for each in tables:
            if each.rows:
                click.echo(f"{markdown(each)}\n")
        for note in notes:
            click.echo(f"- {note}")


def _show(
    printer: _Printer,
    boards: Sequence[Leaderboard],
    changes: Sequence[Reranking],
    errors: ErrorAnalysis | None,
    revisions: Sequence[str],
) -> None:
    for index, board in enumerate(boards):
        if index:
            printer.screen.line()
        printer.block(
            f"{count(len(board.places), 'system')} on {count(board.common, 'common case')}, "
            f"by {board.metric}",
            [leaderboard_table(board)],
            [*group_sentences(board), *board.notes, *revisions],
        )
    for change in changes:
        printer.screen.line()
        printer.block(
            f"{rank_sentence(change)} ({count(change.cases, 'case')})",
            [
                ranks_table(change),
                rank_parts_table("type", change, change.types),
                rank_parts_table("difficulty", change, change.difficulties),
            ],
            change.notes,
        )
    if errors is not None:
        printer.screen.line()
        sentence = f"errors of the metrics against {errors.reference}"
        printer.block(sentence, [errors_table(errors)], ())
