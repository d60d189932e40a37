"""Hold the metrics and judges of runs against human labels: kappa, accuracies, who disagrees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import FILE, as_json, examples, print_json, run_argument

if TYPE_CHECKING:
    from sqlverdict.report.agreement.agreement import AgreementReport, Disagreement
    from sqlverdict.report.terminal.console import Screen

_EXAMPLES = examples(
    "sqlverdict agree runs/mine --labels labels.jsonl --label-field human",
    "sqlverdict agree runs/mine --labels votes.csv --votes ann --votes bob --votes cai",
    "sqlverdict agree runs/mine --labels votes.jsonl --label-field votes --combine consensus",
    "sqlverdict agree runs/mine --labels labels.jsonl --metric flex --json",
    "sqlverdict agree runs/bird runs/spider --labels labels.jsonl --by difficulty",
    "sqlverdict agree runs/o3 runs/gpt --labels labels.jsonl --figure kappa.svg \\",
    "    --combined 'any(ex, *)' --combined 'majority(o3: flex, gpt: flex, ex)'",
)


@click.command(epilog=_EXAMPLES)
@run_argument("runs", nargs=-1, required=True)
@click.option("--labels", type=FILE, required=True, help="People's labels, JSONL, JSON or CSV.")
@click.option("--label-field", help="The label's field. [default: human, label or correct]")
@click.option(
    "--votes", multiple=True, help="Repeatable: an annotator's column, or the field of all votes."
)
@click.option(
    "--combine",
    type=click.Choice(["majority", "consensus"]),
    default="majority",
    show_default=True,
    help="How votes become a label, where the label is no field of its own.",
)
@click.option(
    "--half",
    type=click.Choice(["drop", "0", "1"]),
    default="drop",
    show_default=True,
    help="What a label of 0.5 becomes.",
)
@click.option("--id-field", help="The id's field, or a pattern such as '{set}-{i}'.")
@click.option(
    "--metric", "metrics", multiple=True, help="Repeatable. [default: all, and every judge]"
)
@click.option(
    "--combined",
    multiple=True,
    metavar="RULE(NAME,...)",
    help="Repeatable: judges as one, by any, all, majority or weighted; * is each judge in turn.",
)
@click.option(
    "--by", multiple=True, metavar="TAG", help="Repeatable. [default: difficulty and set]"
)
@click.option("--figure", type=FILE, help="Write the kappas of all as SVG; by the first --by.")
@click.option(
    "--threshold",
    type=float,
    default=1.0,
    show_default=True,
    help="A metric that is not 0 or 1, such as a probability, says right from here on.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals.")
@click.option(
    "--limit", type=click.IntRange(0), default=10, show_default=True, help="Disagreements to show."
)
@as_json
def agree(
    runs: tuple[Path, ...],
    labels: Path,
    limit: int,
    as_json: bool,
    figure: Path | None,
    **said: Any,
) -> None:
    """Hold every metric and judge of the RUNS against human labels.

    Runs of different cases are pooled: one kappa over all. Runs of the same predictions (under
    other judges) stand side by side, and what differs between them is named after its run.
    Verdicts that came with the cases are judges too, called recorded:NAME.

    --combined makes one judge of several: any(ex, flex) says right where either does,
    majority(a, b, c) what most say, weighted(a, b) weighs each by how often it was right on other
    databases.

    EQ is the half of the cases whose results match, NEQ the half whose results differ; FP are
    cases that a metric calls right and people wrong, FN the reverse. Intervals come from a
    bootstrap over cases. A case that a metric left unscored is in none of its figures, and is
    counted. "More labels" says how many would tell two metrics apart with a power of 80%, if the
    difference seen so far is the true one.
    """
    from sqlverdict.load.labels import read_labels
    from sqlverdict.report.agreement.agreement import compare_with_labels
    from sqlverdict.report.agreement.figures import agreement_figure
    from sqlverdict.runlog.run import read_run

    found = compare_with_labels(
        [read_run(folder) for folder in runs],
        read_labels(
            labels,
            label_field=said["label_field"],
            votes=said["votes"],
            id_field=said["id_field"],
            combine=said["combine"],
            half=said["half"],
        ),
        metrics=said["metrics"],
        combined=said["combined"],
        by=said["by"],
        threshold=said["threshold"],
        seed=said["seed"],
    )
    if figure is not None:
        figure.write_text(agreement_figure(found, next(iter(said["by"]), None)), encoding="utf-8")
    if as_json:
        print_json(found)
        return
    _show(found, limit)


def _show(found: AgreementReport, limit: int) -> None:
    from sqlverdict.cli.show_run import show_notes
    from sqlverdict.files.text import count
    from sqlverdict.report.agreement.tables import (
        agreement_table,
        annotator_sentence,
        annotator_table,
        difference_table,
        group_table,
    )
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    people = f"{count(found.matched, 'labelled case')} ({found.source} of {found.labels})"
    screen.line(f"{found.system} against people on {people}", "heading")
    screen.table(agreement_table(found))
    screen.line(
        "  times 100: kappa, accuracy, MCC. EQ, NEQ: accuracy where results match, differ. FP: "
        "the metric says right, people say wrong; FN: the reverse",
        "quiet",
    )
    for tag in found.groups:
        screen.heading(f"Kappa by {tag}, with 95% intervals")
        screen.table(group_table(found, tag))
    screen.table(difference_table(found))
    if found.annotators is not None:
        screen.line()
        screen.line(annotator_sentence(found.annotators))
        screen.table(annotator_table(found.annotators))
    shown = found.disagreements[:limit]
    if shown:
        total = len(found.disagreements)
        more = f", the first {limit} (--limit shows more)" if total > limit else ""
        screen.heading(f"{count(total, 'case')} where people and a metric differ{more}")
    for item in shown:
        _show_item(screen, item)
    show_notes(screen, found.notes)


def _show_item(screen: Screen, item: Disagreement) -> None:
    from sqlverdict.report.terminal.tables import short

    people = "right" if item.label else "wrong"
    votes = ", ".join("-" if vote is None else f"{vote:g}" for vote in item.votes)
    *some, last = item.wrongly_right or item.wrongly_wrong
    names = f"{', '.join(some)} and {last} say" if some else f"{last} says"
    other = "wrong" if item.label else "right"
    voted = f" (votes {votes})" if votes else ""
    screen.line(f"  {item.id} ({item.db_id}): people say {people}{voted}; {names} {other}")
    screen.line(f"    {short(item.question, 150)}", "quiet")
    for gold in item.gold:
        screen.line(f"    gold        {short(gold, 160)}", "quiet")
    screen.line(f"    prediction  {short(item.prediction, 160)}", "quiet")
    for line in item.evidence:
        screen.line(f"    evidence    {short(line, 160)}", "quiet")
