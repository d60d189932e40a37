"""Natural wording: only the words change, and only where the reply is one plain question."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from error_parts import asks_for, continues
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable import TYPES, ChosenIdea, Idea
from sqlverdict.abstain.benchmark.wording import read_question, reword
from sqlverdict.abstain.method import Tools
from sqlverdict.abstain.prompting.prompt import PROMPTS
from sqlverdict.errors import Interrupted
from sqlverdict.llm.request import NoReply, Reply, Request
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Case

SCHEMA = read_ddl("CREATE TABLE dog (dog_id INTEGER PRIMARY KEY, age INTEGER)", "kennel")
CASES = [
    Case(str(n), "kennel", f"Question {n}?", ("SELECT age FROM dog",), answerable=True)
    for n in range(5)
]
COLUMN = ChosenIdea(
    TYPES.get("column_related"),
    Idea("kennel", "What is the average tail length?", "changed", "0", "tail length", "dog"),
)
TASK = ChosenIdea(
    TYPES.get("non_sql"), Idea("kennel", "Read all dogs aloud.", "changed", "1", task="speech")
)
POOLED = ChosenIdea(TYPES.get("out_of_domain"), Idea("kennel", "Who wrote it?", "pool", "p 1"))


@cache
def sources() -> QuestionSources:
    """WordNet is read for them, which takes a while: not when tests are collected."""
    return QuestionSources(CASES, {"kennel": SchemaWords.of(SCHEMA)})


class Fake:
    """Answers by a function and keeps what it was asked."""

    def __init__(self, answer: Callable[[Request], Reply | NoReply | str]) -> None:
        self.answer = answer
        self.requests: list[Request] = []

    def ask(self, request: Request) -> Reply | NoReply:
        self.requests.append(request)
        text = self.answer(request)
        return Reply(text, "stop", 1, 1, 0.0) if isinstance(text, str) else text


def worded(answer: Callable[[Request], Reply | NoReply | str], *ideas: ChosenIdea):
    fake = Fake(answer)
    tools = Tools(answerer=fake, model="fake", concurrency=1)
    return reword(ideas or (COLUMN, TASK, POOLED), sources(), tools), fake.requests


def test_only_the_words_change() -> None:
    def answer(request: Request) -> str:
        column = "column" in request.purpose
        return "How long are the tails, on average?" if column else "Say every dog out loud."

    result, requests = worded(answer)
    questions = [each.idea.question for each in result.ideas]
    assert questions == [
        "How long are the tails, on average?",
        "Say every dog out loud.",
        "Who wrote it?",
    ]
    assert [each.idea.wording for each in result.ideas] == ["model", "model", "pool"]
    assert result.ideas[0].idea.column == "tail length"
    assert (result.requests, result.used, result.unchanged) == (2, 2, {})
    assert result.purposes == ("unanswerable_column@1", "unanswerable_task@1")
    assert len(requests) == 2, "a pool's question keeps its words"


def test_the_model_sees_the_schema_examples_and_what_is_missing() -> None:
    _, requests = worded(lambda _: "x")
    text = requests[0].messages[-1].content
    assert "Table dog, columns = [dog_id,age]" in text
    assert "tail length" in text
    assert text.count("- Question") == 3
    assert "{{" not in text
    assert "speech" in requests[1].messages[-1].content
    assert requests[0].temperature == 0.0


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("How old are the dogs, on average?", "the column is not named any more"),
        ("I cannot do that, sorry to say.", "not one plain question"),
        ("SELECT tail FROM dog", "not one plain question"),
        ("Tails?", "not one plain question"),
        ("One tail question?\nAnd a second line?", "not one plain question"),
        ("", "not one plain question"),
        (NoReply("away", attempts=3), "no reply"),
    ],
)
def test_other_replies_leave_the_rules_words(reply, why) -> None:
    result, _ = worded(lambda _: reply, COLUMN)
    assert result.ideas == (COLUMN,)
    assert result.unchanged == {why: 1}
    assert result.used == 0


def test_a_reply_that_is_there_already_is_not_taken() -> None:
    result, _ = worded(lambda _: "question 3", TASK)
    assert result.unchanged == {"not one plain question": 1}
    longer = QuestionSources(
        [Case("q", "kennel", "Say all the dogs aloud now!", ("SELECT 1",))], {}
    )
    tools = Tools(answerer=Fake(lambda _: "say all the dogs aloud NOW"), model="m", concurrency=1)
    assert reword([TASK], longer, tools).unchanged == {"a question that is there already": 1}
    twice, _ = worded(lambda _: "Say all of them aloud!", TASK, TASK)
    assert twice.used == 1


def test_the_cost_limit_stops_everything() -> None:
    with pytest.raises(Interrupted) as stopped:
        worded(lambda _: NoReply("the limit of $1 is reached.", attempts=0, budget=True))
    assert continues(stopped.value)


def test_no_model_is_a_usage_error() -> None:
    with asks_for("model", "base_url"):
        reword([COLUMN], sources(), Tools())


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Rewritten: How long are they?\n", "How long are they?"),
        ('"How long are they?"', "How long are they?"),
        ("  How long are they?  ", "How long are they?"),
        ("Question: 'How long are they?'", "How long are they?"),
        ("Please select the best dog of all.", "Please select the best dog of all."),
        ("```sql\nSELECT 1 FROM x\n```", None),
        ("Unfortunately this is not possible here.", None),
        ("word " * 61, None),
    ],
)
def test_reading_a_reply(text, question) -> None:
    assert read_question(text) == question


@pytest.mark.parametrize("name", sorted({kind.prompt for _, kind in TYPES.items()} - {""}))
def test_prompts_have_versions_and_fill_in_whole(name) -> None:
    table = PROMPTS.load(name)
    names = ("schema", "examples", "question", "column", "table", "task")
    messages = table.messages({each: f"<{each}>" for each in names})
    assert table.version >= 1
    assert "<question>" in messages[-1].content
    assert "{{" not in messages[-1].content
