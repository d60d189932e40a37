"""A pair that is both proved and refuted: saved, reported loudly, and never the model's fault."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from error_parts import continues, options_of
from sqlverdict import Options, System, evaluate, evaluate_systems
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import Contradiction, OptionName
from sqlverdict.evidence import Proved, Tested, Undecided
from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.request import Reply, Request
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.prove.proof import Proof, Step
from sqlverdict.records import Case, Fault, Query, Reason, Verdict
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.refute.witness_files import replay
from sqlverdict.report.one_run.case import evidence_lines
from sqlverdict.report.one_run.junit import write_junit
from sqlverdict.report.one_run.markdown import write_markdown
from sqlverdict.report.one_run.sections import outcome
from sqlverdict.run.judging.asking import JudgeOptions
from sqlverdict.run.options import ProofOptions, SearchOptions
from sqlverdict.runlog.folder import CONTRADICTIONS
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.run import Run

MakeCase = Callable[..., Case]
LUCKY = ("SELECT count(*) FROM city", "SELECT count(name) FROM city")
WRONG = ("SELECT count(*) FROM city", "SELECT count(*) FROM person")
WINDOW = 256
"""How many tasks of a run are read at a time; chunks are smaller by the same factor."""


@pytest.fixture
def proves_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unsound prover."""

    def prove(gold: Query, prediction: Query, *_: Any, profile: str = "sound", **__: Any) -> Proof:
        steps = (Step("gold", "wishful_thinking", ()),)
        return Proof(gold.sql, prediction.sql, profile, steps, form=gold.sql)

    monkeypatch.setattr("sqlverdict.prove.prover.prove_queries", prove)


def options(*, both: bool = True, metrics: str = "ex", workers: int = 0) -> Options:
    return Options(
        metrics,
        workers=workers,
        cache=None,
        search=SearchOptions(SearchBudget(instances=200)),
        proof=ProofOptions(tests_proofs=both),
    )


def run(case: Case, sql: str, out: Path | None, *, both: bool = True, metrics: str = "ex") -> Run:
    return evaluate([case], {case.id: sql}, out=out, options=options(both=both, metrics=metrics))


def stopped(case: Case, sql: str, out: Path) -> Run:
    """The run behind a contradiction in its only case: stopped, then resumed."""
    with pytest.raises(Contradiction):
        run(case, sql, out)
    return run(case, sql, out)


@pytest.mark.usefixtures("proves_all")
def test_a_witness_against_a_proof_is_saved_and_reported(
    make_case: MakeCase, tmp_path: Path
) -> None:
    finding = stopped(make_case("c/1", LUCKY[0]), LUCKY[1], tmp_path)
    folder = tmp_path / CONTRADICTIONS
    (result,) = finding.results()
    assert (result.verdict, result.fault) == (Verdict.UNSCORED, Fault.TOOLKIT)
    assert result.reasons == (Reason.TOOLKIT_ERROR,)
    assert any("CONTRADICTION" in line for line in evidence_lines(result))

    files = {file.suffix: file for file in folder.iterdir()}
    assert set(files) == {".txt", ".sql", ".sqlite"}
    text = files[".txt"].read_text("utf-8")
    assert all(part in text for part in (*LUCKY, "wishful_thinking", "CREATE TABLE city", "replay"))
    for suffix in (".sql", ".sqlite"):
        assert replay(files[suffix]).differ, "the saved witness separates the two by itself"

    ended = outcome([finding.summary])
    assert ended.exit_code == 5
    assert "CONTRADICTION" in ended.message
    assert "## CONTRADICTIONS" in write_markdown(finding).read_text("utf-8")
    assert "CONTRADICTION, TOOLKIT_ERROR" in write_junit(finding).read_text("utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("proves_all")
@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_contradiction_stops_the_run_and_the_same_command_goes_on_behind_it(
    make_case: MakeCase, tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlverdict.run.task.WINDOW", WINDOW)
    calls: list[str] = []

    class Cases(list[Case]):
        def __iter__(self) -> Iterator[Case]:
            for case in super().__iter__():
                calls.append(case.id)
                yield case

    count = WINDOW + 64
    golds = {str(n): f"SELECT {n}" for n in range(count)}
    predictions = {**golds, "3": "SELECT 0", str(WINDOW + 9): "SELECT 0"}
    cases = Cases(make_case(name, gold) for name, gold in golds.items())
    system = System("people", predictions, tmp_path)

    def again() -> Run:
        calls.clear()
        benchmark = Benchmark("b", "", cases, count, ())
        return evaluate_systems(benchmark, [system], options=quick)[0]

    quick = Options("ex", workers=workers, cache=None, proof=ProofOptions())
    with pytest.raises(Contradiction) as first:
        again()
    message = str(first.value)
    assert "case '3' (people)" in message
    assert continues(first.value)
    (file,) = (tmp_path / CONTRADICTIONS).iterdir()
    assert str(file) in message
    assert len(calls) < count, "no new tasks are taken"
    lines = {result.id: result for result in read_results(tmp_path)}
    assert 0 < len(lines) < count
    assert (lines["3"].verdict, lines["3"].fault) == (Verdict.UNSCORED, Fault.TOOLKIT)

    with pytest.raises(Contradiction, match=rf"case '{WINDOW + 9}'"):
        again()
    finding = again()
    assert [result.id for result in finding.results()] == list(golds)
    assert finding.summary.verdicts == {"correct": count - 2, "unscored": 2}
    assert outcome([finding.summary]).exit_code == Contradiction.exit_code == 5


@pytest.mark.usefixtures("proves_all")
def test_without_a_folder_the_message_says_that_nothing_was_kept(make_case: MakeCase) -> None:
    with pytest.raises(Contradiction, match="not saved") as error:
        run(make_case("1", LUCKY[0]), LUCKY[1], None)
    assert options_of(error.value) == [OptionName("out")]
    assert not continues(error.value), "the same call would begin again"


@pytest.mark.usefixtures("proves_all")
def test_no_judge_is_asked_about_a_contradiction(make_case: MakeCase, tmp_path: Path) -> None:
    """Its line is whole all the same: the metrics of opinion are unscored."""

    class Nobody:
        def ask(self, request: Request) -> Reply:
            raise AssertionError(f"asked {request}")

    judging = JudgeOptions("flex", Settings(model="m"), Nobody())
    asking = replace(options(metrics="ex,flex,verdict"), judge=judging)
    case = make_case("1", LUCKY[0])
    with pytest.raises(Contradiction):
        evaluate([case], {"1": LUCKY[1]}, out=tmp_path, options=asking)
    (result,) = read_results(tmp_path)
    assert result.scores == {"ex": 1.0, "flex": None, "verdict": None}


@pytest.mark.usefixtures("proves_all")
def test_the_answers_on_the_real_database_refute_a_proof_too(
    make_case: MakeCase, tmp_path: Path
) -> None:
    result = stopped(make_case("1", WRONG[0]), WRONG[1], tmp_path)
    assert result.summary.judge["contradictions"] == 1
    (file,) = (tmp_path / CONTRADICTIONS).glob("*.txt")
    assert "on the real database" in file.read_text("utf-8")


def keyed(path: Path, *rows: str) -> Path:
    """A table that points into another, and rows."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES a (id), x REAL);"
        )
        for row in rows:
            connection.execute(f"INSERT INTO {row}")
        connection.commit()
    return path


ALL_OF_B = "SELECT count(*) FROM b"
B_WITH_A = "SELECT count(*) FROM b JOIN a ON b.a = a.id"


@pytest.mark.parametrize("policy", ["ex", "ex,verdict"])
def test_a_proof_that_the_data_break_decides_nothing(
    make_case: MakeCase, tmp_path: Path, policy: str
) -> None:
    """The answers differ by an orphan row: they decide, and nothing is contradicted."""
    path = keyed(tmp_path / "broken.sqlite", "b VALUES (1, 7, 0)")
    case = make_case("1", ALL_OF_B, database=str(path))
    answer = run(case, B_WITH_A, tmp_path, metrics=f"{policy},proved,etm")
    (result,) = answer.results()
    assert result.verdict is Verdict.INCORRECT
    assert result.scores["ex"] == result.scores["proved"] == 0.0
    assert result.scores["etm"] == 1.0, "a metric of trees looks at trees"
    assert not (tmp_path / CONTRADICTIONS).exists()
    (open_proof,) = (piece for piece in result.evidence if isinstance(piece, Undecided))
    assert open_proof.reasons == (Reason.FACT_BROKEN,)
    assert isinstance(open_proof.declared, Proved)
    (broken,) = open_proof.broken
    assert "a = 7" in broken
    assert any(broken in line for line in evidence_lines(result))
    assert broken in write_markdown(answer).read_text("utf-8")


def test_an_orphan_that_no_proof_uses_changes_nothing(make_case: MakeCase, tmp_path: Path) -> None:
    path = keyed(tmp_path / "broken.sqlite", "b VALUES (1, 7, 0)")
    gold, same = "SELECT count(*) FROM a WHERE id > 3", "SELECT count(*) FROM a WHERE 3 < a.id"
    answer = run(make_case("1", gold, database=str(path)), same, tmp_path, metrics="ex,proved")
    (result,) = answer.results()
    assert result.scores == {"ex": 1.0, "proved": 1.0}
    assert Proved in {type(piece) for piece in result.evidence}


@pytest.mark.usefixtures("proves_all")
def test_an_orphan_that_no_proof_uses_does_not_hide_a_contradiction(
    make_case: MakeCase, tmp_path: Path
) -> None:
    path = keyed(tmp_path / "broken.sqlite", "b VALUES (1, 7, 0)")
    with pytest.raises(Contradiction):
        run(make_case("1", ALL_OF_B, database=str(path)), "SELECT 5", tmp_path)


@pytest.mark.usefixtures("proves_all")
@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT x FROM b LIMIT 1", "SELECT x FROM b ORDER BY id DESC LIMIT 1"),
        ("SELECT group_concat(x) FROM b", "SELECT '2.0,1.0'"),
        ("SELECT (SELECT x FROM b), 1", "SELECT 2.0, 1"),
        ("SELECT count(*) FROM (SELECT x FROM b LIMIT 1) WHERE x = 1", "SELECT 0"),
        ("SELECT random()", "SELECT random()"),
        ("SELECT x, max(a) FROM b", "SELECT 2.0, 1"),
    ],
)
def test_what_the_order_of_rows_or_chance_explains_is_no_contradiction(
    make_case: MakeCase, tmp_path: Path, gold: str, prediction: str
) -> None:
    path = keyed(
        tmp_path / "open.sqlite", "a VALUES (1, 'n')", "b VALUES (1, 1, 1.0)", "b VALUES (2, 1, 2)"
    )
    run(make_case("1", gold, database=str(path)), prediction, tmp_path)
    assert not (tmp_path / CONTRADICTIONS).exists()


def test_any_row_of_a_group_explains_a_difference_that_no_order_shows(
    make_case: MakeCase, tmp_path: Path
) -> None:
    # An index that SQLite makes for itself sorts the rows for the first query only.
    path = tmp_path / "open.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE concert (id number, name text, theme text)")
        connection.execute("CREATE TABLE visit (concert_id number, singer text)")
        rows = [(1, "b", "y"), (1, "a", "x"), (1, "b", "y")]
        connection.executemany("INSERT INTO concert VALUES (?, ?, ?)", rows)
        connection.execute("INSERT INTO visit VALUES (1, 's')")
    gold = (
        "SELECT T2.name, T2.theme, count(*) FROM visit AS T1 JOIN concert AS T2"
        " ON T1.concert_id = T2.id GROUP BY T2.id"
    )
    prediction = (
        "SELECT t1.name, t1.theme, count(*) FROM concert AS t1 JOIN visit AS t2"
        " ON t1.id = t2.concert_id GROUP BY t1.id"
    )
    done = run(make_case("1", gold, database=str(path)), prediction, tmp_path, metrics="ex,verdict")
    (result,) = done.results()
    assert result.scores["ex"] == 0
    assert any(isinstance(piece, Proved) for piece in result.evidence)
    assert not (tmp_path / CONTRADICTIONS).exists()


@pytest.mark.usefixtures("proves_all")
@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT sum(x) FROM b", "SELECT 4.0"),
        ("SELECT x FROM b ORDER BY x LIMIT 1", "SELECT 2.0"),
        ("SELECT group_concat(x) FROM b WHERE id = 1", "SELECT '2.0'"),
    ],
)
def test_what_order_does_not_explain_is_a_contradiction(
    make_case: MakeCase, tmp_path: Path, gold: str, prediction: str
) -> None:
    path = keyed(
        tmp_path / "open.sqlite", "a VALUES (1, 'n')", "b VALUES (1, 1, 1.0)", "b VALUES (2, 1, 2)"
    )
    with pytest.raises(Contradiction):
        run(make_case("1", gold, database=str(path)), prediction, tmp_path)


def test_where_a_fact_could_not_be_checked_answers_that_differ_decide(
    make_case: MakeCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.execute.fact_check import FactCheck

    monkeypatch.setattr(
        "sqlverdict.prove.on_data.check_facts",
        lambda _, facts: tuple(FactCheck(fact, "unchecked", "stopped") for fact in facts),
    )
    broken = keyed(tmp_path / "broken.sqlite", "b VALUES (1, 7, 0)")
    answer = run(make_case("1", ALL_OF_B, database=str(broken)), B_WITH_A, tmp_path / "one")
    (result,) = answer.results()
    assert result.verdict is Verdict.INCORRECT
    assert any("not checked: stopped" in line for line in evidence_lines(result))
    whole = keyed(tmp_path / "whole.sqlite", "a VALUES (7, 'n')", "b VALUES (1, 7, 0)")
    answer = run(make_case("1", ALL_OF_B, database=str(whole)), B_WITH_A, tmp_path / "two")
    (result,) = answer.results()
    assert result.verdict is Verdict.CORRECT
    assert any("not checked: stopped" in line for line in evidence_lines(result))


@pytest.mark.usefixtures("proves_all")
def test_a_proof_saves_the_search_unless_both_are_asked_for(
    make_case: MakeCase, tmp_path: Path
) -> None:
    answer = run(make_case("1", LUCKY[0]), LUCKY[1], tmp_path, both=False)
    (result,) = answer.results()
    assert {type(piece) for piece in result.evidence} == {Proved, Tested}
    assert outcome([answer.summary]).exit_code == 0
    (proof,) = (piece for piece in result.evidence if isinstance(piece, Proved))
    assert proof.rules == ("wishful_thinking",)


def test_an_honest_prover_contradicts_nothing(make_case: MakeCase, tmp_path: Path) -> None:
    gold = "SELECT name FROM city WHERE id > 3 AND mayor = 7"
    same = "select c.name from city as c where c.mayor = 7 and c.id > 3"
    answer = run(make_case("1", gold), same, tmp_path, metrics="ex,proved,etm")
    assert "contradictions" not in answer.summary.judge
    assert answer.manifest.stages["prove"] == "sound, proofs are tested"
    (result,) = answer.results()
    assert result.verdict is Verdict.CORRECT


def test_metrics_of_proof_run_nothing(make_case: MakeCase) -> None:
    """Text that is the same is proved; the database need not even be there for the prover."""
    case = make_case("1", "SELECT name FROM city")
    finding = evaluate(
        [case], {"1": "select name FROM city"}, options=Options("proved", workers=0, cache=None)
    )
    (result,) = finding.results()
    assert result.scores == {"proved": 1.0}
    assert [type(piece) for piece in result.evidence] == [Proved]
    assert result.timings == {}


def test_without_a_schema_nothing_is_proved(make_case: MakeCase) -> None:
    case = make_case("1", "SELECT 1", database=None)
    finding = evaluate([case], {"1": "SELECT 1"}, options=Options("proved", workers=0, cache=None))
    (result,) = finding.results()
    assert result.scores == {"proved": None}


def test_a_proof_needs_no_database(make_case: MakeCase, people: Path, tmp_path: Path) -> None:
    from sqlverdict.parse.schemas.sqlite import read_sqlite

    case = make_case("1", "SELECT name FROM city", database=str(tmp_path / "gone.sqlite"))
    options = Options("ex,verdict", workers=0, cache=None, schemas={"people": read_sqlite(people)})
    finding = evaluate([case], {"1": "select NAME from CITY"}, options=options)
    (result,) = finding.results()
    assert result.verdict is Verdict.CORRECT
    assert result.scores == {"ex": None, "verdict": 1.0}


@pytest.mark.usefixtures("proves_all")
def test_the_command_exits_with_5_when_it_stops_and_at_its_end(
    people: Path, tmp_path: Path
) -> None:
    pair = {"gold": LUCKY[0], "prediction": LUCKY[1]}
    case = {"id": "a", "db_id": "people", "database": str(people), "question": "?", **pair}
    cases, out = tmp_path / "cases.jsonl", tmp_path / "run"
    cases.write_text(json.dumps(case) + "\n")
    words = ["--cases", cases, "--out", out, "--prove", "--refute", 200, "--workers", 0]

    def command() -> Result:
        return CliRunner().invoke(sqlverdict, ["evaluate", *map(str, words), "--no-cache"])

    first = command()
    assert first.exit_code == 5
    assert "both proved and refuted" in first.stderr
    assert str(out / CONTRADICTIONS) in first.stderr
    again = command()
    assert again.exit_code == 5
    assert "1 pair both proved and refuted" in again.stdout
