"""What to say where runs do not have the metric that a user names: one message for all commands."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

from sqlverdict.errors import UsageError
from sqlverdict.files.command_words import take_option
from sqlverdict.files.text import near
from sqlverdict.runlog.manifest import Manifest
from sqlverdict.score.metric import METRICS, metric_by_alias, parse_metric


def missing_metric(
    name: str, runs: Sequence[tuple[Path, Manifest]], known: Collection[str] | None = None
) -> str:
    """What the runs have, which name may be meant, and how to get the metric.

    Args:
        name: The name that the user gave.
        runs: The runs, each by its folder and manifest.
        known: The names that the runs have; by default their metrics.
    """
    lacking = [run for run in runs if name not in run[1].metrics] or list(runs)
    folders = [str(folder) for folder, _ in lacking]
    have = list(known) if known is not None else _labels(runs)
    verb = "has" if len(folders) == 1 else "have"
    text = f"{', '.join(folders)} {verb} no metric {name!r}."
    metric, bracket, parameter = name.partition("[")
    own = metric_by_alias(metric)[0]
    if METRICS.has(own):
        label = f"{own}{bracket}{parameter}"
        try:
            parse_metric(label)
        except UsageError as error:
            return f"{text} {_having(lacking, known)}. There is none: {error}"
        return f"{text} {_having(lacking, known)}. To add it: {_evaluate(*lacking[0], label)}"
    hint = near(name, have) or near(name, [*have, *METRICS.names()])
    others = "" if hint else f" All metrics: {', '.join(METRICS.names())}."
    return f"{text}{hint} {_having(runs, known)}.{others}"


def _labels(runs: Sequence[tuple[Path, Manifest]]) -> list[str]:
    return list(dict.fromkeys(label for _, manifest in runs for label in manifest.metrics))


def _having(runs: Sequence[tuple[Path, Manifest]], known: Collection[str] | None) -> str:
    """Which metrics the runs have."""
    subject = "It has" if len(runs) == 1 else "They have"
    if known is not None:
        return f"{subject} {', '.join(known)}"
    if len({tuple(manifest.metrics) for _, manifest in runs}) == 1:
        return f"{subject} {', '.join(runs[0][1].metrics)}"
    return "; ".join(f"{folder} has {', '.join(own.metrics)}" for folder, own in runs)


def _evaluate(folder: Path, manifest: Manifest, label: str) -> str:
    """The command that makes a run again, with one more metric."""
    names = ",".join([*manifest.metrics, label])
    metrics = ["--metrics", names]
    words = list(manifest.command)
    if words[:1] != ["evaluate"]:
        # Another program made the run.
        return f"evaluate {folder} again with the metrics {names}"
    take_option(words, "--metrics")
    more = [] if "--overwrite" in words else ["--overwrite"]
    return shlex.join(["sqlverdict", *words, *metrics, *more])
