"""Several judges as one: the rules, missing opinions, and weights that no case gives itself."""

from __future__ import annotations

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.score.agreement.combined import RULES, Combined, combine_judges, parse_combined

T, F, N = True, False, None


@pytest.mark.parametrize(
    ("opinions", "most", "any_", "all_"),
    [
        ((T, F, F), F, T, F),
        ((T, T, F), T, T, F),
        ((T, T, T), T, T, T),
        ((F, F, F), F, F, F),
        ((T, F), N, T, F),
        ((T, N, F), N, N, N),
        ((T, N, T), T, N, N),
        ((F, N), F, N, N),
        ((N, N), N, N, N),
    ],
)
def test_the_rules(
    opinions: tuple[bool | None, ...], most: bool | None, any_: bool | None, all_: bool | None
) -> None:
    results = [combine_judges(rule, [opinions])[0] for rule in ("majority", "any", "all")]
    assert results == [most, any_, all_]


def test_a_member_that_is_right_outweighs_two_that_know_nothing() -> None:
    labels = [True] * 10 + [False] * 10
    first = [True] * 9 + [False] + [False] * 10
    opinions = [(opinion, False, False) for opinion in first]
    weighted = combine_judges("weighted", opinions, labels)
    assert weighted == first
    assert combine_judges("majority", opinions) == [False] * 20


def test_no_group_weighs_itself() -> None:
    """Only database x shows what a "wrong" of this judge is worth, and x must not use it."""
    groups = [name for name in "abcde" for _ in range(2)] + ["x"] * 3
    labels = [True, False] * 5 + [True] * 3
    opinions = [(True,)] * 10 + [(False,)] * 3
    assert combine_judges("weighted", opinions, labels, groups) == [True] * 10 + [None] * 3
    # Of fewer databases each case is a group of its own, and learns from its neighbours.
    two = ["a"] * 10 + ["x"] * 3
    assert combine_judges("weighted", opinions, labels, two)[10:] == [True] * 3
    missing = combine_judges("weighted", [(None,), (True,)], [True, True])
    assert missing[0] is None


def test_what_cannot_be_combined_is_refused() -> None:
    assert parse_combined(" Any( ex, a/b: c ) ") == Combined("any", ("ex", "a/b: c"))
    assert str(Combined("any", ("ex", "b"))) == "any(ex, b)"
    for text, message in (
        ("ex", "is not a combination"),
        ("any(ex, )", "is not a combination"),
        ("any(ex, ex)", "is not a combination"),
        ("any(ex, b", "is not a combination"),
        ("any(ex)", "two or more"),
        ("most(ex, b)", "there is no rule 'most'"),
    ):
        with pytest.raises(UsageError, match=message):
            parse_combined(text)
    with pytest.raises(UsageError, match=f"Known: {', '.join(RULES)}"):
        combine_judges("most", [])
    with pytest.raises(UsageError, match="rule weighted"):
        combine_judges("weighted", [(True,)])
