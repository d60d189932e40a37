"""Kinds of error in a run: sets, labels of tags and judges, ratios by group."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.evidence import Failed, Judged, Related, Relation
from sqlverdict.evidence_parts import Tag
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.report.agreement.categories import (
    category_figures,
    category_of,
    category_report,
    category_table,
    clause_table,
    tags_of_result,
)
from sqlverdict.runlog.run import Run

MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]
GOLD = ("SELECT name FROM player WHERE weight > 5",)


def opinion(correct: bool, *categories: str) -> Judged:
    return Judged("flex", correct=correct, categories=categories)


@pytest.fixture
def case(make_result: MakeResult) -> Callable[..., Result]:
    def make(index: int, ex: float, flex: float | None, prediction: str, **more: object) -> Result:
        fields = {"scores": {"ex": ex, "flex": flex}, "gold": GOLD, "prediction": prediction}
        return make_result(index, **(fields | more))

    return make


def test_the_four_sets(case: Callable[..., Result]) -> None:
    missing = "SELECT name FROM player"
    assert category_of(case(0, 1.0, 1.0, GOLD[0]), "flex") is not None
    lucky = category_of(case(0, 1.0, 0.0, missing), "flex")
    wrong = category_of(case(0, 0.0, 0.0, missing), "flex")
    unfair = category_of(case(0, 0.0, 1.0, missing), "flex")
    assert lucky is not None
    assert wrong is not None
    assert unfair is not None
    assert (lucky.outcome, lucky.by_tags) == ("FP", ("filtering",))
    assert (wrong.outcome, wrong.by_tags) == ("TN", ("filtering",))
    assert (unfair.outcome, unfair.by_tags) == ("FN", ("wrong_gold",))
    assert category_of(case(0, 0.0, None, missing), "flex") is None


def test_a_query_that_fails_has_its_own_label(case: Callable[..., Result]) -> None:
    failed = Failed("execute", (Reason.EXECUTION_ERROR,), query="prediction")
    result = category_of(case(0, 0.0, 0.0, "SELECT x FROM y", evidence=(failed,)), "flex")
    assert result is not None
    assert (result.outcome, result.by_tags) == ("TN", ("sql_error",))


def test_relations_in_the_log_explain_a_difference(case: Callable[..., Result]) -> None:
    related = Related("compare", relations=(Relation("extra_columns"),))
    prediction = "SELECT name, born FROM player WHERE weight > 5"
    result = category_of(case(0, 0.0, 1.0, prediction, evidence=(related,)), "flex")
    assert result is not None
    assert result.by_tags == ("output_structure",)


def test_logged_tags_are_taken_as_they_are(case: Callable[..., Result]) -> None:
    logged = Related("compare", tags=(Tag("ties"), Tag("other_join")))
    assert [
        tag.name for tag in tags_of_result(case(0, 0.0, 0.0, "SELECT 1", evidence=(logged,)))
    ] == [
        "ties",
        "other_join",
    ]


def test_a_schema_says_what_may_be_null(case: Callable[..., Result]) -> None:
    schema = read_ddl("CREATE TABLE player (name TEXT NOT NULL, weight REAL)", "d")
    result = case(
        0, 1.0, 0.0, "SELECT COUNT(name) FROM player", gold=("SELECT COUNT(*) FROM player",)
    )
    assert "nullable_count" in {tag.name for tag in tags_of_result(result)}
    assert "nullable_count" not in {tag.name for tag in tags_of_result(result, schema)}


def test_ratios_by_group(case: Callable[..., Result], make_run: MakeRun) -> None:
    missing, other = "SELECT name FROM player", "SELECT name FROM coach WHERE weight > 5"
    a = make_run(
        "a",
        [
            case(
                0, 1.0, 0.0, missing, difficulty="simple", evidence=(opinion(False, "filtering"),)
            ),
            case(1, 1.0, 0.0, other, difficulty="hard", db_id="club"),
            case(2, 0.0, 1.0, missing, difficulty="simple"),
            case(3, 0.0, None, missing),
        ],
        metrics={"ex": 1, "flex": 1},
    )
    b = make_run("b", [case(0, 1.0, 1.0, GOLD[0])], metrics={"ex": 1, "flex": 1})
    result = category_report([a, b], "flex")
    assert (result.cases, result.undecided) == (5, 1)
    assert result.outcomes == {"TP": 1, "FP": 2, "FN": 1}
    shares = {(s.by, s.group, s.key, s.outcome, s.label): (s.count, s.ratio) for s in result.shares}
    assert shares["tags", "all", "all", "FP", "filtering"] == (1, 0.5)
    assert shares["tags", "all", "all", "FP", "schema_linking"] == (1, 0.5)
    assert shares["tags", "difficulty", "hard", "FP", "schema_linking"] == (1, 1.0)
    assert shares["tags", "db_id", "club", "FP", "schema_linking"] == (1, 1.0)
    assert shares["tags", "system", "a", "FN", "wrong_gold"] == (1, 1.0)
    assert shares["judge", "all", "all", "FP", "filtering"] == (1, 1.0)
    assert result.clauses == {"where": 2, "from": 1, "select": 1}
    assert category_table(result, "difficulty").rows[0][:3] == ("simple", "FN", "wrong_gold")
    assert clause_table(result).rows[0] == ("where", "2", "100.0%")
    figures = category_figures(result)
    assert list(figures) == ["errors.svg", "differences.svg"]
    for text in figures.values():
        ET.fromstring(text)
        # Of several systems: means of their shares, with deviations.
        assert "sv-bar-error" in text
        assert "standard deviation" in text
    # Bars are called as the labels of the table are.
    errors = figures["errors.svg"]
    assert "schema linking" in errors
    assert "matches that are wrong (FP), by tags" in errors
    (alone, *_) = category_figures(category_report([a], "flex")).values()
    assert '<path class="sv-bar-error"' not in alone


def test_the_run_s_verdict_decides_by_default(
    case: Callable[..., Result], make_run: MakeRun
) -> None:
    missing = "SELECT name FROM player"
    run = make_run(
        "a",
        [
            case(0, 1.0, 1.0, missing, verdict=Verdict.INCORRECT),
            case(1, 1.0, 1.0, missing, verdict=Verdict.NEEDS_REVIEW),
        ],
    )
    result = category_report([run])
    assert (result.metric, result.outcomes, result.undecided) == ("verdict", {"FP": 1}, 1)
    with pytest.raises(UsageError, match="'ec'"):
        category_report([run], "ec")
    with pytest.raises(UsageError, match="no run"):
        category_report([])


def test_abstentions_and_unanswerable_questions_are_in_no_set(
    case: Callable[..., Result],
) -> None:
    held_back = case(0, 0.0, 0.0, "", abstained=True)
    assert category_of(held_back, "flex") is None
    assert category_of(case(0, 0.0, 0.0, "SELECT 1", answerable=False), "flex") is None
