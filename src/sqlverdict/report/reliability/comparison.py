"""Two runs side by side: whose reliability score is higher, whose curve is lower."""

from __future__ import annotations

from dataclasses import dataclass

from sqlverdict.errors import RunLogError, UsageError
from sqlverdict.report.reliability.figures import ReliabilityRequest, choose_source
from sqlverdict.report.reliability.tables import points_text
from sqlverdict.report.terminal.tables import TextTable, p_text, table
from sqlverdict.runlog.run import Run
from sqlverdict.score.reliability.curve_intervals import Item, PairedCurves, compare_curves
from sqlverdict.score.reliability.intervals import PairedScores, compare_scores
from sqlverdict.score.reliability.outcomes import ANSWERED, Cell, item_outcome, label_by
from sqlverdict.score.reliability.reliability_score import ANS, EVERYTHING, penalty_text


@dataclass(frozen=True)
class ReliabilityComparison:
    """Run b against run a, over the items that both have scored.

    Attributes:
        a: The first system's name.
        b: The second's.
        scores: For each view and penalty the paired scores.
        curves: AURC and AUGRC over the answers that both gave with a confidence; empty: none.
    """

    a: str
    b: str
    scores: dict[str, dict[str, PairedScores]]
    curves: dict[str, PairedCurves]


def compare_reliability(
    a: Run, b: Run, request: ReliabilityRequest | None = None
) -> ReliabilityComparison:
    """Compare two runs, item by item.

    Raises:
        UsageError: they have no scored item in common, or not the same label.
        RunLogError: a run has a case twice.
    """
    settings = request or ReliabilityRequest()
    sides = [read_cells(run, settings) for run in (a, b)]
    (cells_a, items_a), (cells_b, items_b) = sides
    scores: dict[str, dict[str, PairedScores]] = {}
    for view in (ANS, EVERYTHING):
        try:
            scores[view.name] = {
                penalty_text(c): compare_scores(cells_a, cells_b, c, view, seed=settings.seed)
                for c in settings.penalties
            }
        except UsageError:
            if view is EVERYTHING:
                raise
    curves = {}
    if any(case_id in items_b for case_id in items_a):
        for figure in ("aurc", "augrc"):
            curves[figure] = compare_curves(items_a, items_b, figure, seed=settings.seed)
    return ReliabilityComparison(a.manifest.system, b.manifest.system, scores, curves)


def read_cells(
    run: Run, request: ReliabilityRequest
) -> tuple[dict[str, Cell | None], dict[str, Item]]:
    """The cell of each case by id, and the confidence of each answer with whether it is right.

    Raises:
        RunLogError: the run has a case twice.
    """
    label = label_by(choose_source(run, request.source))
    cells: dict[str, Cell | None] = {}
    items: dict[str, Item] = {}
    for result in run.results():
        if result.id in cells:
            raise RunLogError(
                f"{run.folder} has case {result.id!r} twice; evaluate it again", reason="damaged"
            )
        cell = cells[result.id] = item_outcome(result, label, request.policy).cell
        if cell in ANSWERED and result.confidence is not None:
            items[result.id] = (result.confidence, cell is Cell.CORRECT)
    return cells, items


def comparison_table(comparison: ReliabilityComparison) -> TextTable:
    """The differences with intervals and p-values."""
    rows: list[tuple[str, ...]] = []
    for view, scores in comparison.scores.items():
        for name, one in scores.items():
            test = one.test
            ends = f"{points_text(test.low)} to {points_text(test.high)}"
            rows.append(
                (
                    f"RS({name}) on {view}",
                    f"{one.items:,}",
                    points_text(one.a),
                    points_text(one.b),
                    points_text(test.difference),
                    ends,
                    p_text(test.p_value),
                )
            )
    for figure, pair in comparison.curves.items():
        test = pair.test
        numbers = [f"{value:.4f}" for value in (pair.a, pair.b, test.difference or 0.0)]
        ends = f"{test.low or 0.0:.4f} to {test.high or 0.0:.4f}"
        row = (figure.upper(), f"{pair.items:,}", *numbers, ends, p_text(test.p_value))
        rows.append(row)
    headers = ("figure", "items", comparison.a, comparison.b, "difference", "95% interval", "p")
    return table(headers, rows, "Paired comparison; a lower AURC or AUGRC is better")
