"""Rank several systems, with intervals and who cannot be told apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import FILE, FOLDER, as_json, examples, print_json, run_arguments
from sqlverdict.files.text import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlverdict.report.several_runs.leaderboard import Leaderboard
    from sqlverdict.report.several_runs.metric_errors import ErrorAnalysis
    from sqlverdict.report.several_runs.ranks import Reranking
    from sqlverdict.report.terminal.tables import TextTable
    from sqlverdict.runlog.run import Run


@click.command(
    epilog=examples(
        "sqlverdict leaderboard runs/*",
        "sqlverdict leaderboard runs/a runs/b --metric 'ex[spider]' --markdown",
        "sqlverdict leaderboard runs/* --metric flex --baseline ex --type C3=prompted",
        "sqlverdict leaderboard runs/* --reference verdict --figures figures",
    )
)
@run_arguments
@click.option(
    "--metric", "metrics", multiple=True, help="Repeatable. [default: the first common one]"
)
@click.option("--baseline", metavar="METRIC", help="Show how ranks change from this metric.")
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="SYSTEM=TYPE",
    help="Repeatable: a system's type, or a JSON file of them; means by type.",
)
@click.option("--reference", metavar="METRIC", help="Show where metrics are wrong by this one.")
@click.option("--labels", type=FILE, help="The same by people's labels, for one run.")
@click.option("--label-field", help="The label's field. [default: human, label or correct]")
@click.option("--id-field", help="The id's field in the labels, or a pattern such as '{set}-{i}'.")
@click.option("--figures", type=FOLDER, help="Write SVG figures of the changed ranks here.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@click.option("--force", is_flag=True, help="Pair cases by id though their texts differ.")
@as_json
def leaderboard(
    runs: tuple[Path, ...], metrics: tuple[str, ...], markdown: bool, as_json: bool, **said: Any
) -> None:
    """Rank systems over the cases that all of their runs have and could score.

    Systems that the cases cannot tell apart from the best of their group (McNemar's test with
    Holm's correction) share a rank; that does not show that they are equally good.

    With --baseline, systems are also ranked by their plain values under each metric, beside their
    rank under the baseline: how many places each moved, the difference of the values, and the
    shares of cases that only the baseline calls right (FP) or only the metric (FN), also by
    difficulty and by --type. With --reference or --labels, each metric's FP and FN rates by that
    reference. --json prints a list of boards, or an object where more than boards was asked for.
    """
    from sqlverdict.errors import UsageError
    from sqlverdict.report.several_runs.comparison import choose_metric
    from sqlverdict.report.several_runs.metric_errors import metric_errors
    from sqlverdict.report.several_runs.ranks import read_types, rerank
    from sqlverdict.report.several_runs.ranks_figures import write_figures
    from sqlverdict.report.several_runs.same_cases import check_same_cases
    from sqlverdict.runlog.run import read_run

    if markdown and as_json:
        raise UsageError("--markdown and --json exclude each other")
    baseline = said["baseline"]
    if baseline is None and (said["figures"] or said["types"]):
        raise UsageError("--figures and --type show how ranks change; name a --baseline metric")
    opened = [read_run(folder) for folder in runs]
    if baseline is not None:
        baseline = choose_metric(opened, baseline)
    forced = check_same_cases(opened, force=said["force"])
    wanted = metrics or _wanted(opened, baseline)
    boards = list(_boards(opened, wanted, asked=bool(metrics)))
    changes: list[Reranking] = []
    if baseline is not None:
        types = read_types(said["types"])
        names = [board.metric for board in boards if board.metric != baseline]
        changes = [rerank(opened, name, baseline, types=types) for name in names]
    errors = None
    if said["reference"] or said["labels"]:
        others = [name for name in metrics if name != said["reference"]]
        errors = metric_errors(opened, others, reference=said["reference"], labels=_labels(said))
    figures = (
        [path for found in changes for path in write_figures(found, said["figures"])]
        if said["figures"]
        else []
    )
    if as_json:
        more = {"changes": changes, "errors": errors, "figures": figures}
        print_json({"boards": boards} | more if changes or errors else boards)
        return
    for note in forced:
        click.echo(f"note: {note}", err=True)
    _show(boards, changes, errors, figures, markdown)


def _wanted(opened: Sequence[Run], baseline: str | None) -> Sequence[str | None]:
    """The first common metric; with a baseline, that and every other common metric."""
    if baseline is None:
        return (None,)
    from sqlverdict.report.several_runs.comparison import choose_metric

    first = choose_metric(opened, baseline)
    others = [
        name
        for name in opened[0].manifest.metrics
        if name != first and all(name in run.manifest.metrics for run in opened)
    ]
    return (first, *others)


def _boards(
    opened: Sequence[Run], wanted: Sequence[str | None], *, asked: bool
) -> Iterator[Leaderboard]:
    """A board a metric; one that nobody asked for by name and that scored nothing is left out."""
    from sqlverdict.errors import UsageError
    from sqlverdict.report.several_runs.leaderboard import leaderboard as board_of

    for number, metric in enumerate(wanted):
        try:
            yield board_of(opened, metric)
        except UsageError:
            if asked or not number:
                raise
            click.echo(f"note: {metric} scored no case in every run: left out", err=True)


def _labels(said: dict[str, Any]) -> Any:
    if said["labels"] is None:
        return None
    from sqlverdict.load.labels import read_labels

    return read_labels(said["labels"], label_field=said["label_field"], id_field=said["id_field"])


def _show(
    boards: Sequence[Leaderboard],
    changes: Sequence[Reranking],
    errors: ErrorAnalysis | None,
    figures: Sequence[Path],
    markdown: bool,
) -> None:
    from sqlverdict.cli.show_run import show_notes
    from sqlverdict.report.several_runs import leaderboard as board_of
    from sqlverdict.report.several_runs.metric_errors import errors_table
    from sqlverdict.report.several_runs.ranks import parts_table, rank_sentence, ranks_table
    from sqlverdict.report.terminal import tables
    from sqlverdict.report.terminal.console import Screen

    screen = Screen(colour=False if markdown else None)

    def block(sentence: str, shown: Sequence[TextTable], notes: Sequence[str]) -> None:
        if not markdown:
            screen.line(sentence, "heading")
            for one in shown:
                screen.table(one)
            show_notes(screen, notes)
            return
        click.echo(f"{sentence}\n")
        for one in shown:
            if one.rows:
                click.echo(f"{tables.markdown(one)}\n")
        for note in notes:
            click.echo(f"- {note}")

    for number, board in enumerate(boards):
        if number:
            screen.line()
        block(
            f"{count(len(board.places), 'system')} on {board.compared:,} of "
            f"{count(board.common, 'common case')}, by {board.metric}",
            [board_of.leaderboard_table(board)],
            [*board_of.group_sentences(board), *board.notes],
        )
    for found in changes:
        screen.line()
        block(
            f"{rank_sentence(found)} ({count(found.cases, 'case')})",
            [
                ranks_table(found),
                parts_table("type", found, found.types),
                parts_table("difficulty", found, found.difficulties),
            ],
            found.notes,
        )
    if errors is not None:
        screen.line()
        block(f"errors of the metrics against {errors.reference}", [errors_table(errors)], ())
    for path in figures:
        click.echo(f"written: {path}", err=True)
