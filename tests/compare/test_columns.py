"""Column orders: found whenever there is one, never at the cost of a row's integrity."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlverdict.compare.answers import compare_answers
from sqlverdict.compare.columns import SearchExhausted, match_columns, permuted
from sqlverdict.records import Reason
from tiers import sampled

CELLS = st.sampled_from([None, 0, 1, 1.0, 2, "1", "a", ""])


def tables(most_columns: int = 4, most_rows: int = 6) -> st.SearchStrategy[list[tuple]]:
    return st.integers(1, most_columns).flatmap(
        lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=most_rows)
    )


def brute_force(gold: list[tuple], prediction: list[tuple]) -> bool:
    if len(gold) != len(prediction) or len(gold[0]) != len(prediction[0]):
        return False
    return any(
        Counter(permuted(prediction, order)) == Counter(gold)
        for order in permutations(range(len(gold[0])))
    )


@given(tables(), st.randoms(use_true_random=False))
def test_a_shuffled_answer_is_always_matched(rows: list[tuple], rng: random.Random) -> None:
    order = list(range(len(rows[0])))
    rng.shuffle(order)
    shuffled = permuted(rows, order)
    rng.shuffle(shuffled)
    result = match_columns(rows, shuffled)
    assert result is not None
    assert Counter(permuted(shuffled, result)) == Counter(rows)


@settings(max_examples=400)
@given(st.data())
def test_agrees_with_trying_every_order(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 4))
    rows = st.lists(st.tuples(*[st.sampled_from([0, 1, None])] * width), min_size=1, max_size=5)
    gold, prediction = data.draw(rows), data.draw(rows)
    assert (match_columns(gold, prediction) is not None) == brute_force(gold, prediction)


@given(tables(), st.randoms(use_true_random=False))
def test_order_is_respected_where_ranks_say_so(rows: list[tuple], rng: random.Random) -> None:
    swapped = list(rows)
    rng.shuffle(swapped)
    result = match_columns(rows, swapped, list(range(len(rows))))
    if result is None:
        assert rows != swapped
    else:
        assert permuted(swapped, result) == rows


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_other_texts_of_the_same_pattern_give_the_same_order(order: tuple[int, ...]) -> None:
    # Other texts have other hashes, as the same texts have under another hash seed.
    orders = set()
    for number in range(20):
        w, x, y, z = (f"{letter}{number}" for letter in "wxyz")
        rows = [(w, x, y, z), (x, w, z, y)]
        orders.add(match_columns(rows, permuted(rows, order)))
    assert len(orders) == 1


def test_row_association_is_never_lost() -> None:
    """Each column holds the same values; only their pairing differs."""
    gold = [("ann", 1, "x"), ("bob", 2, "y"), ("cid", 3, "z")]
    torn = [("ann", 2, "x"), ("bob", 1, "y"), ("cid", 3, "z")]
    assert match_columns(gold, torn) is None


def test_twenty_six_columns_do_not_explode() -> None:
    """The Spider script tries up to 26! orders here."""
    rng = random.Random(1)
    rows = [tuple(rng.randint(0, 1) for _ in range(26)) for _ in range(40)]
    order = list(range(26))
    rng.shuffle(order)
    assert match_columns(rows, permuted(rows, order)) is not None


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["random", "same values", "symmetric", "binary"])
def test_a_hundred_columns_and_many_rows(kind: str) -> None:
    rng = random.Random(7)
    width, height = 100, sampled(800, 3_000)
    columns: list[list[object]]
    if kind == "random":
        columns = [[rng.random() for _ in range(height)] for _ in range(width)]
    elif kind == "same values":
        columns = [rng.sample(range(height), height) for _ in range(width)]
    elif kind == "symmetric":
        columns = [[(row + index) % width for row in range(height)] for index in range(width)]
    else:
        columns = [[rng.randint(0, 1) for _ in range(height)] for _ in range(width)]
    rows = list(zip(*columns, strict=True))
    order = list(range(width))
    rng.shuffle(order)
    shuffled = permuted(rows, order)
    rng.shuffle(shuffled)
    result = match_columns(rows, shuffled)
    assert result is not None
    assert Counter(permuted(shuffled, result)) == Counter(rows)
    if kind in ("random", "same values"):
        torn = [list(row) for row in shuffled]
        torn[0][0], torn[1][0] = torn[1][0], torn[0][0]
        assert match_columns(rows, [tuple(row) for row in torn]) is None


def test_a_hopeless_search_is_given_up_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlverdict.compare.columns._TRIES", 0)
    rows = [(1, 2, 3), (4, 5, 6)]
    shuffled = permuted(rows, (2, 0, 1))
    with pytest.raises(SearchExhausted, match="too alike"):
        match_columns(rows, shuffled)
    comparison = compare_answers(rows, shuffled)
    assert (comparison.equal, comparison.reasons) == (None, (Reason.BUDGET_EXHAUSTED,))
