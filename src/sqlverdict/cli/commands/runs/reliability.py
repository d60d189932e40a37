"""Score a run's reliability: RS(c), abstentions, risk and coverage, thresholds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import FOLDER, as_json, examples, print_json, run_argument

if TYPE_CHECKING:
    from sqlverdict.report.reliability.comparison import ReliabilityComparison
    from sqlverdict.report.reliability.figures import Reliability, ReliabilityRequest

_TREATMENTS = click.Choice(["harm", "abstain"])


@click.command(
    epilog=examples(
        "sqlverdict reliability runs/mine --penalty 0,10,N",
        "sqlverdict reliability runs/mine --by verdict --json",
        "sqlverdict reliability runs/mine --no-sql abstain --out reliability",
        "sqlverdict reliability runs/mine --against runs/other",
    )
)
@run_argument("run")
@click.option("--penalty", default="0,10,N", show_default=True, help="Numbers, or N.")
@click.option(
    "--by",
    metavar="LABEL",
    help="What says correct: a metric of the run, verdict, proved. [default: its first metric]",
)
@click.option(
    "--share",
    default=0.25,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Unanswerable items in the middle view.",
)
@click.option("--errors", default="harm", show_default=True, type=_TREATMENTS, help="SQL errors.")
@click.option("--timeouts", default="harm", show_default=True, type=_TREATMENTS, help="Limits.")
@click.option("--no-sql", default="harm", show_default=True, type=_TREATMENTS, help="Plain text.")
@click.option("--risk", default="0.01,0.05,0.1", show_default=True, help="Risks for thresholds.")
@click.option(
    "--delta",
    default=0.1,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Chance that a certified threshold fails.",
)
@click.option("--against", type=FOLDER, metavar="RUN", help="Compare with another run, paired.")
@click.option("--seed", default=0, show_default=True, help="For the subset and the intervals.")
@click.option("--out", type=FOLDER, help="Write report, JSON and SVG charts there.")
@as_json
def reliability(run: Path, **said: Any) -> None:
    """Score how reliable a run is: right answers and right abstentions against harm.

    RS(c) gives 1 for a right answer and for holding back where there is no answer, 0 for holding
    back elsewhere, and takes c for every wrong answer and every answer to an unanswerable
    question. N is the number of items in the view.
    """
    from sqlverdict.report.reliability.comparison import compare_reliability
    from sqlverdict.report.reliability.figures import reliability as work_out
    from sqlverdict.runlog.run import read_run

    request = _request(said)
    opened = read_run(run)
    found = work_out(opened, request)
    other = compared = None
    if said["against"] is not None:
        against = read_run(said["against"])
        other = work_out(against, request)
        compared = compare_reliability(opened, against, request)
    if said["out"] is not None:
        _write(said["out"], found, other, compared)
    if said["as_json"]:
        print_json(_plain(found, compared))
        return
    _print(found, compared, other)
    if said["out"] is not None:
        click.echo(f"\nwritten to {said['out']}")


def _request(said: dict[str, Any]) -> ReliabilityRequest:
    from sqlverdict.errors import UsageError
    from sqlverdict.report.reliability.figures import ReliabilityRequest
    from sqlverdict.score.reliability.outcomes import FailurePolicy
    from sqlverdict.score.reliability.reliability_score import parse_penalty

    penalties = [parse_penalty(part) for part in said["penalty"].split(",") if part.strip()]
    try:
        risks = tuple(float(part) for part in said["risk"].split(",") if part.strip())
    except ValueError:
        risks = (2.0,)
    if not all(0 < risk < 1 for risk in risks):
        raise UsageError(
            f"--risk {said['risk']!r}: expected shares between 0 and 1, as in 0.01,0.1"
        )
    if not penalties:
        raise UsageError("--penalty names none; write it like 0,10,N")
    return ReliabilityRequest(
        penalties=tuple(dict.fromkeys(penalties)),
        source=said["by"],
        share=said["share"],
        policy=FailurePolicy(said["errors"], said["timeouts"], said["no_sql"]),
        seed=said["seed"],
        risks=tuple(dict.fromkeys(risks)),
        delta=said["delta"],
    )


def _print(
    found: Reliability, compared: ReliabilityComparison | None, other: Reliability | None
) -> None:
    from sqlverdict.report.reliability.page import sections
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    for section in sections(found, compared, other):
        if section.text and not section.heading:
            screen.line()
        for number, line in enumerate(section.text):
            screen.line(line, "heading" if number == 0 and section.heading else "")
        if section.table is not None:
            screen.table(section.table)


def _plain(found: Reliability, compared: ReliabilityComparison | None) -> dict[str, Any]:
    from sqlverdict.report.reliability.tables import reliability_json

    return {**reliability_json(found), "comparison": compared}


def _write(
    folder: Path,
    found: Reliability,
    other: Reliability | None,
    compared: ReliabilityComparison | None,
) -> None:
    from sqlverdict.report.reliability.page import page
    from sqlverdict.report.reliability.plots import reliability_plots
    from sqlverdict.runlog.manifest import write_json

    folder.mkdir(parents=True, exist_ok=True)
    drawn = reliability_plots(found, other)
    for name, svg in drawn.items():
        (folder / name).write_text(svg + "\n", encoding="utf-8")
    write_json(folder / "reliability.json", _plain(found, compared))
    text = page(found, compared, list(drawn), other)
    (folder / "reliability.md").write_text(text, encoding="utf-8")
