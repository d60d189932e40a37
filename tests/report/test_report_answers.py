"""The rows that both queries returned: in the run log, and in every report of one run."""

from __future__ import annotations

import json
import sqlite3
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

import sqlverdict as sv
from sqlverdict.cli.main import sqlverdict
from sqlverdict.evidence_parts import LoggedAnswers, LoggedChange, TypedCell
from sqlverdict.report.files import write_reports
from sqlverdict.report.one_run.answers import answer_lines
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.run import Run

HOSTILE = "\x1b[31m\u202e ``` </failure>\n# '; --"
GOLD = "SELECT name, n FROM t"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "t.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE t (name TEXT, n)")
        rows = [("a", 1), (HOSTILE, b"\x00\x1b"), ("c", 2**60), (None, 1.5)]
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.execute("INSERT INTO t VALUES (CAST(x'ff41' AS TEXT), 7)")
    connection.close()
    return path


PREDICTIONS = {
    "same": GOLD,
    "fewer": "SELECT name, n FROM t WHERE name = 'a'",
    "changed": "SELECT name, n + 1 AS n FROM t",
    "failed": "SELECT nothing FROM t",
    "wide": "SELECT n, name, 1 AS one FROM t",
}


@pytest.fixture(scope="module")
def run(db: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    cases = [sv.Case(name, "t", "?", (GOLD,), str(db)) for name in PREDICTIONS]
    folder = tmp_path_factory.mktemp("run")
    run = sv.evaluate(cases, PREDICTIONS, out=folder, workers=0)
    write_reports(run)
    return run


def answers(run: Run, case_id: str) -> LoggedAnswers:
    outcome = next(result.answers for result in read_results(run.folder) if result.id == case_id)
    assert outcome is not None
    return outcome


def test_the_log_keeps_what_differs(run: Run) -> None:
    assert answers(run, "same").same[0] == ("a", 1)
    fewer = answers(run, "fewer")
    assert (fewer.missing_count, fewer.extra_count, len(fewer.missing)) == (4, 0, 4)
    assert fewer.missing[0][1] == TypedCell("blob", "001b")
    assert answers(run, "changed").changed[0] == LoggedChange(("a", 1), ("a", 2), (1,))
    assert answers(run, "failed").prediction_shape is None
    assert answers(run, "wide").columns == (1, 0)


def test_every_report_shows_them_and_none_is_steered(
    run: Run,
) -> None:
    terminal = CliRunner().invoke(sqlverdict, ["show", str(run.folder), "changed"]).output
    page = (run.folder / "report.md").read_text(encoding="utf-8")
    failures = ET.parse(run.folder / "junit.xml").getroot().iter("failure")
    texts = [terminal, page, "\n".join(failure.text or "" for failure in failures)]
    for text in texts:
        assert "~ 'a' | 1 -> 2" in text
        assert "x'001b'" in text
        assert "\x1b" not in text
        assert "\u202e" not in text
    # The text of a cell stays on its line, and cannot end the block it stands in.
    assert "\n# '" not in page
    assert page.count("\n```diff") + page.count("\n````diff") == 4


def test_lines_are_bounded() -> None:
    long = TypedCell("text", "x" * 200, 10**6)
    rows = ((long,) * 40,) * 10
    record = LoggedAnswers((99, 40), (1, 40), ("c" * 200,) * 40, missing=rows, missing_count=99)
    lines = answer_lines(record)
    assert max(map(len, lines)) < 300
    assert lines[-1] == "89 more missing"


def test_blanks_in_a_cell_are_kept() -> None:
    change = LoggedChange(("a  b\t",), ("a b",), (0,))
    record = LoggedAnswers((1, 1), (1, 1), ("n",), ("n",), changed=(change,), changed_count=1)
    assert answer_lines(record)[-1] == "~ 'a  b\\t' -> 'a b'"


def test_names_do_not_depend_on_which_spelling_ran_first(db: Path, tmp_path: Path) -> None:
    gold = "SELECT count(*) FROM t WHERE n > 1"
    case = sv.Case("1", "t", "?", (gold,), str(db))
    spellings = ["SELECT COUNT(*)  FROM t", "select count(*) from T"]
    logs = []
    for number, order in enumerate((spellings, spellings[::-1])):
        folder = tmp_path / str(number)
        for sql in order:
            sv.evaluate([case], {"1": sql}, out=folder / sql[:6], workers=0)
        logs.append([json.loads((folder / sql[:6] / "results.jsonl").read_bytes())["answers"]
                     for sql in spellings])  # fmt: skip
    assert logs[0] == logs[1]
    assert logs[0][0] == logs[0][1]


def test_a_line_without_answers_is_read(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    from msgspec.structs import replace

    from sqlverdict.cli.show_case import show_case
    from sqlverdict.report.terminal.console import Screen

    result = replace(next(iter(read_results(run.folder))), answers=None)
    show_case(Screen(), result, run.folder, run.manifest)
    assert "rows" not in capsys.readouterr().out.replace("same rows", "")
