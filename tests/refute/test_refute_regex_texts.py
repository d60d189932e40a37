"""Texts for a regular expression: they match, and no expression takes long or fails."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sqlverdict.refute.read.regex_texts import texts_matching

ATOMS = st.sampled_from(["a", "7", ".", "[a-c]", "[^a]", r"\d", r"\w", r"\.", "x_"])
COUNTS = st.sampled_from(["", "?", "*", "+", "{2}", "{1,3}", "{2,}", "*?"])
READABLE = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(ATOMS, COUNTS).map("".join),
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("({0[0]}|{0[1]})".format),
        st.tuples(inner, COUNTS).map("({0[0]}){0[1]}".format),
    ),
    max_leaves=6,
)


@given(READABLE)
def test_each_text_matches(regex: str) -> None:
    for text in texts_matching(regex):
        assert re.fullmatch(regex, text), text


@pytest.mark.parametrize("regex", [r"^[a-z]+@(x|y)*\.com$", "[[:alpha:]]{3}", "(ab|c)+d?"])
def test_what_people_write_has_texts(regex: str) -> None:
    assert texts_matching(regex)


@given(st.text("ab[]:(){}*+?|\\^$.-0,129dwWb", max_size=30))
@example("[[:alpha:]")
@example("[[:]d")
@example("(" * 199)
@example("((((()){9}){9}){9})" * 9)
@example("(" * 19 + "a" + "{12})" * 19)
def test_no_expression_takes_long_or_fails(regex: str) -> None:
    assert sum(map(len, texts_matching(regex))) < 50_000
