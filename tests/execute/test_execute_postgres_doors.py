"""Every door to a PostgreSQL server: none has a way of its own, and all of Python's can trust a role."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from postgres_parts import PATIENT, POSTGRES, TRUSTED, execute, role, rows, session

import sqlverdict as sv
from label_runs import write_run
from sqlverdict.cli.main import sqlverdict as command_line
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits, ServerEngine
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.integrations.common import PairGrader
from sqlverdict.label.databases import CaseDatabases, CaseFacts
from sqlverdict.records import Case, Prediction
from sqlverdict.refute.witness import Witness
from sqlverdict.rl.rewarder import Rewarder
from sqlverdict.view.playground import Playground

COUNT = "SELECT count(*) FROM person"


def evaluated(url: str) -> str:
    case = Case("1", "people", golds=("SELECT 1",), database=url)
    options = sv.Options(metrics="ex", engine="postgres", workers=1)
    with TemporaryDirectory() as folder:
        run = sv.evaluate_pairs(
            [(case, Prediction("1", "SELECT 1"))], out=Path(folder) / "run", options=options
        )
        (result,) = run.results()
    return result.message or ""


def _pair(url: str, command: str) -> str:
    result = CliRunner().invoke(command_line, [command, "SELECT 1", "SELECT 1", "--db", url])
    return result.output + str(result.exception)


def _doctor(url: str) -> str:
    case = {"id": "1", "question": "q", "gold": "SELECT 1", "database": url}
    with TemporaryDirectory() as folder:
        cases = Path(folder) / "cases.jsonl"
        cases.write_text(json.dumps(case))
        arguments = ["doctor", "--cases", str(cases), "--engine", "postgres"]
        return CliRunner().invoke(command_line, arguments).output


def _playground(url: str) -> str:
    """The page on which readers of a run try queries."""
    case = Case("q1", "?", "people", ("SELECT 1",), url)
    with TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run")
        run = replace(run, manifest=replace(run.manifest, engine="postgres"))
        with closing(Playground(lambda _: {"q1": case})) as playground:
            return repr(playground.check(run, "q1", "SELECT 1", "SELECT 1"))


def _label(url: str) -> str:
    """The page on which annotators run queries of their own."""
    with TemporaryDirectory() as folder:
        (first, *_) = write_run(Path(folder) / "run").results()
    with closing(QueryRunner("postgres", PATIENT)) as runner:
        databases = CaseDatabases(runner, {first.id: CaseFacts(database=url)})
        return repr(databases.run(first, "SELECT 1"))


DOORS: dict[str, Callable[[str], object]] = {
    "evaluate_pairs": evaluated,
    "check": lambda url: sv.check("SELECT 1", "SELECT 1", db=url),
    "Scorer": lambda url: sv.Scorer("ex", db=url).check("SELECT 1", "SELECT 1"),
    "Rewarder": lambda url: Rewarder(db=url, unscored="none")("SELECT 1", "SELECT 1"),
    "QueryRunner": lambda url: QueryRunner("postgres", Limits()).run(url, "SELECT 1"),
    "pair": lambda url: _pair(url, "pair"),
    "doctor": _doctor,
    "view": _playground,
    "label": _label,
    "integrations": lambda url: PairGrader(db=url).grade("SELECT 1", "SELECT 1").explain(),
}


@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_a_prediction_act_as_an_owner(people: str, door: str) -> None:
    """None of them has a way of its own to a server."""
    opened: list[str] = []
    with role(people, "", "GRANT INSERT ON person TO {role}") as url:
        try:
            opened.append(repr(DOORS[door](url)))
        except DatabaseError as error:
            opened.append(str(error))
    assert (
        "may do more than read" in opened[0]
        or "may write to 1 table" in opened[0]
        or (door == "Rewarder" and opened == ["None"])
    )


def _trusts(make: Callable[..., Any], url: str) -> bool:
    with make(db=url, limits=TRUSTED) as scorer:
        return bool(scorer(COUNT, COUNT) == 1.0)


TRUSTING: dict[str, Callable[[str], object]] = {
    "check": lambda url: sv.check(COUNT, COUNT, db=url, limits=TRUSTED).correct,
    "Scorer": partial(_trusts, sv.Scorer),
    "Rewarder": partial(_trusts, Rewarder),
    "refute_pair": lambda url: isinstance(
        sv.refute_pair(COUNT, f"{COUNT} WHERE id > 3", db=url, limits=TRUSTED), Witness
    ),
}


@pytest.mark.parametrize("door", TRUSTING)
def test_every_door_of_python_can_trust_a_role(people: str, door: str) -> None:
    with role(people, "", "GRANT SELECT, INSERT ON person TO {role}") as url:
        assert TRUSTING[door](url) is True


def test_doctor_prints_what_makes_a_role_that_reads(people: str) -> None:
    assert isinstance(POSTGRES, ServerEngine)
    statements = POSTGRES.reader_statements(people)
    text = " ".join(_doctor(people).split())
    for statement in statements:
        assert statement in text
    # The name is the administrator's choice, and other tests use the same server.
    name = f"sv_test_{token_hex(4)}"
    try:
        execute(people, *(each.replace("reads_only", name) for each in statements))
        parts = people.partition("://")
        host = parts[2].rpartition("@")[2]
        url = f"{parts[0]}://{name}@{host}"
        assert POSTGRES.excess_rights(url) == ()
        with session(url) as opened:
            assert rows(opened.run("SELECT count(*) FROM person")) == [(400,)]
    finally:
        execute(people, f"DROP OWNED BY {name}", f"DROP ROLE {name}")
