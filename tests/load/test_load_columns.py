"""Unusual names of columns: gold, prediction and question by names and cells, never swapped."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from error_parts import refuses_data
from sqlverdict.errors import BenchmarkError, PredictionError, UnclearColumns
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.columns.guess import guess_columns, is_query, query_columns
from sqlverdict.load.columns.words import Role, role_of

GOLD = "SELECT name FROM item WHERE price > 1"
REPLY = f"Sure! Here it is:\n```sql\n{GOLD}\n```"
QUESTION = "Which items cost more than 1?"

TOLD_APART = [
    ("Frage", "Referenz", "Antwort"),
    ("utterance", "reference_sql", "model_output"),
    ("nl", "query", "generated"),
    ("input", "expected", "output"),
    ("prompt", "ground_truth", "completion"),
    ("Natural language", "goldQuery", "gpt-4o"),
    ("user", "correct_sql", "actual_sql"),
    ("user", "actual", "predicted"),
    ("text", "expected_output", "bot answer"),
    ("question_text", "SQL", "LLM response"),
    ("question_text", "sql", "prediction"),
    ("question_text", "gold", "model_answer"),
]


def guess(header: tuple[str, ...], *cells: Any, columns: dict[str, str] | None = None) -> Any:
    return guess_columns(header, [dict(zip(header, cells, strict=True))] * 4, columns or {})


@pytest.mark.parametrize("names", TOLD_APART, ids=" ".join)
@pytest.mark.parametrize("reply", [GOLD, REPLY])
def test_names_tell_in_any_order(names: tuple[str, str, str], reply: str) -> None:
    cells = dict(zip(names, (QUESTION, GOLD, reply), strict=True))
    ours = dict(zip(names, ("question", "gold", "prediction"), strict=True))
    for order in permutations(names):
        columns = guess(order, *(cells[name] for name in order))
        assert columns.has_gold
        assert columns.has_prediction
        assert columns.columns == {
            name: field for name, field in ours.items() if name not in ("gold", "prediction")
        }


@pytest.mark.parametrize(
    "names",
    [
        ("a", "b"),
        ("sql1", "sql2"),
        ("answer", "output"),
        ("query", "sql"),
        ("predicted", "generated"),
        ("gold", "reference"),
        ("gold_prediction", "answer"),
        ("gpt_gold", "answer"),
        ("not_gold", "sql"),
        ("wrong_answer", "gold answer"),
        ("model_answer", "generated"),
        ("model_reference", "query"),
        ("corrected", "predicted"),
        ("chosen", "rejected"),
        ("v1", "v2"),
        ("", " "),
    ],
)
def test_unclear_names_are_never_told_apart(names: tuple[str, str]) -> None:
    for order in (names, names[::-1]):
        columns = guess(order, GOLD, GOLD)
        assert "prediction" not in columns.columns.values()
        assert not (columns.has_gold and columns.has_prediction)


@pytest.mark.parametrize("names", [("query", "response"), ("sql", "antwort"), ("answer", "sql")])
def test_code_blocks_show_the_prediction_where_names_do_not(names: tuple[str, str]) -> None:
    for order in (names, names[::-1]):
        for gold, reply in (order, order[::-1]):
            cells = {gold: GOLD, reply: REPLY}
            columns = guess(order, *(cells[name] for name in order))
            assert columns.columns == {gold: "gold", reply: "prediction"}
    assert guess(names, REPLY, REPLY).columns == {}
    assert guess(("chosen", "rejected"), GOLD, REPLY).columns == {}
    assert guess(("gold answer", "reference"), GOLD, REPLY).columns == {}


def answers(tmp_path: Path, text: str, **columns: str) -> Any:
    path = tmp_path / "answers.csv"
    path.write_text(text)
    return sv.load_predictions(path, ["001", "002"], columns=columns)


def test_the_lone_column_of_queries_in_a_file_of_predictions_is_the_prediction(
    tmp_path: Path,
) -> None:
    loaded = answers(tmp_path, "ID,note,Reply\n001,x,SELECT 1\n002,y,SELECT 2\n")
    assert [loaded[case_id].sql for case_id in loaded] == ["SELECT 1", "SELECT 2"]
    assert loaded.notes == ("answers.csv: read 'Reply' as prediction, as it holds queries",)


def test_what_may_be_the_id_of_a_prediction_is_listed_and_not_guessed(tmp_path: Path) -> None:
    with refuses_data(PredictionError, "unclear", "found no id") as error:
        answers(tmp_path, "Key,a,b\n001,SELECT 1,SELECT 3\n002,SELECT 2,SELECT 4\n")
    assert isinstance(error.value, UnclearColumns)
    assert error.value.choices == (
        (("Key", "id"), ("a", "prediction")),
        (("Key", "id"), ("b", "prediction")),
    )
    with pytest.raises(UnclearColumns) as error:
        answers(tmp_path, "Nr,sql\n1,SELECT 1\n2,SELECT 2\n")
    assert error.value.choices == ((("NAME", "id"),),)
    with refuses_data(PredictionError, "incomplete", "leading zeros"):
        answers(tmp_path, "Nr,sql\n1,SELECT 1\n2,SELECT 2\n", Nr="id")


def test_a_column_map_for_the_predictions_leaves_the_spellings_of_the_cases(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("ID,db_id,gold\n007,shop,SELECT 1\n")
    (case,) = BENCHMARKS.get("csv").read(path, options={"Nr": "id"}).cases
    assert case.id == "007"


def test_three_columns_of_queries_are_too_many() -> None:
    columns = guess(("reference", "generated", "explanation"), GOLD, GOLD, REPLY)
    assert columns.columns == {}
    with pytest.raises(UnclearColumns) as error:
        raise columns.missing("no gold.")
    assert error.value.choices[0] == (("reference", "gold"), ("generated", "prediction"))


def test_what_the_user_says_comes_first() -> None:
    header = ("expected", "generated")
    columns = guess(header, GOLD, GOLD, columns={"generated": "gold"})
    assert columns.columns == {}
    assert guess(header, GOLD, GOLD, columns={"generated": "off"}).columns == {"expected": "gold"}
    assert guess(header, GOLD, GOLD, columns={"expected": "gold"}).columns == {
        "generated": "prediction"
    }


def test_a_lone_column_of_queries_is_the_gold_unless_its_name_says_otherwise() -> None:
    assert guess(("query",), GOLD).columns == {"query": "gold"}
    assert guess(("generated",), GOLD).columns == {}
    assert guess(("gold", "reference"), GOLD, GOLD).columns == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOLD, True),
        (REPLY, True),
        ("SELECT x::int FROM t", True),
        ("WITH a AS (SELECT 1) SELECT * FROM a", True),
        ("SELECT broken FROM WHERE", False),
        ("Select the names of all singers from France", False),
        ("With which singers did they sing?", False),
        ("Show names of singers", False),
        ("I cannot answer that.", False),
    ],
)
def test_what_a_query_is(text: str, expected: bool) -> None:
    assert is_query(text) == expected


def test_refusals_among_the_replies_do_not_hide_a_column_of_queries() -> None:
    rows = [{"a": GOLD}, {"a": "I cannot answer that."}, {"a": ""}, {"a": None}, {"a": 7}]
    assert query_columns(["a"], rows) == ["a"]
    assert query_columns(["a"], rows[1:]) == []


def test_two_fields_that_may_be_the_prediction_are_an_error(tmp_path: Path) -> None:
    cases = [{"gold": GOLD, "sql": "SELECT 1", "prediction": GOLD, "id": "1"}]
    (tmp_path / "shop.sqlite").touch()
    with refuses_data(PredictionError, "conflict", "columns={'sql': 'off'}"):
        sv.evaluate(cases, db=tmp_path / "shop.sqlite")


def test_from_python_a_guess_is_a_warning(tmp_path: Path) -> None:
    database = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(database)) as shop:
        shop.execute("CREATE TABLE item (name TEXT)")
    records = [{"question": "One?", "expected": "SELECT 1", "output": "SELECT 1"}]
    with pytest.warns(UserWarning, match="read 'expected' as gold, 'output' as prediction"):
        run = sv.evaluate(records, db=database)
    assert run.estimate("ex").value == 1.0
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": 1, "db_id": "shop", "expected": "SELECT 1", "output": "SELECT 2"}\n')
    with pytest.warns(UserWarning, match=r"cases\.jsonl: read 'expected' as gold"):
        run = sv.evaluate(file, db=database)
    assert run.estimate("ex").value == 0.0
    with pytest.raises(UnclearColumns) as refusal:
        sv.evaluate([{"a": "SELECT 1", "b": "SELECT 1"}], db=database)
    assert [dict(choice) for choice in refusal.value.choices] == [
        {"a": "gold", "b": "prediction"},
        {"b": "gold", "a": "prediction"},
    ]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Gold SQL", Role.GOLD),
        ("groundTruth", Role.GOLD),
        ("GPT4", Role.PREDICTION),
        ("target_model_sql", Role.UNCLEAR),
        ("model solution", Role.MODEL),
        ("SQL query", Role.EITHER),
        ("sql2", Role.UNCLEAR),
    ],
)
def test_what_a_name_says(name: str, role: Role) -> None:
    assert role_of(name) is role


@pytest.mark.parametrize("names", [("gold", "gold_sql"), ("Gold", "gold_sql"), ("golds", "gold")])
def test_two_columns_that_may_be_the_gold_are_refused_where_they_differ(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    first, second = names
    file = tmp_path / "cases.csv"
    file.write_text(f"id,{first},{second},prediction\n1,SELECT 1,SELECT 2,SELECT 2\n")
    database = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE item (name TEXT)")
    with pytest.raises(UnclearColumns) as error:
        sv.evaluate(file, db=database)
    assert error.value.choices == (((second, "off"),), ((first, "off"),))
    for choice, right in zip(error.value.choices, (0, 1), strict=True):
        run = sv.evaluate(file, db=database, columns=dict(choice))
        assert run.estimate("ex").value == right
    record = {"id": 1, first: "SELECT 1", second: "SELECT 2", "prediction": "SELECT 2"}
    if first != "Gold":
        with pytest.raises(UnclearColumns) as error:
            sv.evaluate([record], db=database)
        assert error.value.choices == (((second, "off"),), ((first, "off"),))
        alike = {**record, second: "SELECT 1"}
        many = [{**alike, "id": number} for number in range(201)]
        assert sv.evaluate([alike], db=database).estimate("ex").value == 0
        with refuses_data(BenchmarkError, "conflict", "record 201", "'gold'"):
            sv.evaluate([*many, {**record, "id": 201}], db=database)


def test_several_golds_in_a_cell_are_a_json_list(tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    file.write_text('id,gold,prediction\n1,"[""SELECT 9"", ""SELECT 2""]",SELECT 2\n')
    database = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE item (name TEXT)")
    assert sv.evaluate(file, db=database).estimate("ex").value == 1
    file.write_text('id,gold,prediction\n1,"[""SELECT 9"", ",SELECT 2\n')
    with refuses_data(BenchmarkError, "unreadable", "line 2, gold"):
        sv.evaluate(file, db=database)
