"""Estimate from human labels how often each kind of verdict is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlverdict.cli.command import command, group, option
from sqlverdict.cli.options.labels import LabelArgs
from sqlverdict.cli.options.shared import FILE, runs_argument
from sqlverdict.confidence.counts import LabelSet
from sqlverdict.confidence.model import FEW, NO_LABELS, Model
from sqlverdict.confidence.order import STEP_OF
from sqlverdict.confidence.rates import shifted
from sqlverdict.confidence.stored import built_in, write_model
from sqlverdict.errors import NothingEvaluated, UsageError
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.text import count
from sqlverdict.load.people.labels import LabelIndex
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import percent, table
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
    "sqlverdict evaluate ... --metrics ex,verdict --set confidence=counts.json --out runs/next",
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

    The runs need the metric verdict, and one engine. Your labels say how lenient your people are,
    which moves the package's rates for all situations; then each situation counts its own labels
    beside 5 of the package. With fewer than 50 labels the bounds stay wide. How well the counts
    predict labels is measured by cross-validation over questions, and printed beside what the
    package's counts alone would give.
    """
    runs = [read_run(folder) for folder in args.runs]
    engine = _engine(runs)
    name = args.labels.labels.stem
    labels = args.labels.read()
    labelled = _labelled(runs, LabelIndex(labels), name)
    own = LabelSet(name, args.about or f"labels of {name}", len(labelled), engine)
    before = NO_LABELS if args.alone else built_in()
    measured = cross_validated(labelled, own, before)
    model = with_own(before, labelled, own)
    write_at_once(args.out, write_model(model))
    screen = Screen()
    screen.line(f"{count(len(labelled), 'labelled case')}, engine {engine}", "heading")
    rows = [
        (f"{b.low:.1f} to {b.high:.1f}", f"{b.cases:,}", f"{b.predicted:.3f}", f"{b.right:.3f}")
        for b in measured.bins
    ]
    screen.table(table(("stated", "cases", "mean stated", "right"), rows))
    screen.line(f"  cross-validated: calibration error {measured.error:.3f}")
    package = calibration(forecasts_of(built_in(), labelled)).error
    screen.line(f"  the package's counts on these labels: {package:.3f}")
    screen.line(
        f"  where half of the answers are right, a run states {_half(model)}; by the package's "
        f"counts alone {_half(built_in())}"
    )
    proved = model.cells.get("proved", {}).get(name)
    if proved is not None:
        screen.line(
            f"  golds: your people call {proved.right:,.0f} of {proved.labels:,.0f} proved answers "
            f"right; where they do not, the gold is wrong"
        )
    if len(labelled) < FEW:
        screen.line(
            f"  {count(len(labelled), 'label')} of yours {'is' if len(labelled) == 1 else 'are'} "
            f"few, so the bounds stay wide: label {FEW} or more",
            "warning",
        )
    screen.line(f"written to {args.out}: use it with evaluate --set confidence={args.out}")


def _half(model: Model) -> str:
    """The bounds of a rate of one half, from how far labels of other people may lie."""
    apart = model.sets_apart
    return f"{percent(shifted(0.5, -apart), 0)} to {percent(shifted(0.5, apart), 0)}"


def _engine(runs: Sequence[Run]) -> str:
    if all(run.manifest.policy == "results" for run in runs):
        raise UsageError(
            "the runs have no verdicts to calibrate: evaluate them again with --metrics ex,verdict"
        )
    engines = sorted({run.manifest.engine for run in runs})
    if len(engines) > 1:
        raise UsageError(
            f"the runs are on {' and '.join(engines)}. Expected one engine: what labels say of one "
            f"engine's answers need not hold for another's; calibrate them one by one"
        )
    return engines[0]


def _labelled(runs: Sequence[Run], index: LabelIndex, name: str) -> list[LabelledResult]:
    predictions: dict[str, str | None] = {}
    labelled: list[LabelledResult] = []
    for run in runs:
        for result in run.results():
            label = index.of(result)
            if label is None or result.situation not in STEP_OF:
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
