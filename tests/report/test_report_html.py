"""``report.html`` without a browser: parts of the bar, the document, the file."""

from __future__ import annotations

import os
import re
import zlib
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import UsageError
from sqlverdict.evidence import Failed, Judged
from sqlverdict.evidence_parts import LoggedAnswers, LoggedChange, TypedCell
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.report.files import HTML, write_reports
from sqlverdict.report.html.bar import PARTS, bar_part
from sqlverdict.report.html.build import make_document
from sqlverdict.report.html.details import page_answers
from sqlverdict.report.html.page import SCRIPTS, render_page
from sqlverdict.runlog.manifest import MANIFEST
from sqlverdict.runlog.run import Run
from sqlverdict.situations import Situation
from sqlverdict.verdicts import POLICIES

MakeResult = Callable[..., Result]
MakeRun = Callable[..., Run]


def data_of(page: str) -> dict[str, Any]:
    """The data blocks of a page, by name."""
    blocks = re.findall(r'<script type="text/plain" id="data-([^"]+)">([^<]+)</script>', page)
    return {name: msgspec.json.decode(zlib.decompress(b64decode(text))) for name, text in blocks}


def test_every_situation_has_a_part(make_result: MakeResult) -> None:
    for situation in Situation:
        result = make_result(0, situation=str(situation))
        assert bar_part(result, "intent") in PARTS


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"situation": "proved"}, "proved"),
        ({"situation": "ordinary_witness"}, "lucky"),
        ({"situation": "difference"}, "wrong"),
        ({"situation": "", "reasons": (Reason.NO_SQL_PRODUCED,)}, "failed"),
        ({"situation": "", "reasons": (Reason.ANSWERED_UNANSWERABLE,)}, "wrong"),
        ({"verdict": Verdict.ABSTAINED_WRONG, "abstained": True}, "abstained_wrong"),
        ({"verdict": Verdict.UNSCORED, "situation": "fault"}, "unscored"),
    ],
)
def test_a_case_is_in_the_part_of_its_evidence(
    make_result: MakeResult, fields: dict[str, Any], part: str
) -> None:
    assert bar_part(make_result(0, **({"verdict": Verdict.INCORRECT} | fields)), "strict") == part


def test_an_opinion_counts_only_where_the_policy_asks(make_result: MakeResult) -> None:
    opinion = Judged("flex", correct=True)
    for situation in Situation:
        result = make_result(0, situation=str(situation), evidence=(opinion,))
        asks = situation in POLICIES["strict"].asks
        assert (bar_part(result, "strict") == "judged_right") == asks
    unread = make_result(0, situation="difference", evidence=(Judged("flex", correct=None),))
    assert bar_part(unread, "strict") == "wrong"


def test_a_blocked_prediction_is_told_from_one_that_fails(make_result: MakeResult) -> None:
    blocked = Failed("execute", (Reason.WRITE_BLOCKED,), query="prediction")
    failure = Failed("execute", (Reason.PARSE_ERROR,), query="prediction")
    parts = [
        bar_part(make_result(0, situation="failed", evidence=(piece,)), "results")
        for piece in (blocked, failure)
    ]
    assert parts == ["blocked", "failed"]


def test_several_runs_are_joined_by_case(make_run: MakeRun, make_result: MakeResult) -> None:
    runs = [
        make_run("a", [make_result(index) for index in range(60)]),
        make_run("b", [make_result(0, id="q5"), make_result(1, id="new")]),
    ]
    data = data_of(render_page(make_document(runs)))
    index = data["index"]
    assert index["cases"]["id"] == [*(f"q{number}" for number in range(60)), "new"]
    second = index["results"][1]
    assert [at for at, part in enumerate(second["part"]) if part] == [5, 60]
    assert len(data["block-0"]) == 50
    assert len(data["block-1"]) == 11
    assert data["block-0"][0][1] is None
    assert data["block-1"][10][0] is None


def test_no_run_and_one_run_twice_are_refused(make_run: MakeRun, make_result: MakeResult) -> None:
    run = make_run("a", [make_result(0)])
    with pytest.raises(UsageError, match="no run"):
        make_document([])
    with pytest.raises(UsageError, match="given twice"):
        make_document([run, run])


def test_a_page_has_the_same_bytes_each_time(make_run: MakeRun, make_result: MakeResult) -> None:
    run = make_run("a", [make_result(index) for index in range(3)])
    assert render_page(make_document([run])) == render_page(make_document([run]))


def test_a_run_without_cases_has_a_page(make_run: MakeRun) -> None:
    page = render_page(make_document([make_run("a", [])]))
    assert data_of(page)["index"]["cases"]["id"] == []


def test_every_script_is_in_the_page() -> None:
    import sqlverdict.report.html as package

    folder = Path(package.__file__ or "").parent / "assets"
    assert sorted(SCRIPTS) == sorted(path.stem for path in folder.glob("*.js"))


def test_cells_keep_their_type_and_their_digits() -> None:
    answers = LoggedAnswers(
        gold_shape=(12, 2),
        prediction_shape=(12, 2),
        gold_columns=("a", "b"),
        prediction_columns=("b", "a"),
        columns=(1, 0),
        changed=(LoggedChange((1, "x"), ("x", TypedCell("integer", "9007199254740993")), (0,)),),
        missing=((None, TypedCell("blob", "00ff", 9)),),
        changed_count=1,
        missing_count=3,
    )
    page = page_answers(answers)
    changed, missing = page.rows
    assert changed.gold == ("n1", "tx")
    assert changed.prediction == ("n9007199254740993", "tx")
    assert (changed.gold_changed, changed.prediction_changed) == ((0,), (0,))
    assert missing.gold == (None, "bx'00ff' (9 bytes)")
    assert page.notes[1:] == ("Not shown: 2 more missing, 8 rows in both.",)


def test_columns_that_belong_together_stand_in_one_order() -> None:
    answers = LoggedAnswers(
        (2, 2), (2, 3), ("name", "n"), ("more", "count", "title"), columns=(2, 1),
        changed=(LoggedChange(("a", 1), (9, 2, "a"), (1,)),), changed_count=1,
        extra=((8, 3, "b"),), extra_count=1, missing=(("c", 4),), missing_count=1,
    )  # fmt: skip
    page = page_answers(answers)
    assert page.prediction_columns == ("title", "count", "more")
    changed, missing, extra = page.rows
    assert changed.prediction == ("ta", "n2", "n9")
    assert (changed.gold_changed, changed.prediction_changed) == ((1,), (1,))
    assert (missing.gold, missing.prediction) == (("tc", "n4"), None)
    assert extra.prediction == ("tb", "n3", "n8")
    assert "in the order of the matching gold columns" in page.notes[0]
    plain = page_answers(msgspec.structs.replace(answers, columns=None))
    assert plain.prediction_columns == answers.prediction_columns
    assert not [note for note in plain.notes if "order of the matching" in note]


def test_a_page_of_an_earlier_state_does_not_stay(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    run = make_run("a", [make_result(0)])
    write_reports(run)
    page = run.folder / HTML
    write_reports(run, html=False)
    assert page.exists(), "it is of this run"
    later = page.stat().st_mtime_ns + 1_000_000_000
    os.utime(run.folder / MANIFEST, ns=(later, later))
    write_reports(run, html=False)
    assert not page.exists()


def test_commands_write_a_page(make_run: MakeRun, make_result: MakeResult) -> None:
    runs = [make_run(name, [make_result(index) for index in range(4)]) for name in "ab"]
    folders = [str(run.folder) for run in runs]
    for command in ("compare", "leaderboard", "reliability", "audit"):
        target = runs[0].folder.parent / f"{command}.html"
        shell = CliRunner().invoke(sqlverdict, [command, *folders, "--html", str(target)])
        assert shell.exit_code == 0, shell.output
        index = data_of(target.read_text())["index"]
        assert [each["name"] for each in index["systems"]] == ["a", "b"]
        assert (index["suspects"] is not None) == (command == "audit")
        charts = index["systems"][0]["reliability"]
        assert bool(charts and charts["charts"]) == (command == "reliability")
