"""ETM's table 6: false positives and false negatives of the metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.papers.cell import PaperCell, in_percent
from sqlverdict.papers.etm.scores import prediction_files
from sqlverdict.papers.exhibit import Printed, grid
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.pipeline import Options
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.report.several_runs.metric_errors import SOUND, metric_errors
from sqlverdict.run.options import ProofOptions, SearchOptions
from sqlverdict.runlog.run import Run

_METRICS: Mapping[str, str] = {"EXE": "ex[spider_distinct]", "ESM": "esm[values]", "ETM": "etm"}
_DEMO_METRICS: Mapping[str, str] = {"EXE": "ex", "ESM": "esm[values]", "ETM": "etm"}
_INSTANCES = 100
"""Databases tried for each match."""
_REASON = (
    "the paper's values are on the evaluation set, by its authors' own analysis; here equal means "
    "proved, and different a witness or other rows, on the development set"
)
_HIGHEST = "highest of all systems"
TABLE_6: Printed = grid(
    """
    system  EXE FP  EXE FN  ESM FP  ESM FN
    DAIL    16.3    0.0     5.0     3.2
    C3      23.0    0.0     2.8     17.5
    """
) | {(_HIGHEST, "ETM FP"): "0.3", (_HIGHEST, "ETM FN"): "2.7"}


def spider_evidence(data: PaperData) -> list[Run]:
    """Runs on Spider's development set with proofs and witnesses."""
    files = prediction_files(data, "spider")
    benchmark = BENCHMARKS.get("spider").read(data.path("spider"))
    options = Options(
        metrics=",".join(_METRICS.values()),
        proof=ProofOptions(),
        search=SearchOptions(SearchBudget(instances=_INSTANCES)),
    )
    return data.evaluate("spider_evidence", benchmark, files, options)


def spider_errors(data: PaperData) -> Iterator[PaperCell]:
    """Table 6 on Spider's development set."""
    highest: dict[str, PaperCell] = {}
    for cell in _cells(spider_evidence(data), _METRICS):
        yield cell
        before = highest.get(cell.column)
        if before is None or _number(before) < _number(cell):
            highest[cell.column] = cell
    for row, column in TABLE_6:
        if row == _HIGHEST:
            yield replace(highest[column], row=row)


def demo_errors(data: PaperData) -> Iterator[PaperCell]:
    """The form of table 6, on the demo."""
    for cell in _cells(data.demo_runs(), _DEMO_METRICS):
        yield replace(cell, reason="")


def _number(cell: PaperCell) -> float:
    return cell.ours if isinstance(cell.ours, float) else 0.0


def _cells(runs: Sequence[Run], metrics: Mapping[str, str]) -> Iterator[PaperCell]:
    names = {metric: column for column, metric in metrics.items()}
    for error in metric_errors(runs, tuple(names), reference=SOUND).errors:
        for kind, rate in (("FP", error.fp_rate), ("FN", error.fn_rate)):
            ours = in_percent(rate)
            column = f"{names[error.metric]} {kind}"
            yield PaperCell(error.system, column, ours, n=error.n, reason=_REASON)
