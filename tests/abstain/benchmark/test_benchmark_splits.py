"""Splits: no template leaks, shares hold, the order of the items never matters."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from error_parts import asks_for
from sqlverdict.abstain.benchmark.chance import draw, id_digits, shuffled
from sqlverdict.abstain.benchmark.splits import (
    PARTS,
    SplitItem,
    SplitPlan,
    joined,
    split_by_database,
    split_by_template,
)
from sqlverdict.errors import UsageError

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=25)
SEEDS = st.integers(0, 5)
LEFTOVERS = st.sampled_from(["move", "drop"])


def items_of(sizes: list[int], repeat: int = 1) -> list[SplitItem]:
    """Templates with so many wordings each, every wording so many times."""
    return [
        SplitItem(f"{template}-{number}-{again}", f"{template} {number}", f"t{template}")
        for template, size in enumerate(sizes)
        for number in range(size)
        for again in range(repeat)
    ]


@given(sizes=SIZES, seed=SEEDS, leftover=LEFTOVERS, repeat=st.integers(1, 2))
def test_a_template_kept_for_one_part_is_in_no_other(sizes, seed, leftover, repeat) -> None:
    items = items_of(sizes, repeat)
    split = split_by_template(items, SplitPlan(seed=seed, leftover=leftover))
    results = {}
    for item in items:
        if split.parts[item.id] is not None:
            results.setdefault(item.template, set()).add(split.parts[item.id])
    for template, home in split.template_parts.items():
        assert home in results[template], "a template is at its home, whatever its size"
        if home != "train":
            assert results[template] == {home}


@given(sizes=SIZES, seed=SEEDS, leftover=LEFTOVERS)
def test_seen_means_that_train_holds_the_template(sizes, seed, leftover) -> None:
    items = items_of(sizes)
    split = split_by_template(items, SplitPlan(seed=seed, leftover=leftover))
    known = {item.template for item in items if split.parts[item.id] == "train"}
    for item in items:
        assert (item.template in known) == (split.template_parts[item.template] == "train")


@given(sizes=SIZES, seed=SEEDS)
def test_moving_loses_nothing_and_dropping_only_what_is_kept_elsewhere(sizes, seed) -> None:
    items = items_of(sizes)
    by_moving = split_by_template(items, SplitPlan(seed=seed))
    dropped = split_by_template(items, SplitPlan(seed=seed, leftover="drop"))
    assert set(by_moving.parts.values()) <= set(PARTS)
    assert set(by_moving.parts) == {item.id for item in items}
    for item in items:
        home = dropped.template_parts[item.template]
        stays = home in ("train", dropped.by_question[item.id])
        expected = dropped.by_question[item.id] if stays else None
        assert dropped.parts[item.id] == expected
        assert by_moving.parts[item.id] == (expected or home)


@given(templates=st.integers(5, 60), seed=SEEDS)
def test_train_keeps_sixty_percent_of_the_templates_the_others_eighty(templates, seed) -> None:
    items = items_of([5] * templates)
    split = split_by_template(items, SplitPlan(seed=seed))
    shares = {
        part: {item.template for item in items if split.parts[item.id] == part} for part in PARTS
    }
    count = round(0.2 * templates)
    assert len(shares["train"]) == templates - 2 * count
    assert len(shares["validation"]) == len(shares["test"]) == templates - count
    assert shares["train"] <= shares["validation"]
    assert shares["validation"] & shares["test"] == shares["train"]


@given(sizes=st.lists(st.integers(2, 12), min_size=10, max_size=40), seed=SEEDS)
def test_questions_are_split_six_two_two(sizes, seed) -> None:
    split = split_by_template(items_of(sizes), SplitPlan(seed=seed))
    counts = Counter(split.by_question.values())
    for part, share in zip(PARTS, (0.6, 0.2, 0.2), strict=True):
        assert abs(counts[part] - share * sum(sizes)) <= 4


@given(sizes=SIZES, seed=SEEDS, order=st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(sizes, seed, order: random.Random) -> None:
    items = items_of(sizes, 2)
    split = split_by_template(items, SplitPlan(seed=seed))
    order.shuffle(items)
    assert split_by_template(items, SplitPlan(seed=seed)) == split


def test_another_seed_is_another_split() -> None:
    items = items_of([4] * 30)
    one, other = (split_by_template(items, SplitPlan(seed=seed)).parts for seed in (0, 1))
    assert one != other


@given(sizes=SIZES, seed=SEEDS)
def test_the_same_words_stay_together_and_tie_their_templates(sizes, seed) -> None:
    """One question with two golds: neither its words nor a template may be on both sides."""
    items = items_of(sizes)
    items += [SplitItem(f"again-{item.id}", item.wording, "shared") for item in items[:1]]
    split = split_by_template(items, SplitPlan(seed=seed))
    places = {}
    for item in items:
        places.setdefault(item.wording, set()).add(split.parts[item.id])
    assert all(len(result) == 1 for result in places.values())
    assert split.template_parts["shared"] == split.template_parts[items[0].template]


def test_odd_plans_are_refused() -> None:
    with pytest.raises(UsageError, match="parts"):
        SplitPlan(parts=(0, 5, 5))
    with pytest.raises(UsageError, match="unseen"):
        SplitPlan(unseen=0.5)


@pytest.mark.slow
@given(
    sizes=st.dictionaries(st.text("abcdef", min_size=1), st.integers(1, 90), min_size=2),
    seed=SEEDS,
)
def test_databases_are_halved_evenly_and_wholly(sizes, seed) -> None:
    halves = split_by_database(sizes, seed)
    assert set(halves) == set(sizes)
    assert set(halves.values()) == {"validation", "test"}
    totals = Counter()
    for db_id, part in halves.items():
        totals[part] += sizes[db_id]
    assert abs(totals["validation"] - totals["test"]) <= max(sizes.values())
    assert split_by_database(dict(reversed(sizes.items())), seed) == halves


def test_twenty_databases_come_out_almost_equal_and_differ_by_seed() -> None:
    sizes = {f"db{number}": 20 + 7 * number for number in range(20)}
    results = [split_by_database(sizes, seed) for seed in range(4)]
    for halves in results:
        half = sum(sizes[db] for db, part in halves.items() if part == "test")
        assert abs(2 * half - sum(sizes.values())) <= 20
    assert len({tuple(sorted(halves.items())) for halves in results}) > 1


def test_one_database_cannot_be_halved() -> None:
    with asks_for("cross_database"):
        split_by_database({"only": 9})


def test_joining_is_an_equivalence() -> None:
    result = joined([("c", "b"), ("d", "c"), ("x", "y")], "abcdxy")
    assert result == {"a": "a", "b": "b", "c": "b", "d": "b", "x": "x", "y": "x"}


@pytest.mark.slow
@given(things=st.lists(st.text(), unique=True), seed=SEEDS)
def test_an_order_of_chance_has_all_things_and_knows_no_input_order(things, seed) -> None:
    result = shuffled(things, seed, "x")
    assert sorted(result) == sorted(things)
    assert shuffled(list(reversed(things)), seed, "x") == result


def test_draws_keep_their_words_apart() -> None:
    assert draw(0, "ab", "c") != draw(0, "a", "bc")
    assert draw(0, "a") != draw(1, "a")
    assert id_digits(0, "a", "\ud800") != id_digits(0, "a")
