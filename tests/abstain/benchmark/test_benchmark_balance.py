"""Neither the database nor the words of a question tell whether it is answerable."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlverdict.abstain.benchmark.build import Material, Recipe, build_benchmark
from sqlverdict.abstain.benchmark.lint import LINTS, LintData
from sqlverdict.abstain.benchmark.question_pool import PoolQuestion, is_chat, needs_context
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable import TYPES, Idea, WordBalance, choose
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Case


@dataclass(frozen=True)
class Some:
    """A type that has so many things to say of each database, in words of its own."""

    label: str
    most: dict[str, int]
    version: int = 1
    prompt: str = ""

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        for number in range(self.most.get(db_id, 0)):
            yield Idea(db_id, f"{self.label} {number} of {db_id}?", "form")


NOTHING = QuestionSources((), {})


def counts(choice) -> Counter[tuple[str, str]]:
    return Counter((each.idea.db_id, each.kind.label) for each in choice.ideas)


def test_types_are_even_within_each_database() -> None:
    types = [Some(name, {"x": 50, "y": 50}) for name in ("a", "b", "c")]
    choice = choose(NOTHING, {"x": 30, "y": 7}, types)
    assert {counts(choice)["x", name] for name in "abc"} == {10}
    assert sorted(counts(choice)["y", name] for name in "abc") == [2, 2, 3]
    assert choice.lacking == {}


def test_what_a_type_lacks_is_stated_by_database_and_others_stand_in() -> None:
    types = [Some("a", {"x": 2, "y": 50}), Some("b", {"x": 50, "y": 50})]
    choice = choose(NOTHING, {"x": 20, "y": 20}, types)
    assert choice.lacking == {"x": {"a": 8}}
    assert counts(choice) == {("x", "a"): 2, ("x", "b"): 18, ("y", "a"): 10, ("y", "b"): 10}
    assert choice.short == {}


class Shared:
    """A type whose texts are one pool for all databases."""

    label, version, prompt = "talk", 1, ""

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        for number in range(20):
            yield Idea(db_id, f"Talk {number}?", "pool")


@pytest.mark.parametrize("seed", range(4))
def test_a_type_that_stands_in_takes_nothing_from_another_databases_share(seed) -> None:
    """Of 20 texts each database has a share of 10, though x has nothing else to say."""
    types = [Shared(), Some("b", {"x": 0, "y": 50})]
    choice = choose(QuestionSources((), {}, seed=seed), {"x": 20, "y": 20}, types)
    assert counts(choice)["y", "talk"] >= 9
    assert "y" not in choice.lacking or choice.lacking["y"] == {"talk": 1}


def test_the_question_is_taken_whose_words_tell_least() -> None:
    answerable = ["show the names", "show the ages", "list the names"]
    balance = WordBalance(answerable, 3)
    assert balance.best(["draw a chart", "show the names"]) == 1
    for _ in range(3):
        balance.add("show the names")
    # By now "show" is said too often, "list" and "ages" not at all.
    assert balance.best(["show the names", "list the ages"]) == 1


def test_a_word_that_answerable_questions_never_say_is_not_said_again_and_again() -> None:
    balance = WordBalance(["show the names"] * 10, 10)
    balance.add("show the shoe sizes")
    assert balance.best(["show the shoe sizes of all", "show the blood types of all"]) == 1


def lint(cases: list[Case]):
    return LINTS.get("leakage_database").look(LintData(cases))


def question(number: int, db_id: str, kind: str = "") -> Case:
    tags = {"split": "test"} | ({"unanswerable_type": kind} if kind else {})
    golds = () if kind else ("SELECT 1",)
    return Case(str(number), db_id, f"Question {number}?", golds, answerable=not kind, tags=tags)


@pytest.mark.slow
def test_a_database_that_tells_the_answer_or_the_type_is_an_error() -> None:
    cases = [question(n, "x") for n in range(40)] + [question(n, "y", "a") for n in range(40, 80)]
    view = lint(cases)
    assert view.figures["accuracy"] == 1.0
    assert view.figures["majority"] == 0.5
    assert [finding.severity for finding in view.findings] == ["error", "info"]
    types = [question(n, "xy"[n % 2]) for n in range(40)]
    types += [question(n, "xy"[n % 2], "ab"[n % 2]) for n in range(40, 80)]
    view = lint(types)
    assert view.figures["type_accuracy"] == 1.0
    assert view.figures["accuracy"] < 0.6
    assert view.findings[0].severity == "error"
    assert "unanswerable type" in view.findings[0].message


@pytest.mark.slow
def test_even_numbers_tell_nothing() -> None:
    cases = [question(n, "xy"[n % 2]) for n in range(40)]
    cases += [question(n, "xy"[n % 2], "ab"[n // 2 % 2]) for n in range(40, 80)]
    view = lint(cases)
    assert {finding.severity for finding in view.findings} == {"info"}
    assert lint(cases[::-1]) == view
    assert "two databases" in lint([question(n, "x", "a" * (n % 2)) for n in range(80)]).skipped


@pytest.mark.parametrize(
    ("text", "asks", "chat"),
    [
        ("Do you like soccer?", True, True),
        ("Thanks, that helps.", False, True),
        ("I did not know that.", False, True),
        ("how do you get a licence", True, False),
        ("why is exercise good for your heart", True, False),
        ("what is the capital of France", True, False),
        ("calories in raw lentils", False, False),
    ],
)
def test_talk_is_told_from_questions(text, asks, chat) -> None:
    assert is_chat(text, asks=asks) == chat


def test_what_only_a_conversation_explains() -> None:
    assert needs_context("what else did he write?")
    assert not needs_context("who wrote Emma?")


def test_chit_chat_and_other_domains_are_types_of_their_own() -> None:
    pool = (
        PoolQuestion("Do you like soccer at all?", "1", chat=True),
        PoolQuestion("What is the capital of France?", "2"),
    )
    known = {"x": SchemaWords.of(read_ddl("CREATE TABLE dog (id INTEGER, name TEXT)", "x"))}
    case = Case("1", "x", "How many dogs are there?", ("SELECT count(*) FROM dog",))
    here = QuestionSources((case,), known, pool=pool)
    origins = {name: [i.source for i in TYPES.get(name).ideas(here, "x")] for name in TYPES.names()}
    assert origins["chit_chat"] == ["1"]
    assert origins["out_of_domain"] == ["2"]


def test_pools_and_other_databases_are_used_alike() -> None:
    pool = tuple(PoolQuestion(f"who wrote the {n}. book of poems", str(n)) for n in range(30))
    ddl = {"x": "CREATE TABLE dog (id INTEGER, age INTEGER)", "y": "CREATE TABLE ship (tons REAL)"}
    known = {db_id: SchemaWords.of(read_ddl(text, db_id)) for db_id, text in ddl.items()}
    cases = [Case(f"y{n}", "y", f"Which ship sank {n} times?", ("SELECT 1",)) for n in range(30)]
    cases.append(Case("x", "x", "How many dogs are there?", ("SELECT count(*) FROM dog",)))
    here = QuestionSources(cases, known, pool=pool)
    choice = choose(here, {"x": 20}, [TYPES.get("out_of_domain")])
    assert Counter(each.idea.wording for each in choice.ideas) == {"pool": 10, "elsewhere": 10}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Two databases with a few questions each."""
    for name in ("north", "south"):
        folder = tmp_path / "dbs" / name
        folder.mkdir(parents=True)
        with closing(sqlite3.connect(folder / f"{name}.sqlite")) as open_:
            open_.executescript(
                "CREATE TABLE dog (dog_id INTEGER PRIMARY KEY, name TEXT, breed TEXT);"
                "INSERT INTO dog VALUES (1, 'Rex', 'pug');"
            )
    records = [
        {"id": f"{name}{n}", "db_id": name, "gold": f"SELECT name, {n} FROM dog",
         "question": f"What are the names and breeds of all dogs, {n} times?"}
        for name in ("north", "south") for n in range(8)
    ]  # fmt: skip
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return cases


def test_the_manifest_and_the_json_state_the_numbers_of_each_database(shop, tmp_path) -> None:
    from sqlverdict.cli.main import sqlverdict

    out = tmp_path / "out"
    result = CliRunner().invoke(
        sqlverdict,
        ["build", "--cases", str(shop), "--databases", str(tmp_path / "dbs"), "--out", str(out),
         "--types", "ambiguous,non-sql", "--set", "lints=relative_time", "--json"],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    manifest = json.loads(result.output)["manifest"]
    assert json.loads((out / "manifest.json").read_text("utf-8")) == manifest
    lines = (out / "test.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    for db_id, own in manifest["by_database"].items():
        here = [record for record in records if record["db_id"] == db_id]
        assert own["answerable"] == sum(record["answerable"] for record in here)
        assert own["non-sql"] == sum(r.get("unanswerable_type") == "non-sql" for r in here)
        assert "ambiguous" not in own
        assert manifest["lacking"].get(db_id, {}) == (
            {"ambiguous": own["non-sql"] // 2} if own["non-sql"] > 1 else {}
        )
    assert manifest["lacking"], "nothing in these tables can be read in two ways"
    assert any("ambiguous too few" in note for note in manifest["notes"])
    assert "database of test" in (out / "report.md").read_text("utf-8")


def test_a_type_that_there_is_nothing_for_has_no_share() -> None:
    """Without a pool there is no talk, and without databases nothing is ambiguous."""
    cases = [
        Case(str(n), "x", f"Show the names of all {n} dogs.", ("SELECT 1",)) for n in range(40)
    ]
    built = build_benchmark(Material(cases), Recipe(proofs=False))
    notes = " ".join(built.notes)
    assert "no questions of the type chit-chat" in notes
    assert "no questions of the type ambiguous" in notes
    assert built.lacking == {}
