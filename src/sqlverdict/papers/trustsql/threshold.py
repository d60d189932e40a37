"""TrustSQL's figure 2: the sum over the surest answers, and where it is largest.

The paper draws 14 made-up samples. Here a T5 of 3 billion weights answers the EHRSQL-2024 test;
its largest token entropy is the confidence, as in MAXENT.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.ehrsql2024 import Ehrsql2024
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Figure
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.trustsql.sizes import FOLDER, MIMIC
from sqlverdict.pipeline import Options
from sqlverdict.report.reliability.figures import ReliabilityRequest, Selective, reliability_of
from sqlverdict.report.reliability.plots import threshold_plot
from sqlverdict.runlog.run import Run

_FILE = "ehrsql2024_test_v1.0_systems.jsonl"
_SYSTEM = "airi_t5_3b_raw"
_METRIC = "ex[trustsql_single]"


def threshold_cells(data: PaperData) -> Iterator[PaperCell | Figure]:
    """Figure 2, from recorded entropies."""
    reader = BENCHMARKS.get("ehrsql2024")
    assert isinstance(reader, Ehrsql2024)
    file = data.path(FOLDER, _FILE)
    benchmark = reader.read(file, databases=data.path(FOLDER, MIMIC))
    answers = {_SYSTEM: reader.predictions(file, _SYSTEM)}
    (run,) = data.evaluate("ehrsql2024", benchmark, answers, Options(metrics=_METRIC))
    yield from _threshold(run, "T5-3B on EHRSQL-2024")


def demo_threshold(data: PaperData) -> Iterator[PaperCell | Figure]:
    """The same on the demo."""
    run = next(run for run in data.demo_runs() if run.manifest.system == "careful")
    yield from _threshold(run, "careful", "ex")


def _threshold(run: Run, row: str, source: str | None = None) -> Iterator[PaperCell | Figure]:
    selective = reliability_of(run, ReliabilityRequest(source=source)).selective
    assert selective is not None, "every answer has a confidence"
    yield from _cells(selective, row)
    yield Figure("threshold.svg", threshold_plot(selective))


def _cells(selective: Selective, row: str) -> Iterator[PaperCell]:
    for name, best in selective.heuristic.items():
        if name != "N":
            numbers = {"answers given": best.answered, "wrong ones": best.wrong}
            for column, number in (numbers | {"sum": round(best.score)}).items():
                yield PaperCell(f"{row}, c = {name}", column, number, n=best.items)
