"""``agree --calibrate``: how often each kind of verdict is right, counted from human labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sqlverdict.cli.options.fields import Heading, option
from sqlverdict.cli.show_run import show_notes
from sqlverdict.confidence.counts import STEP_OF, LabelSet
from sqlverdict.confidence.model import FEW, NO_LABELS, Model
from sqlverdict.confidence.rates import shift_probability
from sqlverdict.confidence.stored import built_in, write_label_model
from sqlverdict.errors import NothingEvaluated, UsageError
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.text import count
from sqlverdict.load.people.label_index import LabelIndex
from sqlverdict.load.people.labels import Labels
from sqlverdict.load.people.weights import BY_RANK, WEIGHTED, weighted_labels
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import percent, table
from sqlverdict.runlog.run import Run
from sqlverdict.score.calibration import (
    LabelledResult,
    cross_validated_calibration,
    forecasts_of,
    label_calibration,
    with_own,
)


@dataclass(frozen=True, kw_only=True)
class CalibrateArgs:
    """How labels are counted."""

    HEADING: ClassVar[Heading] = Heading.LABELS

    calibrate: bool = option(
        "--calibrate",
        is_flag=True,
        help="Write to --out how often each kind of verdict is right, for "
        "evaluate --set confidence=FILE.",
    )
    about: str = option(
        "--about",
        default="",
        help="With --calibrate: what was labelled, and by whom; the file says so.",
    )
    alone: bool = option(
        "--alone",
        is_flag=True,
        help="With --calibrate: leave out the counts that come with the package.",
    )


def write_label_counts(
    runs: Sequence[Run], labels: Labels, name: str, args: CalibrateArgs, out: Path
) -> None:
    """Count people's labels in each situation of runs, write the counts, and say what they predict.

    Args:
        runs: The runs, with the metric verdict, on one engine.
        labels: People's labels.
        name: What the set of labels is called.
        args: How they are counted.
        out: The file of the counts.

    Raises:
        UsageError: the runs have no verdicts, several engines, or several predictions for a label;
            or pairs were drawn with different probabilities that are not known.
        NothingEvaluated: no case has both a verdict and a label.
    """
    engine = _engine(runs)
    labels = weighted_labels(labels)
    labelled = _labelled(runs, LabelIndex(labels), name)
    own = LabelSet(name, args.about or f"labels of {name}", len(labelled), engine)
    before = NO_LABELS if args.alone else built_in()
    measured = cross_validated_calibration(labelled, own, before)
    model = with_own(before, labelled, own)
    write_at_once(out, write_label_model(model))
    screen = Screen()
    screen.line(f"{count(len(labelled), 'labelled case')}, engine {engine}", "heading")
    rows = [
        (f"{b.low:.1f} to {b.high:.1f}", f"{b.cases:,}", f"{b.predicted:.3f}", f"{b.right:.3f}")
        for b in measured.bins
    ]
    screen.table(table(("stated", "cases", "mean stated", "right"), rows))
    screen.line(f"  cross-validated: calibration error {measured.error:.3f}")
    weights = [one.weight for one in labelled]
    package = label_calibration(forecasts_of(built_in(), labelled), weights).error
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
    show_notes(screen, [note for note in labels.notes if note in (WEIGHTED, BY_RANK)])
    screen.line(f"written to {out}: use it with evaluate --set confidence={out}")


def _half(model: Model) -> str:
    """The bounds of a rate of one half, by how far the labels of different people lie apart."""
    apart = model.sets_apart
    low, high = (percent(shift_probability(0.5, each), 0) for each in (-apart, apart))
    return f"{low} to {high}"


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
                labelled.append(LabelledResult(name, result, bool(label.value), label.weight))
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
