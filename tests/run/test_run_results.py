"""Golds and predictions that are results instead of queries."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict import Options, evaluate
from sqlverdict.errors import BenchmarkError
from sqlverdict.evidence import Undecided
from sqlverdict.exact_number import json_number
from sqlverdict.execute.values.driver_values import cell_of
from sqlverdict.files.result_csv import parse_result
from sqlverdict.files.text import decode_json, encode_json
from sqlverdict.load.recorded import answer_in
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
    with pytest.raises(ValueError, match="both abstains"):
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


NEAR = ("12345678901234567890.1", "12345678901234567890.2")
"""Decimals with one nearest float."""
NUMBERS = (*NEAR, "1234567890123456789012", "1234567890123456789013", "0.1", "0.30000000000000004")


PAIRS = {f"{g} {p}": (g, p) for g in NUMBERS for p in NUMBERS}
"""Golds and predictions by id."""


def _gold(case_id: str) -> str:
    return f'{{"id": "{case_id}", "db_id": "d", "gold_rows": [[{PAIRS[case_id][0]}]]}}'


def _prediction(case_id: str) -> str:
    return f'{{"id": "{case_id}", "prediction_rows": [[{PAIRS[case_id][1]}]]}}'


def _both(case_id: str) -> str:
    return f"{_gold(case_id)[:-1]}, {_prediction(case_id)[1:]}"


def _recorded(case_id: str) -> str:
    rows = '"gold_result": [[{}]], "prediction_result": [[{}]]'.format(*PAIRS[case_id])
    queries = '"gold": "SELECT 1", "prediction": "SELECT 2"'
    return f'{{"id": "{case_id}", "db_id": "d", {queries}, "recorded": {{{rows}}}}}'


def _lines(line: Callable[[str], str]) -> str:
    return "\n".join(map(line, PAIRS))


def _list(line: Callable[[str], str]) -> str:
    return f"[{','.join(map(line, PAIRS))}]"


TABLE = "\n".join(
    [
        "id,db_id,gold_rows,prediction_rows",
        *(f"{i},d,[[{g}]],[[{p}]]" for i, (g, p) in PAIRS.items()),
    ]
)


@pytest.mark.parametrize(
    "files",
    [
        {"lines.jsonl": _lines(_both)},
        {"list.json": _list(_both)},
        {"table.csv": TABLE},
        {"recorded.jsonl": _lines(_recorded)},
        {"cases.jsonl": _lines(_gold), "lines.jsonl": _lines(_prediction)},
        {"cases.json": _list(_gold), "list.json": _list(_prediction)},
    ],
    ids="+".join,
)
def test_numbers_of_recorded_rows_keep_their_digits(tmp_path: Path, files: dict[str, str]) -> None:
    paths = [tmp_path / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    options = Options(metrics="ex[exact]", workers=0, cache=None, answers="recorded")
    for result in evaluate(*paths, options=options).results():
        gold, prediction = PAIRS[result.id]
        assert result.scores["ex[exact]"] == float(gold == prediction), result.id


def test_recorded_numbers_are_those_of_an_engine(make_case: MakeCase) -> None:
    for digits in (Decimal(NEAR[0]), 1234567890123456789012):
        answer = answer_in({"rows": [[digits]]}, "rows", "here", BenchmarkError)
        assert answer is not None
        assert answer.rows == [(cell_of(digits),)]


def test_json_keeps_numbers_that_print_the_same_as_floats() -> None:
    for text in ("1.0", "0.1", "1234567890.11", "1e300", "1.0000000000000000e-99999999999", "2e0"):
        number = json_number(text)
        assert (type(number), number) == (float, float(text))
    assert json_number("0.33333333333333333333333") == 1 / 3
    assert encode_json(decode_json(b"[12345678901234567890.1]", "f", BenchmarkError)) == (
        b"[12345678901234567890.1]"
    )
    with refuses_data(BenchmarkError, "wrong_value", "$[0]"):
        decode_json(b"[1e400]", "f", BenchmarkError)
