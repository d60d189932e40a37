"""What becomes of each kind of case: whose fault it is, and what is scored."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data, refuses_run
from sqlverdict import Options, System, evaluate, evaluate_pairs, evaluate_systems
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.execute.engine import Limits
from sqlverdict.records import (
    Answer,
    Case,
    Failure,
    Fault,
    Prediction,
    Reason,
    Recording,
    Result,
    Script,
    Verdict,
)
from sqlverdict.report.one_run.sections import cut_sentences

MakeCase = Callable[..., Case]
LOCAL = Options(workers=0, cache=None)
SLOW = "SELECT count(*) FROM person a, person b, person c"


def judge(case: Case, prediction: str | Prediction | None, limits: Limits | None = None) -> Result:
    options = Options("ex,ex[bird]", workers=0, cache=None, limits=limits or Limits())
    typed = (
        prediction
        if isinstance(prediction, Prediction)
        else Prediction(case.id, prediction, prediction is None)
    )
    run = evaluate([case], {case.id: typed}, options=options)
    (result,) = run.results()
    return result


def test_the_right_answer(make_case: MakeCase) -> None:
    result = judge(make_case("1", "SELECT count(*) FROM city"), "SELECT 40")
    assert (result.verdict, result.fault, result.reasons) == (Verdict.CORRECT, None, ())
    assert result.scores == {"ex": 1.0, "ex[bird]": 1.0}


def test_a_missing_database_is_the_engines_fault(make_case: MakeCase, tmp_path: Path) -> None:
    for database in (str(tmp_path / "none.sqlite"), str(tmp_path), None):
        result = judge(make_case("1", "SELECT 1", database=database), "SELECT 1")
        assert (result.verdict, result.fault) == (Verdict.UNSCORED, Fault.ENGINE)
        assert result.reasons == (Reason.DATABASE_UNAVAILABLE,)
        assert result.scores == {"ex": None, "ex[bird]": None}
        assert result.message


def test_a_gold_that_fails_is_not_the_models_fault(make_case: MakeCase) -> None:
    for prediction in ("SELECT 1", "SELECT missing", "DROP TABLE city"):
        result = judge(make_case("1", "SELECT missing FROM city"), prediction)
        assert (result.verdict, result.fault) == (Verdict.UNSCORED, Fault.GOLD)
        assert result.reasons == (Reason.GOLD_EXECUTION_ERROR,)
        assert result.scores == {"ex": None, "ex[bird]": None}
        assert "no such column: missing" in result.message


@pytest.mark.parametrize(
    ("gold", "limits"),
    [
        (SLOW, Limits(seconds=0.05)),
        (SLOW, Limits(steps=100_000)),
        ("SELECT id FROM person", Limits(rows=10)),
        ("SELECT name FROM person", Limits(bytes=100)),
    ],
)
def test_a_gold_that_runs_out(gold: str, limits: Limits, make_case: MakeCase) -> None:
    result = judge(make_case("1", gold), "SELECT 1", limits)
    assert (result.verdict, result.fault) == (Verdict.UNSCORED, Fault.GOLD)
    assert result.reasons == (Reason.GOLD_EXECUTION_TIMEOUT,)


SILENCE = (
    Prediction("1", abstained=True),
    Prediction("1"),
    Prediction("1", " "),
    Prediction("1", raw="I cannot answer that."),
)
EVERY = "ex,ex[bird],soft_f1,ves,witness_accuracy,verdict,esm,etm,proved,text_match"


@pytest.mark.parametrize(
    "golds",
    [
        ("SELECT missing FROM city",),
        ("SELEC 1",),
        ("SELECT name FROM city ORDER BY random() LIMIT 1",),
        ("SELECT missing FROM city", "DROP TABLE city"),
        ("SELECT missing FROM city", "SELECT count(*) FROM city"),
        ("SELECT count(*) FROM city",),
    ],
)
@pytest.mark.parametrize("exists", [True, False])
def test_every_system_has_the_same_questions_in_its_denominator(
    golds: tuple[str, ...], exists: bool, make_case: MakeCase
) -> None:
    case = make_case("1", *golds, **({} if exists else {"database": None}))
    assert_silence_counts_as_answers_do(case)


NO_ROWS = Failure(Reason.EXECUTION_ERROR, "no such column")
ONE_ROW = Answer(("a",), [(1,)])


@pytest.mark.parametrize(
    "fields",
    [
        {"script": Script()},
        {"script": Script(check="SELECT count(*) FROM city")},
        {"recorded": Recording((NO_ROWS,), ONE_ROW, None)},
        {"recorded": Recording((ONE_ROW,), NO_ROWS, None)},
        {"gold_answers": (ONE_ROW,)},
        {"gold_database": "missing.sqlite"},
    ],
)
@pytest.mark.parametrize("gold", ["UPDATE missing SET a = 1", "SELECT 1"])
def test_the_same_holds_for_cases_of_every_kind(
    gold: str, fields: dict[str, Any], make_case: MakeCase
) -> None:
    assert_silence_counts_as_answers_do(make_case("1", gold, **fields))


def assert_silence_counts_as_answers_do(case: Case) -> None:
    def of(prediction: Prediction) -> Result:
        options = Options(EVERY, workers=0, cache=None)
        (result,) = evaluate([case], {case.id: prediction}, options=options).results()
        return result

    answered = of(Prediction("1", "SELECT -1"))
    for prediction in SILENCE:
        silent = of(prediction)
        scored = {label for label, value in silent.scores.items() if value is not None}
        assert scored == {label for label, value in answered.scores.items() if value is not None}
        assert not any(silent.scores.values())
        assert silent.fault == answered.fault
        assert (silent.verdict is Verdict.UNSCORED) == (answered.verdict is Verdict.UNSCORED)
        if silent.fault is not None:
            assert (silent.reasons, silent.message) == (answered.reasons, answered.message)


def test_a_gold_that_ran_out_of_seconds_leaves_an_abstention_open(make_case: MakeCase) -> None:
    case = make_case("1", SLOW)
    result = judge(case, None, Limits(seconds=0.05))
    assert (result.verdict, result.final) == (Verdict.UNSCORED, False)
    assert judge(case, None, Limits(steps=100_000)).final


@pytest.mark.parametrize("first", [True, False])
def test_one_bad_gold_does_not_spoil_the_others(first: bool, make_case: MakeCase) -> None:
    golds = ["SELECT missing FROM city", "SELECT count(*) FROM city"]
    case = make_case("1", *(golds if first else reversed(golds)))
    right = judge(case, "SELECT 40")
    assert (right.verdict, right.scores["ex"]) == (Verdict.CORRECT, 1.0)
    wrong = judge(case, "SELECT 41")
    assert (wrong.verdict, wrong.fault, wrong.scores["ex"]) == (Verdict.INCORRECT, None, 0.0)
    assert wrong.reasons == (Reason.VALUE_MISMATCH,)
    failed = judge(case, "SELECT none FROM city")
    assert (failed.verdict, failed.reasons) == (Verdict.INCORRECT, (Reason.EXECUTION_ERROR,))


def test_any_of_several_golds_will_do(make_case: MakeCase) -> None:
    case = make_case("1", "SELECT 1", "SELECT 2", "SELECT 3")
    assert [judge(case, f"SELECT {n}").scores["ex"] for n in range(5)] == [0, 1, 1, 1, 0]


def test_the_laws_of_abstention(make_case: MakeCase) -> None:
    answerable = make_case("1", "SELECT 1")
    unanswerable = make_case("1", answerable=False)
    null = Prediction("1", "null")
    results = [
        judge(answerable, None),
        judge(unanswerable, None),
        judge(unanswerable, "SELECT 1"),
        judge(answerable, null),
        judge(answerable, Prediction("1", raw="I do not know")),
        judge(answerable, "  \n"),
        judge(answerable, "-- nothing"),
    ]
    assert [(each.verdict, each.reasons, each.scores["ex"]) for each in results] == [
        (Verdict.ABSTAINED_WRONG, (), 0.0),
        (Verdict.ABSTAINED_RIGHT, (), None),
        (Verdict.INCORRECT, (Reason.ANSWERED_UNANSWERABLE,), None),
        (Verdict.INCORRECT, (Reason.PARSE_ERROR,), 0.0),
        (Verdict.INCORRECT, (Reason.REFUSED_IN_WORDS,), 0.0),
        (Verdict.INCORRECT, (Reason.NO_SQL_PRODUCED,), 0.0),
        (Verdict.INCORRECT, (Reason.NO_SQL_PRODUCED,), 0.0),
    ]
    assert [each.abstained for each in results] == [True, True, *[False] * 5]
    assert results[4].prediction == "I do not know"


@pytest.mark.parametrize("workers", [0, 1])
def test_a_missing_prediction_is_an_error_and_never_an_abstention(
    workers: int, make_case: MakeCase
) -> None:
    cases = [make_case(str(n), "SELECT 1") for n in range(3)]
    with refuses_data(PredictionError, "incomplete", "'2'"):
        evaluate(cases, {"0": "SELECT 1", "1": None}, options=Options(workers=workers, cache=None))


def test_wrong_calls_are_refused(make_case: MakeCase, tmp_path: Path) -> None:
    case = make_case("1", "SELECT 1")
    with pytest.raises(UsageError, match="'1' is given"):
        evaluate([case, case], {"1": "SELECT 1"}, options=LOCAL)
    with pytest.raises(UsageError, match="-1 workers"):
        evaluate([case], {"1": "SELECT 1"}, options=Options(workers=-1))
    evaluate([case], {"1": "SELECT 1"}, out=tmp_path / "run", options=LOCAL)
    with refuses_run("another_run"):
        evaluate([case], {"1": "SELECT 2"}, out=tmp_path / "run", options=LOCAL)
    anew = Options(workers=0, cache=None, overwrite=True)
    run = evaluate([case], {"1": "SELECT 2"}, out=tmp_path / "run", options=anew)
    assert [result.verdict for result in run.results()] == [Verdict.INCORRECT]


def test_results_come_in_the_order_of_the_cases(make_case: MakeCase, tmp_path: Path) -> None:
    """Chunks are cut by database, so work is done in another order than it is written."""
    missing = str(tmp_path / "none.sqlite")
    cases = [
        make_case(f"case {n}", "SELECT 1", **({"database": missing} if n % 3 == 0 else {}))
        for n in reversed(range(300))
    ]
    pairs = [(case, Prediction(case.id, "SELECT 1")) for case in cases]
    run = evaluate_pairs(pairs, options=Options(workers=2, cache=None))
    results = list(run.results())
    assert [result.id for result in results] == [case.id for case in cases]
    assert [result.index for result in results] == list(range(300))
    assert sum(result.fault is Fault.ENGINE for result in results) == 100


def test_golds_run_once_for_all_systems(make_case: MakeCase, tmp_path: Path) -> None:
    cases = [make_case(str(n), f"SELECT count(*) FROM city WHERE id > {n}") for n in range(20)]
    systems = [
        System(name, {str(n): f"SELECT {n} + {number}" for n in range(20)})
        for number, name in enumerate(("a", "b", "c"))
    ]
    cache = tmp_path / "cache.sqlite"
    runs = evaluate_systems(cases, systems, options=Options(workers=0, cache=cache))
    assert [run.manifest.system for run in runs] == ["a", "b", "c"]
    from sqlverdict.execute.cache import AnswerCache

    opened = AnswerCache(cache)
    assert opened._store.usable
    ((count,),) = opened._store.rows("SELECT count(*) FROM answers")
    opened.close()
    assert count == 20 + 3 * 20


def test_a_metric_may_look_at_all_of_an_item(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two cases with the same queries need not have the same score."""
    from sqlverdict.records import Score
    from sqlverdict.score.metric import METRICS, Item

    class Wordy:
        name, version, needs, parameters, binary = "wordy", 1, frozenset({"answers"}), (), False

        def score(self, item: Item, _parameter: str) -> Score:
            return Score(len(item.case.question) + (item.prediction.confidence or 0.0))

    monkeypatch.setitem(METRICS._members, "wordy", Wordy())
    cases = [make_case(str(n), "SELECT 1", question="?" * n) for n in range(4)]
    predictions = {str(n): Prediction(str(n), "SELECT 1", confidence=n / 10) for n in range(4)}
    run = evaluate(cases, predictions, options=Options("ex,wordy", workers=0, cache=None))
    assert [result.scores["wordy"] for result in run.results()] == [0.0, 1.1, 2.2, 3.3]


@pytest.mark.parametrize("db_id", ["{people}", "../x", "/etc/passwd", "x" * 300, "a\0b"])
def test_a_db_id_opens_no_file_and_costs_its_own_case_alone(
    db_id: str, people: Path, make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a database, the id itself was opened as a path."""
    monkeypatch.chdir(people.parent)
    odd = Case("odd", db_id.format(people=people.name), "?", ("SELECT 1",))
    long = Case("long", "x", "?", ("SELECT 1",), str(tmp_path / ("y" * 300)))
    cases = [odd, make_case("good", "SELECT 1"), long]
    for metrics in ("ex,soft_f1", "ex,verdict,esm,etm,ts"):
        run = evaluate(
            cases,
            {case.id: "SELECT 1" for case in cases},
            options=Options(metrics, workers=0, cache=None),
        )
        results = {result.id: result for result in run.results()}
        assert results["good"].verdict is Verdict.CORRECT
        for name in ("odd", "long"):
            assert (results[name].verdict, results[name].fault) == (Verdict.UNSCORED, Fault.ENGINE)
            assert results[name].reasons == (Reason.DATABASE_UNAVAILABLE,)
        assert "no database is known" in results["odd"].message


@pytest.mark.parametrize(
    "gold",
    [
        "SELECT name FROM person ORDER BY random() LIMIT 1",
        "SELECT name FROM person ORDER BY RANDOM () LIMIT 3",
        "SELECT abs(random()) % 10",
        'SELECT "random"() > 0',
    ],
)
def test_a_gold_that_draws_lots_is_the_golds_fault_and_never_scored(
    gold: str, make_case: MakeCase
) -> None:
    for prediction in (gold, "SELECT name FROM person LIMIT 1", "SELECT 1"):
        result = judge(make_case("1", gold), prediction)
        assert (result.verdict, result.fault) == (Verdict.UNSCORED, Fault.GOLD)
        assert result.reasons == (Reason.GOLD_SUSPECT,)
        assert result.scores == {"ex": None, "ex[bird]": None}
        assert "depends on chance" in result.message
    other = judge(make_case("1", gold, "SELECT 7"), "SELECT 7")
    assert other.verdict is Verdict.CORRECT, "another gold decides it"


def test_a_gold_that_names_chance_and_does_not_use_it_is_scored(make_case: MakeCase) -> None:
    for gold in (
        "SELECT 'random()'",
        'SELECT count(*) AS "random" FROM city',
        "SELECT 1 -- random()",
    ):
        assert judge(make_case("1", gold), gold).verdict is Verdict.CORRECT


def test_a_gold_that_reads_the_clock_is_scored_and_said(make_case: MakeCase) -> None:
    options = Options(workers=0, cache=None)
    gold = "SELECT date('now') > '2000-01-01'"
    run = evaluate([make_case("1", gold)], {"1": gold}, options=options)
    assert run.estimate("ex").value == 1.0
    assert run.summary.cuts == {"gold_reads_clock": 1}
    assert "READS THE CLOCK" in cut_sentences(run.summary)[0]
    steady = evaluate([make_case("1", "SELECT 1")], {"1": gold}, options=options)
    assert steady.summary.cuts == {}, "only the gold counts"
    assert [result.final for each in (run, steady) for result in each.results()] == [False] * 2
    fixed = Options(workers=0, cache=None, now=datetime(2024, 5, 17, tzinfo=UTC))
    still = evaluate([make_case("1", gold)], {"1": gold}, options=fixed)
    assert [result.final for result in still.results()] == [True]
    assert still.summary.cuts == {}


@pytest.mark.parametrize(
    ("metrics", "gold", "prediction", "cuts"),
    [
        ("ex", "SELECT 1 WHERE 0", "SELECT 'x' WHERE 0", {"empty_match": 1}),
        ("ex", "SELECT 1 WHERE 0", "SELECT 1 WHERE 0", {"empty_match": 1}),
        ("ex", "SELECT 1 WHERE 0", "SELECT 1, 2 WHERE 0", {}),
        ("ex[bird]", "SELECT 1 WHERE 0", "SELECT 1, 2 WHERE 0", {"empty_match": 1}),
        ("text_match", "SELECT 1 WHERE 0", "SELECT 1 WHERE 0", {}),
        ("ex", "SELECT 1 WHERE 0", "SELECT 1", {}),
        ("ex", "SELECT 1", "SELECT 1 WHERE 0", {}),
        ("ex", "SELECT NULL", "SELECT sum(id) FROM city WHERE 0", {"empty_match": 1}),
        ("ex", "SELECT NULL, NULL", "SELECT NULL, 0", {}),
        ("ex", "SELECT NULL, 0", "SELECT NULL, 0", {}),
        ("ex", "SELECT 0", "SELECT 0", {}),
        ("ex", "SELECT missing", "SELECT 1 WHERE 0", {}),
    ],
)
def test_a_match_of_two_answers_without_a_value_is_counted(
    metrics: str, gold: str, prediction: str, cuts: dict[str, int], make_case: MakeCase
) -> None:
    """Any query that finds nothing matches there, which says little."""
    options = Options(metrics, workers=0, cache=None)
    run = evaluate([make_case("1", gold)], {"1": prediction}, options=options)
    assert run.summary.cuts == cuts
    assert [line.partition(":")[0] for line in cut_sentences(run.summary)] == (
        ["EMPTY ANSWERS"] if cuts else []
    )


def test_one_of_several_golds_without_rows_is_enough(make_case: MakeCase) -> None:
    case = make_case("1", "SELECT 1", "SELECT 1 WHERE 0")
    none = evaluate([case], {"1": "SELECT 2 WHERE 0"}, options=LOCAL)
    assert none.summary.cuts == {"empty_match": 1}
    one = evaluate([case], {"1": "SELECT 1"}, options=LOCAL)
    assert one.summary.cuts == {}


def test_a_query_that_fails_by_itself_is_final_though_its_failure_is_not_cached(
    make_case: MakeCase,
) -> None:
    text = "SELECT name FROM person WHERE julianday(name) - LAG(julianday(name)) OVER () > 1"
    result = judge(make_case("1", "SELECT name FROM person"), text)
    assert result.reasons == (Reason.EXECUTION_ERROR,)
    assert result.final
