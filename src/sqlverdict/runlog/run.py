"""A finished run, as the API returns it and as reports read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.errors import RunLogError
from sqlverdict.records import Result, Verdict
from sqlverdict.runlog.case_filter import CaseFilter
from sqlverdict.runlog.log import RESULTS, read_results
from sqlverdict.runlog.manifest import Manifest, read_manifest, write_json
from sqlverdict.score.deciding import deciding_metric, verdict_by
from sqlverdict.score.summary import Estimate, Summary, from_json, summarise, to_json

SUMMARY = "summary.json"
_LABELS = ("system", "benchmark")


@dataclass(frozen=True)
class Run:
    """A run in its folder.

    Attributes:
        folder: Where ``results.jsonl``, ``manifest.json`` and ``summary.json`` lie.
        manifest: What was run.
        summary: What came out.
        resumed: What of an earlier run in the folder had to be done again, in words.

    Example:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 1"}]
        >>> run = sv.evaluate(cases, db="shop.sqlite")
        >>> [(result.id, run.verdict(result).value) for result in run.results()]
        [('1', 'correct')]
    """

    folder: Path
    manifest: Manifest
    summary: Summary
    resumed: tuple[str, ...] = field(default=(), compare=False)
    _keep: Any = field(default=None, repr=False, compare=False)

    def results(self) -> Iterator[Result]:
        """The results, one by one, in the order of the cases."""
        # A generator, so that a temporary folder lives until the last result is read.
        yield from read_results(self.folder)

    def select(self, conditions: CaseFilter) -> Iterator[Result]:
        """The results that meet all conditions, one by one."""
        return (each for each in self.results() if conditions.matches(each, self.deciding))

    @property
    def deciding(self) -> str | None:
        """The metric that decides what reports call right; see ``score/deciding.py``."""
        return deciding_metric(self.manifest.metrics, self.manifest.binary)

    def verdict(self, result: Result) -> Verdict:
        """What reports call a case of this run."""
        return verdict_by(result, self.deciding)

    def estimate(self, metric: str) -> Estimate:
        """The estimate of a metric, by its label.

        Raises:
            RunLogError: the run has no such metric.
        """
        for estimate in self.summary.estimates:
            if estimate.metric == metric:
                return estimate
        known = ", ".join(e.metric for e in self.summary.estimates)
        raise RunLogError(f"the run in {self.folder} has no metric {metric!r}; it has {known}")


def summarise_folder(folder: Path, manifest: Manifest) -> Summary:
    """Read the run log and write ``summary.json``."""
    summary = _summary_of(folder, manifest)
    labels = dict(zip(_LABELS, (manifest.system, manifest.benchmark), strict=True))
    content = labels | to_json(summary)
    write_json(folder / SUMMARY, content)
    return summary


def check_summary(run: Run) -> None:
    """Hold ``summary.json`` against the run log, line by line.

    Raises:
        RunLogError: the log was changed or cut short, or the summary says something else.
    """
    stored, recounted = (
        [(each.metric, each.value, each.scored) for each in summary.estimates]
        for summary in (run.summary, _summary_of(run.folder, run.manifest))
    )
    if stored != recounted:
        raise RunLogError(
            f"{run.folder / SUMMARY} does not say what {RESULTS} holds: one of them was changed. "
            f"Remove {SUMMARY} and run the same evaluate command again: it writes a new one."
        )


def _summary_of(folder: Path, manifest: Manifest) -> Summary:
    return summarise(
        read_results(folder), list(manifest.metrics), binary=manifest.binary, seed=manifest.seed
    )


def read_run(folder: Path | str) -> Run:
    """Open a run that was written before.

    Raises:
        RunLogError: there is no finished run in that folder.

    Example:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 1"}]
        >>> run = sv.evaluate(cases, db="shop.sqlite", out="runs/mine")
        >>> sv.read_run("runs/mine").estimate("ex").value
        1.0
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    path = folder / SUMMARY
    try:
        content = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise RunLogError(
            f"the run in {folder} is not finished: {SUMMARY} is missing. "
            f"Give the same evaluate command again to resume it."
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunLogError(f"{path} cannot be read: {error}") from error
    figures = {name: content[name] for name in content if name not in _LABELS}
    return Run(folder, manifest, from_json(figures))
