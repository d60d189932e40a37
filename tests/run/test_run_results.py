"""Golds and predictions that are results instead of queries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.errors import BenchmarkError
from sqlverdict.evidence import Undecided
from sqlverdict.files.result_csv import parse_result
from sqlverdict.records import Answer, Case, Prediction, Reason, Result, Verdict

MakeCase = Callable[..., Case]
TEN = Answer(("n",), [(10,)], source="a_a.csv")
FORTY = Answer(("n",), [(40,)], source="a_b.csv")
COUNT = "SELECT count(*) FROM city"


def one(case: Case, prediction: Prediction | str, **options: Any) -> Result:
    usual: dict[str, Any] = {"metrics": "ex", "workers": 0, "cache": None}
    run = evaluate([case], {case.id: prediction}, options=Options(**(usual | options)))
    (result,) = run.results()
    return result


def test_a_query_is_compared_with_gold_results(make_case: MakeCase) -> None:
    case = make_case("a", gold_answers=(TEN, FORTY))
    assert one(case, COUNT).verdict is Verdict.CORRECT
    assert one(case, f"{COUNT} WHERE 0").verdict is Verdict.INCORRECT
    assert one(case, "SELECT absent FROM city").reasons == ("EXECUTION_ERROR",)


def test_a_result_is_compared_with_gold_queries_and_is_no_abstention(make_case: MakeCase) -> None:
    case = make_case("a", COUNT)
    for no_sql in ("wrong", "abstain"):
        result = one(case, Prediction("a", answer=FORTY, raw="n\n40"), no_sql=no_sql)
        assert (result.verdict, result.abstained) == (Verdict.CORRECT, False)
    assert one(case, Prediction("a", answer=TEN)).verdict is Verdict.INCORRECT


def test_two_results_need_no_database() -> None:
    case = Case("a", "nowhere", gold_answers=(TEN,))
    assert one(case, Prediction("a", answer=TEN)).verdict is Verdict.CORRECT
    assert one(case, Prediction("a", answer=FORTY)).verdict is Verdict.INCORRECT


def test_stages_that_need_queries_say_that_there_are_none(make_case: MakeCase) -> None:
    result = one(make_case("a", gold_answers=(FORTY,)), COUNT, metrics="verdict,ex,esm,ts,proved")
    assert result.verdict is Verdict.CORRECT
    assert result.situation == "unsearched_match"
    assert result.scores["ex"] == 1.0
    assert {result.scores[label] for label in ("esm", "ts", "proved")} == {None}
    undecided = [piece for piece in result.evidence if isinstance(piece, Undecided)]
    assert {reason for piece in undecided for reason in piece.reasons} == {Reason.RESULT_ALONE}
    assert not any(piece.fault or piece.failure for piece in undecided)


def test_a_difference_between_results_is_explained(make_case: MakeCase) -> None:
    gold = Answer(("city", "n"), [("Bonn", 1), ("Ulm", 2)], source="a.csv")
    swapped = Answer(("n", "city"), [(2, "Ulm"), (1, "Bonn")], source="p.csv")
    case = make_case("a", gold_answers=(gold,))
    result = one(case, Prediction("a", answer=swapped), metrics="verdict,ex[bird]")
    assert result.scores["ex[bird]"] == 0.0
    assert result.verdict is Verdict.CORRECT


def test_the_log_names_results_by_file_and_content(make_case: MakeCase, tmp_path: Path) -> None:
    case = make_case("a", gold_answers=(FORTY, TEN))
    result = one(case, Prediction("a", answer=FORTY))
    assert result.gold == (FORTY.title, TEN.title)
    assert result.prediction == FORTY.title
    assert FORTY.title.startswith("-- result a_b.csv: 1 x 1, sha256 ")
    assert FORTY.title != Answer(("n",), [(41,)], source="a_b.csv").title


def test_other_gold_results_are_other_cases(make_case: MakeCase) -> None:
    cases = [make_case("a", gold_answers=(FORTY,)), make_case("b", gold_answers=(TEN,))]
    options = Options(metrics="ex", workers=0, cache=None)
    run = evaluate(cases, {"a": COUNT, "b": COUNT}, options=options)
    assert [result.verdict for result in run.results()] == [Verdict.CORRECT, Verdict.INCORRECT]


def test_a_prediction_cannot_abstain_and_answer() -> None:
    with pytest.raises(ValueError, match="both abstains and gives an answer"):
        Prediction("a", abstained=True, answer=TEN)


def test_truth_values_of_a_result_file_can_be_read_from_the_log() -> None:
    gold, prediction = (
        parse_result(f"a,b\n1,True\n2,{other}\n", "a.csv", BenchmarkError)
        for other in ("False", "True")
    )
    case = Case("a", "nowhere", gold_answers=(gold,))
    result = one(case, Prediction("a", answer=prediction), metrics="verdict,ex[spider2]")
    assert result.verdict is Verdict.INCORRECT
    assert result.answers is not None
    assert [change.prediction for change in result.answers.changed] == [(2, True)]
