"""Score the reliability of runs: RS(c), abstentions, risk and coverage, thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import Heading, option, setting
from sqlverdict.cli.options.shared import (
    FOLDER,
    NAMES,
    OPEN_UNIT,
    NumberRange,
    html_option,
    json_option,
    print_json,
    runs_argument,
    seed_setting,
    write_figures,
)
from sqlverdict.cli.show_run import show_notes
from sqlverdict.cli.write_html import write_html
from sqlverdict.errors import UsageError
from sqlverdict.files.atomic import write_text_at_once
from sqlverdict.report.reliability.comparison import ReliabilityComparison, compare_reliability
from sqlverdict.report.reliability.figures import Reliability, ReliabilityRequest
from sqlverdict.report.reliability.figures import reliability_of as measure
from sqlverdict.report.reliability.page import page, sections
from sqlverdict.report.reliability.plots import reliability_plots
from sqlverdict.report.reliability.systems import rank_reliability
from sqlverdict.report.reliability.systems_tables import (
    board_json,
    board_line,
    board_page,
    board_plots,
    board_sentences,
    board_table,
    views_table,
)
from sqlverdict.report.reliability.tables import reliability_json
from sqlverdict.report.several_runs.same_cases import check_same_cases
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.manifest import write_json_at_once
from sqlverdict.runlog.run import read_run, system_names
from sqlverdict.score.reliability.outcomes import FailurePolicy, Treatment
from sqlverdict.score.reliability.reliability_score import parse_penalty

_FAILURES = {"errors": "error", "timeouts": "timeout", "no-sql": "no_sql"}
"""The names of ``--as-abstention``, with the fields of the policy."""

_EXAMPLES = (
    "sqlverdict reliability runs/mine --penalty 0,10,N",
    "sqlverdict reliability runs/mine --metric verdict --json",
    "sqlverdict reliability runs/mine --as-abstention no-sql --out reliability",
    "sqlverdict reliability runs/mine --baseline runs/other",
    "sqlverdict reliability runs/a runs/b runs/c --penalty 0,10,N --out reliability",
)


@dataclass(frozen=True, kw_only=True)
class ReliabilityArgs:
    """The options of ``reliability``."""

    runs: tuple[Path, ...] = runs_argument()
    baseline: Path | None = option(
        "--baseline",
        type=FOLDER,
        metavar="RUN",
        heading=Heading.DATA,
        help="Compare with another run, case by case.",
    )
    metric: str | None = option(
        "--metric",
        heading=Heading.METRICS,
        help="What says correct: a metric of the run, verdict, proved. [default: what decides]",
    )
    penalty: str = option(
        "--penalty", default="0,10,N", heading=Heading.METRICS, help="Penalties: numbers, or N."
    )
    share: float = setting(
        "share",
        default=0.25,
        type=NumberRange(0, 1),
        metavar="P",
        heading=Heading.METRICS,
        help="The share of unanswerable items in the middle view.",
    )
    as_abstention: tuple[str, ...] = option(
        "--as-abstention",
        type=NAMES,
        default=(),
        metavar="NAME,NAME",
        heading=Heading.METRICS,
        help="Count these as abstentions instead of harm: errors (of SQL), timeouts (and other "
        "limits), no-sql (a text without SQL).",
    )
    risk: str = option(
        "--risk",
        default="0.01,0.05,0.1",
        heading=Heading.METRICS,
        help="Risks to choose thresholds for.",
    )
    delta: float = setting(
        "delta",
        default=0.1,
        type=OPEN_UNIT,
        metavar="P",
        heading=Heading.METRICS,
        help="The chance that a certified threshold fails.",
    )
    seed: int = seed_setting("The seed of the subset and of the intervals.")
    out: Path | None = option(
        "--out", type=FOLDER, help="Write a report, JSON and SVG charts to this folder."
    )
    html: Path | None = html_option()
    as_json: bool = json_option()


@command(ReliabilityArgs, examples=_EXAMPLES)
def reliability(args: ReliabilityArgs) -> None:
    """Score how reliable runs are: right answers and right abstentions against harm.

    One run gets a full report. Several runs are several systems in one table, best first by the
    first penalty above 0; systems that do not differ significantly from the best of their group (a
    paired bootstrap with Holm's correction, on the items that all of them have scored) share a
    rank.

    RS(c) is 1 for a right answer and for an abstention where the question has no answer, 0 for
    any other abstention and for an answer that needs review, and -c for every wrong answer and
    every answer to an unanswerable question. N is the number of items in the view, which are
    the answerable items, all items, or (the middle view) the answerable ones and a share of the
    others.
    """
    request = _request(args)
    if len(args.runs) > 1:
        _several(args, request)
    else:
        _one(args, request)
    if args.html is not None:
        folders = [*args.runs, *([args.baseline] if args.baseline is not None else [])]
        runs = [read_run(folder) for folder in folders]
        write_html(
            args.html, runs, remarks=check_same_cases(runs, force=True).notes, request=request
        )


def _one(args: ReliabilityArgs, request: ReliabilityRequest) -> None:
    run = read_run(args.runs[0])
    report = measure(run, request)
    baseline = comparison = None
    if args.baseline is not None:
        other = read_run(args.baseline)
        baseline = measure(other, request)
        comparison = compare_reliability(run, other, request)
    if args.out is not None:
        _write(args.out, report, baseline, comparison)
    if args.as_json:
        print_json({**reliability_json(report), "comparison": comparison})
        return
    _print(report, comparison, baseline)
    if args.out is not None:
        click.echo(f"\nwritten to {args.out}")


def _several(args: ReliabilityArgs, request: ReliabilityRequest) -> None:
    if args.baseline is not None:
        raise UsageError("--baseline is for one run; name all runs to see them in one table")
    runs = [read_run(folder) for folder in args.runs]
    check_same_cases(runs)
    board = rank_reliability(dict(zip(system_names(runs), runs, strict=True)), request)
    if args.out is not None:
        plots = board_plots(board)
        write_figures(args.out, plots)
        write_json_at_once(args.out / "systems.json", board_json(board))
        write_text_at_once(args.out / "systems.md", board_page(board, plots))
    if args.as_json:
        print_json(board_json(board))
        return
    screen = Screen()
    screen.line(board_line(board), "heading")
    screen.table(board_table(board))
    screen.table(views_table(board))
    show_notes(screen, board_sentences(board))
    if args.out is not None:
        click.echo(f"\nwritten to {args.out}")


def _request(args: ReliabilityArgs) -> ReliabilityRequest:
    penalties = [parse_penalty(part) for part in args.penalty.split(",") if part.strip()]
    try:
        risks = tuple(float(part) for part in args.risk.split(",") if part.strip())
    except ValueError:
        risks = (2.0,)
    if not all(0 < risk < 1 for risk in risks):
        raise UsageError(f"--risk {args.risk!r}: expected shares between 0 and 1, as in 0.01,0.1")
    if not penalties:
        raise UsageError("--penalty names none; write it like 0,10,N")
    return ReliabilityRequest(
        penalties=tuple(dict.fromkeys(penalties)),
        source=args.metric,
        share=args.share,
        policy=_policy(args.as_abstention),
        seed=args.seed,
        risks=tuple(dict.fromkeys(risks)),
        delta=args.delta,
    )


def _policy(names: Sequence[str]) -> FailurePolicy:
    unknown = [name for name in names if name not in _FAILURES]
    if unknown:
        raise UsageError(
            f"--as-abstention {unknown[0]!r}: expected one or more of {', '.join(_FAILURES)}"
        )
    treatments: dict[str, Treatment] = {_FAILURES[name]: "abstain" for name in names}
    return FailurePolicy(**treatments)


def _print(
    report: Reliability, comparison: ReliabilityComparison | None, baseline: Reliability | None
) -> None:
    screen = Screen()
    for section in sections(report, comparison, baseline):
        if section.text and not section.heading:
            screen.line()
        for number, line in enumerate(section.text):
            screen.line(line, "heading" if number == 0 and section.heading else "")
        if section.table is not None:
            screen.table(section.table)


def _write(
    folder: Path,
    report: Reliability,
    baseline: Reliability | None,
    comparison: ReliabilityComparison | None,
) -> None:
    plots = reliability_plots(report, baseline)
    write_figures(folder, plots)
    write_json_at_once(
        folder / "reliability.json", {**reliability_json(report), "comparison": comparison}
    )
    text = page(report, comparison, list(plots), baseline)
    write_text_at_once(folder / "reliability.md", text)
