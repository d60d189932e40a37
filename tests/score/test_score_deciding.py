"""One metric decides what a run's reports call right: no two truths on one screen."""

from __future__ import annotations

import sqlite3
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlverdict import Options, evaluate
from sqlverdict.cli.main import sqlverdict
from sqlverdict.records import Case, Fault, Result, Verdict
from sqlverdict.report.files import write_reports
from sqlverdict.runlog.run import Run, read_run
from sqlverdict.score.deciding import COUNTING, counted_value, deciding_metric, verdict_by
from sqlverdict.score.reliability.intervals import worth
from sqlverdict.score.reliability.outcomes import FailurePolicy, item_outcome, label_by

GOLD = "SELECT name FROM item ORDER BY name"
BAG = "SELECT name FROM item ORDER BY name DESC"
"""Right under BIRD's preset, which compares sets; wrong under ours."""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')")
    connection.close()
    return path


def run_of(
    shop: Path, out: Path, metrics: str, *predictions: str, policy: str | None = None
) -> Run:
    cases = [Case(str(n), "shop", "In order?", (GOLD,), str(shop)) for n in range(len(predictions))]
    options = Options(metrics=metrics, workers=0, cache=None, policy=policy)
    run = evaluate(cases, dict(zip("0123", predictions, strict=False)), out=out, options=options)
    write_reports(run, "")
    return run


def show(folder: Path, case: str) -> str:
    return CliRunner().invoke(sqlverdict, ["show", str(folder), case]).output


def test_the_verdict_decides_and_else_the_first_binary_metric() -> None:
    assert deciding_metric(["ex", "verdict"], {"ex", "verdict"}) == "verdict"
    assert deciding_metric(["soft_f1", "ex[bird]", "ex"], {"ex", "ex[bird]"}) == "ex[bird]"
    assert deciding_metric(["soft_f1"], ()) is None


@pytest.mark.parametrize(
    ("metrics", "right"), [("ex[bird],ex", True), ("ex,ex[bird]", False), ("soft_f1,ex", False)]
)
def test_every_report_says_what_the_first_binary_metric_says(
    shop: Path, tmp_path: Path, metrics: str, right: bool
) -> None:
    run = run_of(shop, tmp_path / "run", metrics, BAG)
    verdict = "correct" if right else "incorrect"
    assert run.summary.verdicts == {verdict: 1}
    root = ET.parse(run.folder / "junit.xml").getroot()
    assert root.get("failures") == ("0" if right else "1")
    view = show(run.folder, "0")
    assert f"verdict     {verdict}" in view
    assert ("ORDER_MISMATCH" in view.partition("evidence")[0]) is not right
    report = (run.folder / "report.md").read_text(encoding="utf-8")
    assert f"Verdicts, by {run.deciding}" in report.replace("\\", "")
    assert ("Examples of wrong answers" in report) is not right


def test_a_metric_may_call_wrong_what_the_evidence_calls_right(shop: Path, tmp_path: Path) -> None:
    run = run_of(shop, tmp_path / "run", "text_match,ex", "SELECT name FROM item ORDER BY 1")
    (result,) = run.results()
    assert result.verdict is Verdict.CORRECT
    assert run.verdict(result) is Verdict.INCORRECT
    assert "incorrect (by text_match)" in show(run.folder, "0")
    assert ET.parse(run.folder / "junit.xml").getroot().get("failures") == "1"


def test_what_the_deciding_metric_cannot_score_is_unscored(shop: Path, tmp_path: Path) -> None:
    run = run_of(shop, tmp_path / "run", "ts,ex", GOLD)
    assert run.summary.verdicts == {"unscored": 1}
    assert ET.parse(run.folder / "junit.xml").getroot().get("errors") == "1"


LUCKY = "SELECT name FROM item WHERE id > 0 ORDER BY name"
"""Right on the data of the shop, and wrong on an item with the id 0."""


@pytest.mark.parametrize("metrics", ["ex,verdict", "verdict,ex"])
@pytest.mark.parametrize("policy", ["strict", "intent", "results"])
def test_the_verdict_decides_everywhere_wherever_it_stands(
    shop: Path, tmp_path: Path, metrics: str, policy: str
) -> None:
    run = run_of(shop, tmp_path / "run", metrics, LUCKY, policy=policy)
    verdict = "incorrect" if policy == "strict" else "correct"
    assert run.summary.verdicts == {verdict: 1}
    assert read_run(run.folder).summary == run.summary
    listing = CliRunner().invoke(sqlverdict, ["show", str(run.folder), "--verdict", verdict])
    assert "1 of 1 case" in listing.output
    assert f"verdict     {verdict} (policy {policy})" in show(run.folder, "0")
    failures = ET.parse(run.folder / "junit.xml").getroot().get("failures")
    assert failures == str(int(policy == "strict"))


def case_of(
    verdict: Verdict, value: float | None, degree: float | None, **fields: object
) -> Result:
    scores = {"verdict": value, "f1": degree}
    usual: dict[str, object] = {"prediction": "SELECT 1", "abstained": False, "scores": scores}
    return Result(0, "a", "d", "?", ("SELECT 1",), verdict=verdict, **(usual | fields))  # type: ignore[arg-type]


ABSTAINED: dict[str, object] = {"abstained": True, "prediction": None}
COUNTED_CASES = (
    (case_of(Verdict.CORRECT, 1.0, 1.0), 1.0, 1.0, 1.0),
    (case_of(Verdict.INCORRECT, 0.0, 0.25), 0.0, 0.25, -10.0),
    (case_of(Verdict.INCORRECT, 0.0, 0.0, reasons=("EXECUTION_ERROR",)), 0.0, 0.0, -10.0),
    (case_of(Verdict.INCORRECT, 0.0, 0.0, prediction=None), 0.0, 0.0, -10.0),
    (case_of(Verdict.ABSTAINED_WRONG, 0.0, 0.0, **ABSTAINED), 0.0, 0.0, 0.0),
    (case_of(Verdict.ABSTAINED_RIGHT, None, None, answerable=False, **ABSTAINED), 1.0, None, 1.0),
    (case_of(Verdict.INCORRECT, None, None, answerable=False), 0.0, None, -10.0),
    (case_of(Verdict.NEEDS_REVIEW, None, 0.5), 0.0, 0.5, 0.0),
    (case_of(Verdict.UNSCORED, None, None, fault=Fault.GOLD), None, None, None),
)
"""For each line of the table in docs/metrics.md: by ``verdict``, by a metric of degrees, RS(10)."""


def test_each_kind_of_case_counts_as_the_table_says() -> None:
    assert len(COUNTED_CASES) == len(COUNTING)
    for (kind, *_), (result, right, degree, reliability) in zip(
        COUNTING, COUNTED_CASES, strict=True
    ):
        assert counted_value(result, "verdict", binary=True) == right, kind
        assert counted_value(result, "f1", binary=False) == degree, kind
        cell = item_outcome(result, label_by("verdict"), FailurePolicy()).cell
        assert (None if cell is None else worth(cell, 10.0)) == reliability, kind


def test_what_needs_review_does_so_by_verdict_alone() -> None:
    result = case_of(Verdict.NEEDS_REVIEW, None, None)
    other = Result(
        *(0, "a", "d", "?", ("SELECT 1",), "SELECT 1", False, Verdict.NEEDS_REVIEW),
        scores={"ex": None},
    )
    assert counted_value(result, "verdict", binary=True) == 0.0
    assert verdict_by(other, "ex") is Verdict.NEEDS_REVIEW
    assert counted_value(other, "ex", binary=True) is None
