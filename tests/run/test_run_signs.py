"""Signs are evidence beside a verdict: shown, never weighed, never a reason to fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.evidence import Signs, Undecided
from sqlverdict.evidence_parts import StageFailure
from sqlverdict.records import Case, Result
from sqlverdict.report.one_run.case import evidence_lines
from sqlverdict.run import signs_stage
from sqlverdict.signs.look import notices
from sqlverdict.signs.sign import SIGNS, Notice, Sign, Subject

MakeCase = Callable[..., Case]
GOLD = "SELECT name FROM city WHERE name = 'City 7'"
PREDICTION = "SELECT name FROM city WHERE name = 'city 7'"


def run(case: Case, prediction: str, metrics: str = "verdict", out: Path | None = None) -> Result:
    options = Options(metrics, workers=0, cache=None)
    (result,) = evaluate([case], {case.id: prediction}, out=out, options=options).results()
    return result


def signs(result: Result) -> list[Signs]:
    return [piece for piece in result.evidence if isinstance(piece, Signs)]


def test_signs_of_both_sides_are_evidence(make_case: MakeCase) -> None:
    tied = "SELECT name FROM person ORDER BY age DESC LIMIT 1"
    (result,) = signs(run(make_case("1", GOLD), tied))
    assert {sign.name for sign in result.gold} == {"dead_literal", "empty_answer"}
    assert [sign.name for sign in result.prediction] == ["tie_at_limit"]


def test_a_side_without_signs_is_left_out(make_case: MakeCase) -> None:
    (result,) = signs(run(make_case("1", GOLD), PREDICTION))
    assert result.gold
    assert not result.prediction
    assert not signs(run(make_case("1", PREDICTION), f"{PREDICTION} AND 1"))


def test_a_prediction_that_is_the_gold_is_looked_at_once(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []

    def count_call(sign: Sign, subject: Subject) -> list[Notice]:
        looked_at.append(sign.name)
        return notices(sign, subject)

    monkeypatch.setattr(signs_stage, "notices", count_call)
    (result,) = signs(run(make_case("1", GOLD), GOLD))
    assert result.gold == result.prediction != ()
    assert sorted(looked_at) == SIGNS.names()


def test_results_alone_look_for_no_signs(make_case: MakeCase) -> None:
    assert not signs(run(make_case("1", GOLD), PREDICTION, "ex"))


def test_a_failing_prediction_has_no_signs(make_case: MakeCase) -> None:
    assert not signs(run(make_case("1", PREDICTION), "SELECT absent FROM city WHERE name = 'x'"))


def test_a_sign_against_the_gold_alone_leaves_a_difference_to_people(make_case: MakeCase) -> None:
    outcome = run(make_case("1", GOLD), PREDICTION)
    assert (outcome.verdict, outcome.situation) == ("needs_review", "gold_suspect")
    assert "GOLD_SUSPECT" in outcome.reasons
    assert signs(outcome)[0].agrees_with_mend
    both = run(make_case("1", GOLD), "SELECT name FROM city WHERE name = 'nowhere'")
    assert both.situation != "gold_suspect", "the prediction shows the same"


@pytest.mark.parametrize(
    "prediction",
    [
        "SELECT group_concat(name) FROM city",
        "SELECT max(name) FROM city",
        "SELECT min(id), avg(id) FROM city",
        "SELECT name FROM city",
        "SELECT name FROM city WHERE name = 'city 8'",
        "SELECT name FROM person WHERE id = 7",
    ],
)
def test_a_sign_against_the_gold_takes_no_wrong_answer_out_of_the_score(
    make_case: MakeCase, prediction: str
) -> None:
    outcome = run(make_case("1", GOLD), prediction)
    assert (outcome.verdict, outcome.situation) == ("incorrect", "difference")
    assert outcome.scores["verdict"] == 0.0


@pytest.mark.parametrize("more", ["datetime('now')", "random()"])
def test_a_prediction_that_changes_by_itself_says_nothing_against_the_gold(
    make_case: MakeCase, more: str
) -> None:
    """Its want of rows shows no sign; a column of chance took it out of the score."""
    outcome = run(make_case("1", GOLD), f"SELECT name, {more} FROM person WHERE id < 0")
    assert (outcome.verdict, outcome.situation) == ("incorrect", "difference")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prediction", "why"),
    [
        (f"{PREDICTION}{' AND 1' * 984}", "not_read"),
        ("SELECT 'city 7'", "constant"),
        ("SELECT 1, 2 FROM city", "constant"),
    ],
)
def test_a_prediction_that_cannot_show_signs_says_nothing_against_the_gold(
    make_case: MakeCase, prediction: str, why: str
) -> None:
    """Else a wrong answer would leave the score by a comment that is never closed."""
    outcome = run(make_case("1", GOLD), prediction)
    assert (outcome.verdict, outcome.situation) == ("incorrect", "difference")
    assert signs(outcome)[0].says_nothing == why


@pytest.mark.parametrize("prediction", [GOLD, "SELECT name FROM city WHERE name = 'nowhere'"])
def test_signs_of_the_prediction_change_no_verdict(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, prediction: str
) -> None:
    case = make_case("1", "SELECT name FROM city WHERE id < 3")
    with_signs = run(case, prediction)
    monkeypatch.setattr("sqlverdict.run.signs_stage.look_for_signs", lambda inputs, errors: [])
    without = run(case, prediction)
    assert signs(with_signs)
    assert not signs(without)
    assert (with_signs.verdict, with_signs.reasons, with_signs.scores, with_signs.final) == (
        without.verdict,
        without.reasons,
        without.scores,
        without.final,
    )


def test_a_sign_that_fails_costs_itself_alone(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(subject: Subject) -> list[object]:
        raise ValueError("a bug")

    case = make_case("1", GOLD)
    whole = run(case, PREDICTION)
    broken = replace(SIGNS.get("dead_literal"), look=fail)  # type: ignore[arg-type]
    monkeypatch.setitem(SIGNS._members, "dead_literal", broken)
    outcome = run(case, PREDICTION)
    assert (whole.situation, outcome.situation) == ("gold_suspect", "difference")
    assert [sign.name for sign in signs(outcome)[0].gold] == ["empty_answer"]
    failure = StageFailure("signs", "ValueError: a bug")
    assert any(isinstance(e, Undecided) and e.failure == failure for e in outcome.evidence)


def test_show_prints_signs_as_lines(make_case: MakeCase, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from sqlverdict.cli.main import sqlverdict

    result = run(make_case("1", GOLD), PREDICTION, out=tmp_path / "run")
    lines = evidence_lines(result)
    assert (
        "sign against the gold: no row fulfils city.name = 'City 7'; the column has 'city 7' "
        "(dead_literal)" in lines
    )
    assert "sign against the gold: the query returns no row (empty_answer)" in lines
    view = CliRunner().invoke(sqlverdict, ["show", str(tmp_path / "run"), "1"])
    assert "sign against the gold: the query returns no row" in view.output
