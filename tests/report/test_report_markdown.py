"""report.md and the words in it: complete, and nothing in a prediction breaks out of its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sqlverdict.compare.relation import relation_text
from sqlverdict.evidence import Judged, Proved, Refuted, Related, Relation, Signs, Tested, Undecided
from sqlverdict.evidence_parts import AnswerShapes, LoggedSign
from sqlverdict.records import Fault, Reason, Result, Verdict
from sqlverdict.report.files import FILES, write_reports
from sqlverdict.report.one_run.case import VERDICTS, evidence_lines, prediction_text
from sqlverdict.report.one_run.markdown import fence, pick, write_markdown
from sqlverdict.report.one_run.sections import headline, outcome, unscored_messages
from sqlverdict.runlog.run import Run
from sqlverdict.score.summary import summarise

MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]


def related(kind: str, **detail: Any) -> Related:
    shape = AnswerShapes((2, 1), (2, 2))
    return Related("compare", shape=shape, relations=(Relation(kind, detail),))


def test_a_report_holds_every_part(make_run: MakeRun, make_result: MakeResult) -> None:
    results = [
        make_result(0, difficulty="easy"),
        make_result(
            1,
            db_id="bank",
            difficulty="hard",
            verdict=Verdict.INCORRECT,
            scores={"ex": 0.0},
            reasons=(Reason.RESULT_EXTRA_COLUMNS,),
            evidence=(related("extra_columns", columns=[0], extra=[1]),),
        ),
        make_result(
            2,
            verdict=Verdict.UNSCORED,
            fault=Fault.GOLD,
            scores={"ex": None},
            reasons=(Reason.GOLD_EXECUTION_ERROR,),
            message="no such column: x",
        ),
    ]
    run = make_run("r", results, notes=("one thing to know",))
    text = write_markdown(run, "sqlverdict evaluate --x").read_text("utf-8")
    for part in (
        "# r on tiny: 1 of 2 right by ex, 1 wrong; 1 of 3 cases unscored: 50.0% right",
        "1 of 3 cases could not be evaluated",
        "## Metrics",
        "## Verdicts, by ex",
        "## By difficulty",
        "## By database",
        "## Examples of wrong answers",
        "the prediction has 1 more column: number 2",
        "## Cases that could not be evaluated",
        "no such column: x",
        "one thing to know",
        "## How to reproduce",
        "sqlverdict evaluate --x",
        run.manifest.fingerprint,
    ):
        assert part in text


def test_a_prediction_cannot_end_its_code_block(make_run: MakeRun, make_result: MakeResult) -> None:
    evil = "SELECT 1\n```\n# I am a heading\n<script>"
    run = make_run("r", [make_result(0, prediction=evil, verdict=Verdict.INCORRECT, id="<b>|x")])
    text = write_markdown(run).read_text("utf-8")
    block = text[text.index("````sql") :]
    assert "# I am a heading" in block[: block.index("\n````\n")]
    assert "\\<b\\>\\|x" in text
    assert fence("a").count("```") == 2


def test_examples_show_different_kinds_before_more_of_one(make_result: MakeResult) -> None:
    many = [
        make_result(i, verdict=Verdict.INCORRECT, evidence=(related("row_subset", missing=1),))
        for i in range(20)
    ]
    others = [
        make_result(20, verdict=Verdict.INCORRECT, evidence=(related("scale"),)),
        make_result(21, verdict=Verdict.INCORRECT, reasons=(Reason.EXECUTION_ERROR,)),
        make_result(22),
    ]
    assert [result.index for result in pick(iter([*many, *others]))] == [0, 20, 21, 1, 2]


def test_reports_are_written_once_for_a_finished_run(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    run = make_run("r", [make_result(0)])
    report, junit, page = write_reports(run)
    before = [path.stat().st_mtime_ns for path in (report, junit, page)]
    assert write_reports(run) == (report, junit, page)
    assert [path.stat().st_mtime_ns for path in (report, junit, page)] == before
    assert sorted(path.name for path in run.folder.iterdir()) == sorted(FILES)
    junit.unlink()
    write_reports(run)
    assert junit.exists()


DETAILS: dict[str, tuple[dict[str, Any], str]] = {
    "column_permutation": ({"columns": [1, 0]}, "2, 1"),
    "concatenated": ({"joined": "prediction"}, "in the prediction"),
    "duplicates_only": ({"distinct": 5, "gold_rows": 5, "prediction_rows": 34}, "34 rows instead"),
    "extra_columns": ({"extra": [1]}, "1 more column: number 2"),
    "formats": ({"changed": [{"steps": ["day_first"]}]}, "day_first"),
    "missing_columns": ({"missing": [0]}, "lacks 1 column of the gold: number 1"),
    "order_only": ({"first": 0}, "from row 1"),
    "rounding": ({"changed": [{"rounded": "gold", "digits": 2}]}, "2 decimals in the gold"),
    "null_rows": ({"gold_rows": 1, "prediction_rows": 0}, "1 in the gold, 0 in the prediction"),
    "row_subset": ({"missing": 3, "examples": [["Mole", 0]]}, '["Mole", 0]'),
    "row_superset": ({"extra": 2}, "2 more"),
    "scale": ({"changed": [{"factor": 100}]}, "times 100"),
    "sum_of_list": (
        {"list": "prediction", "rows": 2, "function": "sum", "value": 730},
        "whose sum is the gold's 730",
    ),
    "tie_superset": ({"limit": 1, "limited": "gold", "tied": 2}, "2 tied rows; the prediction"),
    "transposed": ({"cells": 3, "row": "gold"}, "side by side in the gold"),
    "zero_rows": ({"extra": 2}, "the gold's rows and 2 more rows with a 0 or NULL"),
    "yes_no": (
        {"changed": [{"prediction_form": "bits", "gold_form": "words"}]},
        "bits instead of words",
    ),
}


def test_a_count_that_leaves_out_nulls_says_so() -> None:
    detail = {"list": "gold", "rows": 14, "function": "count", "value": 1, "nulls": 13}
    assert relation_text(Relation("sum_of_list", detail)) == (
        "the gold lists 14 rows, 13 of them NULL; the prediction's 1 is the number of the others "
        "(sum_of_list)"
    )


def test_what_both_queries_show_speaks_against_neither(make_result: MakeResult) -> None:
    empty = LoggedSign("empty_answer", message="the query returns no row")
    dead = LoggedSign("dead_literal", message="no row fulfils a = 1")
    signs = Signs("signs", gold=(empty,), prediction=(dead, empty))
    assert evidence_lines(make_result(0, evidence=(signs,))) == [
        "in both queries: the query returns no row (empty_answer)",
        "sign against the prediction: no row fulfils a = 1 (dead_literal)",
    ]


def test_a_panel_says_its_votes(make_result: MakeResult) -> None:
    def lines(*votes: bool | None) -> list[str]:
        judged = Judged("panel", correct=True, votes=votes)
        return evidence_lines(make_result(0, evidence=(judged,)))

    assert "votes: right, right, right; all agree" in lines(True, True, True)
    assert "votes: right, wrong, unread" in lines(True, False, None)
    assert not any("votes" in line for line in lines())


@pytest.mark.parametrize("kind", sorted(DETAILS))
def test_a_relation_says_its_proof(kind: str) -> None:
    detail, words = DETAILS[kind]
    assert words in relation_text(Relation(kind, detail))
    assert "may be chance" in relation_text(Relation(kind, detail | {"weak": True}))
    broken = Relation(kind, detail, broken=Refuted("refute", grade="ordinary"))
    assert "does not hold on another legal database" in relation_text(broken)


def test_a_relation_of_another_version_is_shown_as_it_is() -> None:
    assert relation_text(Relation("scale", {"other": 1})) == '{"other": 1} (scale)'
    assert relation_text(Relation("brand_new", {"a": [1]})) == '{"a": [1]} (brand_new)'


def test_evidence_is_said_strongest_first(make_result: MakeResult) -> None:
    proved = Proved("parse", same_text=True)
    tested = Tested("compare", databases=3)
    open_ = Undecided("compare", (Reason.TIE_UNDETERMINED,))
    lines = evidence_lines(make_result(0, evidence=(open_, tested, proved)))
    assert [line.split(":")[0] for line in lines] == ["proved", "tested", "undecided"]
    assert "3 databases" in lines[1]
    assert "TIE_UNDETERMINED" in lines[2]


def test_an_abstention_is_not_an_empty_answer(make_result: MakeResult) -> None:
    assert prediction_text(make_result(0, prediction=None, abstained=True)) == "(abstained)"
    assert prediction_text(make_result(0, prediction=" ")) == "(no SQL)"
    assert set(VERDICTS) == set(Verdict)


@pytest.mark.parametrize(
    ("verdicts", "values", "code"),
    [
        ([Verdict.CORRECT], [1.0], 0),
        ([Verdict.NEEDS_REVIEW], [None], 0),
        ([Verdict.CORRECT, Verdict.UNSCORED], [1.0, None], 4),
        ([Verdict.UNSCORED, Verdict.UNSCORED], [None, None], 3),
        ([Verdict.UNSCORED, Verdict.ABSTAINED_WRONG], [None, 0.0], 4),
        ([], [], 3),
    ],
)
def test_the_exit_code_of_an_evaluation(
    make_result: MakeResult, verdicts: list[Verdict], values: list[float | None], code: int
) -> None:
    results = [
        make_result(i, verdict=verdict, scores={"ex": value})
        for i, (verdict, value) in enumerate(zip(verdicts, values, strict=True))
    ]
    summary = summarise(results, ["ex"], binary=["ex"], features=None)
    assert outcome([summary]).exit_code == code


def test_em_without_databases_is_an_evaluation(make_result: MakeResult) -> None:
    results = [make_result(0, verdict=Verdict.UNSCORED, scores={"ex": None, "em": 1.0})]
    summary = summarise(results, ["ex", "em"], binary=["ex", "em"], features=None)
    assert outcome([summary]).exit_code == 4


def test_nothing_scored_is_said_and_not_zero(make_run: MakeRun, make_result: MakeResult) -> None:
    run = make_run("r", [make_result(0, verdict=Verdict.UNSCORED, scores={"ex": None})])
    assert headline(run) == "r on tiny: ex has no value, 1 of 1 case unscored"


def test_missing_databases_are_named_once(make_run: MakeRun, make_result: MakeResult) -> None:
    result = make_result(
        0,
        verdict=Verdict.UNSCORED,
        fault=Fault.ENGINE,
        reasons=(Reason.DATABASE_UNAVAILABLE,),
        message="no database at x",
        scores={"ex": None},
    )
    assert "no database at x" in unscored_messages(make_run("r", [result]))[0]
    run = make_run("s", [result], notes=("1 databases are missing: 1 cases cannot be executed",))
    assert unscored_messages(run) == []
