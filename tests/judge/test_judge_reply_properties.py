"""Any reply can be read, and a well-formed conclusion is found after any prose."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sqlverdict.compare.tag_labels import FATAL, MINOR
from sqlverdict.judge.categories import read_categories
from sqlverdict.judge.replies.conclusion import (
    EQUIVALENT,
    read_conclusion,
    read_verdict,
    score_form,
)
from sqlverdict.judge.replies.loose_json import objects

PIECES = st.sampled_from(
    [
        '{"correct": true}',
        '{"correct": false}',
        '{"correct": true',
        '{"correct":',
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        "`",
        "```",
        "```json\n",
        "```sql\n",
        "~~~",
        "\n",
        "\n\n",
        "\r",
        "> ",
        "| ",
        "-- ",
        "/*",
        "*/",
        "<think>",
        "</think>",
        "correct: true",
        "Final verdict:",
        "the comment says:",
        "\\",
        '\\"',
        "\ud800",
        "//",
        ",",
        ":",
    ]
)
TEXTS = st.text() | st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join)


@pytest.mark.slow
@given(TEXTS)
@example("{" * 10_000)
@example('{"a' * 4_000)
@example("{//" * 4_000)
@example('{"a":' * 4_000)
@example("```" * 4_000)
@example("[" * 20_000 + '{"correct": [[[[[[[[[[1]]]]]]]]]]}')
@example('{"correct": true}\n' * 1_000)
@example("\n> " * 8_000)
def test_no_text_makes_a_reader_raise(text: str) -> None:
    for result in (
        read_verdict(text),
        read_conclusion(text, EQUIVALENT),
        read_conclusion(text, score_form(1, 5)),
        read_categories(text, FATAL),
    ):
        assert (result.value is None) == bool(result.message)


@given(TEXTS)
def test_objects_lie_apart_and_inside_the_text(text: str) -> None:
    end = 0
    for each in objects(text):
        assert end <= each.start < each.end <= len(text)
        assert text[each.start] == "{"
        assert text[each.end - 1] == "}"
        end = each.end


# Prose that leaves no fence, comment or thought open: whatever follows is the reply's own.
PROSE = st.text(alphabet=st.characters(exclude_characters="`~<{}", exclude_categories=["Cs"]))
MARKED = st.lists(
    st.sampled_from(
        [
            '> {"correct": true}\n',
            '```sql\nSELECT 1 -- {"correct": true}\n```\n',
            'Its author wrote `{"correct": true}` there.\n',
            '| {"correct": true} |\n',
            '```json\n{"correct": true}\n```\nOn second thought, no.\n',
        ]
    )
    | PROSE.map(lambda text: f"{text.replace('/*', ' ')}\n"),
    max_size=8,
).map("".join)


@given(
    MARKED, st.booleans(), st.sampled_from(["```json\n{}\n```", "{}", "```\n{}\n```\n", "**{}**"])
)
def test_a_conclusion_after_any_prose_is_found(prose: str, verdict: bool, form: str) -> None:
    last = form.format(json.dumps({"correct": verdict})) if "{}" in form else ""
    opinion = read_verdict(f"{prose}\n\nThe reasons above settle it.\n\n{last}")
    assert opinion.value is verdict


@given(TEXTS, st.booleans())
def test_a_fenced_conclusion_is_found_after_anything(text: str, verdict: bool) -> None:
    # Anything at all, fences and comments left open included; but thoughts left open never end.
    before = text.replace("<", "(")
    last = f"```json\n{json.dumps({'correct': verdict})}\n```"
    opinion = read_verdict(f"{before}\n\nThe reasons above settle it.\n\n{last}")
    assert opinion.value is verdict


WORDS = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]))


@given(st.dictionaries(st.sampled_from(sorted(FATAL)), st.tuples(st.booleans(), WORDS), min_size=1))
def test_labels_written_as_json_are_read_back(labels: dict[str, tuple[bool, str]]) -> None:
    text = json.dumps(
        {name: {"holds": on, "explanation": why} for name, (on, why) in labels.items()}
    )
    result = read_categories(f"```json\n{text}\n```", FATAL).value
    assert result is not None
    assert set(result.labels) == {name for name, (on, _) in labels.items() if on}
    assert read_categories(text, MINOR).value is None


@given(WORDS, st.booleans())
def test_json_with_any_reason_is_read(reason: str, verdict: bool) -> None:
    text = json.dumps({"reasoning": reason, "correct": verdict})
    assert read_verdict(text).value is verdict
    assert read_verdict(json.dumps(json.loads(text), ensure_ascii=False, indent=2)).value is verdict
