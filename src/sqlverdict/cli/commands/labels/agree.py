"""Compare a run's metrics and judges with human labels, and calibrate verdicts by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.count_labels import CalibrateArgs, write_label_counts
from sqlverdict.cli.options.fields import Heading, group, option
from sqlverdict.cli.options.labels import ContextArgs, LabelArgs, half_option
from sqlverdict.cli.options.llm import LlmArgs
from sqlverdict.cli.options.shared import (
    ANY_PATH,
    NumberRange,
    figures_option,
    json_option,
    options_on_line,
    print_json,
    runs_argument,
    seed_setting,
    show_option,
    write_figures,
)
from sqlverdict.cli.show_run import show_notes
from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.report.agreement.agreement import (
    AgreementReport,
    Disagreement,
    compare_with_labels,
)
from sqlverdict.report.agreement.tables import (
    agreement_figure,
    agreement_table,
    annotator_sentence,
    annotator_table,
    difference_table,
    group_table,
    mode_sentence,
)
from sqlverdict.report.one_run.case import prediction_text
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import short
from sqlverdict.runlog.run import read_run

_EXAMPLES = (
    "sqlverdict agree runs/mine --labels labels.jsonl --label-field human",
    "sqlverdict agree runs/mine --labels wide.csv --votes ann --votes bob --votes cai",
    "sqlverdict agree runs/mine --labels sheet.csv --set annotator-field=who --label-field right",
    "sqlverdict agree runs/mine --labels votes.jsonl --label-field votes --combine consensus",
    "sqlverdict agree runs/mine --labels labels.jsonl --metric flex --json",
    "sqlverdict agree runs/bird runs/spider --labels labels.jsonl --by difficulty",
    "sqlverdict agree runs/o3 runs/gpt --labels labels.jsonl --figures figures \\",
    "    --combined 'any(ex, *)' --combined 'majority(o3: flex, gpt: flex, ex)'",
    "sqlverdict agree runs/mine --labels labels.jsonl --calibrate --out counts.json",
    "sqlverdict evaluate ... --metrics ex,verdict --set confidence=counts.json --out runs/next",
    "sqlverdict agree runs/flex --labels labels.jsonl --context all --model NAME --dry-run",
    "sqlverdict agree runs/flex --labels labels.jsonl --context no_gold --model NAME --max-cost 5",
)


_OF_FIGURES = ("metrics", "combined", "threshold", "by", "seed", "figures", "percent", "show")
"""The options that ``--context`` and ``--calibrate`` do not read."""


@dataclass(frozen=True, kw_only=True)
class AgreeArgs:
    """The options of ``agree``."""

    runs: tuple[Path, ...] = runs_argument()
    labels: LabelArgs = group(LabelArgs)
    combine: Literal["majority", "consensus"] = option(
        "--combine",
        type=click.Choice(["majority", "consensus"]),
        default="majority",
        heading=Heading.LABELS,
        help="How votes become a label, if the label has no field of its own.",
    )
    half: Literal["drop", "0", "1"] = half_option()
    metrics: tuple[str, ...] = option(
        "--metric",
        multiple=True,
        heading=Heading.METRICS,
        help="Only this metric. Repeatable. [default: all, and every judge]",
    )
    combined: tuple[str, ...] = option(
        "--combined",
        multiple=True,
        metavar="RULE(NAME,...)",
        heading=Heading.METRICS,
        help="Several judges as one, by any, all, majority or weighted; * is each judge in turn. "
        "Repeatable.",
    )
    threshold: float = option(
        "--threshold",
        type=NumberRange(0),
        default=1.0,
        metavar="X",
        heading=Heading.METRICS,
        help="A metric that is not 0 or 1, such as a probability, says right from this value on.",
    )
    by: tuple[str, ...] = option(
        "--by",
        multiple=True,
        metavar="TAG",
        help="Group by this tag. Repeatable. [default: difficulty and set]",
    )
    calibration: CalibrateArgs = group(CalibrateArgs)
    context: ContextArgs = group(ContextArgs)
    out: Path | None = option(
        "--out",
        type=ANY_PATH,
        help="With --calibrate: the file of the counts. With --context: the folder of the new "
        "runs. [default: ablation]",
    )
    seed: int = seed_setting("The seed of the intervals.")
    figures: Path | None = figures_option("the kappas, grouped by the first --by")
    percent: bool = option(
        "--percent", is_flag=True, help="Print all figures times 100, as papers do."
    )
    show: int = show_option(10, "this many disagreements")
    as_json: bool = json_option()


@command(AgreeArgs, examples=_EXAMPLES)
def agree(args: AgreeArgs) -> None:
    """Compare every metric and judge of the runs with human labels.

    Runs of different cases are pooled: one kappa over all. Runs of the same predictions (under
    other judges) stand side by side, and what differs between them is named after its run.
    Verdicts that came with the cases are judges too, called recorded:NAME.

    --combined makes one judge of several: any(ex, flex) says right if either does,
    majority(a, b, c) what most say, weighted(a, b) weights each by how often it was right on other
    databases.

    EQ is the half of the cases whose results match, NEQ the half whose results differ; FP are
    cases that a metric calls right and people wrong, FN the reverse. Intervals come from a
    bootstrap over cases. A case that a metric left unscored is in none of its figures, and is
    counted. "More labels" is how many labels would separate two metrics with a power of 80%, if
    the difference so far is the true one. Labels of people who saw results without SQL
    (label --without-sql) are compared with labels of people who saw the queries.

    --calibrate counts the labels in each situation. The runs need the metric verdict, and one
    engine. Your labels say how lenient your people are, which moves the package's rates for all
    situations; then each situation counts its own labels beside 5 of the package. With fewer than
    50 labels the bounds stay wide. How well the counts predict labels is measured by
    cross-validation over questions, and printed beside what the package's counts alone would give.

    --context measures what each part of a judge's context contributes: the judge flex asks --model.
    The evaluate command of the run is read again for the cases and the predictions, so start in the
    same folder. Each context is a run in --out with the metrics ex and flex, about the
    labelled cases. The contexts are those of FLEX's tables 4 and 5: full (results only where they
    differ), no_results, results_in_both, no_question, no_knowledge, no_criteria, no_gold. Run the
    same command again to continue; cached replies are not paid for again.
    """
    runs = [read_run(folder) for folder in args.runs]
    labels = args.labels.fields.read(args.labels.labels, runs, args.combine, args.half)
    if args.context.contexts:
        _check_options((*_OF_FIGURES, *_names(CalibrateArgs)), "cannot be combined with --context")
        if len(args.runs) > 1:
            raise UsageError("--context takes one run, whose judge is asked again")
        # Imported here: the rest of the command evaluates nothing, and starts sooner without it.
        from sqlverdict.cli.judge_contexts import compare_contexts

        out = args.out or Path("ablation")
        compare_contexts(args.runs[0], labels, args.context, out, as_json=args.as_json)
        return
    _check_options(_names(ContextArgs), "goes with --context NAME")
    if args.calibration.calibrate:
        _check_options((*_OF_FIGURES, "as_json"), "cannot be combined with --calibrate")
        if args.out is None:
            raise UsageError("--calibrate goes with --out FILE, the file of the counts")
        write_label_counts(runs, labels, args.labels.labels.stem, args.calibration, args.out)
        return
    _check_options(_names(CalibrateArgs), "goes with --calibrate")
    _check_options(("out",), "goes with --calibrate or --context NAME")
    report = compare_with_labels(
        runs,
        labels,
        metrics=args.metrics,
        combined=args.combined,
        by=args.by,
        threshold=args.threshold,
        seed=args.seed,
    )
    if args.figures is not None:
        figure = agreement_figure(report, next(iter(args.by), None))
        (path,) = write_figures(args.figures, {"kappa.svg": figure})
        click.echo(f"written: {path}", err=True)
    if args.as_json:
        print_json(report.as_record())
        return
    _show(report, args.show, in_percent=args.percent)


def _names(group_kind: type[CalibrateArgs | ContextArgs]) -> Sequence[str]:
    return [each.name for each in fields(group_kind)] + (
        [each.name for each in fields(LlmArgs)] if group_kind is ContextArgs else []
    )


def _check_options(names: Sequence[str], problem: str) -> None:
    for name, spelling in options_on_line().items():
        if name in names:
            raise UsageError(f"{spelling} {problem}")


def _show(report: AgreementReport, most: int, *, in_percent: bool) -> None:
    screen = Screen()
    people = f"{count(report.matched, 'labelled case')} ({report.source} of {report.labels})"
    screen.line(f"{report.system} compared with people on {people}", "heading")
    screen.table(agreement_table(report, in_percent=in_percent))
    screen.line(
        f"  {'times 100. ' if in_percent else ''}EQ, NEQ: accuracy where results match, differ. "
        "FP: the metric says right, people say wrong; FN: the reverse",
        "quiet",
    )
    for tag in report.groups:
        screen.heading(f"Kappa by {tag}, with 95% intervals")
        screen.table(group_table(report, tag, in_percent=in_percent))
    screen.table(difference_table(report, in_percent=in_percent))
    if report.annotators is not None:
        screen.line()
        screen.line(annotator_sentence(report.annotators, in_percent=in_percent))
        screen.table(annotator_table(report.annotators, in_percent=in_percent))
    if report.modes is not None:
        screen.line(mode_sentence(report.modes, in_percent=in_percent))
    items = report.disagreements[:most]
    if items:
        total = len(report.disagreements)
        more = f", the first {most} (--show prints more)" if total > most else ""
        screen.heading(f"{count(total, 'case')} where people and a metric differ{more}")
    for item in items:
        _show_item(screen, item)
    show_notes(screen, report.notes)


def _show_item(screen: Screen, item: Disagreement) -> None:
    case = item.result
    people = "right" if item.label else "wrong"
    votes = ", ".join("-" if vote is None else f"{vote:g}" for vote in item.votes)
    *some, last = item.metrics
    names = f"{', '.join(some)} and {last} say" if some else f"{last} says"
    other = "wrong" if item.label else "right"
    voted = f" (votes {votes})" if votes else ""
    screen.line(f"  {case.id} ({case.db_id}): people say {people}{voted}; {names} {other}")
    screen.line(f"    {short(case.question_line, 150)}", "quiet")
    for gold in case.gold:
        screen.line(f"    gold        {short(gold, 160)}", "quiet")
    screen.line(f"    prediction  {short(prediction_text(case), 160)}", "quiet")
    for line in item.evidence:
        screen.line(f"    evidence    {short(line, 160)}", "quiet")
