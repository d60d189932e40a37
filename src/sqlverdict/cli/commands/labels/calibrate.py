"""Estimate from human labels how often each kind of verdict is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlverdict.cli.command import command, group, option
from sqlverdict.cli.options.labels import LabelArgs
from sqlverdict.cli.options.shared import FILE, runs_argument
from sqlverdict.confidence import NO_LABELS, LabelSet, Models, built_in, write_models
from sqlverdict.errors import NothingEvaluated, UsageError
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.text import count
from sqlverdict.load.people.labels import LabelIndex
from sqlverdict.policies import POLICIES
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import table
from sqlverdict.runlog.run import Run, read_run
from sqlverdict.score.calibration import (
    LabelledResult,
    calibration,
    cross_validated,
    forecasts_of,
    with_own,
)

_EXAMPLES = (
    "sqlverdict evaluate ... --metrics ex,verdict --out runs/mine",
    "sqlverdict calibrate runs/mine --labels labels.jsonl --out counts.json",
    "sqlverdict evaluate ... --metrics ex,verdict --confidence counts.json --out runs/next",
)


@dataclass(frozen=True, kw_only=True)
class CalibrateArgs:
    """The options of ``calibrate``."""

    runs: tuple[Path, ...] = runs_argument()
    labels: LabelArgs = group(LabelArgs)
    out: Path = option("--out", type=FILE, required=True, help="The file of the counts.")
    about: str = option(
        "--about", default="", help="What was labelled, and by whom; the file says so."
    )
    alone: bool = option(
        "--alone", is_flag=True, help="Leave out the counts that come with the package."
    )


@command(CalibrateArgs, examples=_EXAMPLES)
def calibrate(args: CalibrateArgs) -> None:
    """Count people's labels in each situation of one or several runs.

    The runs need the metric verdict, all under one policy. The counts are added to those of the
    package, which count in each situation as 5 labels at most, or stand alone. How well the counts
    predict labels is measured by cross-validation over questions, and printed beside what the
    package's counts alone would give.
    """
    runs = [read_run(folder) for folder in args.runs]
    policy = _policy(runs)
    name = args.labels.labels.stem
    labels = args.labels.read()
    labelled = _labelled(runs, LabelIndex(labels), name)
    alike = POLICIES[policy].alike
    models: Models = {} if args.alone else built_in()
    before = models.get(policy, NO_LABELS)
    measured = cross_validated(labelled, alike, before, name)
    model = with_own(before, labelled, name)
    label_set = LabelSet(name, args.about or f"labels of {name}", len(labelled))
    sets = (*(one for one in before.sets if one.name != name), label_set)
    write_at_once(args.out, write_models({**models, policy: replace(model, sets=sets)}))
    screen = Screen()
    screen.line(f"{count(len(labelled), 'labelled case')}, policy {policy}", "heading")
    rows = [
        (f"{b.low:.1f} to {b.high:.1f}", f"{b.cases:,}", f"{b.predicted:.3f}", f"{b.right:.3f}")
        for b in measured.bins
    ]
    screen.table(table(("stated", "cases", "mean stated", "right"), rows))
    screen.line(f"  cross-validated: calibration error {measured.error:.3f}")
    package = calibration(forecasts_of(built_in()[policy], labelled, alike)).error
    screen.line(f"  the package's counts on these labels: {package:.3f}")
    screen.line(f"written to {args.out}: use it with evaluate --confidence {args.out}")


def _policy(runs: Sequence[Run]) -> str:
    policies = sorted({run.manifest.policy for run in runs})
    if policies == ["results"]:
        raise UsageError(
            "the runs have no verdicts to calibrate: evaluate them again with --metrics ex,verdict"
        )
    if len(policies) > 1:
        raise UsageError(
            f"the runs have the policies {' and '.join(policies)}. Expected one: people's labels "
            f"follow one idea of right; calibrate them one by one"
        )
    return policies[0]


def _labelled(runs: Sequence[Run], index: LabelIndex, name: str) -> list[LabelledResult]:
    predictions: dict[str, str | None] = {}
    labelled: list[LabelledResult] = []
    for run in runs:
        for result in run.results():
            label = index.of(result)
            if label is None or result.p_right is None:
                continue
            if result.id not in predictions:
                predictions[result.id] = result.prediction
                labelled.append(LabelledResult(name, result, bool(label.value)))
            elif predictions[result.id] != result.prediction:
                # A label is about one prediction: that of another system needs its own.
                raise UsageError(
                    f"the runs have several predictions for the case {result.id}, and one label. "
                    f"Expected a label for each prediction: calibrate the runs one by one, or give "
                    f"their cases different ids"
                )
    if not labelled:
        raise NothingEvaluated(
            "no case of the runs has both a verdict and a label. Expected the same ids in both; "
            "--id-field says how the labels spell them"
        )
    return labelled
