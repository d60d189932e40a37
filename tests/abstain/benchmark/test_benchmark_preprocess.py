"""TrustSQL's preprocessing: what changes, what is left out, and what must not change."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from error_parts import asks_for, continues
from sqlverdict.abstain.benchmark.preprocess.null_results import is_empty, with_results
from sqlverdict.abstain.benchmark.preprocess.paraphrases import Paraphrases, paraphrase
from sqlverdict.abstain.benchmark.preprocess.steps import (
    STEPS,
    check_steps,
    drop_duplicates,
    preprocess,
    with_dates,
)
from sqlverdict.abstain.method import Tools
from sqlverdict.errors import Interrupted, UsageError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.llm.request import NoReply, Reply, Request
from sqlverdict.records import Case
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion

PRICE = "SELECT price FROM item WHERE name = 'pen'"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    folder = tmp_path / "databases" / "shop"
    folder.mkdir(parents=True)
    path = folder / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE item (item_id INTEGER PRIMARY KEY, name TEXT, maker TEXT, price REAL);"
            "INSERT INTO item VALUES (1, 'pen', 'Ada', 1.5), (2, 'pad', 'Bob', 2.5),"
            " (3, 'ink', 'Ada', 4.0);"
        )
    return path


@pytest.fixture
def runner() -> Iterator[QueryRunner]:
    own = QueryRunner("sqlite", Limits())
    yield own
    own.close()


def case(question: str, *golds: str, id: str = "q", database: Path | None = None) -> Case:  # noqa: A002
    where = None if database is None else str(database)
    return Case(id, "shop", question, golds, where, answerable=bool(golds))


def test_of_the_same_question_with_the_same_gold_one_is_kept() -> None:
    cases = [
        case("How many?", "SELECT count(*) FROM item", id="b"),
        case("how  many", "select COUNT( * ) from item", id="a"),
        case("How many?", "SELECT count(name) FROM item", id="c"),
        replace(case("How many?", "SELECT count(*) FROM item", id="d"), db_id="other"),
        case("How many?", id="e"),
    ]
    rest, left_out = drop_duplicates(cases)
    assert [one.id for one in rest] == ["a", "c", "d", "e"]
    assert left_out == 1
    assert drop_duplicates(cases[::-1])[0] == rest[::-1], "the order of the input is no matter"


@pytest.mark.parametrize(
    ("question", "gold", "expected"),
    [
        (
            "Which items were sold today?",
            "SELECT name FROM sale WHERE day = '2024-01-02'",
            "Which items were sold on 2024-01-02?",
        ),
        ("Today, what was sold?", "SELECT 1 WHERE '2024-01-02'", "On 2024-01-02, what was sold?"),
        ("The sales of yesterday?", "SELECT '2024-01-01'", "The sales of 2024-01-01?"),
        # The date is named, a span is meant, the clock is read, two dates or words: all stay.
        ("What was sold today, 2024-01-02?", "SELECT '2024-01-02'", None),
        ("What was sold last year?", "SELECT '2023-01-01'", None),
        ("What was sold today?", "SELECT date('now')", None),
        ("What was sold today?", "SELECT '2024-01-01', '2024-01-02'", None),
        ("Sold today or yesterday?", "SELECT '2024-01-02'", None),
        ("What was sold?", "SELECT '2024-01-02'", None),
    ],
)
def test_a_word_for_a_day_becomes_its_date(question: str, gold: str, expected: str | None) -> None:
    before = case(question, gold)
    (after,), changed = with_dates([before])
    assert after.question == (expected or question)
    assert changed == (expected is not None)
    assert after.golds == before.golds
    assert after.tags.get("source_question") == (question if expected else None)


def test_a_gold_without_result_gets_values_that_exist_together(
    database: Path, runner: QueryRunner
) -> None:
    gold = "SELECT price FROM item WHERE name = 'pen' AND maker = 'Bob' AND price < 3"
    before = case("What does the pen of Bob cost?", gold, database=database)
    (after,), changed, left_out = with_results([before], runner, seed=0)
    assert (changed, left_out) == (1, 0)
    assert not is_empty(runner.run(str(database), after.golds[0]))
    pairs = {"What does the pen of Ada cost?": "Ada", "What does the pad of Bob cost?": "Bob"}
    assert pairs[after.question] in after.golds[0], "both were drawn from one row"
    assert "price < 3" in after.golds[0]
    assert after.tags["source_question"] == before.question


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("What does it cost?", "SELECT price FROM item WHERE name = 'cup'"),  # not named
        ("Is the cup a cup?", "SELECT price FROM item WHERE name = 'cup'"),  # named twice
        ("The cupboard?", "SELECT price FROM item WHERE name = 'cup'"),  # in another word
        ("More than 9?", "SELECT name FROM item WHERE price > 9"),  # no value of a row
        ("The dearest cup?", "SELECT max(price) FROM item WHERE name = 'cup' AND price > 90"),
        (
            "The cup?",
            "SELECT price FROM item WHERE name = 'cup' AND item_id IN (SELECT 1)",
        ),
    ],
)
def test_what_cannot_be_mended_is_left_out(
    database: Path, runner: QueryRunner, question: str, gold: str
) -> None:
    assert with_results([case(question, gold, database=database)], runner, 0) == ([], 0, 1)


def test_what_returns_rows_fails_or_has_no_database_stays(
    database: Path, runner: QueryRunner
) -> None:
    cases = [
        case("The pen?", PRICE, id="a", database=database),
        case("The pen?", "SELECT nothing FROM nowhere", id="b", database=database),
        case("The cup?", "SELECT price FROM item WHERE name = 'cup'", id="c"),
        case("Who?", id="d", database=database),
        case("How many?", "SELECT count(*) FROM item WHERE price > 9", id="e", database=database),
    ]
    assert with_results(cases, runner, 0) == (cases, 0, 0)


class Fake:
    """Answers by the prompt's name; keeps what it was known."""

    def __init__(self, wording: str, queries: dict[str, str], same: str = "no") -> None:
        self.wording, self.queries, self.same = wording, queries, same
        self.purposes: list[str] = []

    def ask(self, request: Request) -> Reply | NoReply:
        self.purposes.append(request.purpose.partition("@")[0])
        text = request.messages[-1].content
        reply = {"paraphrase": self.wording, "same_question": self.same}.get(
            self.purposes[-1]
        ) or next(sql for question, sql in self.queries.items() if question in text)
        return Reply(reply, "stop", 1, 1, 0.0)


def paraphrases(fake: Fake, source: Case, runner: QueryRunner | None) -> Paraphrases:
    tools = Tools(answerer=fake, model="fake", runner=runner, concurrency=1)
    return paraphrase([source], 1, tools)


QUESTION = "What does the pen cost?"
OTHER = "Which price has the pen?"


def test_a_round_trip_shows_that_the_answer_stays(database: Path, runner: QueryRunner) -> None:
    fake = Fake(OTHER, {QUESTION: PRICE, OTHER: "SELECT price FROM item WHERE item_id = 1"})
    result = paraphrases(fake, case(QUESTION, PRICE, database=database), runner)
    (new,) = result.cases
    assert (new.id, new.question, new.golds) == ("q-p1", OTHER, (PRICE,))
    assert (new.tags["made_from"], new.tags["written"]) == ("q", "model")
    assert fake.purposes == ["paraphrase", "sqlprompt", "sqlprompt"]


def test_a_round_trip_with_another_answer_refuses_the_wording(
    database: Path, runner: QueryRunner
) -> None:
    other = "Which maker has the pen?"
    fake = Fake(other, {QUESTION: PRICE, other: "SELECT maker FROM item WHERE name = 'pen'"}, "yes")
    result = paraphrases(fake, case(QUESTION, PRICE, database=database), runner)
    assert result.cases == ()
    assert result.unused == {"the query written for it answers otherwise": 1}
    assert "same_question" not in fake.purposes


@pytest.mark.parametrize(("opinion", "used"), [("Yes.", 1), ("no", 0), ("", 0)])
@pytest.mark.parametrize("runs", [True, False])
def test_a_round_trip_that_says_nothing_leaves_it_to_a_second_question(
    database: Path, runner: QueryRunner, opinion: str, used: int, runs: bool
) -> None:
    """The model cannot answer the question itself, or there is nothing to run queries on."""
    fake = Fake(OTHER, {QUESTION: "SELECT 7", OTHER: PRICE}, opinion or " ")
    source = case(QUESTION, PRICE, database=database)
    result = paraphrases(fake, source, runner if runs else None)
    assert len(result.cases) == used
    assert result.unused == ({} if used else {"asks for something else": 1})
    assert fake.purposes[-1] == "same_question"
    assert fake.purposes.count("sqlprompt") == int(runs), "only the question itself was tried"


@pytest.mark.parametrize(
    ("wording", "why"),
    [
        ("Which price has it?", "without a value of the question"),
        ("what does the PEN cost", "there already"),
        ("I cannot do that, I am afraid of pen.", "not one plain question"),
        ("SELECT price FROM item WHERE name = 'pen'", "not one plain question"),
    ],
)
def test_a_wording_that_is_none_is_not_checked_further(wording: str, why: str) -> None:
    fake = Fake(wording, {})
    result = paraphrases(fake, case(QUESTION, PRICE), None)
    assert (result.cases, result.unused) == ((), {why: 1})
    assert fake.purposes == ["paraphrase"]
    assert result.sentence == f"0 paraphrases of 1 used (not used: 1 {why})"


def test_the_cost_limit_stops_paraphrases() -> None:
    class Spent:
        def ask(self, request: Request) -> NoReply:
            del request
            return NoReply("the limit of $1 is reached.", attempts=0, budget=True)

    tools = Tools(answerer=Spent(), model="fake", concurrency=1)
    with pytest.raises(Interrupted) as stopped:
        paraphrase([case(QUESTION, PRICE)], 1, tools)
    assert continues(stopped.value)


def test_steps_are_done_in_their_order_and_named() -> None:
    assert check_steps(["relative-time", "duplicates"]) == ("duplicates", "relative_time")
    assert check_steps(STEPS) == STEPS
    with pytest.raises(UsageError, match="preprocess=dates"):
        check_steps(["dates"])
    with asks_for("model"):
        preprocess([case(QUESTION, PRICE)], ("paraphrases",), Tools())


def test_build_preprocesses_against_a_server(tmp_path: Path, database: Path) -> None:
    """End to end over HTTP: every step, and a paraphrase is in the part of its question."""
    pairs = [
        *((f"What does the {name} cost?", PRICE.replace("pen", name)) for name in ("pen", "pad")),
        ("what does the pen cost", PRICE),
        ("What does the cup cost?", PRICE.replace("pen", "cup")),
        ("What cost 1.5 today?", "SELECT name FROM item WHERE '2024-01-02' = '2024-01-02'"),
    ]
    lines = [
        json.dumps({"id": f"q{n}", "db_id": "shop", "question": question, "gold": gold})
        for n, (question, gold) in enumerate(pairs)
    ]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines) + "\n")

    def answer(call: FakeCall) -> FakeAnswer:
        text = call.json()["messages"][-1]["content"]
        question = text.rpartition("Question: ")[2].splitlines()[0]
        if text.endswith("SQL:"):
            golds = [gold for known, gold in pairs if known.casefold() in question.casefold()]
            return FakeAnswer(completion(golds[0] if golds else "SELECT 7"))
        if "First question" in text:
            return FakeAnswer(completion("no"))
        return FakeAnswer(completion(f"Please tell: {question}"))

    manifest = build(tmp_path, database, answer)
    assert manifest["preprocess"] == [
        "duplicates: 1 question left out",
        "null_results: 1 question with new values, 0 left out",
        "relative_time: 1 question with a date",
        manifest["preprocess"][-1],
    ]
    parts: dict[str, str] = {}
    for part in ("train", "validation", "test"):
        for file in (tmp_path / "out").glob(f"{part}.jsonl"):  # a part without cases has none
            ids = [json.loads(line)["id"] for line in file.read_text().splitlines()]
            parts |= dict.fromkeys(ids, part)
    assert len(set(parts.values())) > 1
    sources = [key for key in parts if f"{key}-p1" in parts]
    assert {"q0", "q1"} <= set(sources)
    assert all(parts[key] == parts[f"{key}-p1"] for key in sources)
    assert "q2" not in parts


def build(tmp_path: Path, database: Path, answer: Callable[[FakeCall], FakeAnswer]) -> dict:
    from sqlverdict.cli.main import sqlverdict

    with FakeLlm(answer) as server:
        call = (
            "build", "--cases", tmp_path / "cases.jsonl", "--databases", database.parent.parent,
            "--out", tmp_path / "out", "--model", "fake", "--base-url", server.base_url,
            "--unanswerable", 0, "--set", f"preprocess={','.join(STEPS)}", "--set", "paraphrases=1",
            "--set", f"reply-cache={tmp_path / 'replies.sqlite'}", "--set", "lints=null_golds",
            "--set", "no-proofs=true", "--quiet",
        )  # fmt: skip
        result = CliRunner().invoke(sqlverdict, [str(each) for each in call])
    assert result.exit_code == 0, result.output
    return json.loads((tmp_path / "out" / "manifest.json").read_text())
