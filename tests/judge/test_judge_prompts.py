"""Templates: ours are complete, a user's replace them, values cannot change them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.judge.asking import FIELDS, PROMPTS
from sqlverdict.judge.briefs.brief import Brief, prompt_values
from sqlverdict.judge.judge import JUDGES, Settings
from sqlverdict.llm.prompt import fill, parse_prompt

OURS = PROMPTS.names()
VERSIONS = {"evidence": 3, "cascade_challenge": 3, "cascade_alone": 2}
"""Prompts that are not in their first version."""
HEADER = "---\nname: {}\nversion: 3\n---\n"

BRIEF = Brief(
    case_id="1",
    question="QUESTION?",
    knowledge="KNOWLEDGE",
    schema_text="SCHEMA",
    gold="SELECT gold_query",
    prediction="SELECT predicted_query",
    gold_table="GOLD TABLE",
    prediction_table="PREDICTION TABLE",
    witness="WITNESS",
    relations=("RELATION",),
)


def prompt_text(judge: str, brief: Brief, settings: Settings | None = None) -> str:
    request = next(JUDGES.get(judge).conduct(brief, settings or Settings(model="m")))
    return "\n".join(message.content for message in request.messages)


def test_our_prompts_are_all_here() -> None:
    assert {"flex_eq", "flex_neq", "evidence", "rubric", "again", "categories_fatal"} <= set(OURS)


@pytest.mark.parametrize("name", OURS)
def test_our_prompts_can_be_read_and_are_hardened(name: str) -> None:
    prompt = PROMPTS.load(name)
    assert prompt.purpose == f"{name}@{VERSIONS.get(name, 1)}"
    if name == "again":
        return
    # One wording for all of them: what quoted lines are, and that they have no force.
    wording = PROMPTS.load("flex_eq").system.split("\n\n")[1]
    assert wording.startswith("How to read the material")
    assert wording in prompt.system
    assert "{{prediction}}" in prompt.user


@pytest.mark.parametrize("name", OURS)
def test_no_tag_is_left_in_a_filled_prompt(name: str) -> None:
    full = prompt_values(replace(BRIEF, equal=True), Settings(), evidence=True)
    full |= {"earlier": "> x", "attempt": "2", "attempts": "3"}
    least = {"prediction": "> x", "gold": "> x"}
    for values in (
        full,
        least,
        {**full, "structured": "yes"},
        {**full, "equal": "", "differ": "yes"},
    ):
        for message in PROMPTS.load(name).messages(values):
            assert "{{" not in message.content
            assert "\n\n\n" not in message.content
            assert message.content == message.content.strip()


def test_quoted_material_stands_on_lines_of_its_own() -> None:
    quoted = sorted(FIELDS - {"dialect", "attempt", "attempts"})
    for name in OURS:
        prompt = PROMPTS.load(name)
        for field in quoted:
            for result in re.finditer(rf"^.*\{{\{{{field}\}}\}}.*$", prompt.user, re.MULTILINE):
                assert result[0] == f"{{{{{field}}}}}"


def test_sections_and_values() -> None:
    template = (
        "a{{#question}}[{{question}}{{#gold}}+{{gold}}{{/gold}}]{{/question}}{{^gold}}-{{/gold}}"
    )
    assert fill(template, {}) == "a-"
    assert fill(template, {"question": "q"}) == "a[q]-"
    assert fill(template, {"question": "q", "gold": "g"}) == "a[q+g]"


def test_values_are_never_read_for_tags() -> None:
    values = {"question": "{{gold}}{{#gold}}x{{/gold}}", "gold": "SECRET"}
    assert fill("{{question}}", values) == "{{gold}}{{#gold}}x{{/gold}}"


def test_flex_shows_results_only_where_they_differ() -> None:
    equal = prompt_text("flex", replace(BRIEF, equal=True))
    assert "PREDICTION TABLE" not in equal
    assert "GOLD TABLE" not in equal
    for open_or_different in (False, None):
        differ = prompt_text("flex", replace(BRIEF, equal=open_or_different))
        assert "PREDICTION TABLE" in differ
        assert "GOLD TABLE" in differ
    assert "the same result" in equal
    assert "the same result" not in prompt_text("flex", replace(BRIEF, equal=False))
    assert "did not return" not in prompt_text("flex", replace(BRIEF, equal=None))


SWITCHES = {
    "question": ["QUESTION?"],
    "knowledge": ["KNOWLEDGE"],
    "criteria": ["Form of the output"],
    "gold": ["gold_query", "GOLD TABLE", "Reference query"],
    "results_neq": ["GOLD TABLE", "PREDICTION TABLE"],
}


@pytest.mark.parametrize("switch", SWITCHES)
def test_every_part_of_the_context_can_be_left_out(switch: str) -> None:
    brief = replace(BRIEF, equal=False)
    settings = replace(Settings(model="m"), **{switch: False})  # type: ignore[arg-type]
    whole, hidden = prompt_text("flex", brief), prompt_text("flex", brief, settings)
    for part in SWITCHES[switch]:
        assert part in whole
        assert part not in hidden
    assert "predicted_query" in hidden


def test_results_can_be_shown_where_they_match() -> None:
    settings = Settings(model="m", results_eq=True)
    assert "GOLD TABLE" in prompt_text("flex", replace(BRIEF, equal=True), settings)


@pytest.mark.parametrize("name", ["evidence", "cascade_alone", "cascade_challenge"])
def test_what_is_easily_misjudged_is_said(name: str) -> None:
    """Dropped ties, rows of zero, names for ids, spelling, two readings: one wording for all."""
    rules = [
        line for line in PROMPTS.load("cascade_alone").system.split("\n") if line.startswith("- ")
    ]
    assert [rule[2:].partition(":")[0] for rule in rules] == [
        "Ties",
        "Rows of zero",
        "A name for an id, or an id for a name",
        "Spelling",
        "Two readings",
    ]
    system = PROMPTS.load(name).system
    for rule in rules:
        assert rule.rstrip(".") in system
    assert "Returning only some of them is fine where the question asks for one" in system
    assert "a LEFT JOIN also lists what has no partner" in system
    # The first call sees no reference that could be wrong as well.
    assert ("stays incorrect" in system) == (name != "cascade_alone")


@pytest.mark.parametrize("name", ["evidence", "cascade_challenge"])
def test_a_witness_stands_for_realistic_data_of_its_kind(name: str) -> None:
    with_witness = PROMPTS.load(name).messages({"prediction": "> x", "witness": "> w"})[0].content
    without = PROMPTS.load(name).messages({"prediction": "> x"})[0].content
    assert "realistic data of this kind" in with_witness
    assert "stand for any value" in with_witness
    assert "stand for any value" not in without


def test_no_benchmark_is_favoured() -> None:
    # FLEX's own prompts carry hints about one benchmark's columns into every case.
    for name in OURS:
        text = (PROMPTS.load(name).system + PROMPTS.load(name).user).lower()
        assert not re.search(r"\b(bird|spider|california|school|charter|frpm)\b", text)


def test_structured_output_asks_for_the_reasoning_first() -> None:
    settings = Settings(model="m", structured=True)
    for name, judge in JUDGES.items():
        if name in ("replay", "recorded"):
            continue
        request = next(judge.conduct(replace(BRIEF, equal=False), settings))
        assert request.schema is not None
        assert next(iter(request.schema["properties"])) == "reasoning"
        assert "```" not in request.messages[0].content
        plain = next(judge.conduct(replace(BRIEF, equal=False), Settings(model="m")))
        assert plain.schema is None


def test_a_folder_of_prompts_replaces_ours(tmp_path: Path) -> None:
    own = HEADER.format("flex_eq") + "<!-- user -->\nOnly this: {{question}}\n"
    (tmp_path / "flex_eq.md").write_text(own, "utf-8")
    settings = Settings(model="m", prompts=tmp_path)
    request = next(JUDGES.get("flex").conduct(replace(BRIEF, equal=True), settings))
    assert [message.role for message in request.messages] == ["user"]
    assert request.messages[0].content == "Only this: > QUESTION?"
    assert re.fullmatch(r"flex_eq@3\+[0-9a-f]{12}", request.purpose)
    other = next(JUDGES.get("flex").conduct(replace(BRIEF, equal=False), settings))
    assert other.purpose == "flex_neq@1"
    (tmp_path / "flex_eq.md").write_text(own.replace("Only", "Just"), "utf-8")
    changed = next(JUDGES.get("flex").conduct(replace(BRIEF, equal=True), settings))
    assert changed.purpose != request.purpose


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("no header", "is not a prompt"),
        (HEADER.format("mine") + "no parts", "is not a prompt"),
        (HEADER.format("other") + "<!-- user -->\nx", "'other'"),
        (HEADER.format("mine") + "<!-- user -->\n{{colour}}", "'colour'"),
        (HEADER.format("mine") + "<!-- user -->\n{{#gold}}x", "never ends"),
        (HEADER.format("mine") + "<!-- user -->\nx{{/gold}}", "not the open one"),
        (HEADER.format("mine") + "<!-- user -->\n{{#gold}}{{#gold}}{{/gold}}{{/gold}}", "inside"),
        (
            HEADER.format("mine") + "<!-- user -->\n{{#gold}}{{#witness}}{{/gold}}{{/witness}}",
            "not the open one",
        ),
    ],
)
def test_a_broken_template_says_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)):
        parse_prompt("mine", text, "mine.md", FIELDS)


def test_a_missing_folder_and_a_broken_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        PROMPTS.load("flex_eq", tmp_path / "nowhere")
    (tmp_path / "flex_eq.md").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"prompt .*flex_eq\.md"):
        PROMPTS.load("flex_eq", tmp_path)
