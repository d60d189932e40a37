"""Golds under suspicion: each sign from run folders alone, and from queries run again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sqlverdict.audit.gold import suspect_golds
from sqlverdict.audit.gold_markdown import audit_text, suspect_markdown
from sqlverdict.audit.gold_report import gold_reports, query_key
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.errors import UsageError
from sqlverdict.evidence import (
    Evidence,
    Failed,
    Judged,
    Refuted,
    Related,
    Relation,
    Tested,
    Undecided,
)
from sqlverdict.evidence_parts import AnswerExcerpt, AnswerShapes, TableExcerpt
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Outcome, Reason, Result, Verdict
from sqlverdict.runlog.run import Run
from sqlverdict.signs.mentions import asked_values, mentions_value

QUESTION = "How many players of Rome weigh more than 80 kilos?"
GOLD = "SELECT COUNT(*) FROM player WHERE city = 'Rome' AND weight > 80"
OTHER = "SELECT count(*) FROM player AS p WHERE p.weight > 80 and p.city = 'Rome' AND p.id > 7"

MakeRun = Callable[..., Run]


def differs(*kinds: str, gold: tuple[int, int] = (1, 1), **detail: Any) -> Related:
    relations = tuple(Relation(kind, detail) for kind in kinds)
    shape = AnswerShapes(gold, (1, 1))
    return Related("compare", (Reason.VALUE_MISMATCH,), shape=shape, relations=relations)


def line(
    prediction: str | None, *evidence: Evidence, ex: float | None = 0.0, **more: Any
) -> Result:
    usual: dict[str, Any] = {
        "index": 0,
        "id": "7",
        "db_id": "league",
        "question": QUESTION,
        "gold": (GOLD,),
        "prediction": prediction,
        "abstained": prediction is None,
        "verdict": Verdict.CORRECT if ex else Verdict.INCORRECT,
        "scores": {"ex": ex},
        "evidence": evidence or (() if ex else (differs(),)),
    }
    return Result(**(usual | more))


def raised(runs: list[Run], **how: Any) -> dict[str, Suspicion]:
    result = suspect_golds(runs, **how).suspects
    return {one.name: one for suspect in result for one in suspect.suspicions}


def test_systems_that_agree_against_the_gold(make_run: MakeRun) -> None:
    query = "select COUNT(*) from player where id > 7 AND weight > 80 AND city = 'Rome';"
    runs = [
        make_run("a", line(OTHER)),
        make_run("b", line(query)),
        make_run("c", line(GOLD, ex=1.0)),
    ]
    result = raised(runs)["systems_agree"]
    assert result.systems == ("a", "b")
    assert result.weight == 0.45
    assert "2 of 3 systems give the same query, whose result is not the gold's" in result.message
    assert "systems_agree" not in raised([make_run("d", line(OTHER))])


@pytest.mark.parametrize("reason", [Reason.REFUSED_IN_WORDS, Reason.NO_SQL_PRODUCED])
def test_systems_that_give_no_query_do_not_agree(make_run: MakeRun, reason: Reason) -> None:
    refusal = line("Sorry, I cannot answer this.", reasons=(reason,))
    runs = [make_run("a", refusal), make_run("b", refusal), make_run("c", line(GOLD, ex=1.0))]
    assert "systems_agree" not in raised(runs)


def test_systems_that_differ_from_each_other_are_no_sign(make_run: MakeRun) -> None:
    runs = [
        make_run("a", line(OTHER)),
        make_run("b", line("SELECT 1")),
        make_run("c", line("SELECT 2")),
    ]
    assert "systems_agree" not in raised(runs)
    assert raised(runs)["nobody_right"].weight == 0.2


def test_a_match_with_a_witness_is_against_the_gold_too(make_run: MakeRun) -> None:
    tested = Tested("compare")

    def refuted(grade: str) -> Refuted:
        return Refuted(
            "refute",
            grade=grade,
            sentence="they differ when a player is new",
            rows={"player": TableExcerpt(("id", "city"), ((1, "Rome"),))},
            gold=AnswerExcerpt(("n",), ((1,),), 1),
            prediction=AnswerExcerpt(("n",), ((0,),), 1),
        )

    ordinary = [make_run(s, line(OTHER, tested, refuted("ordinary"), ex=1.0)) for s in "ab"]
    (suspect,) = suspect_golds(ordinary).suspects
    text = suspect_markdown(suspect)
    assert "| player.id | player.city |" in text
    assert "the gold returns (1); the prediction returns (0)" in text
    result = raised(ordinary)["systems_agree"]
    assert result.weight == 0.45
    assert "on a witness: they differ when a player is new" in result.message
    unusual = [make_run(s, line(OTHER, tested, refuted("needs_null"), ex=1.0)) for s in "ab"]
    assert raised(unusual)["systems_agree"].weight == pytest.approx(0.3)
    matches = [make_run(s, line(OTHER, tested, ex=1.0)) for s in "ab"]
    assert raised(matches, only=["systems_agree"]) == {}


def test_the_same_values_in_another_form_say_little_and_name_the_relation(
    make_run: MakeRun,
) -> None:
    """A column more was "arranged otherwise"."""
    runs = [make_run(system, line(OTHER, differs("extra_columns", extra=[1]))) for system in "abc"]
    result = raised(runs)
    assert "(the same rows; the prediction has 1 more column" in result["systems_agree"].message
    assert result["systems_agree"].weight == pytest.approx(0.65 / 3, abs=1e-3)
    assert "nobody_right" not in result


def test_failed_predictions_agree_on_nothing(make_run: MakeRun) -> None:
    failed = Failed("execute", (Reason.EXECUTION_ERROR,), query="prediction")
    runs = [make_run(system, line(OTHER, failed)) for system in "abc"]
    assert raised(runs, only=["systems_agree", "nobody_right"]) == {}


def test_a_judge_that_blames_the_gold(make_run: MakeRun) -> None:
    blames = Judged(
        "flex",
        correct=True,
        categories=("wrong_gold",),
        category_notes={"wrong_gold": "it  counts\nall"},
    )
    result = raised([make_run("a", line(OTHER, differs(), blames))])["judge_disputes"]
    assert result.weight == 0.7
    assert result.message == "the judge flex calls the gold wrong (a): it counts all"
    opinion = Judged("flex", correct=True, explanation="both are fine")
    runs = [make_run(system, line(OTHER, differs(), opinion)) for system in "ab"]
    assert raised(runs)["judge_disputes"].weight == pytest.approx(0.5)
    explained = make_run("c", line(OTHER, differs("extra_columns"), opinion))
    assert "judge_disputes" not in raised([explained])
    denied = Judged("flex", correct=False)
    assert "judge_disputes" not in raised([make_run("d", line(OTHER, differs(), denied))])


def test_golds_that_fail_return_nothing_or_stay_open(make_run: MakeRun) -> None:
    failing = Failed(
        "compare", (Reason.GOLD_EXECUTION_ERROR,), "no such column: wieght", query="gold"
    )
    result = raised([make_run("a", line(OTHER, failing, ex=None))])["gold_fails"]
    assert (result.weight, result.message) == (0.9, "the gold fails: no such column: wieght")
    empty = raised([make_run("a", line(OTHER, differs(gold=(0, 1))))])
    assert empty["gold_nothing"].message == "the gold returns no row"
    tied = raised([make_run("a", line(OTHER, differs("tie_superset", limited="gold", tied=3)))])
    assert "cuts through 3 rows that tie" in tied["gold_open"].message
    ours = raised([make_run("a", line(OTHER, differs("tie_superset", limited="prediction")))])
    assert "gold_open" not in ours
    fits = Undecided("compare", (Reason.TIE_UNDETERMINED,))
    assert "gold_open" in raised([make_run("a", line(OTHER, fits, ex=None))])


def test_values_that_the_question_does_not_mention(make_run: MakeRun) -> None:
    gold = ("SELECT COUNT(*) FROM player WHERE city = 'Milano' AND weight > 80 AND active = 1",)
    one = [make_run("a", line(OTHER, gold=gold))]
    result = raised(one)["gold_values"]
    assert (result.weight, result.detail["absent"]) == (0.15, ["Milano"])
    assert raised(one, knowledge={"7": "Rome"})["gold_values"].weight == 0.3
    assert "gold_values" not in raised(one, knowledge={"7": "the team of Milano"})
    two = [make_run(system, line(OTHER, gold=gold)) for system in "ab"]
    assert raised(two, knowledge={})["gold_values"].weight == pytest.approx(0.55)
    used = "SELECT 1 FROM player WHERE city = 'milano'"
    mixed = [make_run("a", line(OTHER, gold=gold)), make_run("b", line(used, gold=gold))]
    assert raised(mixed)["gold_values"].weight == 0.15


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("players of Rome", "Rome", True),
        ("How many French players", "France", False),
        ("with 3 goals", "3", True),
        ("with three goals", "3", True),
        ("over 1,500 points", "1500", True),
        ("more than 79%", "0.79", True),
        ("on 2014/9/18", "2014-09-18", True),
        ("on 18 September 2014", "2014-09-18 00:00:00", True),
        ("in 2013", "2014-09-18", False),
        ("the categories of São Paulo", "sao paulo", True),
        ("all category names", "Categories", True),
        ("anything", "", False),
    ],
)
def test_mentions(text: str, value: str, expected: bool) -> None:
    assert mentions_value(text, value) is expected


def test_asked_values_are_those_of_conditions() -> None:
    sql = (
        "SELECT SUM(x) * 100 FROM t WHERE a = 'Rome' AND b LIKE '%Games%' AND c BETWEEN 3 AND 9 "
        "AND strftime('%Y', d) = '2012' AND e = 1 AND f = 'M' AND g IN ('blue', 'red') LIMIT 5"
    )
    assert asked_values(sql) == ["Rome", "Games", "3", "9", "2012", "blue", "red"]
    assert asked_values("not sql") == []


def test_one_text_for_the_spellings_of_a_query() -> None:
    assert query_key("SELECT a FROM t WHERE b = 1 AND c = 2") == query_key(
        "select T1.a from t as T1 where T1.c = 2 and T1.b = 1;"
    )
    assert query_key("SELECT a FROM t WHERE b = 1") != query_key("SELECT a FROM t WHERE b = 2")
    for other in (
        ("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY b DESC"),
        ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = '1'"),
        ("SELECT a / 2 FROM t", "SELECT a / 2.0 FROM t"),
        ("SELECT a / b FROM t", "SELECT CAST(a AS REAL) / b FROM t"),
        ("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 1 OFFSET 1"),
        ("SELECT a FROM t", "SELECT DISTINCT a FROM t"),
    ):
        assert query_key(other[0]) != query_key(other[1])
    # Aliases of a table that is read twice are not interchangeable.
    one = "SELECT x.a FROM t AS x JOIN t AS y ON x.p = y.q"
    assert query_key(one) != query_key("SELECT y.a FROM t AS x JOIN t AS y ON x.p = y.q")


@pytest.fixture
def rerun(tmp_path: Path) -> Callable[[str, str], Outcome | None]:
    file = tmp_path / "league.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(
            "CREATE TABLE player (id INTEGER PRIMARY KEY, city TEXT, weight REAL);"
            "INSERT INTO player VALUES (1, 'Rome', 90), (2, 'Rome', 85), (3, 'Oslo', 90);"
        )
    runner = QueryRunner("sqlite", Limits())

    def run(db_id: str, sql: str) -> Outcome | None:
        return runner.run(str(file), sql) if db_id == "league" else None

    return run


def test_queries_run_again_show_more(
    make_run: MakeRun, rerun: Callable[[str, str], Outcome | None]
) -> None:
    runs = [
        make_run("a", line("SELECT id FROM player WHERE weight > 86")),
        make_run(
            "b", line("SELECT id FROM player WHERE weight = (SELECT MAX(weight) FROM player)")
        ),
    ]
    assert "systems_agree" not in raised(runs)
    result = raised(runs, rerun=rerun)["systems_agree"]
    assert "give the same answer" in result.message
    assert result.detail["answer"] == [[1], [3]]
    zero = [
        make_run("a", line("SELECT COUNT(*) FROM player WHERE id > 5")),
        make_run("b", line("SELECT COUNT(*) FROM player WHERE city = 'x'")),
    ]
    assert raised(zero, rerun=rerun)["systems_agree"].weight == pytest.approx(0.15)
    nothing = ("SELECT id FROM player WHERE city = 'Rome' AND weight > 800",)
    empty = raised([make_run("a", line(OTHER, gold=nothing))], rerun=rerun)
    assert empty["gold_nothing"].message == "the gold returns no row"
    null = ("SELECT MAX(weight) FROM player WHERE city = 'Rome' AND id > 80",)
    assert (
        "nothing but NULL"
        in raised([make_run("a", line(OTHER, gold=null))], rerun=rerun)["gold_nothing"].message
    )
    cut = ("SELECT id FROM player ORDER BY weight DESC LIMIT 1",)
    tied = raised([make_run("a", line(OTHER, gold=cut))], rerun=rerun)["gold_open"]
    assert "the LIMIT cuts through a tie: 2 rows for 1" in tied.message
    broken = ("SELECT wieght FROM player",)
    assert (
        "no such column"
        in raised([make_run("a", line(OTHER, gold=broken))], rerun=rerun)["gold_fails"].message
    )


def test_the_most_suspect_comes_first_and_ranks_grow_with_signs(make_run: MakeRun) -> None:
    quiet = line(GOLD, ex=1.0, index=0, id="1")
    loud = [line(OTHER, index=1, id="2"), line(OTHER, differs(gold=(0, 1)), index=2, id="3")]
    runs = [make_run(system, quiet, *loud) for system in "abc"]
    suspects = suspect_golds(runs)
    assert [suspect.case.id for suspect in suspects.suspects] == ["3", "2"]
    first, second = suspects.suspects
    assert 0 < second.rank < first.rank < 1
    assert [one.name for one in first.suspicions] == [
        "systems_agree",
        "gold_nothing",
        "nobody_right",
    ]
    assert suspects.counts == {"gold_nothing": 1, "nobody_right": 2, "systems_agree": 2}
    assert suspects.golds == 3
    assert [s.case.id for s in suspect_golds(runs, at_least=first.rank).suspects] == ["3"]
    assert len(suspects.notes) == 2


def test_a_suspect_as_record_and_as_markdown(make_run: MakeRun) -> None:
    hostile = line("SELECT '```' -- | <b>", question="Who | <script> wins?")
    runs = [make_run(system, hostile) for system in "ab"]
    audit = suspect_golds(runs)
    record = msgspec.json.decode(msgspec.json.encode(audit.suspects[0].as_record()))
    assert record["id"] == "7"
    assert record["suspicions"][0]["systems"] == ["a", "b"]
    assert record["answers"][1]["matches"] is False
    text = "".join(audit_text(audit))
    assert "<script>" not in text.replace("\\<script\\>", "")
    assert "````sql\nSELECT '```'" in text
    assert "What the systems said" in text


def test_abstentions_are_no_answers(make_run: MakeRun) -> None:
    (report,) = gold_reports([make_run("a", line(None)), make_run("b", line(OTHER))])
    assert [answer.system for answer in report.answers] == ["b"]
    assert report.systems == 2


def test_unanswerable_questions_have_no_gold_to_suspect(make_run: MakeRun) -> None:
    assert list(gold_reports([make_run("a", line(OTHER, gold=(), answerable=False))])) == []


def test_every_suspicion_is_documented_and_named_after_its_file() -> None:
    import importlib

    for name, member in SUSPICIONS.items():
        text = importlib.import_module(f"sqlverdict.audit.suspicions.{name}").__doc__ or ""
        assert member.title
        assert "Shown by:" in text, name
        assert "Weight:" in text, name
    with pytest.raises(UsageError, match="'gold_fail'"):
        suspect_golds([object()], only=["gold_fail"])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="no run"):
        suspect_golds([])
    with pytest.raises(ValueError, match="weighs 1"):
        Suspicion("x", 1, "certain")
