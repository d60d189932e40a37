"""Each known defect of BIRD's scripts, and that it is not ours."""

from __future__ import annotations

import json
from pathlib import Path

from sqlverdict import Options, evaluate
from sqlverdict.load.predictions import load_predictions
from sqlverdict.records import Case, Reason, Verdict


def test_set_comparison_loses_duplicates_and_order(judge) -> None:
    duplicates = ("SELECT name FROM item", "SELECT DISTINCT name FROM item")
    assert judge(*duplicates).scores["ex"] == 0.0
    assert judge(*duplicates, metrics="ex[bird]").scores["ex[bird]"] == 1.0
    order = ("SELECT name FROM item ORDER BY id", "SELECT name FROM item ORDER BY id DESC")
    assert judge(*order).reasons == (Reason.ORDER_MISMATCH,)
    assert judge(*order, metrics="ex[bird]").scores["ex[bird]"] == 1.0


def test_pairs_by_position_so_a_key_sorted_file_scores_nothing(shop: Path, tmp_path: Path) -> None:
    """Keys sorted as text: "0", "1", "10", "11", "2" ... shift every later pair."""
    cases = [Case(str(n), "shop", golds=(f"SELECT {n}",), database=str(shop)) for n in range(12)]
    answers = {case.id: f"{case.golds[0]}\t----- bird -----\tshop" for case in cases}
    file = tmp_path / "predictions.json"
    file.write_text(json.dumps(dict(sorted(answers.items()))))
    predictions = load_predictions(file, [case.id for case in cases])
    run = evaluate(cases, predictions, options=Options(metrics="ex[bird]", cache=None))
    assert run.estimate("ex[bird]").value == 1.0


def test_its_connection_is_writable(judge, shop: Path) -> None:
    before = shop.read_bytes()
    for write in ("DELETE FROM item", "UPDATE item SET price = 0", "CREATE TABLE x (a)"):
        assert judge("SELECT 1", write).reasons == (Reason.WRITE_BLOCKED,)
    assert shop.read_bytes() == before


def test_soft_f1_of_the_same_rows_reversed_is_low(judge) -> None:
    pair = (
        "SELECT name, price FROM item WHERE id < 4",
        "SELECT name, price FROM item WHERE id < 4 ORDER BY id DESC",
    )
    ours = judge(*pair, metrics="soft_f1,soft_f1_bird")
    assert ours.scores["soft_f1"] == 1.0
    assert ours.scores["soft_f1_bird"] < 1.0


def test_gold_errors_count_against_the_model(judge) -> None:
    result = judge("SELECT nothing FROM item", "SELECT 1", metrics="ex[bird]")
    assert result.scores["ex[bird]"] is None
    assert (result.verdict, result.fault) == (Verdict.UNSCORED, "gold")
    assert result.reasons == (Reason.GOLD_EXECUTION_ERROR,)


def test_its_time_guard_leaves_the_query_running(judge) -> None:
    """func_timeout returns in time, and its query runs on; one long opcode stops for nobody."""
    result = judge("SELECT 1", "SELECT length(hex(zeroblob(400000000)))")
    assert result.scores["ex"] == 0.0
    assert result.reasons[0] in (Reason.MEMORY_LIMIT, Reason.EXECUTION_TIMEOUT)
