"""Records beside cases: when they stand in for running, when they do not, and what is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.errors import UsageError
from sqlverdict.evidence import Proved, Recorded, Refuted, Related, relations_of
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.recorded import RecordedReplies
from sqlverdict.load.recorded import recording_from
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Case, Result, Verdict
from sqlverdict.run.judging.asking import JudgeOptions

MakeCase = Callable[..., Case]
GOLD = "SELECT name FROM item WHERE price > 2"
DDL = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL);"


def record(sql: str, **parts: Any) -> dict[str, Any]:
    return {"recorded": recording_from(parts, sql, "here")}


def one(case: Case, sql: str, **options: Any) -> Result:
    usual: dict[str, Any] = {"metrics": "ex", "workers": 0, "cache": None}
    run = evaluate([case], {case.id: sql}, options=Options(**(usual | options)))
    (result,) = run.results()
    return result


@pytest.fixture
def schemas(tmp_path: Path) -> Any:
    file = tmp_path / "shop.sql"
    file.write_text(DDL)
    return {"shop": next(iter(load_schemas(file).values()))}


def test_a_recorded_match_without_results_is_scored() -> None:
    sql = "SELECT name FROM item"
    for equal in (True, False):
        case = Case("a", "shop", golds=(GOLD,), **record(sql, equal=equal))
        result = one(case, sql, metrics="ex,ex[bird]")
        assert result.scores == {"ex": float(equal), "ex[bird]": float(equal)}
        assert result.verdict is (Verdict.CORRECT if equal else Verdict.INCORRECT)
        assert result.fault is None
        differences = [piece for piece in result.evidence if isinstance(piece, Related)]
        assert not any(piece.relations or piece.shape for piece in differences)
        # Answers that are not kept are not answers without rows.
        assert not any(piece.both_empty for piece in result.evidence)


def test_recorded_rows_are_compared_where_nothing_else_is_said() -> None:
    case = Case("a", "shop", golds=(GOLD,))
    for rows, ex, bird in (([[1], [2]], 1.0, 1.0), ([[1], [1], [2]], 0.0, 1.0), ([[3]], 0.0, 0.0)):
        text = record("SELECT 2", gold_result=[[2], [1]], prediction_result=rows)
        result = one(Case("a", "shop", golds=case.golds, **text), "SELECT 2", metrics="ex,ex[bird]")
        assert result.scores == {"ex": ex, "ex[bird]": bird}


def test_a_relation_is_told_of_recorded_rows() -> None:
    parts = {
        "equal": False,
        "gold_result": [["a"], ["b"]],
        "prediction_result": [[1, "a"], [2, "b"]],
    }
    case = Case("a", "shop", golds=(GOLD,), **record("SELECT 2", **parts))
    evidence = one(case, "SELECT 2").evidence
    assert [relation.kind for relation in relations_of(evidence)] == ["extra_columns"]


def test_a_recorded_failure_is_the_querys_own() -> None:
    failed = {"error": "no such column: x"}
    parts = {"gold_result": [[1]], "prediction_result": failed}
    result = one(Case("a", "shop", golds=(GOLD,), **record("SELECT x", **parts)), "SELECT x")
    assert (result.scores["ex"], result.reasons) == (0.0, ("EXECUTION_ERROR",))
    parts = {"gold_result": failed, "prediction_result": [[1]]}
    result = one(Case("a", "shop", golds=(GOLD,), **record("SELECT 1", **parts)), "SELECT 1")
    assert (result.scores["ex"], str(result.fault)) == (None, "gold")


def test_the_database_wins_and_the_record_is_kept(make_case: MakeCase) -> None:
    case = make_case("a", "SELECT 1", **record("SELECT 2", equal=True, verdicts={"x": 1}))
    result = one(case, "SELECT 2")
    assert result.scores["ex"] == 0.0
    assert result.evidence[-1] == Recorded("record", verdicts={"x": 1.0}, equal=True, differs=True)
    agreed = one(make_case("a", "SELECT 2", **record("SELECT 2", equal=True)), "SELECT 2")
    assert agreed.evidence[-1] == Recorded("record", equal=True)


def test_the_record_wins_where_the_user_says_so(make_case: MakeCase) -> None:
    case = make_case("a", "SELECT 1", **record("SELECT 2", equal=True))
    assert one(case, "SELECT 2", answers="recorded").scores["ex"] == 1.0
    with pytest.raises(UsageError, match="'guessed'"):
        one(case, "SELECT 2", answers="guessed")


def test_a_missing_database_leaves_the_record(tmp_path: Path) -> None:
    missing = str(tmp_path / "gone.sqlite")
    case = Case("a", "shop", golds=(GOLD,), database=missing, **record("SELECT 2", equal=True))
    assert one(case, "SELECT 2").scores["ex"] == 1.0


def test_a_record_about_another_prediction_is_not_used() -> None:
    case = Case("a", "shop", golds=(GOLD,), **record("SELECT 2", equal=True, verdicts={"x": 1}))
    result = one(case, "SELECT 3")
    assert (result.scores["ex"], str(result.fault)) == (None, "engine")
    note = result.evidence[-1]
    assert isinstance(note, Recorded)
    assert note.unused
    assert not note.verdicts
    # Letter case and spacing make no other query.
    assert one(case, "select  2;").scores["ex"] == 1.0


def test_a_changed_record_is_another_input(tmp_path: Path) -> None:
    out = tmp_path / "run"
    options = Options(workers=0, cache=None, overwrite=True)
    digests = []
    for equal in (True, False):
        case = Case("a", "shop", golds=(GOLD,), **record("SELECT 2", equal=equal))
        run = evaluate([case], {"a": "SELECT 2"}, out=out, options=options)
        digests.append(run.manifest.inputs)
    assert digests[0] != digests[1]


def test_schemas_alone_prove_and_refute(schemas: Any) -> None:
    for sql, kind in (
        (f"{GOLD.lower()};", Proved),
        ("SELECT name FROM item WHERE price >= 2", Refuted),
    ):
        case = Case("a", "shop", golds=(GOLD,), **record(sql, equal=True))
        result = one(case, sql, metrics="ex,verdict", schemas=schemas)
        assert kind in [type(piece) for piece in result.evidence]


def test_recorded_verdicts_drive_flex_and_verdict() -> None:
    sql = "SELECT name FROM item"
    case = Case("a", "shop", golds=(GOLD,), **record(sql, equal=False))
    for value in (True, False, None):
        verdicts = {} if value is None else {"a": value}
        judging = JudgeOptions(
            "recorded", Settings(model="o3"), RecordedReplies.of_verdicts(verdicts)
        )
        result = one(case, sql, metrics="flex,verdict", judge=judging)
        score = None if value is None else float(value)
        assert result.scores == {"flex": score, "verdict": score}
