"""junit.xml is well formed whatever a model wrote, and counts what the run says."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqlverdict.evidence import Failed
from sqlverdict.records import Fault, Reason, Result, Verdict
from sqlverdict.report import files
from sqlverdict.report.files import size_notes, write_reports
from sqlverdict.report.one_run import junit
from sqlverdict.report.one_run.junit import write_checks, write_junit
from sqlverdict.report.several_runs.gate import GateCondition
from sqlverdict.runlog.run import Run

MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]


def test_each_verdict_has_its_place(make_run: MakeRun, make_result: MakeResult) -> None:
    failed = Failed("execute", message="no such table", query="prediction")
    results = [
        make_result(0, db_id="a", timings={"gold": 0.25, "prediction": 0.5}),
        make_result(1, db_id="b", verdict=Verdict.INCORRECT, evidence=(failed,), reasons=("X",)),
        make_result(2, db_id="a", verdict=Verdict.UNSCORED, fault=Fault.GOLD),
        make_result(3, db_id="a", verdict=Verdict.ABSTAINED_RIGHT, abstained=True, prediction=None),
        make_result(4, db_id="a", verdict=Verdict.ABSTAINED_WRONG, abstained=True, prediction=None),
        make_result(5, db_id="a", verdict=Verdict.NEEDS_REVIEW, reasons=("TIE_UNDETERMINED",)),
    ]
    root = ET.parse(write_junit(make_run("r", results))).getroot()
    totals = {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert totals == {"tests": "6", "failures": "1", "errors": "1", "skipped": "2"}
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [("a", "5"), ("b", "1")]
    first, unscored, abstained, *skipped = root[0]
    assert (first.get("name"), len(first), first.get("time")) == ("q0", 0, "0.750000")
    assert unscored[0].tag == "error"
    assert unscored[0].get("message") == "unscored: gold"
    assert len(abstained) == 0, "a right abstention passes"
    assert [case[0].get("message") for case in skipped] == [
        "abstained_wrong",
        "needs_review: TIE_UNDETERMINED",
    ]
    failure = root[1][0][0]
    assert failure.tag == "failure"
    assert failure.text is not None
    assert "no such table" in failure.text
    assert "SELECT 1" in failure.text


def test_of_a_long_run_only_what_failed_is_written_and_the_file_says_so(
    make_run: MakeRun, make_result: MakeResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(junit, "MOST_CASES", 3)
    kinds = (Verdict.CORRECT, Verdict.INCORRECT, Verdict.UNSCORED)
    results = [make_result(n, db_id=f"d{n % 2}", verdict=kinds[n % 3]) for n in range(12)]
    run = make_run("r", results)
    root = ET.parse(write_junit(run)).getroot()
    totals = {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert totals == {"tests": "12", "failures": "4", "errors": "4", "skipped": "0"}
    assert [case.get("name") for case in root.iter("testcase")] == ["q2", "q4", "q1"]
    note = "junit.xml has the first 3 of the 8 cases that failed or could not be evaluated, and no"
    assert [each.get("value", "")[: len(note)] for each in root.iter("property")] == [note]
    monkeypatch.setattr(files, "MOST_CASES", 3)
    write_reports(run)
    notes = size_notes(run)
    assert notes[0].startswith(note)
    assert (
        "report.html is not written for more than 3 cases: `sqlverdict evaluate --set page=true`"
        in notes[1]
    )
    write_reports(run, html=True)
    assert len(size_notes(run)) == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_gives_well_formed_xml(
    make_run: MakeRun, make_result: MakeResult, text: str
) -> None:
    wrong = make_result(
        0, id=text, db_id=text, question=text, prediction=text, verdict=Verdict.INCORRECT
    )
    root = ET.parse(write_junit(make_run("r", [wrong], benchmark=text))).getroot()
    assert root.get("failures") == "1"


def test_control_characters_are_shown_by_their_code(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    wrong = make_result(0, prediction="SELECT '\x00\x1b]]>&'", verdict=Verdict.INCORRECT)
    root = ET.parse(write_junit(make_run("r", [wrong]))).getroot()
    assert "SELECT '\\u0000\\u001b]]>&'" in (root[0][0][0].text or "")


def test_lines_of_one_database_come_together_and_in_order(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    results = [make_result(index, db_id=f"db{index % 3}") for index in range(30)]
    root = ET.parse(write_junit(make_run("r", results))).getroot()
    names = [[case.get("name") for case in suite] for suite in root]
    assert names == [[f"q{index}" for index in range(first, 30, 3)] for first in range(3)]


def test_the_conditions_of_a_gate_are_tests_too(tmp_path: Path) -> None:
    checks = [
        GateCondition("fine", "1", "1", passed=True),
        GateCondition("ex < 1 & up", "0", "1", passed=False, detail=("q1: wrong",)),
    ]
    write_checks(tmp_path / "gate.xml", "gate", checks)
    root = ET.parse(tmp_path / "gate.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    assert [case.get("name") for case in root[0]] == ["fine", "ex < 1 & up"]
    assert root[0][1][0].get("message") == "found 0, expected 1"
    assert root[0][1][0].text == "q1: wrong"


def test_a_reason_code_is_written_as_its_name(make_run: MakeRun, make_result: MakeResult) -> None:
    wrong = make_result(0, verdict=Verdict.INCORRECT, reasons=(Reason.WRITE_BLOCKED,))
    root = ET.parse(write_junit(make_run("r", [wrong]))).getroot()
    assert root[0][0][0].get("message") == "incorrect: WRITE_BLOCKED"
