"""The protocol as data: what is sent, and what is made of whatever comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_asking import PRICES, SCHEMA, question

from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.http.wire import Malformed, body_of, decode, encode, read_completion, reply_cost
from sqlverdict.llm.request import TokenChoice
from sqlverdict.testing.fake_llm import completion

HERE = Endpoint("http://127.0.0.1:1/v1", "fake")


def test_a_plain_body() -> None:
    assert body_of(question("hi"), HERE) == {
        "model": "fake",
        "messages": [{"role": "user", "content": "hi"}],
        "temperature": 0.0,
        "max_tokens": 50,
        "stream": False,
    }


def test_requests_are_sent_only_where_they_are_made() -> None:
    request = question(
        "hi", seed=7, sample=2, stop=("END",), logprobs=3, schema=SCHEMA, purpose="flex eq@1"
    )
    body = body_of(request, HERE)
    assert body["seed"] == 9
    assert body["stop"] == ["END"]
    assert (body["logprobs"], body["top_logprobs"]) == (True, 3)
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "flex_eq_1", "schema": SCHEMA, "strict": True},
    }


def test_fields_can_be_added_renamed_and_left_out() -> None:
    other = replace(
        HERE,
        extra={"reasoning_effort": "low"},
        omit=("temperature", "stream"),
        tokens_field="max_completion_tokens",
    )
    assert set(body_of(question(), other)) == {
        "model",
        "messages",
        "max_completion_tokens",
        "reasoning_effort",
    }


def test_half_surrogates_do_not_stop_a_request() -> None:
    assert json.loads(encode({"x": "a\ud800b"})) == {"x": "a?b"}


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "hello"}, "hello"),
        ({"content": ""}, ""),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": None, "refusal": "I cannot"}, "I cannot"),
        ({"content": None, "reasoning_content": "hidden"}, ""),
        ({"content": "said", "reasoning_content": "hidden"}, "said"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": [{"type": "image"}, "x", {"text": 3}]}, ""),
        ({"content": "a\ud800b"}, "a\N{REPLACEMENT CHARACTER}b"),
        ({"content": "\N{GRINNING FACE}"}, "\N{GRINNING FACE}"),
    ],
)
def test_the_text_of_a_message(message: dict[str, Any], text: str) -> None:
    received = read_completion({"choices": [{"message": message}]})
    assert received.text == text
    received.text.encode()


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "text",
        {},
        {"choices": None},
        {"choices": {}},
        {"choices": []},
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"message": None}]},
        {"choices": [{"text": "an old completion"}]},
        {"error": {"message": "overloaded"}},
        {"detail": "Not Found"},
    ],
)
def test_what_is_no_completion(body: Any) -> None:
    with pytest.raises(Malformed):
        read_completion(body)


def test_an_error_under_status_200_is_quoted() -> None:
    with pytest.raises(Malformed, match="overloaded"):
        read_completion({"error": {"message": "overloaded"}})


@pytest.mark.parametrize(
    "data", [b"", b"{", b"<html>", b'{"choices": [', b"\xff\xfe", b"[" * 10**5]
)
def test_what_is_no_json(data: bytes) -> None:
    with pytest.raises(Malformed, match=f"{len(data)} bytes"):
        decode(data)


def test_tokens_are_read_where_the_server_counts_them() -> None:
    body = completion("x", prompt_tokens=100, completion_tokens=7)
    body["usage"]["prompt_tokens_details"] = {"cached_tokens": 64}
    received = read_completion(body, 1.5)
    assert (received.prompt_tokens, received.completion_tokens) == (100, 7)
    assert (received.discounted_tokens, received.tokens_known, received.seconds) == (64, True, 1.5)
    assert (received.finish, received.served) == ("stop", "fake-1")


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": None}, {"prompt_tokens": "7"}])
def test_counts_that_are_none_count_nothing(usage: Any) -> None:
    received = read_completion(completion("x") | {"usage": usage})
    assert (received.prompt_tokens, received.completion_tokens) == (0, 0)


def test_a_reply_without_counts_has_no_cost() -> None:
    reply = read_completion(completion("x"))
    assert reply_cost(reply, "fake", PRICES) == pytest.approx((10 * 1000 + 5 * 2000) / 1e6)
    uncounted = read_completion(completion("x") | {"usage": None})
    assert reply_cost(uncounted, "fake", PRICES) is None
    assert reply_cost(reply, "another", PRICES) is None


def test_logprobs_are_read_where_they_come() -> None:
    body = completion("no")
    body["choices"][0]["logprobs"] = {
        "content": [
            {
                "token": "no",
                "logprob": -0.25,
                "top_logprobs": [
                    {"token": "no", "logprob": -0.25},
                    {"token": "yes", "logprob": -1.5},
                    {"token": "odd"},
                ],
            },
            {"token": ".", "logprob": 0},
        ]
    }
    assert read_completion(body).logprobs == (
        TokenChoice("no", -0.25, (("no", -0.25), ("yes", -1.5))),
        TokenChoice(".", 0.0, ()),
    )


@pytest.mark.parametrize(
    "logprobs",
    [None, [], {}, {"content": None}, {"content": [None]}, {"content": [{"token": 1}]},
     {"tokens": ["no"], "token_logprobs": [-0.25]}],
)  # fmt: skip
def test_logprobs_of_another_form_are_none(logprobs: Any) -> None:
    body = completion("no")
    body["choices"][0]["logprobs"] = logprobs
    assert read_completion(body).logprobs == ()
    assert read_completion(body).text == "no"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["choices", "message", "content", "usage", "logprobs", "top_logprobs", "token",
             "logprob", "prompt_tokens_details", "cached_tokens", "error", "text"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(anything)
def test_nothing_a_server_sends_is_more_than_malformed(body: Any) -> None:
    try:
        received = read_completion(body)
    except Malformed:
        return
    assert isinstance(received.text, str)


@given(anything)
def test_no_odd_message_breaks_the_reading(message: Any) -> None:
    body = {"choices": [{"message": {"content": message}, "logprobs": message}], "usage": message}
    assert isinstance(read_completion(body).text, str)


@pytest.mark.parametrize("count", [10**30, 10**9 + 1, 2**63])
@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens", "cached"])
def test_a_count_that_no_call_can_have_is_none(count: int, name: str) -> None:
    body = completion("fine")
    if name == "cached":
        body["usage"]["prompt_tokens_details"] = {"cached_tokens": count}
    else:
        body["usage"][name] = count
    received = read_completion(decode(json.dumps(body).encode()))
    assert received.text == "fine"
    assert not received.tokens_known
    assert (received.prompt_tokens, received.completion_tokens) == (0, 0)


def test_what_a_server_adds_in_odd_forms_is_left_out() -> None:
    body = completion("fine")
    nested: Any = "x"
    for _ in range(200):
        nested = [nested]
    body["model"] = nested
    body["choices"][0]["finish_reason"] = {"a": nested}
    body["choices"][0]["logprobs"] = {"content": [{"token": "a", "logprob": -(10**400)}]}
    received = read_completion(body)
    assert (received.text, received.served, received.finish) == ("fine", "", "")
    assert received.logprobs == ()
    body["model"] = "m" * 10**6
    assert len(read_completion(body).served) == 200
