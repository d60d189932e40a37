"""Tables for papers, lists of cases, and the filter that they share."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import UsageError
from sqlverdict.evidence import Refuted
from sqlverdict.records import Result, Verdict
from sqlverdict.report.several_runs.paper_table import paper_table
from sqlverdict.report.terminal.tables import FORMATS, latex, table
from sqlverdict.runlog.case_filter import CaseFilter
from sqlverdict.runlog.run import Run

MakeResult = Callable[..., Result]
LUCKY = Refuted(
    by="refute", grade="ordinary", sentence="they differ", origin="search", size=1, databases=1
)


@pytest.fixture
def runs(make_run: Callable[..., Run], make_result: MakeResult) -> list[Run]:
    """Two systems on four cases; the last one is unscored for the second."""
    wrong: dict[str, Any] = {"verdict": Verdict.INCORRECT, "reasons": ("VALUE_MISMATCH",)}
    first = [
        make_result(0, difficulty="easy", evidence=(LUCKY,), situation="ordinary_witness"),
        make_result(1, difficulty="easy", **wrong),
        make_result(2, difficulty="hard", db_id="club", question="Which members are there?"),
        make_result(3, difficulty="hard", **wrong),
    ]
    second = [*first[:3], make_result(3, difficulty="hard", verdict=Verdict.UNSCORED)]
    return [make_run("a_b", first), make_run("other", second)]


def invoke(*args: object) -> Any:
    return CliRunner().invoke(sqlverdict, [str(arg) for arg in args])


def test_systems_by_metrics(runs: list[Run]) -> None:
    table = paper_table(runs)
    assert table.table.headers == ("system", "ex", "n")
    assert table.table.rows == (("a_b", "50.0", "4"), ("other", "66.7", "3"))
    assert table.notes == ("other, ex: 1 of 4 cases unscored, left out",)
    with pytest.raises(UsageError, match="'exx'"):
        paper_table(runs, ["exx"])


def test_systems_by_level_in_the_natural_order_with_counts(runs: list[Run]) -> None:
    table = paper_table(runs, by="difficulty", decimals=0)
    assert table.table.headers == ("system", "metric", "easy (n 2)", "hard", "n", "all", "n")
    assert table.table.rows[1] == ("other", "ex", "50", "100", "1", "67", "3")
    by_database = paper_table(runs, by="database", intervals=True).table
    assert by_database.headers[2:] == ("club (n 1)", "shop", "n", "all", "n")
    assert by_database.rows[0][-2:] == ("50.0 (15.0 to 85.0)", "4")


@pytest.mark.parametrize(("by", "fields"), [("difficulty", "'level'"), ("turn", "'session'")])
def test_where_no_case_has_a_level_the_message_says_how_to_give_them_one(
    make_run: Callable[..., Run], make_result: MakeResult, by: str, fields: str
) -> None:
    run = make_run("plain", [make_result(0, difficulty=None)])
    done = invoke("table", run.folder, "--by", by)
    assert done.exit_code == 2
    text = " ".join(done.output.split())
    assert text.startswith(f"error: no case of these runs has a {by}, so there is nothing to split")
    assert fields in text
    assert f"--column NAME={by}" in text
    assert invoke("table", run.folder, "--by", "database").exit_code == 0


def test_a_level_without_any_value_is_not_called_missing(
    make_run: Callable[..., Run], make_result: MakeResult
) -> None:
    unscored = make_result(0, difficulty="easy", verdict=Verdict.UNSCORED, scores={"ex": None})
    with pytest.raises(UsageError, match="has a value"):
        paper_table([make_run("none", [unscored])], by="difficulty")


def test_runs_of_two_engines_or_versions_are_told_apart_in_a_note(
    make_run: Callable[..., Run], make_result: MakeResult
) -> None:
    ours, same, newer, other = (
        make_run(name, [make_result(0)], engine=engine, engine_version=version)
        for name, engine, version in (
            ("ours", "sqlite", "3.40"),
            ("same", "sqlite", "3.40"),
            ("newer", "sqlite", "3.45"),
            ("other", "duckdb", "1.1"),
        )
    )
    assert "engine" not in invoke("compare", ours.folder, same.folder).output
    text = invoke("compare", ours.folder, newer.folder).output
    assert "note: the engine's version differs: 3.40 and 3.45" in text
    for command in ("compare", "table", "leaderboard"):
        text = invoke(command, ours.folder, other.folder).output
        assert text.count("the engine differs: sqlite and duckdb") == 1, command
        assert "version differs: 3.40" not in text


def test_latex_escapes_what_latex_reads() -> None:
    text = latex(table(("a_b", "95% & more"), [("x^2 <y> {z} \\ ~ #1 $", "–"), ("[a]", "1")]))  # noqa: RUF001
    assert r"a\_b & 95\% \& more \\ \hline" in text
    assert r"x\textasciicircum{}2 \textless{}y\textgreater{} \{z\} \textbackslash{}" in text
    assert r"\textasciitilde{} \#1 \$ & -- \\" in text
    assert r"{}[a] & 1 \\" in text


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_command_prints_every_format(runs: list[Run], name: str) -> None:
    done = invoke("table", *(run.folder for run in runs), "--by", "difficulty", "--format", name)
    assert done.exit_code == 0, done.output
    assert "66.7" in done.stdout
    assert "note: other, ex: 1 of 4 cases unscored" in done.stderr


@pytest.mark.parametrize(
    ("conditions", "ids"),
    [
        ({}, "q0 q1 q2 q3"),
        ({"verdict": "incorrect"}, "q1 q3"),
        ({"verdict": ["incorrect", "correct"], "difficulty": "hard"}, "q2 q3"),
        ({"reason": "VALUE_MISMATCH", "difficulty": ("easy",)}, "q1"),
        ({"db_id": "club"}, "q2"),
        ({"lucky": True}, "q0"),
        ({"lucky": False, "verdict": "correct"}, "q2"),
        ({"abstained": True}, ""),
        ({"text": "WHICH MEMBERS"}, "q2"),
    ],
)
def test_a_filter_joins_its_conditions(
    runs: list[Run], conditions: dict[str, Any], ids: str
) -> None:
    assert [each.id for each in runs[0].select(CaseFilter(**conditions))] == ids.split()


def test_an_unknown_verdict_or_reason_is_refused() -> None:
    with pytest.raises(UsageError, match="'incorrect'"):
        CaseFilter(verdict="incorect")
    with pytest.raises(UsageError, match="'VALUE_MISMATCH'"):
        CaseFilter(reason=["VALUE_MISMACH"])


def test_list_prints_a_table_ids_and_csv(runs: list[Run], tmp_path: Path) -> None:
    folder = runs[0].folder
    assert "2 of 4 cases of a_b" in invoke("show", folder, "--verdict", "incorrect").output
    assert invoke("show", folder, "--lucky", "--format", "ids").stdout == "q0\n"
    text = invoke("show", folder, "--db-id", "shop,club", "--format", "csv").stdout
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["verdict"] for row in rows] == ["correct", "incorrect", "correct", "incorrect"]
    empty = invoke("show", folder, "--difficulty", "medium")
    assert empty.exit_code == 0
    assert "The run has, as difficulty: 'easy', 'hard'." in empty.stderr


def test_show_takes_several_ids_in_the_given_order(runs: list[Run]) -> None:
    output = invoke("show", runs[0].folder, "q2", "q0").output
    assert output.index("q2 (club") < output.index("q0 (shop")
    refusal = invoke("show", runs[0].folder, "q0", "q9")
    assert refusal.exit_code == 2
    assert "has no case 'q9'" in refusal.output
