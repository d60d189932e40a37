"""Lints: each finds what it is for, stays silent otherwise, and says where it cannot look."""

from __future__ import annotations

import random
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sqlverdict.abstain.benchmark.lint import LINTS, LintData, LintResult, run_lints
from sqlverdict.errors import MissingExtra, UnknownMember
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Case

DDL = "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)"
SCHEMAS = {"pets": read_ddl(DDL, "pets")}


def case(number: int, question: str, *golds: str, split: str = "", **tags: str) -> Case:
    own_tags = {"split": split, **tags} if split else tags
    return Case(str(number), "pets", question, golds, answerable=bool(golds), tags=own_tags)


def look(name: str, cases: list[Case], **settings) -> LintResult:
    view = LINTS.get(name).look(LintData(cases, SCHEMAS, **settings))
    assert view.lint == name
    return view


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = tmp_path / "pets.sqlite"
    with closing(sqlite3.connect(path)) as open_:
        open_.executescript(f"{DDL}; INSERT INTO pet VALUES (1, 'Rex', NULL), (2, 'Bo', 3);")
    return str(path)


def test_golds_that_return_nothing_are_found(database) -> None:
    golds = (
        "SELECT name FROM pet",
        "SELECT name FROM pet WHERE age > 90",
        "SELECT max(age) FROM pet WHERE age > 90",
        "SELECT age FROM pet WHERE id = 1",
        "SELECT age FROM pet",
        "SELECT nothing FROM pet",
    )
    cases = [replace(case(n, "Q?", sql), database=database) for n, sql in enumerate(golds)]
    cases += [replace(case(9, "Q?", golds[0]), database=f"{database} elsewhere")]
    runner = QueryRunner("sqlite", Limits(), None)
    try:
        view = look("null_golds", cases, runner=runner)
    finally:
        runner.close()
    assert view.figures == {
        "run": 5,
        "empty": 1,
        "only_null": 2,
        "failing": 1,
        "unavailable": 1,
    }
    assert [(f.severity, f.cases) for f in view.findings] == [
        ("error", ("5",)),
        ("warning", ("1",)),
        ("warning", ("2",)),
        ("warning", ("3",)),
    ]


def test_without_databases_golds_are_not_run() -> None:
    assert "no databases" in look("null_golds", [case(1, "Q?", "SELECT 1")]).skipped


def test_duplicates_are_judged_by_what_they_spoil() -> None:
    one, other = "SELECT name FROM pet", "SELECT age FROM pet"
    cases = [
        case(1, "Which pets are there?", one, split="train"),
        case(2, "which  pets are there ?", one, split="test"),
        case(3, "Who is old?", one, split="test"),
        case(4, "Who is OLD", split="test"),
        case(5, "Both?", one, split="test"),
        case(6, "Both?", other, split="test"),
        case(7, "Same?", one, split="test"),
        case(8, "Same?", "select NAME from pet", split="test"),
        case(9, "", one),
        case(10, "", one),
        replace(case(11, "Same?", one, split="test"), db_id="others"),
        replace(case(12, "Same?", one, split="test"), knowledge="but now we know"),
    ]
    view = look("duplicate_questions", cases)
    assert [(f.severity, f.cases) for f in view.findings] == [
        ("error", ("1", "2")),
        ("error", ("3", "4")),
        ("warning", ("5", "6")),
        ("info", ("7", "8")),
    ]
    assert view.figures["repeated"] == 4
    assert view.figures["without_text"] == 2


def test_templates_that_mean_the_same_are_proved_and_leak_only_if_called_unseen() -> None:
    one = "SELECT name FROM pet WHERE age > 3"
    other = "SELECT p.name FROM pet AS p WHERE 7 < p.age"
    train = case(1, "A?", one, split="train")
    for tags, severity in (
        ({}, "error"),
        ({"seen": "unseen"}, "error"),
        ({"seen": "seen"}, "warning"),
    ):
        view = look("same_meaning_templates", [train, case(2, "B?", other, split="test", **tags)])
        assert [f.severity for f in view.findings] == [severity]
        assert set(view.findings[0].cases) == {"1", "2"}
        assert view.figures["unseen_but_known"] == (severity == "error")
        assert view.figures["meanings"] == 1
    both = [train, case(2, "B?", other, split="train"), case(3, "C?", other, split="test")]
    assert [f.severity for f in look("same_meaning_templates", both).findings] == ["warning"]
    apart = [train, case(2, "B?", "SELECT name FROM pet WHERE age >= 3", split="test")]
    assert look("same_meaning_templates", apart).findings == ()


DATED = "SELECT name FROM pet WHERE age > '{}'"


def test_relative_time_needs_a_clock() -> None:
    cases = [
        case(1, "Who came yesterday?", DATED.format("2020-05-04")),
        case(2, "Who came last month?", DATED.format("2021-01-01")),
        case(3, "Who came today, 2020-05-04?", DATED.format("2020-05-04")),
        case(4, "Who comes today?", "SELECT name FROM pet WHERE age > date('now')"),
        case(5, "Who is the current owner?", "SELECT name FROM pet"),
        case(6, "Who came in 2020?", DATED.format("2020-01-01")),
        case(7, "Who is here now?", "SELECT name FROM pet"),
        replace(case(8, "Who comes tomorrow?", DATED.format("2020-01-02")), knowledge="It is 2020-01-01."),
    ]  # fmt: skip
    view = look("relative_time", cases)
    assert [(f.severity, f.cases) for f in view.findings] == [
        ("error", ("4",)),
        ("warning", ("1",)),
        ("warning", ("2",)),
    ]
    assert view.figures["dates_assumed"] == 2
    assert view.figures["with_a_clock"] == 1
    assert look("relative_time", cases, clock="2020-05-05").findings == ()


def test_one_present_for_all_is_one_finding() -> None:
    cases = [case(n, f"Who came {n} days ago?", DATED.format("2100-12-31")) for n in range(1, 4)]
    (result,) = look("relative_time", cases).findings
    assert result.cases == ("1", "2", "3")
    assert "2100-12-31" in result.message


WORDS = ("red", "green", "blue", "small", "large", "old", "young", "fast", "slow", "wild", "calm")


def questions(number: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [f"Show {' '.join(rng.sample(WORDS, 4))} pets" for _ in range(number)]


def mixed(answerable: list[str], others: list[str]) -> list[Case]:
    cases = [case(n, text, "SELECT 1", split="test") for n, text in enumerate(answerable)]
    return cases + [
        case(1000 + n, text, split="test", unanswerable_type="non-sql")
        for n, text in enumerate(others)
    ]


@pytest.mark.slow
def test_letter_case_alone_tells_and_is_an_error() -> None:
    cases = mixed(questions(60, 1), [text.lower() for text in questions(60, 2)])
    view = look("leakage_case", cases)
    assert view.figures["accuracy"] == view.figures["caught non-sql"] == 1.0
    assert view.findings[0].severity == "error"
    assert "100% of the answerable begin with a capital, 0%" in view.findings[0].message
    words = look("leakage_words", cases)
    assert words.findings[0].severity == "info", "the words themselves say nothing"


@pytest.mark.slow
def test_words_alone_tell_and_are_named() -> None:
    charts = [text.replace("pets", "pets as charts") for text in questions(60, 2)]
    view = look("leakage_words", mixed(questions(60, 1), charts))
    assert view.figures["accuracy"] == 1.0
    assert view.findings[0].severity == "error"
    assert "charts" in view.findings[0].message.partition("unanswerable:")[2]
    assert look("leakage_case", mixed(questions(60, 1), charts)).findings[0].severity == "info"


@pytest.mark.slow
def test_what_cannot_be_told_is_about_a_half_and_the_order_does_not_matter() -> None:
    cases = mixed(questions(90, 1), questions(90, 2))
    view = look("leakage_words", cases)
    assert 0.35 < view.figures["accuracy"] < 0.65
    assert look("leakage_words", cases[::-1]) == view
    assert view.figures["low"] < view.figures["balanced_accuracy"] < view.figures["high"]


@pytest.mark.slow
def test_both_kinds_weigh_the_same() -> None:
    """Few unanswerable ones, all told: guessing would get 90 % and tell none of them."""
    charts = [text.replace("pets", "charts") for text in questions(25, 2)]
    view = look("leakage_words", mixed(questions(225, 1), charts))
    assert view.figures["balanced_accuracy"] > 0.95
    assert view.findings[0].severity == "error"


def test_a_question_that_stands_often_does_not_tell_itself() -> None:
    """One wording is never on both sides of a fold, and counts once for whether there are enough."""
    view = look("leakage_words", mixed(questions(60, 1), ["Draw a chart of it"] * 60))
    assert "1 unanswerable question in different words" in view.skipped


@pytest.mark.slow
def test_train_is_not_probed() -> None:
    train = [case(5000 + n, text.upper(), "SELECT 1", split="train") for n, text in enumerate(questions(90, 5))]  # fmt: skip
    view = look("leakage_case", [*train, *mixed(questions(30, 1), questions(30, 2))])
    assert view.figures["answerable"] == 30


def test_a_missing_package_is_a_reason_and_by_name_an_error(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    data = LintData(mixed(questions(60, 1), questions(60, 2)), SCHEMAS)
    results = {linted.lint: linted for linted in run_lints(data)}
    assert set(results) == set(LINTS.names())
    assert "sqlverdict[abstain]" in results["leakage_words"].skipped
    with pytest.raises(MissingExtra):
        run_lints(data, ["leakage_case"])
    with pytest.raises(UnknownMember) as unknown:
        run_lints(data, ["leakage_word"])
    assert (unknown.value.name, unknown.value.near) == ("leakage_word", "leakage_words")
