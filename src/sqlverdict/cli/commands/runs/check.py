"""Gate a run in CI: thresholds and regressions, as an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.label_panel import few_labels, proofs_on, vote_step
from sqlverdict.cli.options.fields import Heading, option
from sqlverdict.cli.options.shared import (
    FILE,
    FOLDER,
    NumberRange,
    force_option,
    json_option,
    print_json,
    run_argument,
    show_option,
)
from sqlverdict.cli.show_run import show_notes
from sqlverdict.errors import UsageError
from sqlverdict.estimate.accuracy import RANDOM_NOTE, estimate_accuracy
from sqlverdict.estimate.gate import MOST_LOOKS, bound_confidence, gate_accuracy
from sqlverdict.estimate.matching import carried_labels
from sqlverdict.files.text import count
from sqlverdict.load.people.labels import read_labels
from sqlverdict.report.one_run.junit import write_checks
from sqlverdict.report.several_runs.gate import GateCondition, GateReport, check_run
from sqlverdict.report.several_runs.gate_rules import (
    Allowance,
    Noise,
    Rules,
    parse_allowance,
    parse_drop,
    parse_maximum,
    parse_minimum,
    parse_regressions,
)
from sqlverdict.report.several_runs.pull_request import pull_request_comment
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import percent
from sqlverdict.runlog.run import Run, check_summary, read_run

_EXAMPLES = (
    "sqlverdict check runs/mine --min 'ex[bird]=0.60'",
    "sqlverdict check runs/mine --baseline runs/main --no-regressions --junit gate.xml",
    "sqlverdict check runs/mine --baseline runs/main --max-drop 1% --max-unscored 2%",
    "sqlverdict check runs/mine --max EXECUTION_ERROR=1% --max needs_review=5",
    "sqlverdict check runs/mine --baseline runs/main-1 --baseline runs/main-2 \\\n"
    "    --baseline runs/main-3 --max-drop noise --format github > comment.md",
    "sqlverdict check runs/mine --min-accuracy 0.8 --labels panel.jsonl",
)


@dataclass(frozen=True, kw_only=True)
class CheckArgs:
    """The options of ``check``."""

    run: Path = run_argument()
    baselines: tuple[Path, ...] = option(
        "--baseline",
        multiple=True,
        type=FOLDER,
        metavar="RUN",
        heading=Heading.DATA,
        help="The run to compare with. Repeat it with runs of the same system: they show how much "
        "of a change is noise.",
    )
    metrics: tuple[str, ...] = option(
        "--metric",
        multiple=True,
        heading=Heading.METRICS,
        help="Compare this metric with the baseline. Repeatable. [default: those of --min, else "
        "the first]",
    )
    minimums: tuple[str, ...] = option(
        "--min",
        multiple=True,
        metavar="METRIC=VALUE",
        heading=Heading.LIMITS,
        help="A minimum. Repeatable.",
    )
    maximums: tuple[str, ...] = option(
        "--max",
        multiple=True,
        metavar="WORD=N|P%",
        heading=Heading.LIMITS,
        help="How many cases may have a verdict or a reason, such as incorrect=10% or "
        "EXECUTION_ERROR=3. Repeatable.",
    )
    no_regressions: bool = option(
        "--no-regressions",
        is_flag=True,
        heading=Heading.LIMITS,
        help="Every case that is right in the baseline is still right.",
    )
    max_regressions: str | None = option(
        "--max-regressions",
        metavar="N|P%|noise",
        heading=Heading.LIMITS,
        help="How many cases that are right in the baseline may not be right now; noise: as many "
        "as a run of the baseline loses against its others.",
    )
    max_drop: str | None = option(
        "--max-drop",
        metavar="P%|noise",
        heading=Heading.LIMITS,
        help="How far a metric may fall below the baseline; noise: as far as a run of the "
        "unchanged system falls in 39 of 40 times.",
    )
    max_unscored: str | None = option(
        "--max-unscored",
        metavar="N|P%",
        heading=Heading.LIMITS,
        help="How many cases may be unscored.",
    )
    min_accuracy: float | None = option(
        "--min-accuracy",
        type=NumberRange(0, 1),
        metavar="P",
        heading=Heading.LABELS,
        help="The least share of answers that people must call right, shown by --labels.",
    )
    labels: Path | None = option(
        "--labels",
        type=FILE,
        heading=Heading.LABELS,
        help="With --min-accuracy: people's votes on drawn pairs; see estimate.",
    )
    looks: int = option(
        "--looks",
        type=click.IntRange(1, MOST_LOOKS),
        default=1,
        heading=Heading.LABELS,
        help="With --min-accuracy: how often the labels are looked at in all, planned before.",
    )
    junit: Path | None = option(
        "--junit", type=FILE, help="Also write the conditions to a JUnit file."
    )
    form: str = option(
        "--format",
        type=click.Choice(["text", "github"]),
        default="text",
        help="github: Markdown for a comment on a pull request, with the questions that changed.",
    )
    show: int = show_option(20, "this many changed questions of each kind, with --format github")
    force: bool = force_option()
    as_json: bool = json_option()


@command(CheckArgs, examples=_EXAMPLES)
def check(args: CheckArgs) -> int:
    """Check a run against conditions. The exit code is 0 if all are met, else 1.

    With several runs of the baseline a case was right if all of them say so, and what they
    disagree about is noise. The check fails closed: a case that was right in the baseline and is
    unscored or missing now is a regression, and a metric without a scored case meets no minimum.
    A run whose log was changed, or does not match its summary, is refused (exit code 2).

    --min-accuracy passes only if the labels show it, by a one-sided bound that a run below the
    minimum passes in at most 6% of draws, over all planned --looks. Too few labels, or drawn cases
    without one, give exit code 7. A label of another prediction of a case holds for this run's if
    the two are identical, or each is proved to answer as the other: so one panel of labels serves
    later runs.
    """
    if args.as_json and args.form == "github":
        raise UsageError("--json and --format github exclude each other")
    rules = Rules(
        minimums=dict(parse_minimum(text) for text in args.minimums),
        maximums=_maximums(args.maximums),
        max_regressions=_regressions(args),
        max_drop=parse_drop(args.max_drop) if args.max_drop is not None else None,
        max_unscored=parse_allowance(args.max_unscored) if args.max_unscored is not None else None,
        metrics=args.metrics,
    )
    baselines = [read_run(folder) for folder in args.baselines]
    run = read_run(args.run)
    for each in (run, *baselines):
        check_summary(each)
    accuracy = _accuracy(args, run)
    report = check_run(run, rules, baselines, accuracy=accuracy, force=args.force)
    if args.junit is not None:
        write_checks(args.junit, f"sqlverdict check {args.run}", report.conditions)
    if args.as_json:
        content = {each.name: getattr(report, each.name) for each in fields(report)}
        print_json({"passed": report.passed} | content)
    elif args.form == "github":
        click.echo(pull_request_comment(report, run, show=args.show), nl=False)
    else:
        _show(report)
    return report.exit_code


def _maximums(texts: Sequence[str]) -> dict[str, Allowance]:
    maximums: dict[str, Allowance] = {}
    for word, allowed in map(parse_maximum, texts):
        if word in maximums:
            raise UsageError(f"--max names {word} twice")
        maximums[word] = allowed
    return maximums


def _regressions(args: CheckArgs) -> Allowance | Noise | None:
    if args.max_regressions is None:
        return Allowance(number=0) if args.no_regressions else None
    if args.no_regressions:
        raise UsageError("--no-regressions is --max-regressions 0; give one of them")
    return parse_regressions(args.max_regressions)


def _accuracy(args: CheckArgs, run: Run) -> GateCondition | None:
    """What the labels say of the run; ``None``: no minimum accuracy is asked for."""
    if args.min_accuracy is None and args.labels is None:
        return None
    if args.min_accuracy is None or args.labels is None:
        raise UsageError("--min-accuracy and --labels go together")
    labels = read_labels(
        args.labels, case_ids=(result.id for result in run.results()), may_guess=False
    )
    carried = carried_labels(run.results(), labels, proofs_on([run]))
    confidence = bound_confidence(args.looks)
    outcome = estimate_accuracy(run.results(), labels, carried=carried, confidence=confidence)
    gate = gate_accuracy(outcome.share, args.min_accuracy, args.looks)
    looks = f", {args.looks} planned looks" if args.looks > 1 else ""
    source = ", taken as drawn at random" if RANDOM_NOTE in outcome.notes else ""
    needed = [f"needs a label: {case}" for case in outcome.needed]
    if without := outcome.share.pending - len(needed):
        needed.append(f"{count(without, 'drawn pair')} without a vote: label goes on with them")
    number = f"({count(outcome.share.labels, 'label')}{looks}{source})"
    if gate.answer == "not shown":
        needed.append(_distance(outcome.share.value, gate.least))
    if gate.answer == "too few labels":
        needed = [*few_labels(outcome), *needed]
    return GateCondition(
        "accuracy by labels",
        f"{gate.answer} {number}"
        if gate.bound is None
        else f"{gate.answer}: at least {percent(gate.bound)} {number}",
        percent(gate.least),
        gate.answer == "shown",
        tuple(needed),
        is_open=gate.answer == "too few labels",
        next_step=vote_step(run, labels, outcome) if gate.answer == "too few labels" else "",
        accuracy=gate,
        notes=outcome.notes,
    )


def _distance(value: float | None, least: float) -> str:
    """What an estimate beside the minimum leaves to do."""
    if value is None or value < least:
        known = percent(value) if value is not None else "not known"
        return f"the estimate, {known}, is below the minimum: mend answers before you label more"
    return (
        f"the estimate is {percent(value)}, and chance could give that to a system below the "
        "minimum: only a new draw with more labels can show more (estimate --plan)"
    )


def _show(report: GateReport) -> None:
    screen = Screen()
    for condition in report.conditions:
        word, style = ("pass", "good") if condition.passed else ("FAIL", "bad")
        screen.line(
            f"{word}  {condition.name}: {condition.actual} (required {condition.required})", style
        )
        for line in condition.detail if not condition.passed else ():
            screen.line(f"        {line}")
        if condition.next_step and not condition.passed:
            screen.line(f"        next: {condition.next_step}")
    show_notes(screen, report.notes)
    screen.line()
    for sentence in report.decided_by:
        screen.line(sentence)
    failed = sum(not condition.passed for condition in report.conditions)
    every = count(len(report.conditions), "condition")
    if failed:
        screen.line(f"{failed} of {every} failed (exit code {report.exit_code})", "bad")
    else:
        screen.line(f"{every} met", "good")
