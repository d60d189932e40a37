"""Reproduce a paper's tables and figures: our values beside the printed ones."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import Heading, argument, option
from sqlverdict.cli.options.shared import FOLDER, json_text
from sqlverdict.errors import UsageError
from sqlverdict.files.atomic import write_text_at_once
from sqlverdict.papers.exhibit import Paper
from sqlverdict.papers.output import (
    all_cells,
    cell_table,
    paper_json,
    summary_line,
    write_files,
)
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.reproduce import (
    Reproduction,
    choose_exhibits,
    load_paper,
    paper_names,
    reproduce_exhibits,
)
from sqlverdict.pipeline import Options
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.progress import LiveProgress

_DATA = "SQLVERDICT_DATA"


@dataclass(frozen=True, kw_only=True)
class ReproduceArgs:
    """The options of ``reproduce``."""

    paper: str = argument(type=click.Choice(paper_names()), metavar="PAPER")
    data: Path | None = option(
        "--data",
        type=FOLDER,
        heading=Heading.DATA,
        help=f"The folder of published files; docs/papers.md says which go where. "
        f"[default: ${_DATA}]",
    )
    table: tuple[str, ...] = option(
        "--table",
        multiple=True,
        metavar="NAME",
        heading=Heading.DATA,
        help="Only this one: 4, 'figure 7'; repeatable.",
    )
    out: Path | None = option(
        "--out",
        type=FOLDER,
        help="Write a page, figures and JSON to this folder, and keep the runs there: the same "
        "command continues them.",
    )
    as_json: bool = option(
        "--json",
        is_flag=True,
        help="Print JSON (values as the paper counts them, in percent where it does).",
    )


@command(
    ReproduceArgs,
    examples=[
        "sqlverdict reproduce etm --data data --out etm",
        "sqlverdict reproduce etm --data data --table 4 --table 'figure 7'",
        "sqlverdict reproduce etm                  # what needs no data, and the demo",
    ],
)
def reproduce(args: ReproduceArgs) -> None:
    """Compute the tables and figures of PAPER, and print them beside the printed values.

    Each value of ours stands beside the paper's, with the difference and its reason. A value that
    is the paper's at the precision it prints is "equal". What needs a file that is not in the data
    folder says which, and where it is published; what was never published says so. Some tables
    then show their form on the embedded demo, whose systems are made up.
    """
    paper = load_paper(args.paper)
    exhibits = choose_exhibits(paper, args.table)
    data = _data_folder(args)
    with ExitStack() as stack:
        out = args.out or Path(stack.enter_context(TemporaryDirectory()))
        live = sys.stderr.isatty()
        progress = stack.enter_context(LiveProgress()) if live else None
        work = PaperData(data, out, Options(progress=progress), lambda text: _tell(text, live))
        results = list(reproduce_exhibits(paper, exhibits, work))
    if data is None or not (work.has_files or _has_part(paper, data)):
        _say_what_lacks(paper, results, data)
    content = json_text(paper_json(paper, results))
    if args.out is not None:
        page = write_files(args.out, paper, results)
        write_text_at_once(args.out / f"{paper.name}.json", content + "\n")
        click.echo(f"written: {page}", err=True)
    if args.as_json:
        click.echo(content)
    else:
        _print(paper, results)


def _data_folder(args: ReproduceArgs) -> Path | None:
    """The folder of the published files.

    Raises:
        UsageError: there is no such folder.
    """
    text = os.environ.get(_DATA, "")
    folder = args.data or (Path(text) if text else None)
    if folder is not None and not folder.is_dir():
        name = "--data" if args.data is not None else _DATA
        raise UsageError(f"{name}: {folder} is not a folder. Expected one with published files")
    return folder


def _has_part(paper: Paper, data: Path) -> bool:
    """Whether a folder has some of the paper's files: what lacks then is named table by table."""
    return any((data / path).exists() for path in paper.sources)


def _say_what_lacks(paper: Paper, results: Sequence[Reproduction], data: Path | None) -> None:
    """Say what belongs into a data folder.

    Raises:
        UsageError: no value could be computed without it.
    """
    if data is not None and not any(each.exhibit.compute for each in results):
        return  # Nothing was looked for.
    files = "\n".join(f"  {path}: {what}" for path, what in paper.sources.items())
    text = (
        f"no data folder; give --data DIR, or set {_DATA} to a folder. What to put there:\n{files}"
        if data is None
        else f"{data} has none of the files that this reads. Expected there:\n{files}"
    )
    if not any(cell.ours is not None for result in results for cell in result.cells):
        raise UsageError(f"there is no data to compute it from: {text}")
    click.echo(f"note: {text}", err=True)


def _tell(text: str, live: bool) -> None:
    if not live:
        click.echo(text, err=True)


def _print(paper: Paper, results: Sequence[Reproduction]) -> None:
    screen = Screen()
    screen.line(paper.title, "heading")
    for result in results:
        heading = f"{result.exhibit.heading}: {result.exhibit.title}"
        screen.heading(heading[:1].upper() + heading[1:])
        if result.exhibit.about:
            screen.line(result.exhibit.about)
        if result.note:
            screen.line(result.note, "warning")
        if result.exhibit.command:
            screen.line(f"on files of your own: {result.exhibit.command}", "quiet")
        screen.table(cell_table(result.cells))
    screen.line()
    screen.line(summary_line(all_cells(results)))
