"""The demo's second part: what abstaining is worth, with two detectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlverdict.abstain.apply import detector_composition
from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.generators.recorded import RecordedGenerator
from sqlverdict.abstain.method import Tools, TrainingData
from sqlverdict.abstain.predictions import draft_of
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.atomic import write_text_at_once
from sqlverdict.records import Case, Prediction
from sqlverdict.report.reliability.figures import (
    Reliability,
    ReliabilityRequest,
    Selective,
    reliability_of,
)
from sqlverdict.report.reliability.plots import risk_coverage_plot
from sqlverdict.report.reliability.tables import points_text
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import TextTable, table
from sqlverdict.runlog.run import Run
from sqlverdict.score.reliability.curve import curve_points
from sqlverdict.score.reliability.reliability_score import EVERYTHING

GATES = {"careful": "confidence", "rough": "error_gate"}
"""Two systems and a detector for each: one checks its own confidence, one the answer."""

_BARS = " ▁▂▃▄▅▆▇█"
_STEPS = 20


def gated(
    cases: Sequence[Case],
    predictions: Mapping[str, Prediction],
    detector: str,
    engine: str,
    limits: Limits,
) -> dict[str, Prediction]:
    """A system's predictions after a detector.

    Its threshold is chosen on every second answerable question.
    """
    recorded = RecordedGenerator()
    recorded.drafts = {case_id: draft_of(each) for case_id, each in predictions.items()}
    index = DatabaseIndex.of(cases)
    examples = [index.example(case) for case in cases if case.answerable][::2]
    runner = QueryRunner(engine, limits)
    try:
        tools = Tools(runner=runner)
        composition = detector_composition(detector)
        composition.generator = recorded
        composition.fit(TrainingData(validation=examples), tools)
        decisions = composition.answer([index.ask(case) for case in cases], tools)
        return {one.ask.id: one.prediction() for one in decisions}
    finally:
        runner.close()


def show_reliability(screen: Screen, runs: Sequence[Run], out: Path, source: str) -> None:
    """RS(c) of systems with and without detectors, and a risk-coverage curve.

    Args:
        screen: Where to.
        runs: The runs.
        out: The folder of the curve.
        source: What says that an answer is right.
    """
    reports = [reliability_of(run, ReliabilityRequest(source=source)) for run in runs]
    screen.heading(f"What abstaining is worth: RS(c) over all questions, right by {source}")
    screen.table(_scores(reports))
    screen.line(
        "A right answer or a right abstention is worth 1, a wrong answer -c; N is the number of "
        "questions.",
        "quiet",
    )
    first = next((one for one in reports if one.system in GATES), reports[0])
    if first.selective is not None:
        screen.line()
        screen.line(
            f"risk of {first.system} as it answers more questions, the most confident answers first"
        )
        screen.line(
            f"  {sparkline(first.selective)}  from 5% to 100% of its answers; full height is 100%"
        )
        plot = out / "risk_coverage.svg"
        curves = {one.system: one.selective for one in reports if one.selective is not None}
        write_text_at_once(plot, risk_coverage_plot(curves))
        screen.line(f"  drawn in {plot}")


def _scores(reports: Sequence[Reliability]) -> TextTable:
    rows = []
    for one in reports:
        view = one.view(EVERYTHING.name)
        counts = one.table
        harm = f"{counts.answered_unanswerable} of {counts.unanswerable}"
        limit = "-" if view.break_even is None else f"{view.break_even:.2f}"
        scores = [points_text(score) for score in view.scores.values()]
        numbers = [str(counts.total), str(counts.answered), harm]
        rows.append([one.system, *numbers, *scores, limit])
    names = [f"RS({name})" for name in reports[0].view(EVERYTHING.name).scores]
    headers = ["system", "n", "answered", "unanswerable answered", *names, "break-even c"]
    return table(headers, rows)


def sparkline(selective: Selective) -> str:
    """The risk among the surest answers, for growing shares of them."""
    known = [point for point in curve_points(selective.curve) if point.risk is not None]
    bars = []
    for step in range(1, _STEPS + 1):
        point = next(p for p in known if p.coverage >= step / _STEPS - 1e-9)
        bars.append(_BARS[round((point.risk or 0.0) * (len(_BARS) - 1))])
    return "".join(bars)
