"""Estimate from a few labels which share of a run's answers people would call right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlverdict.cli.command import command
from sqlverdict.cli.label_panel import proofs_on
from sqlverdict.cli.options.fields import Heading, group, option
from sqlverdict.cli.options.labels import LabelFieldArgs
from sqlverdict.cli.options.shared import (
    FILE,
    NumberRange,
    json_option,
    print_json,
    runs_argument,
)
from sqlverdict.cli.show_run import show_notes
from sqlverdict.errors import UsageError
from sqlverdict.estimate.accuracy import Accuracy, estimate_accuracy, plan_accuracy
from sqlverdict.estimate.difference import (
    AccuracyDifference,
    estimate_difference,
    plan_difference,
)
from sqlverdict.estimate.matching import carried_labels
from sqlverdict.estimate.plan import LabelPlan
from sqlverdict.estimate.share import DrawnStratum
from sqlverdict.estimate.words import (
    accuracy_notes,
    accuracy_sentence,
    difference_plan_sentences,
    difference_sentence,
    plan_sentences,
)
from sqlverdict.label.queue import estimate_stratum
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import TextTable, percent, table
from sqlverdict.runlog.run import Run, read_run

_EXAMPLES = (
    "sqlverdict estimate runs/mine --plan --width 0.15",
    "sqlverdict label runs/mine --queue estimate --n 85",
    "sqlverdict estimate runs/mine --labels runs/mine/labels/votes.jsonl",
    "sqlverdict estimate runs/mine runs/main --labels votes.jsonl",
    "sqlverdict check runs/mine --min-accuracy 0.8 --labels votes.jsonl",
)
_MOST_RUNS = 2


@dataclass(frozen=True, kw_only=True)
class EstimateArgs:
    """The options of ``estimate``."""

    runs: tuple[Path, ...] = runs_argument()
    labels: Path | None = option(
        "--labels",
        type=FILE,
        heading=Heading.LABELS,
        help="People's labels: a vote log of label, or a sheet of cases that were drawn at random.",
    )
    fields: LabelFieldArgs = group(LabelFieldArgs)
    plan: bool = option(
        "--plan",
        is_flag=True,
        heading=Heading.LABELS,
        help="Say how many labels an interval of --width needs, before anybody labels.",
    )
    width: float = option(
        "--width",
        type=NumberRange(0, 1),
        default=0.15,
        metavar="W",
        heading=Heading.LABELS,
        help="With --plan: the width of the interval from end to end; 0.15 is 15 points.",
    )
    as_json: bool = json_option()


@command(EstimateArgs, examples=_EXAMPLES)
def estimate(args: EstimateArgs) -> None:
    """Say which share of a run's answers people would call right, with an interval that holds.

    The labels must be of cases that were drawn by chance: 'label RUN --queue estimate' draws them
    by what the evidence says (proved, accepted, left to people, rejected, failed), which makes
    each label say more. The interval is about these cases, and allows for the chance of the draw
    alone: new questions, and mistakes of the people, are not in it. Labels that cannot tell count
    as not right.

    With two runs the difference of their accuracies is estimated. Questions where both gave the
    same query, or two of which each is proved to answer as the other, need no label: 'label RUN_A
    RUN_B --queue estimate' leaves them out, and --plan says how many labels the others need.
    """
    if args.plan == (args.labels is not None):
        raise UsageError("give either --plan, or --labels FILE")
    runs = [read_run(folder) for folder in args.runs]
    if args.labels is None:
        for run in runs if len(runs) != _MOST_RUNS else ():
            plan = plan_accuracy(run.results(), args.width, estimate_stratum([run]))
            _show_plan(run, plan, as_json=args.as_json)
        if len(runs) == _MOST_RUNS:
            _plan_difference(runs, args.width, as_json=args.as_json)
        return
    labels = args.fields.read(args.labels, runs)
    if len(runs) > _MOST_RUNS:
        raise UsageError(
            f"{len(runs)} runs are named: one gives its accuracy, two their difference"
        )
    prove = proofs_on(runs)
    if len(runs) == 1:
        (run,) = runs
        carried = carried_labels(run.results(), labels, prove)
        _show_accuracy(run, estimate_accuracy(run.results(), labels, carried=carried), args.as_json)
        return
    first, second = runs
    outcome = estimate_difference(first.results(), second.results(), labels, prove)
    _show_difference(runs, outcome, as_json=args.as_json)


def _show_plan(run: Run, plan: LabelPlan, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": str(run.folder), **asdict(plan)})
        return
    _print_plan([run], plan, plan_sentences(plan))


def _plan_difference(runs: Sequence[Run], width: float, *, as_json: bool) -> None:
    first, second = runs
    plan, compared = plan_difference(first.results(), second.results(), width, proofs_on(runs))
    same, proved = len(compared.same), len(compared.proved)
    if as_json:
        folders = [str(run.folder) for run in runs]
        print_json({"runs": folders, "same": same, "proved": proved, **asdict(plan)})
        return
    _print_plan(runs, plan, difference_plan_sentences(plan, same, proved))


def _print_plan(runs: Sequence[Run], plan: LabelPlan, sentences: Sequence[str]) -> None:
    screen = Screen()
    for line in sentences:
        screen.line(line)
    rows = [
        [name, f"{each.size:,}", str(each.labels), percent(each.rate)]
        for name, each in plan.strata.items()
    ]
    screen.table(table(["evidence", "cases", "to label", "expected right"], rows))
    folders = " ".join(str(run.folder) for run in runs)
    screen.line(f"next: sqlverdict label {folders} --queue estimate --n {plan.labels}")


def _show_accuracy(run: Run, outcome: Accuracy, as_json: bool) -> None:
    if as_json:
        print_json({"run": str(run.folder), **asdict(outcome)})
        return
    screen = Screen()
    screen.line(accuracy_sentence(outcome), "heading")
    screen.table(_strata_table(outcome.share.strata))
    show_notes(screen, accuracy_notes(outcome))


def _show_difference(runs: Sequence[Run], outcome: AccuracyDifference, *, as_json: bool) -> None:
    if as_json:
        print_json({"runs": [str(run.folder) for run in runs], **asdict(outcome)})
        return
    screen = Screen()
    names = [run.manifest.system for run in runs]
    screen.line(difference_sentence(outcome, *names), "heading")
    for name, strata in zip(names, (outcome.first, outcome.second), strict=True):
        screen.line(f"answers that {name} alone gave")
        screen.table(_strata_table(strata))
    show_notes(screen, outcome.notes)


def _strata_table(strata: Sequence[DrawnStratum]) -> TextTable:
    rows = [
        [
            each.name,
            f"{each.size:,}",
            str(each.sample),
            str(each.labels),
            str(each.right),
            percent(each.right / each.labels) if each.labels else "",
        ]
        for each in strata
    ]
    return table(["evidence", "cases", "drawn", "labels", "right", "share right"], rows)
