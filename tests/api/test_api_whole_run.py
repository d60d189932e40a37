"""Whole runs from Python: files, tables and records in; filters and tables out."""

from __future__ import annotations

import csv
import json
import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from sqlverdict.api.inputs import RunArguments, read_inputs
from sqlverdict.errors import UsageError

GOLD = "SELECT name FROM t WHERE n > 1"
PREDICTIONS = {"1": GOLD, "2": "SELECT name FROM t", "3": None}
RECORDS: list[dict[str, Any]] = [
    {"id": key, "db_id": "shop", "gold": GOLD, "prediction": prediction}
    for key, prediction in PREDICTIONS.items()
]


def scores(run: sv.Run) -> dict[str, float | None]:
    return {result.id: result.scores["ex"] for result in run.results()}


EXPECTED = {"1": 1.0, "2": 0.0, "3": 0.0}


def test_records_with_their_predictions_and_one_database(db: Path) -> None:
    assert scores(sv.evaluate(RECORDS, db=db)) == EXPECTED


def test_records_and_predictions_apart(db: Path) -> None:
    cases = [{key: row[key] for key in ("id", "db_id", "gold")} for row in RECORDS]
    assert scores(sv.evaluate(cases, PREDICTIONS, databases=db.parent)) == EXPECTED
    assert scores(sv.evaluate(cases, list(PREDICTIONS.values()), db=db)) == EXPECTED


def test_a_jsonl_file_and_a_csv_file(db: Path, tmp_path: Path) -> None:
    lines = tmp_path / "cases.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in RECORDS))
    assert scores(sv.evaluate(str(lines), db=db)) == EXPECTED
    table = tmp_path / "cases.csv"
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "db_id", "gold_query"])
        writer.writeheader()
        writer.writerows({"id": r["id"], "db_id": "shop", "gold_query": r["gold"]} for r in RECORDS)
    run = sv.evaluate(table, PREDICTIONS, db=db, columns={"gold_query": "gold"})
    assert scores(run) == EXPECTED


def test_a_data_frame_with_other_column_names(db: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="the extra pandas is not installed")
    frame = pandas.DataFrame(RECORDS, dtype=object)
    frame = frame.rename(columns={"gold": "gold_sql", "prediction": "bot"})
    run = sv.evaluate(frame, db=db, columns={"gold_sql": "gold", "bot": "prediction"})
    assert scores(run) == EXPECTED
    table = run.to_pandas()
    assert list(table["ex"]) == [1.0, 0.0, 0.0]
    assert {"id", "db_id", "gold", "prediction", "verdict", "reasons"} <= set(table.columns)


def test_numbers_as_ids_are_taken_as_text(db: Path) -> None:
    records = [{**row, "id": int(row["id"])} for row in RECORDS]
    assert scores(sv.evaluate(records, db=db)) == EXPECTED
    cases = [{key: row[key] for key in ("id", "db_id", "gold")} for row in records]
    assert scores(sv.evaluate(cases, {1: GOLD, 2: "SELECT 1", 3: None}, db=db))["1"] == 1.0


def test_results_are_found_and_filtered(db: Path) -> None:
    run = sv.evaluate(RECORDS, db=db)
    assert run["2"].id == run[2].id == "2"
    with pytest.raises(KeyError):
        run["nowhere"]
    assert [result.id for result in run.filter(verdict="correct")] == ["1"]
    assert [result.id for result in run.filter(db_id="elsewhere")] == []


def test_lucky_matches_are_found(db: Path) -> None:
    lucky = "SELECT name FROM t WHERE n <> 1"
    records = [{"id": "1", "gold": GOLD, "prediction": lucky}]
    run = sv.evaluate(records, db=db, metrics="ex,witness_accuracy")
    assert [result.id for result in run.filter(lucky=True)] == ["1"]
    assert run.filter(lucky=False) == []


def test_two_runs_are_compared(db: Path) -> None:
    before = sv.evaluate(RECORDS, db=db)
    after = sv.evaluate([{**row, "prediction": GOLD} for row in RECORDS], db=db)
    compared = before.compare(after)
    assert compared.outcome.gained == ("2", "3")


def test_a_latex_table_has_a_line_for_each_metric(db: Path) -> None:
    text = sv.evaluate(RECORDS, db=db, metrics="ex,text_match").to_latex()
    assert r"text\_match &" in text
    assert "33.3" in text


def test_what_predictions_cost_is_in_the_table(db: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="the extra pandas is not installed")
    cases = [{key: row[key] for key in ("id", "db_id", "gold")} for row in RECORDS]
    predictions = pandas.DataFrame(
        {"id": ["1", "2", "3"], "sql": [GOLD, "SELECT 1", GOLD], "usd": [0.5, None, 0.25]}
    )
    run = sv.evaluate(cases, predictions, db=db, prediction_columns={"usd": "cost"})
    table = run.to_pandas()
    assert list(table["cost"].fillna(-1)) == [0.5, -1, 0.25]
    assert "tokens" not in table.columns
    (cost,) = run.summary.usage
    assert (cost.known, cost.unknown, cost.per_right) == (2, 1, 0.375)


TWO = ["SELECT name FROM t", GOLD]


@pytest.mark.parametrize(
    "predictions",
    [
        {"1": TWO, "2": TWO},
        [TWO, tuple(TWO)],
        [{"id": key, "sql": TWO} for key in "12"],
        [{"id": key, "sql": sql, "trial": n} for key in "12" for n, sql in enumerate(TWO)],
    ],
)
def test_several_answers_are_trials(db: Path, predictions: Any) -> None:
    cases = [{"id": key, "gold": GOLD} for key in "12"]
    trials = sv.evaluate_trials(cases, predictions, db=db)
    assert [scores(run) for run in trials.runs] == [{"1": 0.0, "2": 0.0}, {"1": 1.0, "2": 1.0}]
    assert [figures.any_right for figures in trials.report().figures] == [0.5, 1.0]
    assert trials.report().unanimous == 0.0
    with pytest.raises(sv.SqlverdictError, match="evaluate_trials"):
        sv.evaluate(cases, predictions, db=db)


def test_cases_carry_several_answers(db: Path, tmp_path: Path) -> None:
    rows = [{"id": "1", "gold": GOLD, "prediction": sql, "trial": n} for n, sql in enumerate(TWO)]
    trials = sv.evaluate_trials(rows, db=db, out=tmp_path / "out")
    assert [row["trial"] for row in trials.rows()] == [1, 2]
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["trial-0", "trial-1"]
    with pytest.raises(sv.SqlverdictError, match=r"evaluate\(\)"):
        sv.evaluate_trials(RECORDS, db=db)
    with pytest.raises(sv.SqlverdictError, match="id '1' is given"):
        sv.evaluate_trials([*rows, {**rows[0], "gold": "SELECT 1"}], db=db)


@pytest.mark.parametrize(
    ("cases", "predictions", "message"),
    [
        ({"id": 1}, None, "the cases are dict"),
        (5, None, "the cases are int"),
        ([5], None, "record 0 is int"),
        ([{"gold": GOLD}], None, "no predictions"),
        ([{"gold": GOLD}], ["a", "b"], "2 predictions for 1 cases"),
    ],
)
def test_wrong_input_is_refused_with_words(
    db: Path, cases: Any, predictions: Any, message: str
) -> None:
    with pytest.raises(sv.SqlverdictError, match=message):
        sv.evaluate(cases, predictions, db=db)


def test_a_daemonic_process_starts_no_others(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in multiprocessing.Pool and in the workers of data loaders."""
    config = vars(multiprocessing.current_process())["_config"]
    monkeypatch.setitem(config, "daemon", True)
    cases = [{"id": number, "gold": GOLD, "prediction": GOLD} for number in range(250)]
    run = sv.evaluate(cases, db=db)
    assert run.estimate("ex").value == 1.0
    with pytest.raises(UsageError, match="workers=0"):
        sv.evaluate(cases, db=db, workers=2)


def test_an_empty_name_of_a_folder_is_refused(tmp_path: Path) -> None:
    case = sv.Case("1", "shop", "How many?", ("SELECT 1",), str(tmp_path / "shop.sqlite"))
    with pytest.raises(UsageError, match="out is empty"):
        sv.evaluate([case], {"1": "SELECT 1"}, out="")


def test_a_printed_run_is_a_few_lines(db: Path) -> None:
    records = [{"id": n, "gold": "SELECT 1", "prediction": f"SELECT {n % 2}"} for n in range(40)]
    run = sv.evaluate(records, db=db, metrics="ex,verdict")
    lines = str(run).splitlines()
    assert lines[0] == "system on cases: 40 cases, 40 answered, 0 abstained"
    assert lines[1] == "ex: 50.0% (35.2 to 64.8), n 40, 0 unscored"
    assert lines[3] == "verdicts (by verdict): 20 correct, 20 incorrect"
    assert lines[4] == f"folder: {run.folder}"
    assert lines[5].startswith("next: run.filter(verdict='incorrect')")
    assert len(lines) == 6
    assert repr(run).startswith("<EvaluatedRun system on cases: 40 cases; ex 50.0% (35.2 to 64.8)")
    assert "\n" not in repr(run)
    stored = sv.read_run(run.folder)
    assert str(stored).splitlines()[:-1] == lines[:-1]
    assert str(stored).endswith(f"next: sqlverdict show {run.folder}")


def test_the_table_and_the_filter_have_one_verdict(db: Path) -> None:
    records = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 1 + 0"}]
    run = sv.evaluate(records, db=db, metrics="text_match,ex")
    (row,) = run.rows()
    assert (row["verdict"], len(run.filter(verdict="incorrect"))) == ("incorrect", 1)


def test_the_verdict_of_a_row_is_a_word_beside_its_score(db: Path) -> None:
    records = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 1 + 0"}]
    (row,) = sv.evaluate(records, db=db, metrics="ex,verdict").rows()
    assert (row["verdict"], row["verdict_score"], row["ex"]) == ("correct", 1.0, 1.0)


def test_one_database_for_cases_that_name_none(db: Path) -> None:
    """Case objects without a database were unscored, whatever ``db`` said."""
    cases = [sv.Case(key, "shop", "", (GOLD,)) for key in PREDICTIONS]
    assert scores(sv.evaluate(cases, PREDICTIONS, db=db)) == EXPECTED
    assert scores(sv.evaluate(cases, PREDICTIONS, databases=db.parent)) == EXPECTED


def test_a_case_keeps_the_database_that_it_names(db: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    sqlite3.connect(other).close()
    cases = [sv.Case(key, "shop", "", (GOLD,), str(db)) for key in PREDICTIONS]
    assert scores(sv.evaluate(cases, PREDICTIONS, db=other)) == EXPECTED


def test_a_benchmark_gets_the_databases_that_it_lacks(db: Path) -> None:
    cases = [sv.Case(key, "shop", "", (GOLD,)) for key in PREDICTIONS]
    benchmark = sv.Benchmark("mine", "1", cases, len(cases))
    assert scores(sv.evaluate(benchmark, PREDICTIONS, db=db)) == EXPECTED


@pytest.mark.parametrize(
    ("count", "arguments", "workers"),
    [
        (3, RunArguments(), 0),
        (201, RunArguments(), None),
        (3, RunArguments(workers=2), 2),
        (3, RunArguments(options=sv.Options(workers=2)), 2),
        (3, RunArguments(workers=0, options=sv.Options(workers=2)), 0),
        (201, RunArguments(options=sv.Options(workers=0)), 0),
        (3, RunArguments(options=sv.Options(on="ray")), None),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_processes_are_as_many_as_said_and_by_default_none_for_few_cases(
    tmp_path: Path, suffix: str, count: int, arguments: RunArguments, workers: int | None
) -> None:
    """A CSV file was worked on in one process, whatever its length, and Options did not count."""
    file = tmp_path / f"cases{suffix}"
    rows = [{"id": str(n), "db_id": "shop", "gold": GOLD, "prediction": GOLD} for n in range(count)]
    with file.open("w", newline="") as stream:
        if suffix == ".csv":
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        else:
            stream.writelines(json.dumps(row) + "\n" for row in rows)
    assert read_inputs(file, None, arguments).options.workers == workers
