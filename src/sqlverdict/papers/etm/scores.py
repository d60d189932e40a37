"""ETM's tables 4 and 5: execution accuracy, exact set match and ETM of published systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlverdict.files.text import count
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Printed, grid
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.pipeline import Options
from sqlverdict.runlog.run import Run

SPIDER_SYSTEMS = ("DAIL", "C3", "RESDSQL", "RASAT+PICARD")
SPIDER_METRICS: Mapping[str, str] = {
    "EXE": "ex[spider_distinct]",
    "ESM": "esm[script]",
    "ETM": "etm",
}
DEMO_METRICS: Mapping[str, str] = {"EXE": "ex", "ESM": "esm[script]", "ETM": "etm"}
TABLE_4: Printed = grid(
    """
    system        EXE   ESM   ETM
    DAIL          82.9  70.0  71.5
    C3            79.8  46.9  59.8
    RESDSQL       82.8  80.5  74.9
    RASAT+PICARD  76.7  75.2  69.3
    """
)


def spider_scores(data: PaperData) -> Iterator[PaperCell]:
    """Table 4: the development set of Spider."""
    files = {
        name: data.path("spider", "predictions", "dev", f"{name}.txt") for name in SPIDER_SYSTEMS
    }
    benchmark = BENCHMARKS.get("spider").read(data.path("spider"))
    options = Options(metrics=",".join(SPIDER_METRICS.values()))
    for run in data.evaluate("spider", benchmark, files, options):
        yield from score_cells(run, SPIDER_METRICS)


def demo_scores(data: PaperData) -> Iterator[PaperCell]:
    """The form of table 4, on the demo."""
    for run in data.demo_runs():
        yield from score_cells(run, DEMO_METRICS)


def score_cells(run: Run, metrics: Mapping[str, str]) -> Iterator[PaperCell]:
    """A row: the scores of a run in percent, and what they leave out."""
    for column, metric in metrics.items():
        estimate = run.estimate(metric)
        ours = None if estimate.value is None else 100 * estimate.value
        left_out = estimate.unscored
        reason = f"{count(left_out, 'question')} could not be run" if left_out else ""
        yield PaperCell(run.manifest.system, column, ours, n=estimate.scored, reason=reason)
