"""FLEX's labels: which are asked for, how they are read, and that they never change a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlverdict.compare.tag_labels import FATAL, MINOR
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.categories import ALIASES, kinds_for, read_categories
from sqlverdict.judge.judge import JUDGES, Opinion, Settings, ask_judge
from sqlverdict.judge.replies.conclusion import read_verdict
from sqlverdict.llm.request import NoReply, Reply, Request
from sqlverdict.testing.judges import RIGHT, WRONG


def test_there_are_six_and_five() -> None:
    assert (len(FATAL), len(MINOR)) == (6, 5)
    assert not set(FATAL) & set(MINOR)
    assert set(ALIASES.values()) == set(FATAL) | set(MINOR)


@pytest.mark.parametrize(
    ("equal", "correct", "kinds"),
    [
        (True, False, FATAL),  # a lucky match
        (False, False, FATAL),  # a mismatch, rightly so
        (False, True, MINOR),  # an unfair mismatch
        (None, True, MINOR),
        (True, True, {}),
        (True, None, {}),
        (False, None, {}),
    ],
)
def test_which_labels_apply(
    equal: bool | None, correct: bool | None, kinds: dict[str, str]
) -> None:
    assert kinds_for(equal, correct) == kinds


LABELS = '{"filtering": {"holds": true, "explanation": "age is missing"}, "several_rows": {"holds": false, "explanation": ""}}'


@pytest.mark.parametrize(
    "text",
    [
        LABELS,
        f"```json\n{LABELS}\n```",
        f"The filter is wrong.\n```json\n{LABELS}\n```",
        '{"incorrect_filtering_condition": {"issued": true, "explanation": "age is missing"}}',
        '{"Filtering": {"holds": "yes", "reason": "age is missing",},}',
        '{"labels": {"filtering": {"holds": true, "explanation": "age is missing"}}}',
        "{'filtering': {'holds': True, 'explanation': 'age is missing'}}",
    ],
)
def test_labels_are_read_with_their_explanations(text: str) -> None:
    result = read_categories(text, FATAL).value
    assert result is not None
    assert result.labels == ("filtering",)
    assert result.explanations == {"filtering": "age is missing"}


def test_bare_answers_and_none_at_all() -> None:
    result = read_categories(
        '{"filtering": true, "several_rows": true, "other_fatal": false}', FATAL
    )
    assert result.value is not None
    assert result.value.labels == ("filtering", "several_rows")
    none = read_categories('{"filtering": false}', FATAL).value
    assert none is not None
    assert none.labels == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "filtering",
        '{"correct": true}',
        '{"filtering": {"holds": true or false, "explanation": "one sentence"}}',
        '> {"filtering": true}',
        '-- {"filtering": true}',
        '{"output_structure": true}',
    ],
)
def test_what_holds_no_label_is_not_read(text: str) -> None:
    assert read_categories(text, FATAL).value is None


class Script:
    def __init__(self, *answers: str | NoReply) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []

    def ask(self, request: Request) -> Reply | NoReply:
        self.requests.append(request)
        result = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return Reply(result, "stop", 10, 5, 0.1, cost=0.5) if isinstance(result, str) else result


def judged(equal: bool | None, *answers: str | NoReply) -> tuple[Opinion, Script]:
    brief = Brief(question="Who?", gold="SELECT 1", prediction="SELECT 2", equal=equal)
    script = Script(*answers)
    settings = Settings(model="m", categories=True, retries_unparseable=0)
    return ask_judge(JUDGES.get("flex"), brief, settings, script), script


def test_categories_follow_the_verdict() -> None:
    result, script = judged(True, WRONG, LABELS)
    assert result.correct is False
    assert result.categories == ("filtering",)
    assert result.category_notes == {"filtering": "age is missing"}
    assert (result.calls, result.tokens, result.cost) == (2, (20, 10), 1.0)
    assert [request.purpose for request in script.requests] == ["flex_eq@1", "categories_fatal@1"]
    assert "> The prediction misses a condition" in script.requests[1].messages[-1].content
    assert judged(False, RIGHT, "{}")[1].requests[1].purpose == "categories_minor@1"


def test_nothing_is_asked_where_nothing_differs_or_nothing_is_known() -> None:
    assert len(judged(True, RIGHT)[1].requests) == 1
    assert len(judged(True, "no idea")[1].requests) == 1


@pytest.mark.parametrize("answer", ["no idea", NoReply("gone", 3)])
def test_labels_that_cannot_be_had_change_no_verdict(answer: str | NoReply) -> None:
    result, _ = judged(False, WRONG, answer)
    assert result.correct is False
    assert result.reason is None
    assert result.categories == ()
    assert "uncategorised" in result.flags


@pytest.mark.data
def test_published_labels_are_read(data_root: Path) -> None:
    lines = (data_root / "flex" / "categories_half.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) == 100
    for record in records:
        kinds = FATAL if record["set"] == "FP" else MINOR
        published = record["gpt4o_categories"]
        names = [ALIASES[name.replace("_", "")] for name in published]
        assert names == list(kinds)
        reply = f"```json\n{json.dumps(published, indent=2)}\n```"
        result = read_categories(reply, kinds).value
        assert result is not None
        expected = {
            ALIASES[name.replace("_", "")]: text["explanation"]
            for name, text in published.items()
            if text["issued"]
        }
        assert dict(result.explanations) == expected
        assert set(result.labels) == set(expected)
        assert read_verdict(record["gpt4o_text"]).value is record["gpt4o"]
