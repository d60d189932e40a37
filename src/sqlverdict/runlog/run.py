"""A finished run, as the API returns it and as reports read it."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sqlverdict.account import SPENDING, read_spending
from sqlverdict.errors import RunLogError, UsageError
from sqlverdict.files.sealed import seal_fits, write_sealed_json
from sqlverdict.files.text import count
from sqlverdict.records import Result, Verdict
from sqlverdict.runlog.case_filter import CaseFilter
from sqlverdict.runlog.log import RESULTS, read_results
from sqlverdict.runlog.manifest import Manifest, read_manifest
from sqlverdict.runlog.missing_metric import missing_metric
from sqlverdict.score.deciding import deciding_metric, verdict_by
from sqlverdict.score.estimates import Estimate
from sqlverdict.score.summary import Summary, summarise, summary_from_json, summary_to_json

if TYPE_CHECKING:
    from sqlverdict.estimate.accuracy import Accuracy

SUMMARY = "summary.json"
_LABELS = ("system", "benchmark")
_NO_FIGURES = (*_LABELS, "checksum")
_AGAIN_WORDS = "Run the same evaluate command again: it writes a new one."


@dataclass(frozen=True, repr=False)
class Run:
    """A run in its folder; printed, it is a few lines with its counts and scores.

    Attributes:
        folder: Where ``results.jsonl``, ``manifest.json`` and ``summary.json`` lie.
        manifest: What was run.
        summary: What came out.
        resumed: What of an earlier run in the folder had to be done again, in words.

    Examples:
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

    def __repr__(self) -> str:
        """One line: what was run, the scores, the folder."""
        scores = ", ".join(f"{each.metric} {_score(each)}" for each in self.summary.estimates)
        return f"<{type(self).__name__} {self._title()}; {scores}; in {self.folder}>"

    def __str__(self) -> str:
        """Counts, scores with intervals, verdicts, the folder, and what to do next."""
        summary = self.summary
        verdicts = ", ".join(f"{number:,} {name}" for name, number in summary.verdicts.items())
        by = f" (by {self.deciding})" if self.deciding else ""
        return "\n".join(
            (
                f"{self._title()}, {summary.answered:,} answered, {summary.abstained:,} abstained",
                *(
                    f"{each.metric}: {_score(each)}, {each.unscored:,} unscored"
                    for each in summary.estimates
                ),
                f"verdicts{by}: {verdicts or 'none'}",
                f"folder: {self.folder}",
                f"next: sqlverdict show {shlex.quote(str(self.folder))}",
            )
        )

    def _title(self) -> str:
        cases = count(self.summary.cases, "case")
        return f"{self.manifest.system} on {self.manifest.benchmark}: {cases}"

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
        raise RunLogError(
            missing_metric(metric, [(self.folder, self.manifest)]), reason="missing_metric"
        )

    def accuracy(
        self,
        labels: Path | str,
        confidence: float = 0.95,
        *,
        label_field: str | None = None,
        votes: Sequence[str] = (),
    ) -> Accuracy:
        """The share of answers that people would call right, from labels of drawn cases.

        A label of an earlier run holds for an identical prediction; the commands also ask for a
        proof that two predictions are equal.

        Args:
            labels: A vote log of ``sqlverdict label``, or another file of labels.
            confidence: The share of such intervals that shall hold the truth.
            label_field: The column of the label, where it is not called ``label``, ``human`` or
                ``correct``.
            votes: The annotators' columns, where there are several.

        Raises:
            UsageError: no case has a label, it is not known how they were drawn, or only the cells
                of a column say that it is the label.
        """
        from sqlverdict.estimate.accuracy import estimate_accuracy
        from sqlverdict.estimate.matching import carried_labels
        from sqlverdict.load.people.labels import read_labels

        people = read_labels(
            Path(labels),
            label_field=label_field,
            votes=votes,
            case_ids=(result.id for result in self.results()),
            may_guess=False,
        )
        carried = carried_labels(self.results(), people, lambda *_: False)
        return estimate_accuracy(self.results(), people, carried=carried, confidence=confidence)


def _score(estimate: Estimate) -> str:
    """A value with its 95% interval, in percent, and its denominator."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None:
        return "unscored"
    interval = "" if low is None or high is None else f" ({100 * low:.1f} to {100 * high:.1f})"
    return f"{100 * value:.1f}%{interval}, n {estimate.scored:,}"


def summarise_folder(folder: Path, manifest: Manifest) -> Summary:
    """Read the run log and write ``summary.json``."""
    spending = read_spending(folder / SPENDING)
    summary = replace(_summary_of(folder, manifest), spending=spending)
    labels = dict(zip(_LABELS, (manifest.system, manifest.benchmark), strict=True))
    content = labels | summary_to_json(summary)
    write_sealed_json(folder / SUMMARY, content)
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
            f"Remove {SUMMARY}. {_AGAIN_WORDS}",
            reason="damaged",
        )


def _summary_of(folder: Path, manifest: Manifest) -> Summary:
    return summarise(
        read_results(folder), list(manifest.metrics), binary=manifest.binary, seed=manifest.seed
    )


def read_run(folder: Path | str) -> Run:
    """Open a run that was written before.

    Raises:
        RunLogError: there is no finished run in that folder, or its files were changed.

    Examples:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 1"}]
        >>> run = sv.evaluate(cases, db="shop.sqlite", out="runs/mine")
        >>> sv.read_run("runs/mine").estimate("ex").value
        1.0
    """
    if not isinstance(folder, str | os.PathLike):
        raise UsageError(f"a run is {type(folder).__name__}; expected its folder")
    folder = Path(folder)
    manifest = read_manifest(folder)
    path = folder / SUMMARY
    try:
        text = path.read_bytes()
        is_intact = seal_fits(text)
        content = msgspec.json.decode(text)
    except OSError as error:
        raise RunLogError(
            f"the run in {folder} is not finished: {SUMMARY} is missing. "
            f"Give the same evaluate command again to resume it.",
            reason="unfinished",
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunLogError(
            f"{path} cannot be read: {error}. {_AGAIN_WORDS}", reason="damaged"
        ) from error
    if not is_intact:
        raise RunLogError(
            f"{path} was changed after it was written: its checksum does not match. {_AGAIN_WORDS}",
            reason="damaged",
        )
    figures = {name: content[name] for name in content if name not in _NO_FIGURES}
    return Run(folder, manifest, summary_from_json(figures))


def system_names(runs: Sequence[Run]) -> list[str]:
    """The systems' names; folders are added where two are called the same."""
    times = Counter(run.manifest.system for run in runs)
    names = [
        run.manifest.system
        if times[run.manifest.system] == 1
        else f"{run.manifest.system} ({run.folder})"
        for run in runs
    ]
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise UsageError(f"the run {twice[0]!r} is given twice; name each folder once")
    return names
