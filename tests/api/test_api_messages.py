"""Messages of the Python API name arguments of its calls, never options of the command line."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from error_parts import asks_for, refuses_data, refuses_run
from sqlverdict.api.spelling import argument_text
from sqlverdict.errors import (
    OptionName,
    PredictionError,
    SameCall,
    SchemaError,
    UsageError,
    column_option,
    message_text,
)

GOLD = "SELECT name FROM t WHERE n > 1"
CASES = [{"id": 1, "gold": GOLD}, {"id": 2, "gold": "SELECT 1"}]
ANSWERS = {"1": GOLD, "2": "SELECT 1"}
_OPTION = re.compile(r"--[a-z]")


@pytest.mark.parametrize(
    ("option", "command", "call"),
    [
        (OptionName("databases", "PATH"), "--databases PATH", "databases=PATH"),
        (OptionName("databases", "a b"), "--databases 'a b'", "databases='a b'"),
        (OptionName("db", "mysql://HOST/{db_id}"), "--db 'mysql://HOST/{db_id}'", None),
        (column_option("sql", "off"), "--column sql=off", "columns={'sql': 'off'}"),
        (column_option("my id", "id"), "--column 'my id=id'", "columns={'my id': 'id'}"),
        (OptionName("out"), "--out", "out="),
        (OptionName("overwrite", True), "--overwrite", "options=Options(overwrite=True)"),
        (OptionName("allow_missing", True), "--allow-missing", "allow_missing=True"),
        (OptionName("engine", "duckdb"), "--engine duckdb", "options=Options(engine='duckdb')"),
        (SameCall.AGAIN, "run the same command again", "make the same call again"),
    ],
)
def test_each_door_spells_an_option_in_its_own_way(
    option: OptionName | SameCall, command: str, call: str | None
) -> None:
    arguments = ("cases", "out", "metrics", "databases", "options")
    assert str(UsageError("Give ", option, ".")) == f"Give {command}."
    assert argument_text(option, arguments) == (call or "db='mysql://HOST/{db_id}'")


def test_an_argument_of_the_call_itself_is_named_without_options() -> None:
    assert argument_text(OptionName("engine", "duckdb"), ("engine",)) == "engine='duckdb'"
    assert argument_text(OptionName("allow_missing", True), ("strict_ids",)) == "strict_ids=False"


def test_an_error_keeps_its_options_and_spelling_on_the_way_to_another_process() -> None:
    with pytest.raises(UsageError) as caught:
        sv.evaluate(CASES, ANSWERS, databases="no such folder")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert copy.args == caught.value.args


def _wrong_calls(db: Path, folder: Path) -> dict[str, Callable[[], object]]:
    missing, table, nothing = folder / "none", folder / "cases.csv", folder / "answers.csv"
    table.write_text("id,question,gold,a,b\n1,?,SELECT 1,SELECT 1,SELECT 2\n")
    nothing.write_text("id,prediction\n1,SELECT 1\n")
    run = folder / "run"
    sv.evaluate(CASES, ANSWERS, db=db, out=run)
    two = [{"id": 1, "sql": "SELECT 1", "prediction": GOLD}, {"id": 2, "sql": "SELECT 1"}]
    nameless = [{"key": 1, "sql": "SELECT 1"}]
    postgres = "postgresql://127.0.0.1/none"
    return {
        "no such folder": lambda: sv.evaluate(CASES, ANSWERS, databases=missing),
        "no such folder, scorer": lambda: sv.Scorer(databases=missing)(GOLD, GOLD, db_id="a"),
        "a database as cases": lambda: sv.evaluate(db, ANSWERS),
        "several systems": lambda: sv.evaluate(table, db=db),
        "a prediction too few": lambda: sv.evaluate(CASES, nothing, db=db),
        "a prediction too many": lambda: sv.evaluate(CASES, {**ANSWERS, "3": "SELECT 1"}, db=db),
        "two predictions": lambda: sv.evaluate(CASES, two, db=db),
        "no id": lambda: sv.evaluate(CASES, nameless, db=db),
        "no such column": lambda: sv.evaluate(table, ANSWERS, db=db, columns={"x": "gold"}),
        "another run": lambda: sv.evaluate(CASES, {"1": "SELECT 2", "2": "x"}, db=db, out=run),
        "another engine": lambda: sv.Scorer(db=postgres, engine="duckdb"),
        "another engine, run": lambda: sv.evaluate(
            CASES, ANSWERS, db=postgres, options=sv.Options(engine="duckdb")
        ),
        "no cluster": lambda: sv.evaluate(
            CASES, ANSWERS, db=db, options=sv.Options(copy_databases=True)
        ),
        "no run": lambda: sv.read_run(missing),
        "too few to load": lambda: sv.load_predictions(nothing, ["1", "2"]),
        "no metric": lambda: sv.evaluate(CASES, ANSWERS, db=db).compare(
            sv.evaluate(CASES, ANSWERS, db=db, metrics="esm")
        ),
    }


def test_an_error_names_options_as_the_door_spells_them(db: Path, tmp_path: Path) -> None:
    for name, call in _wrong_calls(db, tmp_path).items():
        with pytest.raises(sv.SqlverdictError) as caught:
            call()
        assert not _OPTION.search(str(caught.value)), f"{name}: {caught.value}"
        assert "=" in str(caught.value), f"{name}: {caught.value}"
        options = [part for part in caught.value.args if isinstance(part, OptionName)]
        assert options, name
        for option in options:
            assert str(option) in message_text(caught.value.args), name


def test_a_guess_is_a_warning_at_the_line_of_the_call(db: Path, tmp_path: Path) -> None:
    table = tmp_path / "cases.csv"
    table.write_text("id,expected,output\n1,SELECT 1,SELECT 1\n")
    records = [{"expected": "SELECT 1", "output": "SELECT 1"}]
    for cases in (table, records):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sv.evaluate(cases, db=db)
        (warning,) = [each for each in caught if each.category is UserWarning]
        assert "columns={'NAME': 'gold'}" in str(warning.message)
        assert "--" not in str(warning.message)
        assert warning.filename == __file__


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": {"x": "gold"}}, "columns={'x': 'gold'}: the cases have no column 'x'"),
        ({"columns": {"x": "cost"}}, "the predictions, as the cases, have no column 'x'"),
        ({"prediction_columns": {"x": "cost"}}, "the predictions have no column 'x'"),
        ({"columns": {1: "gold"}}, "expected the name of a column"),
    ],
)
def test_a_column_that_no_record_has_is_refused(
    db: Path, arguments: dict[str, Any], message: str
) -> None:
    answers = [{"id": 1, "sql": GOLD}, {"id": 2, "sql": "SELECT 1"}]
    with pytest.raises(UsageError, match=re.escape(message)):
        sv.evaluate(CASES, answers, db=db, **arguments)


def test_the_columns_that_there_are_are_listed(db: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="They have 'id', 'gold', 'prediction'"):
        sv.evaluate([CASES[0] | {"prediction": GOLD}], db=db, columns={"missing": "gold"})
    file = tmp_path / "answers.csv"
    file.write_text("id,prediction\n1,SELECT 1\n2,SELECT 1\n")
    with pytest.raises(UsageError, match="They have 'id', 'prediction'"):
        sv.evaluate(CASES, file, db=db, prediction_columns={"missing": "cost"})
    with pytest.raises(UsageError, match="They have no columns"):
        sv.evaluate(CASES, ANSWERS, db=db, prediction_columns={"missing": "cost"})


def test_a_map_may_be_about_the_predictions_alone(db: Path) -> None:
    answers = [{"id": 1, "bot": GOLD, "usd": 1.0}, {"id": 2, "bot": "SELECT 1", "usd": 2.0}]
    columns = {"bot": "prediction", "usd": "cost", "notes": "off"}
    run = sv.evaluate(CASES, answers, db=db, columns=columns)
    assert run.estimate("ex").value == 1.0


def test_a_column_may_be_in_some_records_and_inside_objects(db: Path) -> None:
    records = [
        {"id": 1, "gold": GOLD, "reply": {"sql": GOLD}},
        {"id": 2, "gold": GOLD, "reply": {"sql": GOLD}, "level": "easy"},
    ]
    columns = {"reply.sql": "prediction", "level": "difficulty"}
    assert sv.evaluate(records, db=db, columns=columns).estimate("ex").value == 1.0


def test_allow_missing_counts_a_case_without_a_prediction_as_wrong(db: Path) -> None:
    answers = {"1": GOLD, "9": "SELECT 1"}
    run = sv.evaluate(CASES, answers, db=db, allow_missing=True)
    assert run["2"].reasons == ("NO_SQL_PRODUCED",)
    assert run.estimate("ex").value == 0.5


def test_allow_missing_counts_a_record_without_a_prediction_as_wrong(db: Path) -> None:
    records = [{**CASES[0], "prediction": GOLD}, CASES[1]]
    with refuses_data(PredictionError, "incomplete", "allow_missing=True"):
        sv.evaluate(records, db=db)
    run = sv.evaluate(records, db=db, allow_missing=True)
    assert [run[each].scores["ex"] for each in ("1", "2")] == [1.0, 0.0]


def test_an_error_that_quotes_a_prediction_raises_nothing(db: Path) -> None:
    result = sv.check(GOLD, "SELECT ' --db \"/x y", db=db)
    assert "unrecognized token" in result.message
    assert "unrecognized token" in result.explain()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": "oracle"}, "'oracle'. Known: duckdb"),
        ({"engine": 3}, "engine is int"),
        ({"schemas": [1]}, "schemas is"),
        ({"schemas": {"a": "CREATE TABLE t (a)"}}, "schemas has .* for 'a'"),
        ({"limits": 3}, "limits is 3"),
        ({"now": "2020-01-01"}, "now is '2020-01-01'"),
    ],
)
def test_a_scorer_refuses_wrong_arguments_at_once(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sv.Scorer(**arguments)


def test_options_refuse_values_of_another_type_at_once() -> None:
    assert sv.Options(now=datetime(2020, 1, 1)).now is not None
    for wrong in ({"schemas": [1]}, {"limits": None}, {"now": 3}, {"judge": "flex"}):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            sv.Options(**wrong)  # type: ignore[arg-type]


def test_the_public_functions_can_be_sent_to_other_processes() -> None:
    for name in ("evaluate", "evaluate_systems", "evaluate_pairs", "load_predictions", "read_run"):
        function = getattr(sv, name)
        assert pickle.loads(pickle.dumps(function)) is function


def test_a_name_for_the_only_schema_of_a_source_is_its_name(db: Path) -> None:
    assert sv.load_schema(db).db_id == db.stem
    assert sv.load_schema(db, db_id="shop").db_id == "shop"


def test_what_is_no_system_is_refused_by_name() -> None:
    case = sv.Case("1", "shop", "", ("SELECT 1",))
    for wrong, says in (
        ({"a": {"1": "SELECT 1"}}, r"^systems is dict; expected a list of sqlverdict\.System$"),
        (["a"], r"^a system is 'a'; expected a sqlverdict\.System$"),
        ([("a", {})], r"^a system is \('a', \{\}\); expected a sqlverdict\.System$"),
    ):
        with pytest.raises(UsageError, match=says):
            sv.evaluate_systems([case], wrong)  # type: ignore[arg-type]


def test_a_metric_that_a_run_lacks_is_no_option_of_a_command(db: Path) -> None:
    run = sv.evaluate(CASES, ANSWERS, db=db)
    with refuses_run("missing_metric") as error:
        run.estimate("esm")
    assert "the metrics ex,esm" in str(error.value)
    assert _OPTION.search(str(error.value)) is None


def test_a_file_is_no_folder_for_a_run(db: Path, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    with asks_for("out"):
        sv.evaluate(CASES, ANSWERS, db=db, out=tmp_path / "runs")


def test_a_database_that_is_missing_is_called_a_file(tmp_path: Path) -> None:
    with refuses_data(SchemaError, "missing", "no such file"):
        sv.prove_pair("SELECT 1", "SELECT 1", db=tmp_path / "nope.sqlite")


def test_many_members_are_counted_instead_of_listed() -> None:
    from sqlverdict.prove.rule import RULES

    with pytest.raises(UsageError, match=r"Known: \d+, which 'sqlverdict explain rule' lists"):
        RULES.get("nope")
