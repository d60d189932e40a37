"""Make counts of labels from own runs: how probable a verdict is by these people's labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sqlverdict.cli.options.common import FILE, examples, run_argument

if TYPE_CHECKING:
    from sqlverdict.confidence import Models
    from sqlverdict.runlog.run import Run
    from sqlverdict.score.calibration import LabelledResult

_EXAMPLES = examples(
    "sqlverdict evaluate ... --metrics ex,verdict --out runs/mine",
    "sqlverdict calibrate runs/mine --labels labels.jsonl --out counts.json",
    "sqlverdict evaluate ... --metrics ex,verdict --confidence counts.json --out runs/next",
)


@click.command(epilog=_EXAMPLES)
@run_argument("runs", nargs=-1, required=True)
@click.option("--labels", type=FILE, required=True, help="People's labels, JSONL, JSON or CSV.")
@click.option("--label-field", help="The label's field. [default: human, label or correct]")
@click.option("--id-field", help="The id's field, or a pattern such as '{set}-{i}'.")
@click.option("--out", type=FILE, required=True, help="Where the counts go.")
@click.option("--about", default="", help="What was labelled, and by whom; kept in the file.")
@click.option("--alone", is_flag=True, help="Without the counts that come with the package.")
def calibrate(
    runs: Sequence[Path],
    labels: Path,
    label_field: str | None,
    id_field: str | None,
    out: Path,
    about: str,
    alone: bool,
) -> None:
    """Count people's labels in each situation of one or several RUNs.

    The runs need the metric verdict, all under one policy. The counts are added to those of the
    package, which matter less the more labels there are, or stand alone. How well they foretell
    labels is measured with questions held out, and printed.
    """
    from sqlverdict.confidence import built_in, write_models
    from sqlverdict.files.atomic import write_at_once
    from sqlverdict.files.text import count
    from sqlverdict.load.labels import read_labels
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import table
    from sqlverdict.runlog.run import read_run
    from sqlverdict.score.calibration import cross_validated

    every = [read_run(run) for run in runs]
    policy = _policy(every)
    read = read_labels(labels, label_field=label_field, id_field=id_field)
    values = {item.id: item.value for item in read.items if item.value is not None}
    found = _labelled(every, values, labels.stem)
    measured = cross_validated(found)
    models: Models = {} if alone else built_in()
    write_at_once(out, write_models(_added(models, policy, found, labels.stem, about)))
    screen = Screen()
    screen.line(f"{count(len(found), 'labelled case')}, policy {policy}", "heading")
    rows = [
        (f"{b.low:.1f} to {b.high:.1f}", f"{b.cases:,}", f"{b.stated:.3f}", f"{b.right:.3f}")
        for b in measured.bins
    ]
    screen.table(table(("stated", "cases", "mean stated", "right"), rows))
    screen.line(f"  these labels alone, questions held out: calibration error {measured.error:.3f}")
    screen.line(f"written to {out}: use it with evaluate --confidence {out}")


def _policy(runs: Sequence[Run]) -> str:
    from sqlverdict.errors import UsageError

    policies = sorted({run.manifest.stages.get("policy", "results") for run in runs})
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


def _labelled(runs: Sequence[Run], values: Mapping[str, int], name: str) -> list[LabelledResult]:
    from sqlverdict.errors import NothingEvaluated, UsageError
    from sqlverdict.score.calibration import LabelledResult

    about: dict[str, str | None] = {}
    found: list[LabelledResult] = []
    for run in runs:
        for result in run.results():
            if result.id not in values or result.p_right is None:
                continue
            if result.id not in about:
                about[result.id] = result.prediction
                found.append(LabelledResult(name, result, bool(values[result.id])))
            elif about[result.id] != result.prediction:
                # A label is about one prediction: that of another system needs its own.
                raise UsageError(
                    f"the runs have several predictions for the case {result.id}, and one label. "
                    f"Expected a label for each prediction: calibrate the runs one by one, or give "
                    f"their cases different ids"
                )
    if not found:
        raise NothingEvaluated(
            "no case of the runs has both a verdict and a label. Expected the same ids in both; "
            "--id-field says how the labels spell them"
        )
    return found


def _added(
    models: Models, policy: str, found: Sequence[LabelledResult], name: str, about: str
) -> Models:
    from sqlverdict.confidence import NO_LABELS, LabelSet, Model
    from sqlverdict.score.calibration import counts_of

    before = models.get(policy, NO_LABELS)
    # Own labels replace a set of the same name as a whole, cells that they do not reach included.
    others = {
        cell: {one: counted for one, counted in sets.items() if one != name}
        for cell, sets in before.cells.items()
    }
    ours = counts_of(found)
    names = sorted({*(cell for cell, sets in others.items() if sets), *ours})
    cells = {cell: {**others.get(cell, {}), **ours.get(cell, {})} for cell in names}
    told = LabelSet(name, about or f"labels of {name}", len(found))
    sets = (*(one for one in before.sets if one.name != name), told)
    return {**models, policy: Model(sets, cells)}
