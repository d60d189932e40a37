"""Content addresses: everything that can change a reply changes the address, and nothing else."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.llm.costs import estimate_tokens, most_tokens
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.request import Message, Request

texts = st.text(st.characters(), max_size=20)
requests = st.builds(
    Request,
    model=texts,
    messages=st.lists(
        st.builds(Message, st.sampled_from(["system", "user", "assistant"]), texts), min_size=1
    ).map(tuple),
    purpose=texts,
    temperature=st.floats(0, 2),
    max_tokens=st.integers(1, 10**6),
    seed=st.none() | st.integers(),
    schema=st.none() | st.dictionaries(texts, texts, max_size=2),
    logprobs=st.integers(0, 20),
    sample=st.integers(0, 9),
    stop=st.lists(texts, max_size=2).map(tuple),
)
PLAIN = Request("m", (Message("user", "x"),), "p@1")


@given(requests, requests)
def test_equal_requests_and_only_they_share_an_address(left: Request, right: Request) -> None:
    assert (left == right) == (left.digest() == right.digest())
    assert left == pickle.loads(pickle.dumps(left))
    assert left.digest() == pickle.loads(pickle.dumps(left)).digest()
    assert hash(left) == hash(replace(left))


def test_every_field_counts() -> None:
    other = {
        "model": "n",
        "messages": (Message("user", "x"), Message("user", "")),
        "purpose": "p@2",
        "temperature": 0.5,
        "max_tokens": 1,
        "seed": 0,
        "schema": {},
        "logprobs": 1,
        "sample": 1,
        "stop": ("x",),
    }
    assert set(other) == {field.name for field in fields(Request)}
    digests = {replace(PLAIN, **{name: value}).digest() for name, value in other.items()}  # type: ignore[arg-type]
    assert len(digests | {PLAIN.digest()}) == len(other) + 1


def test_the_address_is_the_same_in_every_release() -> None:
    # Changing it makes every user pay again: raise DIGEST_VERSION only for a reason.
    assert PLAIN.digest() == "277d42c986b42638ae93c1880066746027985c9b48469b3343dae7c93120af4c"


def test_a_whole_temperature_may_be_written_as_a_whole_number() -> None:
    assert replace(PLAIN, temperature=0) == PLAIN
    assert replace(PLAIN, temperature=0).digest() == PLAIN.digest()


def test_a_schema_counts_by_content_not_by_order() -> None:
    one = replace(PLAIN, schema={"a": 1, "b": 2})
    two = replace(PLAIN, schema={"b": 2, "a": 1})
    assert one.digest() == two.digest()


def test_the_same_words_in_other_roles_are_another_request() -> None:
    assert replace(PLAIN, messages=(Message("system", "x"),)).digest() != PLAIN.digest()


def test_a_request_without_messages_is_refused() -> None:
    with pytest.raises(ValueError, match="no message"):
        Request("m", (), "p@1")


def test_the_server_and_what_the_endpoint_adds_are_part_of_the_address() -> None:
    here = Endpoint("http://127.0.0.1:1/v1", "m")
    address = here.address(PLAIN)
    assert replace(here, base_url="https://api.openai.com/v1").address(PLAIN) != address
    assert replace(here, extra={"top_p": 0.5}).address(PLAIN) != address
    assert replace(here, omit=("temperature",)).address(PLAIN) != address
    patient = replace(here, timeout=3, tokens_field="max_completion_tokens")
    assert patient.address(PLAIN) == address


@given(requests)
def test_the_bound_on_tokens_is_above_the_estimate(request: Request) -> None:
    assert 0 < estimate_tokens(request) <= most_tokens(request)


def test_the_rule_of_thumb_by_hand() -> None:
    # 7 ASCII characters / 3.5 = 2 tokens, 1 for the other character, 4 for the message.
    assert estimate_tokens(replace(PLAIN, messages=(Message("user", "SELECTé1"),))) == 2 + 1 + 4
