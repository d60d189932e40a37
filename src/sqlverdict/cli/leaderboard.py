"""Rank several systems, with intervals and who cannot be told apart."""

from __future__ import annotations

from pathlib import Path

import click

from sqlverdict.cli._options import as_json, examples, print_json, run_argument


@click.command(
    epilog=examples(
        "sqlverdict leaderboard runs/*",
        "sqlverdict leaderboard runs/a runs/b --metric 'ex[spider]' --markdown",
    )
)
@run_argument("runs", nargs=-1, required=True)
@click.option(
    "--metric", "metrics", multiple=True, help="Repeatable. [default: the first common one]"
)
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@as_json
def leaderboard(
    runs: tuple[Path, ...], metrics: tuple[str, ...], markdown: bool, as_json: bool
) -> None:
    """Rank systems over the cases that all of their runs have and could score.

    Systems that the cases cannot tell apart from the best of their group (McNemar's test with
    Holm's correction) share a rank; that does not show that they are equally good.
    """
    from sqlverdict.cli._show_run import show_notes
    from sqlverdict.errors import UsageError
    from sqlverdict.report import leaderboard as board_of
    from sqlverdict.report import tables
    from sqlverdict.report.run import read_run
    from sqlverdict.report.terminal import Screen

    if markdown and as_json:
        raise UsageError("--markdown and --json exclude each other")
    opened = [read_run(folder) for folder in runs]
    boards = [board_of.leaderboard(opened, metric) for metric in metrics or (None,)]
    if as_json:
        print_json(boards)
        return
    screen = Screen(colour=False if markdown else None)
    for board in boards:
        sentence = (
            f"{tables.count(len(board.places), 'system')} on {board.compared:,} of "
            f"{tables.count(board.common, 'common case')}, by {board.metric}"
        )
        shown = board_of.leaderboard_table(board)
        if markdown:
            click.echo(f"{sentence}\n\n{tables.markdown(shown)}\n")
            for note in (*board_of.group_sentences(board), *board.notes):
                click.echo(f"- {note}")
            continue
        screen.line(sentence, "heading")
        screen.table(shown)
        show_notes(screen, [*board_of.group_sentences(board), *board.notes])
