"""Our own check of replies against their schema, since servers may ignore it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.llm.reply_schema import check_schema, problem, strict, text_fits

VERDICT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "correct": {"type": "boolean"},
        "labels": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2},
        "score": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 5}, {"type": "null"}]},
        "why": {"type": "string", "minLength": 1, "description": "in words"},
    },
    "required": ["correct"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "text",
    [
        '{"correct": true}',
        ' {"correct":false,"labels":["a","b"],"score":5,"why":"x"} \n',
        '{"correct": true, "score": null, "labels": []}',
        '{"correct": true, "score": 2.0}',
    ],
)
def test_what_fits(text: str) -> None:
    assert text_fits(text, VERDICT)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "true",
        "[]",
        '{"correct": 1}',
        '{"correct": "true"}',
        '{"correct": true',
        '{"correct": true}{}',
        '```json\n{"correct": true}\n```',
        '{"correct": True}',
        '{"correct": NaN}',
        "{}",
        '{"correct": true, "more": 1}',
        '{"correct": true, "labels": ["c"]}',
        '{"correct": true, "labels": ["a", "a", "a"]}',
        '{"correct": true, "score": 6}',
        '{"correct": true, "score": 1.5}',
        '{"correct": true, "score": true}',
        '{"correct": true, "why": ""}',
        "[" * 100_000,
    ],
)
def test_what_does_not_fit(text: str) -> None:
    assert not text_fits(text, VERDICT)


def test_true_is_not_one() -> None:
    assert problem(True, {"enum": [1]}) is not None
    assert problem(1, {"const": True}) is not None
    assert problem(1, {"const": 1}) is None


def test_the_problem_names_its_place() -> None:
    schema = {"type": "array", "items": {"type": "object", "required": ["x"]}}
    assert problem([{"x": 1}, {}], schema) == "$[1] has no 'x'"
    assert problem([{"x": 1}, 2], schema) == "$[1] is not of type object"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "object", "patternProperties": {}}, "patternProperties"),
        ({"type": "object", "properties": {"a": {"pattern": "x"}}}, "property 'a' uses pattern"),
        ({"type": "array", "items": {"$ref": "#/x"}}, r"items uses \$ref"),
        ({"anyOf": [{"type": "real"}]}, "'real'"),
    ],
)
def test_a_schema_that_could_not_be_checked_is_refused(schema: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_schema(schema)


def test_strict_mode_needs_closed_objects_with_all_properties_required() -> None:
    closed = {**VERDICT, "required": list(VERDICT["properties"])}
    assert strict(closed)
    assert not strict(VERDICT)
    assert not strict({**closed, "additionalProperties": True})
    assert not strict({"type": "array", "items": VERDICT})


kinds = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
schemas: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.fixed_dictionaries({"type": kinds}),
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
        | st.dictionaries(st.text(max_size=3), inner, max_size=3).map(
            lambda each: {
                "type": "object",
                "properties": each,
                "required": list(each),
                "additionalProperties": False,
            }
        )
    ),
    max_leaves=6,
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def example_of(schema: dict[str, Any]) -> Any:
    """A value that fits, made from the schema without the code under test."""
    if "anyOf" in schema:
        return example_of(schema["anyOf"][-1])
    plain = {"null": None, "boolean": True, "integer": 3, "number": 0.5, "string": "x"}
    if schema["type"] == "array":
        return [example_of(schema["items"])] if "items" in schema else [1, None]
    if schema["type"] == "object":
        return {name: example_of(each) for name, each in schema.get("properties", {}).items()}
    return plain[schema["type"]]


@given(schemas)
def test_an_example_of_a_schema_fits_it_and_breaks_when_a_part_is_lost(
    schema: dict[str, Any],
) -> None:
    check_schema(schema)
    example = example_of(schema)
    assert text_fits(json.dumps(example), schema)
    if isinstance(example, dict) and schema.get("required"):
        name = schema["required"][0]
        less = {key: value for key, value in example.items() if key != name}
        assert not text_fits(json.dumps(less), schema)


@given(schemas, values)
def test_any_value_is_judged_without_an_exception(schema: dict[str, Any], value: Any) -> None:
    assert text_fits(json.dumps(value), schema) == (problem(value, schema) is None)
