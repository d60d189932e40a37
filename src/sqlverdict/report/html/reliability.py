"""The reliability of a run on the page: what the command prints, and what became of each case."""

from __future__ import annotations

from sqlverdict.report.html.document import PageReliability, PageTable
from sqlverdict.report.html.systems import page_table
from sqlverdict.report.reliability.figures import ReliabilityRequest, choose_source, reliability_of
from sqlverdict.report.reliability.page import CAPTIONS, sections
from sqlverdict.report.reliability.plots import reliability_plots
from sqlverdict.runlog.run import Run
from sqlverdict.score.reliability.outcomes import item_outcome, label_by


def page_reliability(
    run: Run, case_ids: tuple[str, ...], request: ReliabilityRequest | None = None
) -> PageReliability:
    """The reliability of a run, with an entry for each case of the page.

    Args:
        run: The run.
        case_ids: The cases of the page; the run may lack some.
        request: How it is measured; ``None``: the page computes RS(c) itself, without the tables
            and charts of the command, whose intervals take their time.
    """
    source = choose_source(run, None if request is None else request.source)
    label, policy = label_by(source), (request or ReliabilityRequest()).policy
    cells = {result.id: item_outcome(result, label, policy).cell for result in run.results()}
    tables: list[PageTable] = []
    sentences: list[str] = []
    charts: dict[str, str] = {}
    if request is not None and any(cells.values()):
        measured = reliability_of(run, request)
        for section in sections(measured):
            sentences += section.text
            if section.table is not None and section.table.rows:
                tables.append(page_table(section.table))
        charts = {CAPTIONS[name]: chart for name, chart in reliability_plots(measured).items()}
    return PageReliability(
        source=source,
        cells=tuple(None if (cell := cells.get(one)) is None else str(cell) for one in case_ids),
        tables=tuple(tables),
        sentences=tuple(sentences),
        charts=charts,
    )
