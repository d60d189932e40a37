"""Errors: what a program may ask of them, and that they survive the way to another process."""

from __future__ import annotations

import ast
import json
import pickle
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from copy import copy
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from error_parts import refuses_database
from source_trees import source_nodes
from sqlverdict import errors
from sqlverdict.cli.main import sqlverdict
from sqlverdict.error_reasons import DatabaseReason, DataReason, RunLogReason
from sqlverdict.errors import (
    BenchmarkError,
    DatabaseError,
    DataError,
    MissingExtra,
    OptionName,
    PredictionError,
    RunLogError,
    SchemaError,
    SqlverdictError,
    UnclearColumns,
    UnclearFields,
    UnknownMember,
    UsageError,
)
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.servers.statements import server_reason
from sqlverdict.files.sqlite import sqlite_reason
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.prove.check import ProofReason

DATA_KINDS = (DataError, BenchmarkError, PredictionError, SchemaError)
OWN_CONSTRUCTORS = {
    UnknownMember: UnknownMember("metric", "exx", ["ex", "esm"], "sqlverdict.metrics"),
    DatabaseError: DatabaseError("no file ", OptionName("databases"), reason="missing"),
    RunLogError: RunLogError("no run", reason="in_use"),
    MissingExtra: MissingExtra("the judge", "judge"),
    UnclearColumns: UnclearColumns("which?", ((("a", "gold"),), (("b", "gold"),))),
    UnclearFields: UnclearFields("which?", ((OptionName("id_field", "a"),),)),
    **{kind: kind("no file ", OptionName("cases"), reason="missing") for kind in DATA_KINDS},
}


_RAISED = {kind.__name__ for kind in DATA_KINDS} | {"error"}
"""How the source calls them; ``error`` is an argument, where the caller names the kind."""


def kinds() -> Iterator[type[SqlverdictError]]:
    for value in vars(errors).values():
        if isinstance(value, type) and issubclass(value, SqlverdictError):
            yield value


@pytest.mark.parametrize("kind", [*kinds()], ids=lambda kind: kind.__name__)
def test_an_error_survives_the_way_to_another_process(kind: type[SqlverdictError]) -> None:
    error = OWN_CONSTRUCTORS.get(kind) or kind("what ", OptionName("n", "3"), " to do")
    for other in (pickle.loads(pickle.dumps(error)), copy(error)):
        assert type(other) is kind
        assert (str(other), other.args) == (str(error), error.args)
        assert (vars(other), other.details) == (vars(error), error.details)


def test_what_may_be_meant_is_told_by_name() -> None:
    columns, fields = OWN_CONSTRUCTORS[UnclearColumns], OWN_CONSTRUCTORS[UnclearFields]
    assert columns.details == {"reason": "unclear", "choices": [{"a": "gold"}, {"b": "gold"}]}
    assert fields.details == {"reason": "unclear", "choices": [{"id_field": "a"}]}
    assert OWN_CONSTRUCTORS[MissingExtra].details == {"extra": "judge"}


def test_an_error_that_was_raised_from_another_hands_on_what_it_knows() -> None:
    with pytest.raises(UsageError) as outer:
        raise UsageError("at column 3: no such file") from OWN_CONSTRUCTORS[DatabaseError]
    assert outer.value.details == {"reason": "missing"}
    assert UsageError("alone").details == {}
    with pytest.raises(DataError) as data:
        raise BenchmarkError("engine: no such thing", reason="failed") from OWN_CONSTRUCTORS[
            UnknownMember
        ]
    assert (data.value.details["reason"], data.value.details["near"]) == ("failed", "ex")


@pytest.mark.parametrize("kind", [*DATA_KINDS, DatabaseError, RunLogError])
def test_who_raises_one_says_why(kind: type[SqlverdictError]) -> None:
    with pytest.raises(TypeError, match="reason"):
        kind("no such thing")


def test_every_reason_of_data_is_given_somewhere_and_no_other() -> None:
    """The type of ``reason`` is wider: that of a database or a run is handed on."""
    reasons: set[str] = set()
    for nodes in source_nodes().values():
        for node in nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func) in _RAISED:
                value = next(word.value for word in node.keywords if word.arg == "reason")
                branches = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
                reasons |= {each.value for each in branches if isinstance(each, ast.Constant)}
    assert reasons | {"unclear"} == {*get_args(DataReason)}


@pytest.mark.parametrize(
    ("name", "literal"),
    [
        ("DataReason", DataReason),
        ("DatabaseReason", DatabaseReason),
        ("RunLogReason", RunLogReason),
        ("ProofReason", ProofReason),
    ],
)
def test_the_table_of_reasons_has_each_once(name: str, literal: object) -> None:
    reasons = get_args(literal)
    assert len({*reasons}) == len(reasons)
    source = "prove/check.py" if literal is ProofReason else "error_reasons.py"
    text = (Path(errors.__file__).parent / source).read_text("utf-8")
    table = text[text.index(f"\n{name} = Literal[") :].partition('"""')[2].partition('"""')[0]
    assert re.findall(r"^``(\w+)``  +\S", table, re.MULTILINE) == [*reasons]


@pytest.mark.parametrize(
    ("name", "literal"),
    [("DataError", DataReason), ("DatabaseError", DatabaseReason), ("RunLogError", RunLogReason)],
)
def test_the_page_of_the_api_lists_the_reasons(name: str, literal: object) -> None:
    page = (Path(__file__).parents[1] / "docs" / "api.md").read_text("utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}`"))
    names = row.partition("`reason`: ")[2].partition(";")[0]
    assert re.findall(r"`(\w+)`", names) == [*get_args(literal)]


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_files_that_cannot_be_used_say_why(engine: str, tmp_path: Path) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    member = ENGINES.get(engine)
    text, nested = tmp_path / "text.db", tmp_path / "text.db" / "inside.db"
    text.write_text("no database " * 100)
    cases: list[tuple[Path, DatabaseReason]] = [
        (tmp_path / "absent.db", "missing"),
        (nested, "missing"),
        (tmp_path, "not_a_database"),
        (text, "not_a_database"),
    ]
    for path, reason in cases:
        with refuses_database(reason):
            member.open(path, Limits())
    with refuses_database("not_a_database"):
        member.open("postgresql://host/database", Limits())


def sqlite_error(path: Path) -> sqlite3.Error:
    with (
        pytest.raises(sqlite3.Error) as error,
        closing(sqlite3.connect(path, timeout=0)) as reader,
    ):
        reader.execute("SELECT * FROM t").fetchall()
    return error.value


def test_what_sqlite_says_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("CREATE TABLE t (a)")
        writer.execute("BEGIN EXCLUSIVE")
        assert sqlite_reason(sqlite_error(path)) == "locked"
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    assert sqlite_reason(sqlite_error(path)) == "damaged"
    path.write_bytes(b"no database " * 100)
    assert sqlite_reason(sqlite_error(path)) == "not_a_database"
    assert sqlite_reason(sqlite_error(tmp_path)) == "unreadable"
    assert sqlite_reason(sqlite3.OperationalError("no code")) == "failed"


class _DriverError(Exception):
    """As a driver raises it: PyMySQL has numbers, psycopg has states or words."""

    def __init__(self, *args: object, sqlstate: str | None = None) -> None:
        super().__init__(*args)
        if sqlstate is not None:
            self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (_DriverError(1049, "Unknown database 'x'"), "missing"),
        (_DriverError(1045, "Access denied for user"), "refused"),
        (_DriverError(1044, "Access denied to database"), "refused"),
        (_DriverError(2003, "Can't connect to MySQL server"), "unreachable"),
        (_DriverError(1064, "You have an error in your SQL syntax"), "failed"),
        (_DriverError("no such database", sqlstate="3D000"), "missing"),
        (_DriverError("wrong password", sqlstate="28P01"), "refused"),
        (_DriverError("permission denied", sqlstate="42501"), "refused"),
        (_DriverError("terminating connection", sqlstate="57P01"), "unreachable"),
        (_DriverError("syntax error", sqlstate="42601"), "failed"),
        (_DriverError('connection failed: FATAL:  database "x" does not exist'), "missing"),
        (_DriverError('FATAL:  password authentication failed for user "x"'), "refused"),
        (_DriverError('FATAL:  role "database" does not exist'), "refused"),
        (_DriverError("FATAL:  the database system is starting up"), "unreachable"),
        (ConnectionRefusedError("nobody listens"), "unreachable"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value)[:40],
)
def test_what_a_server_says_is_told_apart(error: Exception, reason: DatabaseReason) -> None:
    assert server_reason(error) == reason


def test_a_command_says_why_a_database_cannot_be_used(tmp_path: Path) -> None:
    """Its schema is read first: the error of that has the reason of the file."""
    file = tmp_path / "a.sqlite"
    file.write_text("no database")
    line = ["prove", "SELECT 1", "SELECT 1", "--db", str(file), "--json"]
    done = CliRunner().invoke(sqlverdict, line)
    assert done.exit_code == 2
    assert json.loads(done.stdout)["reason"] == "not_a_database"


def test_a_command_says_why_a_file_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    for content, reason in (("{}", "wrong_kind"), ("{", "unreadable")):
        file.write_text(content)
        done = CliRunner().invoke(sqlverdict, ["prove", "--check", str(file), "--json"])
        assert done.exit_code == 2
        assert json.loads(done.stdout)["reason"] == reason


@pytest.mark.parametrize("asks", [False, True])
def test_a_command_that_is_asked_for_json_prints_the_fields(asks: bool) -> None:
    line = ["doctor", "--benchmark", "spidr", *(["--json"] if asks else [])]
    done = CliRunner().invoke(sqlverdict, line)
    assert done.exit_code == 2
    assert "no benchmark called 'spidr'" in done.stderr
    if asks:
        record = json.loads(done.stdout)
        assert record.pop("known") == BENCHMARKS.names()
        assert record.pop("error") in done.stderr
        assert record == {"kind": "benchmark", "name": "spidr", "near": "spider"}
    else:
        assert done.stdout == ""
