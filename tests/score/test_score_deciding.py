"""One metric decides what a run's reports call right: no two truths on one screen."""

from __future__ import annotations

import sqlite3
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from sqlverdict.pipeline import Options, evaluate
from sqlverdict.records import Case, Verdict
from sqlverdict.report.files import write_reports
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import deciding_metric

GOLD = "SELECT name FROM item ORDER BY name"
BAG = "SELECT name FROM item ORDER BY name DESC"
"""Right under BIRD's preset, which compares sets; wrong under ours."""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')")
    connection.close()
    return path


def run_of(shop: Path, out: Path, metrics: str, *predictions: str) -> Run:
    cases = [Case(str(n), "shop", "In order?", (GOLD,), str(shop)) for n in range(len(predictions))]
    options = Options(metrics=metrics, workers=0, cache=None)
    run = evaluate(cases, dict(zip("0123", predictions, strict=False)), out=out, options=options)
    write_reports(run, "")
    return run


def show(folder: Path, case: str) -> str:
    return CliRunner().invoke(sqlverdict, ["show", str(folder), case]).output


def test_the_first_binary_metric_decides() -> None:
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
    shown = show(run.folder, "0")
    assert f"verdict     {verdict}" in shown
    assert ("ORDER_MISMATCH" in shown.partition("evidence")[0]) is not right
    report = (run.folder / "report.md").read_text(encoding="utf-8")
    assert f"Verdicts, by {run.deciding}" in report.replace("\\", "")
    assert ("Examples of wrong answers" in report) is not right


def test_a_metric_may_call_wrong_what_the_evidence_calls_right(shop: Path, tmp_path: Path) -> None:
    run = run_of(shop, tmp_path / "run", "text_match,ex", "SELECT name FROM item ORDER BY 1")
    (result,) = run.results()
    assert result.verdict is Verdict.CORRECT
    assert run.verdict(result) is Verdict.INCORRECT
    assert "incorrect by text_match" in show(run.folder, "0")
    assert ET.parse(run.folder / "junit.xml").getroot().get("failures") == "1"


def test_what_the_deciding_metric_cannot_score_is_unscored(shop: Path, tmp_path: Path) -> None:
    run = run_of(shop, tmp_path / "run", "ts,ex", GOLD)
    assert run.summary.verdicts == {"unscored": 1}
    assert ET.parse(run.folder / "junit.xml").getroot().get("errors") == "1"
