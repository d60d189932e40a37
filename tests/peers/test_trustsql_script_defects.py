"""Each known defect of TrustSQL's reference implementation, and that it is not ours."""

from __future__ import annotations

import json
from pathlib import Path

from error_parts import refuses_data
from sqlverdict import Options, evaluate
from sqlverdict.compare.preset import PRESETS
from sqlverdict.errors import PredictionError
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.trustsql import Trustsql
from sqlverdict.load.predictions import load_predictions
from sqlverdict.records import Case, Reason, Result, Verdict
from sqlverdict.report.reliability.figures import ReliabilityRequest, reliability_of
from sqlverdict.score.reliability.outcomes import (
    Cell,
    FailurePolicy,
    Mishap,
    OutcomeTable,
    item_outcome,
    label_by,
)
from sqlverdict.score.reliability.reliability_score import ANS, EVERYTHING, partly, rs, subset
from sqlverdict.score.reliability.thresholds import heuristic_threshold

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def cases(shop: Path) -> list[Case]:
    path = str(shop)
    return [
        Case("a", "shop", "How many?", ("SELECT count(*) FROM item",), path),
        Case("b", "shop", "Which pens?", ("SELECT id FROM item WHERE name = 'pen'",), path),
        Case("c", "shop", "Why?", (), path, answerable=False, tags={"unanswerable_type": "odd"}),
    ]


def test_a_missing_id_silently_becomes_an_abstention(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps({"a": "SELECT count(*) FROM item", "b": None}))
    with refuses_data(PredictionError, "incomplete", "1 of 3 cases", "'c'"):
        load_predictions(path, ["a", "b", "c"])
    with refuses_data(PredictionError, "incomplete", "1 of 3 cases", "'c'"):
        evaluate(cases(shop), {"a": "SELECT 1", "b": None}, options=Options(cache=None))
    # Where missing ones are allowed they are harm, even if replies without SQL are forgiven.
    lenient = load_predictions(path, ["a", "b", "c"], strict_ids=False)
    run = evaluate(cases(shop), lenient, options=Options(cache=None))
    table = reliability_of(run, ReliabilityRequest(policy=FailurePolicy(no_sql="abstain")))
    assert table.table.cells() == {
        "correct": 1,
        "abstained_answerable": 1,
        "wrong": 0,
        "answered_unanswerable": 1,
        "abstained_unanswerable": 0,
        "needs_review": 0,
    }
    assert table.table.mishaps == {"missing": 1}


def test_a_missing_record_of_a_recorded_system_is_no_abstention(tmp_path: Path) -> None:
    path = tmp_path / "test.jsonl"
    record = {"db_id": "shop", "question": "?", "gold_sql": "SELECT 1"}
    path.write_text(
        json.dumps({"id": "a", **record, "decision": {"mine": None}})
        + "\n"
        + json.dumps({"id": "b", **record, "decision": {"other": None}})
        + "\n"
    )
    reader = BENCHMARKS.get("trustsql")
    assert isinstance(reader, Trustsql)
    predictions = reader.predictions(path, "mine")
    assert list(predictions) == ["a"]
    assert "1 of 2 cases have no record of mine" in predictions.notes[0]


def test_unknown_types_are_dropped_from_totals_silently(shop: Path) -> None:
    predictions = {"a": "SELECT count(*) FROM item", "b": None, "c": "SELECT 1"}
    table = reliability_of(evaluate(cases(shop), predictions, options=Options(cache=None)))
    keys = {(part.by, part.key): part.table.total for part in table.slices}
    assert keys == {("difficulty", "unlabelled"): 2, ("unanswerable_type", "odd"): 1}
    assert sum(keys.values()) == table.table.total == 3


def test_a_greedy_regex_corrupts_sql_with_two_double_quoted_literals(judge) -> None:
    sql = 'SELECT id FROM item WHERE name = "pen" OR name = "ink"'
    gold = "SELECT id FROM item WHERE name IN ('pen', 'ink')"
    for preset in ("trustsql_spider", "trustsql_single"):
        assert PRESETS.get(preset).prepare(gold, sql) == (gold, sql)
        metric = f"ex[{preset}]"
        assert judge(gold, sql, metrics=metric).scores[metric] == 1.0


def test_i_cannot_select_counts_as_sql(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    refusal = "I cannot select that from this schema."
    answers = {"a": refusal, "b": "SELECT id FROM item WHERE name = 'pen'", "c": refusal}
    path.write_text(json.dumps(answers))
    predictions = load_predictions(path, ["a", "b", "c"])
    assert predictions["a"].sql is None
    run = evaluate(cases(shop), predictions, options=Options(cache=None))
    harm = reliability_of(run)
    assert harm.table.mishaps == {"no_sql": 2}
    assert (harm.table.wrong, harm.table.answered_unanswerable) == (1, 1)
    forgiven = reliability_of(run, ReliabilityRequest(policy=FailurePolicy(no_sql="abstain")))
    assert forgiven.table.mishaps == {"no_sql": 2}
    assert forgiven.table.harm == 0
    assert forgiven.table.abstained_answerable == forgiven.table.abstained_unanswerable == 1


def test_the_threshold_is_off_by_one() -> None:
    """The threshold is the last confidence of the best prefix, and that item is answered."""
    threshold = heuristic_threshold([0.9, 0.8, 0.7, 0.6], [True, True, False, True])
    assert threshold.value == 0.8
    assert threshold.accepts(0.8)
    assert not threshold.accepts(0.7)
    assert (threshold.answered, threshold.wrong, threshold.score) == (2, 0, 2.0)


def test_the_thread_time_out_cannot_stop_sqlite(shop: Path) -> None:
    from sqlverdict.execute.engine import Limits

    predictions = {"a": ENDLESS, "b": "SELECT id FROM item WHERE name = 'pen'", "c": None}
    options = Options(workers=0, cache=None, limits=Limits(steps=5_000_000, seconds=600))
    run = evaluate(cases(shop), predictions, options=options)
    first = next(run.results())
    assert first.reasons == (Reason.EXECUTION_TIMEOUT,)
    assert item_outcome(first, label_by("ex"), FailurePolicy()).mishap is Mishap.TIMEOUT
    stopped = reliability_of(run, ReliabilityRequest(policy=FailurePolicy(timeout="abstain")))
    assert stopped.table.harm == 0
    assert stopped.table.abstained_answerable == 1
    assert reliability_of(run).table.wrong == 1


def test_the_n_in_rs_n_for_a_subset_is_the_full_n() -> None:
    table = OutcomeTable(
        correct=6,
        abstained_answerable=2,
        wrong=2,
        answered_unanswerable=1,
        abstained_unanswerable=9,
    )
    assert rs(table, "N", ANS) == (6 - 10 * 2) / 10
    assert rs(table, "N", EVERYTHING) == (15 - 20 * 3) / 20
    assert rs(table, "N", partly(0.5)) == (6 + 4.5 - 15 * 2.5) / 15
    half = subset(table, [(rank, rank != 3) for rank in range(10)], 0.5)
    assert half.total == 15
    assert rs(half, "N") == (6 + 4 - 15 * 3) / 15


def test_an_execution_error_is_an_outcome_of_its_own() -> None:
    result = Result(
        0, "a", "d", "?", ("SELECT 1",), "SELECT nothing", False, Verdict.INCORRECT,
        scores={"ex": 0.0}, reasons=(Reason.EXECUTION_ERROR,),
    )  # fmt: skip
    assert item_outcome(result, label_by("ex"), FailurePolicy()).cell is Cell.WRONG
    caught = item_outcome(result, label_by("ex"), FailurePolicy(error="abstain"))
    assert (caught.cell, caught.mishap) == (Cell.ABSTAINED_ANSWERABLE, Mishap.ERROR)
