"""TrustSQL's own prompt files: read from a clone, in their form, with their placeholders."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from abstain_parts import Script, ask, known, strange

from author_files import trustsql_clone
from sqlverdict.abstain.compose import MethodPart, make_method
from sqlverdict.abstain.method import Draft, GeneratorNeeds, Tools, TrainingData
from sqlverdict.abstain.prompting.prompt import PROMPTS
from sqlverdict.abstain.session import _prompts
from sqlverdict.errors import UsageError

TRAINING = TrainingData(train=known(), background=strange())
NEW = ask("How many items cost less than 2?", 99)
ELSEWHERE = replace(NEW, db_id="elsewhere")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return trustsql_clone(tmp_path / "clone")


def tools_with(clone: Path) -> tuple[Tools, Script]:
    script = Script(lambda request: "SELECT 1")
    return Tools(answerer=script, model="m", prompts=clone), script  # type: ignore[arg-type]


def asked_words(script: Script) -> str:
    (request,) = script.requests
    (message,) = request.messages
    assert message.role == "user"
    return message.content


def test_a_question_of_a_known_database(clone: Path) -> None:
    tools, script = tools_with(clone)
    method = make_method(MethodPart("sqlprompt", {"shots": 2}))
    method.fit(TRAINING, tools)
    method.generate([NEW], GeneratorNeeds(), tools)
    text = asked_words(script)
    shape = r"Table item, .*\n\nWrite a query for these tables\.\n\n(Asked: .*\nReply: SELECT .*\n\n){2}"
    assert re.fullmatch(
        f"{shape}Asked: How many items cost less than 2\\?\nReply:", text, re.DOTALL
    )
    assert re.fullmatch(r"sqlprompt@1\+[0-9a-f]{12}", script.requests[0].purpose)


def test_other_databases_stand_first_each_with_the_task(clone: Path) -> None:
    tools, script = tools_with(clone)
    method = make_method(MethodPart("sqlprompt", {"shots": 2}))
    method.fit(TRAINING, tools)
    method.generate([ELSEWHERE], GeneratorNeeds(), tools)
    text = asked_words(script)
    assert text.count("Write a query for these tables.") == text.count("Table item, ") == 2
    assert text.endswith("Write a query for these tables.\n\nAsked: " + NEW.question + "\nReply:")


def test_labels_and_second_looks(clone: Path) -> None:
    tools, script = tools_with(clone)
    label = make_method(MethodPart("clsprompt", {"shots": 2}))
    label.fit(TRAINING, tools)
    label.score([(NEW, None)], tools)
    text = asked_words(script)
    assert "Sort what is asked about these tables." in text
    assert text.count("Reply: answerable") == text.count("Reply: not_answerable") == 2
    tools, script = tools_with(clone)
    make_method(MethodPart("selfref")).score([(NEW, Draft("SELECT 2"))], tools)
    text = asked_words(script)
    assert text.startswith("# Sure of this query?\nTable item, ")
    assert text.endswith(f"\nAsked: {NEW.question}\nQuery: SELECT 2\nReply:")


def test_what_trustsql_has_no_prompt_for_is_named(clone: Path) -> None:
    for name in ("sqlprompt_verbal", "din_link"):
        with pytest.raises(UsageError, match=name):
            PROMPTS.load(name, clone)


@pytest.mark.parametrize(
    ("name", "file", "old", "new", "complaint"),
    [
        ("sqlprompt", "sql", "{question}", "{query}", "{question}"),
        ("clsprompt", "cls", "{s}", "", "{q}, {s}"),
        ("clsprompt", "cls", "task_prompt", "work", "task_prompt"),
        ("selfref", "error", "{sql}", "", "for sql"),
        ("selfref", "error", "{sql}", "{colour}", "text prompt"),
    ],
)
def test_files_of_another_form_are_refused(
    clone: Path, name: str, file: str, old: str, new: str, complaint: str
) -> None:
    path = clone / f"gpt/{file}_prompt.py"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(UsageError, match=re.escape(complaint)):
        PROMPTS.load(name, clone)


def test_the_manifest_knows_other_words(clone: Path) -> None:
    tools, _ = tools_with(clone)
    before = _prompts(tools)
    path = clone / "gpt/cls_prompt.py"
    path.write_text(path.read_text("utf-8").replace("Sort", "Label"), "utf-8")
    assert _prompts(tools) != before
    assert "own" not in _prompts(Tools())
