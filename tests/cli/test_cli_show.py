"""``show`` and ``refute --replay`` say why: rows of a witness, policies, and what to run next."""

from __future__ import annotations

import csv
import json
import re
import shlex
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from sqlverdict.evidence import Refuted
from sqlverdict.evidence_parts import AnswerExcerpt, TableExcerpt
from sqlverdict.records import Reason
from sqlverdict.report.one_run.sections import unscored_messages
from sqlverdict.report.one_run.witness import witness_lines
from sqlverdict.runlog.manifest import read_manifest, write_manifest
from sqlverdict.runlog.run import read_run

GOLD = "SELECT title FROM book WHERE kind = 'N'"
CASES = (
    ("lucky", GOLD, "SELECT title FROM book WHERE label = 'novel'"),
    ("wrong", GOLD, "SELECT title\nFROM book -- all of them\nWHERE kind <> 'N'"),
    ("same", GOLD, GOLD),
    ("unanswerable", "", "SELECT title FROM book"),
    ("refused", "", "I cannot answer this question."),
    ("bad gold", "SELECT nope FROM book", "SELECT 1"),
)


def call(*words: object) -> str:
    result = CliRunner().invoke(sqlverdict, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with cases, their answers and a database."""
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("books.sqlite")) as database:
        database.executescript(
            "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, kind TEXT, label TEXT);"
            "INSERT INTO book VALUES (1, 'Emma', 'N', 'novel'), (2, 'Odes', 'P', 'poems');"
        )
    with Path("cases.csv").open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(("id", "db_id", "question", "gold", "prediction"))
        rows.writerows((name, "books", "Which?", *queries) for name, *queries in CASES)
    return tmp_path


def evaluate(policy: str, metrics: str = "ex,verdict", only: str = "") -> None:
    command = ["evaluate", "--cases", "cases.csv", "--databases", "books.sqlite", "--out", "run"]
    command += ["--metrics", metrics, "--workers", "0", "--quiet"]
    command += ["--policy", policy] if policy else []
    command += ["--only", only or ",".join(name for name, *_ in CASES[:-1])]
    call(*command)


def test_a_lucky_match_is_shown_with_its_rows_and_what_other_policies_say(books: Path) -> None:
    evaluate("intent")
    output = call("show", "run", "lucky")
    assert "verdict     correct (policy intent): right answer" in output
    assert "intent counts a lucky match as right; strict would say incorrect" in output
    assert "witness     table book: 1 row" in output
    assert "the gold returns" in output
    assert "the prediction returns" in output
    assert "scores      ex 1, verdict 1" in output


def test_a_screen_has_one_verdict(books: Path) -> None:
    evaluate("strict")
    output = call("show", "run", "lucky")
    assert "verdict     incorrect (policy strict)" in output
    assert "strict says incorrect here; results and intent would say correct" in output
    assert re.findall(r"^ *verdict +(\w+)", output, re.MULTILINE) == ["incorrect"]
    assert "lucky" in call("show", "run", "--verdict", "incorrect", "--format", "ids")


def test_policies_that_agree_are_not_named(books: Path) -> None:
    evaluate("intent")
    assert "policies" not in call("show", "run", "same")


def test_a_wrong_answer_leads_to_the_search_for_a_small_database(books: Path) -> None:
    evaluate("intent")
    lines = call("show", "run", "wrong")
    assert "~ 'Emma' -> 'Odes'" in lines
    command = lines[lines.index("sqlverdict refute") :]
    words = shlex.split(command)
    assert words[2:4] == [GOLD, CASES[1][2]]
    output = call(*words[1:], "--set", "no-bank=true")
    assert output.startswith("refuted: they differ")


def test_the_search_takes_a_query_that_begins_with_a_comment(books: Path) -> None:
    query = "-- all of them\nSELECT title FROM book WHERE kind <> 'N'"
    with Path("cases.csv").open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(("id", "db_id", "question", "gold", "prediction"))
        rows.writerow(("wrong", "books", "Which?", GOLD, query))
    evaluate("intent", only="wrong")
    lines = call("show", "run", "wrong")
    words = shlex.split(lines[lines.index("sqlverdict refute") :])
    assert words[-2:] == [GOLD, query]
    assert call(*words[1:2], "--set", "no-bank=true", *words[2:]).startswith("refuted: they differ")


def test_without_its_database_the_search_has_a_place_for_it(books: Path) -> None:
    evaluate("intent")
    Path("books.sqlite").rename("elsewhere.sqlite")
    output = call("show", "run", "wrong")
    assert "the run does not say where the database books is" in output
    assert output.rstrip().endswith("--db DATABASE")


def test_an_answer_to_a_question_without_one_counts_as_wrong(books: Path) -> None:
    evaluate("intent")
    output = call("show", "run", "unanswerable")
    assert "scores      ex 0, verdict 0" in output
    assert output.count("  verdict ") == 1


def test_the_list_of_lucky_matches_says_when_they_differ(books: Path) -> None:
    evaluate("intent")
    output = call("show", "run", "--lucky")
    assert "difference by witness" in output
    assert "a row of book fails" in output
    assert "verdicts by verdict, the intent policy" in output
    (row,) = json.loads(call("show", "run", "--lucky", "--json"))
    assert row["witness"].startswith("they differ when a row of book fails")


def test_a_run_by_results_names_its_policy(books: Path) -> None:
    evaluate("results", "verdict")
    assert "by verdict, the results policy" in call("show", "run")
    assert "correct (policy results)" in call("show", "run", "same")


def test_the_replay_of_one_witness_shows_its_rows(books: Path) -> None:
    evaluate("intent")
    files = sorted(Path("run/witnesses").iterdir())
    for file in files:
        output = call("refute", "--replay", file)
        assert "table book: 1 row" in output
        assert "the gold returns" in output
        assert f"gold:       {GOLD}" in output
        (record,) = json.loads(call("refute", "--replay", file, "--json"))
        assert list(record["rows"]["book"]["columns"]) == ["title", "kind", "label"]
        assert record["gold"] != record["prediction"]
    several = call("refute", "--replay", "run/witnesses")
    assert "table book" not in several
    assert f"the rows of one witness: sqlverdict refute --replay {files[0]}" in several


def test_the_rows_of_a_witness_are_few_and_safe() -> None:
    rows = tuple((number, "\x1b[2J\nx  y", None, "x'00ff'") for number in range(30))
    witness = Refuted(
        "refute",
        grade="ordinary",
        rows={"t\x07": TableExcerpt(("id", "a\tb", "c", "d"), rows), "empty": TableExcerpt((), ())},
        deciding_rows={"t\x07": (1,)},
        gold=AnswerExcerpt(("id",), ((1,),), 1),
        prediction=AnswerExcerpt(failed=Reason.EXECUTION_ERROR, message="too \x1b slow"),
        other=AnswerExcerpt(),
    )
    lines = witness_lines(witness)
    text = "\n".join(lines)
    assert text.replace("\n", "").isprintable()
    assert "'\\x1b[2J\\nx  y'" in text
    assert "| NULL" in text
    assert "| x'00ff'" in text
    assert "... and 20 more rows" in text
    assert "table empty: no row" in text
    assert "the prediction fails: EXECUTION_ERROR: too \\x1b slow" in text
    assert "the prediction in another legal order returns no row" in text
    (marked,) = [line for line in lines if line.startswith("* ")]
    assert marked.startswith("* 1 ")


def test_evidence_without_rows_has_no_lines() -> None:
    assert witness_lines(Refuted("refute", grade="ordinary")) == []


def test_a_refusal_in_words_is_not_called_a_wrong_answer(books: Path) -> None:
    evaluate("intent")
    output = call("show", "run", "refused")
    assert "incorrect: an abstention in words" in output
    assert "wrong answer" not in output


def test_a_metric_that_needs_no_answer_is_not_the_fault_of_the_gold(books: Path) -> None:
    evaluate("", "text_match,ex", only="bad gold")
    output = call("show", "run", "bad gold")
    assert "verdict     incorrect (by text_match): wrong answer" in output
    (row,) = json.loads(call("show", "run", "--json"))
    assert (row["verdict"], row["reasons"]) == ("incorrect", "")
    junit = Path("run/junit.xml").read_text("utf-8")
    assert '<failure message="incorrect by text_match">' in junit
    run = read_run("run")
    assert not run.summary.reasons
    first = unscored_messages(run)[0]
    assert first.startswith("the gold query itself fails (1 case, gold: GOLD_EXECUTION_ERROR)")


def test_without_a_binary_metric_the_policy_is_named(books: Path) -> None:
    evaluate("", "soft_f1", only="same")
    assert "verdict     correct (policy results): right answer" in call("show", "run", "same")


def test_the_rows_of_a_witness_are_in_the_failures_of_ci(books: Path) -> None:
    evaluate("strict", only="lucky")
    assert "table book: 1 row" in Path("run/junit.xml").read_text("utf-8")


def test_a_run_without_a_case_says_so(books: Path) -> None:
    evaluate("intent", only="same")
    write_manifest(Path("run"), replace(read_manifest(Path("run")), cases=None))
    Path("run/results.jsonl").write_text("")
    result = CliRunner().invoke(sqlverdict, ["show", "run", "same"])
    assert result.exit_code == 2
    assert "the run is not finished" in result.output


def test_a_long_list_is_bounded_in_a_table_and_whole_elsewhere(
    books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate("intent")
    command = ("show", "run", "--json")
    whole, table = call(*command), call("show", "run", "--format", "csv")
    module = sys.modules["sqlverdict.cli.commands.runs.show"]
    for size in (1, 2, 5):
        monkeypatch.setattr(module, "_BLOCK", size)
        assert call(*command) == whole
        assert call("show", "run", "--format", "csv") == table
    assert call("show", "run", "--format", "ids").split() == [name for name, *_ in CASES[:-1]]
    assert call(*command, "--abstained").startswith("[]\n")
    monkeypatch.setattr(module, "_MOST", 2)
    short = call("show", "run")
    assert "... and 3 more: --format csv and --format ids list all" in short
    assert "5 of 5 cases" in short
    assert "unanswerable" not in short
