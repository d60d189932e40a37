"""ETM's tables 4 and 5: execution accuracy, exact set match and ETM of published systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlverdict.files.text import count
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.papers.cell import PaperCell, in_percent, printed_number
from sqlverdict.papers.exhibit import Printed, grid
from sqlverdict.papers.paper_data import MissingFile, PaperData
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.pipeline import Options
from sqlverdict.runlog.run import Run
from sqlverdict.score.estimates import Estimate

_SPIDER: Mapping[str, str] = {"EXE": "ex[spider_distinct]", "ESM": "esm[script]", "ETM": "etm"}
_BIRD: Mapping[str, str] = {"EXE": "ex[bird]", "ESM": "esm[script]", "ETM": "etm"}
_DEMO: Mapping[str, str] = {"EXE": "ex", "ESM": "esm[script]", "ETM": "etm"}
TABLE_4: Printed = grid(
    """
    system        EXE   ESM   ETM
    DAIL          82.9  70.0  71.5
    C3            79.8  46.9  59.8
    RESDSQL       82.8  80.5  74.9
    RASAT+PICARD  76.7  75.2  69.3
    """
)
TABLE_5: Printed = grid(
    """
    system   ESM  ETM
    DAIL     8.0  31.9
    C3       5.7  22.6
    RESDSQL  7.2  25.4
    """
)
_BIRD_REASONS: Mapping[str, str] = {
    "ESM": "one or two matches that the paper does not have; which ones is not known, as its "
    "verdicts are not published",
    "ETM": "three pairs follow a schema that the script read from a database file",
}


def spider_scores(data: PaperData) -> Iterator[PaperCell]:
    """Table 4: the development set of Spider."""
    benchmark = BENCHMARKS.get("spider").read(data.path("spider"))
    options = Options(metrics=",".join(_SPIDER.values()))
    for run in data.evaluate("spider", benchmark, prediction_files(data, "spider"), options):
        yield from _score_cells(run, _SPIDER, TABLE_4)


def bird_scores(data: PaperData) -> Iterator[PaperCell]:
    """Table 5: the development set of BIRD, with the golds that the project publishes."""
    benchmark = BENCHMARKS.get("goldfile").read(
        data.path("bird", "etm_gold.txt"), databases=data.path("bird", "databases")
    )
    schemas = load_schemas(data.path("bird", "ddl.json"))
    options = Options(metrics=",".join(_BIRD.values()), schemas=schemas)
    for run in data.evaluate("bird", benchmark, prediction_files(data, "bird"), options):
        yield from _score_cells(run, _BIRD, TABLE_5, _BIRD_REASONS)


def demo_scores(data: PaperData) -> Iterator[PaperCell]:
    """The form of tables 4 and 5, on the demo."""
    for run in data.demo_runs():
        yield from _score_cells(run, _DEMO, {})


def prediction_files(data: PaperData, benchmark: str) -> dict[str, Path]:
    """The prediction files of the development set, those that the paper's tables name first."""
    folder = data.path(benchmark, "predictions", "dev")
    names = list(dict.fromkeys(row for row, _ in TABLE_4))
    files = {path.stem: path for path in sorted(folder.glob("*.txt"))}
    if not files:
        raise MissingFile(f"{benchmark}/predictions/dev/DAIL.txt")
    known = {name: files[name] for name in names if name in files}
    return known | files


def _score_cells(
    run: Run,
    metrics: Mapping[str, str],
    printed: Printed,
    reasons: Mapping[str, str] | None = None,
) -> Iterator[PaperCell]:
    """A row: the scores of a run in percent, and what they leave out."""
    for column, metric in metrics.items():
        estimate = run.estimate(metric)
        ours = in_percent(estimate.value)
        reason = (reasons or {}).get(column, "")
        if estimate.unscored:
            reason = _left_out(estimate, printed.get((run.manifest.system, column), ""))
        yield PaperCell(run.manifest.system, column, ours, n=estimate.scored, reason=reason)


def _left_out(estimate: Estimate, paper: str) -> str:
    """How many questions could not be run, and how many right ones would give the paper's value."""
    text = f"{count(estimate.unscored, 'question')} could not be run"
    number = printed_number(paper)
    if number is None:
        return text
    right = round(number.value / 100 * (estimate.scored + estimate.unscored)) - estimate.right
    if not 0 <= right <= estimate.unscored:
        return text
    return f"{text}; the paper's value is ours if {right} of them are right"
