"""Benchmarks as published: what each reader makes of a small file in its format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict.errors import BenchmarkError, PredictionError, UsageError
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.databases import DatabaseLocation
from sqlverdict.load.predictions import load_predictions
from sqlverdict.records import Case, Contract, Script


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        content = "".join(json.dumps(line) + "\n" for line in content)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def cases_of(benchmark: Benchmark) -> list[Case]:
    cases = list(benchmark.cases)
    assert cases == list(benchmark.cases)
    assert len(cases) == benchmark.count
    return cases


MINI_DEV = [
    {
        "question_id": 7,
        "db_id": "club",
        "question": "Who?",
        "evidence": "e",
        "SQL": "SELECT 1",
        "difficulty": "simple",
    },
    {"question_id": 7, "db_id": "club", "question": "What?", "SQL": "SELECT 2"},
]


def test_bird_mini_dev_has_positions_as_ids_and_one_database_on_a_server(tmp_path: Path) -> None:
    write(tmp_path / "mini_dev_postgresql.json", MINI_DEV)
    read = BENCHMARKS.get("bird_mini_dev").read
    server = DatabaseLocation("postgresql://localhost/bird")
    benchmark = read(tmp_path, databases=server, options={"dialect": "postgresql"})
    first, second = cases_of(benchmark)
    assert (first.id, second.id) == ("0", "1")
    assert first.database == second.database == "postgresql://localhost/bird"
    assert (first.knowledge, first.difficulty, first.tags) == ("e", "simple", {"question_id": "7"})
    assert benchmark.preset == "bird_mini_dev"
    with refuses_data(BenchmarkError, "missing", "expected mini_dev_sqlite.json"):
        read(tmp_path)
    with pytest.raises(UsageError, match="dialect is 'oracle'"):
        read(tmp_path, options={"dialect": "oracle"})
    gold = write(tmp_path / "mini_dev_mysql_gold.sql", "SELECT 1\tclub\nSELECT 2\tclub\n")
    assert [case.golds for case in read(gold).cases] == [("SELECT 1",), ("SELECT 2",)]


def test_bird_order_ignores_keys_and_reads_texts_as_they_are(tmp_path: Path) -> None:
    mark = "\t----- bird -----\t"
    values = {"34": f"```SQLite\nSELECT 1\n```{mark}club", "35": f"SELECT 2{mark}club", "9": 3}
    file = write(tmp_path / "p.json", values)
    predictions = load_predictions(file, ["a", "b", "c"], format="bird_order")
    assert [predictions[each].sql for each in "abc"] == [
        "```SQLite\nSELECT 1\n```",
        "SELECT 2",
        "",
    ]
    with refuses_data(PredictionError, "mismatch", "found 3 predictions, expected 2"):
        load_predictions(file, ["a", "b"], format="bird_order")


def make_spider2(root: Path, columns: Any, *names: str) -> Path:
    write(root / "spider2-lite.jsonl", [{"instance_id": "bq1", "db": "d", "question": "?"}])
    setting = {"instance_id": "bq1", "condition_cols": columns, "ignore_order": True}
    write(root / "gold/spider2lite_eval.jsonl", [setting])
    for name in names:
        write(root / "gold/exec_result" / f"{name}.csv", "a,b\n1,x\n2,NA\n")
    return root


@pytest.mark.parametrize(
    ("columns", "names", "key_columns", "golds"),
    [
        ([], ["bq1"], None, 1),
        ([[]], ["bq1_a"], None, 1),
        ([0, 1], ["bq1"], ((0, 1),), 1),
        ([0, 1], ["bq1", "bq1_a", "bq1_b"], ((0, 1),), 1),
        ([0, 1], ["bq1_a", "bq1_b"], ((0, 1), (0, 1)), 2),
        ([[0], [1]], ["bq1_a", "bq1_b"], ((0,), (1,)), 2),
        ([1, 0], ["bq1_a"], (1, 0), 1),
        ([[0]], ["bq1_a", "bq1_b"], ((0,),), 2),
    ],
)
def test_spider2_chooses_golds_and_columns_as_the_script_does(
    tmp_path: Path, columns: Any, names: list[str], key_columns: Any, golds: int
) -> None:
    root = make_spider2(tmp_path, columns, *names)
    (case,) = cases_of(BENCHMARKS.get("spider2").read(root))
    assert case.contract == Contract(order="ignore", key_columns=key_columns)
    assert len(case.gold_answers) == golds
    assert case.gold_answers[0].rows == [(1, "x"), (2, None)]
    assert case.golds == ()


def test_spider2_leaves_out_what_has_no_gold(tmp_path: Path) -> None:
    root = make_spider2(tmp_path, [], "bq1")
    lines = [{"instance_id": name, "db": "d", "instruction": "?"} for name in ("bq1", "bq10")]
    write(root / "spider2-lite.jsonl", lines)
    benchmark = BENCHMARKS.get("spider2").read(root)
    assert [case.id for case in benchmark.cases] == ["bq1"]
    assert "1 instance without a gold result" in benchmark.notes[0]
    (root / "gold/exec_result/bq1.csv").unlink()
    with refuses_data(BenchmarkError, "missing", "exec_result"):
        BENCHMARKS.get("spider2").read(root)


def test_another_gold_result_is_another_source(tmp_path: Path) -> None:
    root = make_spider2(tmp_path, [], "bq1")
    before = BENCHMARKS.get("spider2").read(root).sources
    write(root / "gold/exec_result/bq1.csv", "a\n3\n")
    assert BENCHMARKS.get("spider2").read(root).sources != before


def test_a_folder_of_queries_and_results_is_a_submission(tmp_path: Path) -> None:
    write(tmp_path / "a.sql", "Here it is:\n```sql\nSELECT 1\n```\n")
    write(tmp_path / "b.sql", "SELECT 2")
    write(tmp_path / "c.csv", "n\n3\n")
    write(tmp_path / "d.csv", "n\n3,4\n")
    write(tmp_path / "e.csv", "")
    write(tmp_path / "log.txt", "")
    read = load_predictions(tmp_path, list("abcde"))
    assert (read["a"].sql, read["b"].sql, read["c"].sql) == ("SELECT 1", "SELECT 2", None)
    assert read["c"].answer is not None
    assert read["c"].answer.rows == [(3,)]
    # A broken or empty result is no abstention and no answer.
    for each in "de":
        assert (read[each].answer, read[each].sql, read[each].abstained) == (None, None, False)
    assert any("log.txt" in note for note in read.notes)
    before = read.sha256
    write(tmp_path / "c.csv", "n\n4\n")
    assert load_predictions(tmp_path, list("abcde")).sha256 != before
    write(tmp_path / "a.csv", "n\n1\n")
    with refuses_data(PredictionError, "repeated", "'a' at a.csv and a.sql"):
        load_predictions(tmp_path, list("abcde"))
    (tmp_path / "a.csv").unlink()
    with refuses_data(PredictionError, "incomplete", "1 of 6 cases"):
        load_predictions(tmp_path, list("abcdef"))


def test_defog_expands_alternatives(tmp_path: Path) -> None:
    file = write(
        tmp_path / "questions_gen_sqlite.csv",
        "question,query,db_name,query_category,instructions\n"
        'Which?,"SELECT {a, b} FROM t GROUP BY {}; SELECT 1;",yelp,group_by,Use t\n'
        "Why?,SELECT 'sorry I cannot' AS answer,yelp,,\n",
    )
    first, second = cases_of(BENCHMARKS.get("defog").read(file))
    assert first.golds == (
        "SELECT a FROM t GROUP BY a",
        "SELECT  b FROM t GROUP BY  b",
        "SELECT a,  b FROM t GROUP BY a,  b",
        "SELECT 1",
    )
    assert (first.tags, first.knowledge) == ({"category": "group_by"}, "Use t")
    assert (second.answerable, second.golds) == (False, ())


LIVE = [
    {
        "instance_id": "q1",
        "selected_database": "solar",
        "query": "Which?",
        "sol_sql": ["SELECT 1"],
        "conditions": {"order": True},
        "category": "Query",
        "test_cases": ["def test_case(): ..."],
    },
    {
        "instance_id": "m1",
        "db_id": "solar",
        "query": "Change it",
        "preprocess_sql": ["CREATE TABLE t (a)"],
        "sol_sql": ["INSERT INTO t VALUES (1);", "SELECT * FROM t"],
        "category": "Management",
    },
    {"instance_id": "w1", "db_id": "solar", "query": "?", "sol_sql": []},
]


def test_livesqlbench_tells_queries_from_scripts(tmp_path: Path) -> None:
    file = write(tmp_path / "data.jsonl", LIVE)
    benchmark = BENCHMARKS.get("livesqlbench").read(tmp_path)
    query, script = cases_of(benchmark)
    assert (query.golds, query.script) == (("SELECT 1",), None)
    assert query.contract == Contract(order="respect")
    assert query.tags == {"category": "Query", "test_cases": "1"}
    assert script.contract is None
    assert script.golds == ("INSERT INTO t VALUES (1);\nSELECT * FROM t",)
    assert script.script == Script(setup=("CREATE TABLE t (a)",))
    assert "1 item has no sol_sql (id 'w1')" in benchmark.notes[0]
    write(file, LIVE[2:])
    with refuses_data(BenchmarkError, "empty", "sent by mail"):
        BENCHMARKS.get("livesqlbench").read(tmp_path)
    lines = [{"instance_id": "m1", "pred_sqls": ["INSERT INTO t VALUES (2)", "SELECT * FROM t"]}]
    predictions = load_predictions(write(tmp_path / "p.jsonl", lines), ["m1"])
    assert predictions["m1"].sql == "INSERT INTO t VALUES (2);\nSELECT * FROM t"


def test_ehrsql2022_has_unanswerable_questions(tmp_path: Path) -> None:
    items = [
        {"id": "a", "db_id": "eicu", "question": "?", "query": "select 1", "importance": "high"},
        {"id": "b", "db_id": "eicu", "question": "?", "query": "null", "is_impossible": True},
    ]
    write(tmp_path / "valid.json", items)
    first, second = cases_of(BENCHMARKS.get("ehrsql2022").read(tmp_path))
    assert (first.golds, first.answerable, first.tags) == (
        ("select 1",),
        True,
        {"importance": "high"},
    )
    assert (second.golds, second.answerable) == ((), False)


def test_archer_and_sciencebenchmark(tmp_path: Path) -> None:
    item = {"db_id": "d", "question": "?", "query": "SELECT 1", "reasoning_type": "+ -"}
    write(tmp_path / "archer_en_dev.json", [item, item])
    first, second = cases_of(BENCHMARKS.get("archer").read(tmp_path))
    assert (first.id, second.id, first.tags) == ("0", "1", {"reasoning_type": "+ -"})
    write(tmp_path / "cordis/dev.json", [{**item, "db_id": "cordis"}])
    write(tmp_path / "sdss/dev.json", [{**item, "db_id": "sdss"}])
    benchmark = BENCHMARKS.get("sciencebenchmark").read(tmp_path)
    assert [case.id for case in cases_of(benchmark)] == ["cordis-0", "sdss-0"]
    assert "oncomx" in benchmark.notes[0]


def test_beaver_chooses_the_dialect(tmp_path: Path) -> None:
    items = [
        {"db_id": "dw", "question": "?", "sql": "SELECT 1", "gold_tables": ["a", "b"]},
        {"db_id": "dw", "question": "?", "sql": "", "oracle_sql": "SELECT 2 FROM dual"},
    ]
    write(tmp_path / "dev_dw.json", items)
    benchmark = BENCHMARKS.get("beaver").read(tmp_path)
    (case,) = cases_of(benchmark)
    assert (case.id, case.golds, case.tags) == ("dw-0", ("SELECT 1",), {"gold_tables": "a, b"})
    assert "1 item without sql" in benchmark.notes[0]
    (case,) = BENCHMARKS.get("beaver").read(tmp_path, options={"dialect": "oracle"}).cases
    assert case.golds == ("SELECT 2 FROM dual",)


def test_evalbench_makes_scripts_of_statements_that_write(tmp_path: Path) -> None:
    items = [
        {
            "id": 1,
            "nl_prompt": "Which?",
            "query_type": "DQL",
            "database": "shop",
            "golden_sql": {"postgres": ["SELECT 1", "SELECT 2"], "mysql": ["SELECT 3"]},
        },
        {
            "id": 2,
            "nl_prompt": "Add it",
            "query_type": "dml",
            "database": "shop",
            "golden_sql": {"postgres": ["INSERT INTO t VALUES (1)"]},
            "eval_query": {"postgres": ["SELECT count(*) FROM t"]},
            "setup_sql": ["CREATE TABLE t (a int)"],
        },
    ]
    file = write(tmp_path / "prompts.json", items)
    query, script = cases_of(BENCHMARKS.get("evalbench").read(file))
    assert (query.golds, query.script) == (("SELECT 1", "SELECT 2"), None)
    assert script.script == Script(("CREATE TABLE t (a int)",), "SELECT count(*) FROM t")
    mysql = BENCHMARKS.get("evalbench").read(file, options={"dialect": "mysql"})
    assert [case.golds for case in mysql.cases] == [("SELECT 3",)]
    assert "1 item without a gold for mysql" in mysql.notes[0]


def test_ibm_records_hold_systems(tmp_path: Path) -> None:
    items = [
        {
            "question_id": 3,
            "db_id": "shop",
            "utterance": "Which?",
            "sql": ["SELECT 1", "SELECT 2"],
            "predictions": {"greedy": {"predicted_sql": "```sql\nSELECT 2\n```"}},
        },
        {"question_id": 4, "db_id": "shop", "question": "What?", "sql": "SELECT 3"},
    ]
    file = write(tmp_path / "records.json", items)
    reader = BENCHMARKS.get("ibm")
    first, second = cases_of(reader.read(file))
    assert (first.id, first.golds, second.golds) == ("3", ("SELECT 1", "SELECT 2"), ("SELECT 3",))
    assert reader.systems(file) == ("greedy",)  # type: ignore[attr-defined]
    recorded = reader.predictions(file, "greedy")  # type: ignore[attr-defined]
    assert (list(recorded), recorded["3"].sql) == (["3"], "SELECT 2")
    with refuses_data(PredictionError, "unknown_name", "'other'", "Recorded: greedy"):
        reader.predictions(file, "other")  # type: ignore[attr-defined]


def test_lines_may_hold_results_instead_of_queries(tmp_path: Path) -> None:
    rows = [{"name": "pen", "n": 2}, {"name": "pad", "n": 1}]
    line = {
        "id": "1",
        "db_id": "shop",
        "gold_rows": rows,
        "prediction_rows": [["pen", 2], ["pad", 1]],
    }
    file = write(tmp_path / "cases.jsonl", [line])
    (case,) = cases_of(BENCHMARKS.get("jsonl").read(file))
    assert (case.answerable, case.golds) == (True, ())
    assert case.gold_answers[0].rows == [("pen", 2), ("pad", 1)]
    assert case.gold_answers[0].columns == ("name", "n")
    predictions = load_predictions(file, ["1"])
    assert predictions["1"].answer is not None
    assert (predictions["1"].abstained, predictions["1"].answer.rows) == (
        False,
        [("pen", 2), ("pad", 1)],
    )
    for field, bad in (("gold_rows", "pen"), ("gold_rows", [["a"], ["b", 1]])):
        write(file, [{**line, field: bad}])
        with refuses_data(BenchmarkError, "wrong_value", "line 1: 'gold_rows'"):
            list(BENCHMARKS.get("jsonl").read(file).cases)
    write(file, [{**line, "sql": "SELECT 1"}])
    with refuses_data(PredictionError, "conflict", "line 1: '1'"):
        load_predictions(file, ["1"])
