"""Labels of pairs that were drawn with different probabilities count for as many as they stand for.

The oracle: a label of weight 3 is three labels that say the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import mean

import pytest
from msgspec import structs

from drawn_votes import cases
from label_runs import write_run
from sqlverdict.confidence.counts import LabelSet, by_step
from sqlverdict.confidence.model import NO_LABELS
from sqlverdict.errors import UsageError
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.load.people.weights import BY_RANK, WEIGHTED, weighted_labels
from sqlverdict.records import Result
from sqlverdict.report.agreement.agreement import compare_with_labels
from sqlverdict.score.agreement.agreement import FIGURES, RatedCase, agreement
from sqlverdict.score.agreement.annotators import annotator_agreement, mode_agreement
from sqlverdict.score.agreement.combined import combine_judges
from sqlverdict.score.agreement.power import compare_metrics
from sqlverdict.score.calibration import (
    LabelledResult,
    label_calibration,
    label_counts,
    with_own,
)


def random_ratings(random: Random, number: int) -> list[RatedCase]:
    return [
        RatedCase(
            f"q{n}",
            random.random() < 0.6,
            random.random() < 0.5,
            random.choice([True, False]),
            random.choice([1, 3]),
        )
        for n in range(number)
    ]


def repeats_of(items: Iterable[RatedCase]) -> list[RatedCase]:
    return [
        replace(item, id=f"{item.id}#{turn}", weight=1)
        for item in items
        for turn in range(int(item.weight))
    ]


@pytest.mark.parametrize("seed", range(5))
def test_every_figure_is_that_of_repeated_cases(seed: int) -> None:
    first = random_ratings(Random(seed), 40)
    own, oracle = agreement("m", first), agreement("m", repeats_of(first))
    for name in FIGURES:
        assert getattr(own, name) == pytest.approx(getattr(oracle, name)), name
        low, high = own.intervals[name]
        assert low <= getattr(own, name) <= high
        wide, narrow = high - low, oracle.intervals[name][1] - oracle.intervals[name][0]
        assert wide > narrow, "weights are no labels"
    assert (own.n, own.tp + own.tn + own.fp + own.fn) == (40, 40)
    other = [replace(item, opinion=not item.opinion if n % 3 else item.opinion)
             for n, item in enumerate(first)]  # fmt: skip
    gap = compare_metrics(("a", first), ("b", other))
    same = compare_metrics(("a", repeats_of(first)), ("b", repeats_of(other)))
    assert gap.difference == pytest.approx(same.difference)
    assert gap.kappa_difference == pytest.approx(same.kappa_difference)
    assert (gap.n, gap.p_value, gap.labels_needed) == (40, None, None)


def test_annotators_modes_and_judges_are_those_of_repeated_cases() -> None:
    random = Random(3)
    weights = [random.choice([1, 3]) for _ in range(30)]
    rows = [([float(random.random() < 0.6) for _ in range(3)], n % 2 == 0) for n in range(30)]
    many = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    own = annotator_agreement(("a", "b", "c"), rows, weights)
    oracle = annotator_agreement(("a", "b", "c"), many)
    assert own is not None
    assert oracle is not None
    for name in ("fleiss", "fleiss_eq", "fleiss_neq"):
        assert getattr(own, name) == pytest.approx(getattr(oracle, name))
    assert [pair.kappa for pair in own.pairs] == pytest.approx([p.kappa for p in oracle.pairs])
    assert (own.n, own.pairs[0].n) == (30, 30)
    both = mode_agreement([(row[0], row[1]) for row, _ in rows], weights)
    each = mode_agreement([(row[0], row[1]) for row, _ in many])
    assert both is not None
    assert each is not None
    assert (both.same, both.kappa) == pytest.approx((each.same, each.kappa))
    opinions = [[vote == 1 for vote in row] for row, _ in rows]
    labels = [random.random() < 0.5 for _ in rows]
    groups = [n % 6 for n in range(30)]

    def repeat(values: list) -> list:
        return [v for v, weight in zip(values, weights, strict=True) for _ in range(weight)]

    opinion = combine_judges("weighted", opinions, labels, groups, weights)
    assert repeat(opinion) == combine_judges(
        "weighted", repeat(opinions), repeat(labels), repeat(groups)
    )


def labels_by_draw(
    results: Iterable[Result], size: dict[str, int], number: dict[str, int]
) -> list[Label]:
    """A label of each, right where its case is: the first ones of each stratum."""
    left = dict(number)
    items = []
    for case in results:
        name = case.situation
        if left[name]:
            left[name] -= 1
            right = case.index % 8 < 5
            items.append(Label(case.id, int(right), float(right), stratum=f"match, {name}",
                               stratum_size=size[name],
                               sampling_probability=number[name] / size[name]))  # fmt: skip
    return items


SIZES = dict.fromkeys(("proved", "match", "difference", "odd_witness"), 30)
UNEVEN = {"proved": 30, "match": 5, "difference": 10, "odd_witness": 15}


def labels_of(items: Iterable[Label]) -> Labels:
    return Labels(Path("votes.jsonl"), "x", tuple(items))


def test_agree_weighs_labels_of_the_usual_queue(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", cases())
    report = compare_with_labels(run, labels_of(labels_by_draw(cases(), SIZES, UNEVEN)))
    shares = {
        name: mean(
            item.value or 0
            for item in labels_by_draw(cases(), SIZES, UNEVEN)
            if item.stratum.endswith(name)
        )
        for name in SIZES
    }
    # Each case matches, so that ex is right as often as people say so; each stratum is a fourth.
    assert report.metrics["ex"].accuracy == pytest.approx(mean(shares.values()))
    assert report.metrics["ex"].n == 60
    assert WEIGHTED in report.notes


def test_labels_that_were_drawn_alike_are_as_they_were(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", cases())
    even = labels_of(labels_by_draw(cases(), SIZES, dict.fromkeys(SIZES, 10)))
    plain = labels_of(replace(i, stratum="", sampling_probability=None) for i in even.items)
    assert weighted_labels(even) is not None
    assert compare_with_labels(run, even).as_record() == compare_with_labels(run, plain).as_record()


def test_a_queue_that_grew_has_the_probabilities_of_its_last_size() -> None:
    small, large = UNEVEN, {name: 2 * n for name, n in UNEVEN.items()} | {"proved": 30}
    whole = labels_by_draw(cases(), SIZES, large)
    first = {item.id: item for item in labels_by_draw(cases(), SIZES, small)}
    longer = weighted_labels(labels_of(first.get(item.id, item) for item in whole))
    assert [i.weight for i in longer.items] == [
        i.weight for i in weighted_labels(labels_of(whole)).items
    ]
    assert mean(item.weight for item in longer.items) == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"stratum": "needs_review"}, "several queues"),
        ({"stratum": "proved"}, "several queues"),
        ({"sampling_probability": None}, "no probability"),
        ({"stratum_size": 31}, "several sizes"),
        ({"stratum": ""}, "without a queue"),
    ],
)
def test_labels_that_cannot_be_weighed_are_refused(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    items = labels_by_draw(cases(), SIZES, UNEVEN)
    some = labels_of([replace(items[0], **change), *items[1:]])  # type: ignore[arg-type]
    run = write_run(tmp_path / "run", cases())
    with pytest.raises(UsageError, match=words):
        compare_with_labels(run, some)


def test_pairs_that_were_chosen_by_rank_speak_for_themselves(tmp_path: Path) -> None:
    items = [
        replace(item, stratum="suspected_gold", sampling_probability=None)
        for item in labels_by_draw(cases(), SIZES, UNEVEN)
    ]
    run = write_run(tmp_path / "run", cases())
    assert BY_RANK in compare_with_labels(run, labels_of(items)).notes


REAL = {
    "proved": "proved", "match": "match", "difference": "minor_difference",
    "odd_witness": "generated_near",
}  # fmt: skip
"""Situations that have a rate; the last two share one."""


def own_labels(weights: dict[str, int]) -> list[LabelledResult]:
    """Four situations; those of one step are right to different shares."""
    return [
        LabelledResult(
            "ours",
            structs.replace(case, question=f"{case.id}?", situation=REAL[case.situation]),
            case.index % (3 + case.index % 4) == 0,
            weights[case.situation],
        )
        for case in cases()
    ]


def test_calibration_weighs_bins_counts_and_rates() -> None:
    weights = {"proved": 1, "match": 3, "difference": 3, "odd_witness": 1}
    own = own_labels(weights)
    many = [
        replace(one, weight=1, result=structs.replace(one.result, question=f"{one.result.id} {n}"))
        for one in own
        for n in range(int(one.weight))
    ]
    forecasts = [(0.1 * (n % 9), one.right) for n, one in enumerate(own)]
    repeats = [
        each for each, one in zip(forecasts, own, strict=True) for _ in range(int(one.weight))
    ]
    table = label_calibration(forecasts, [one.weight for one in own])
    oracle = label_calibration(repeats)
    assert table.error == pytest.approx(oracle.error)
    assert [(b.predicted, b.right) for b in table.bins] == [
        (pytest.approx(b.predicted), pytest.approx(b.right)) for b in oracle.bins
    ]
    assert sum(b.cases for b in table.bins) == len(own)
    counts, others = label_counts(own), label_counts(many)
    for cell, sets in counts.items():
        assert sets["ours"].rate == pytest.approx(others[cell]["ours"].rate, abs=1e-3)
    assert sum(sets["ours"].labels for sets in counts.values()) == pytest.approx(len(own))
    for mine, theirs in zip(by_step(counts), by_step(others), strict=True):
        if mine:
            assert mine["ours"].rate == pytest.approx(theirs["ours"].rate, abs=1e-3)
            assert mine["ours"].questions == pytest.approx(mine["ours"].labels)


def test_a_rare_situation_with_own_labels_keeps_its_probability() -> None:
    weights = {"proved": 1, "match": 1, "difference": 2000, "odd_witness": 1}
    own = own_labels(weights)
    model = with_own(NO_LABELS, own, LabelSet("ours", "", len(own), "sqlite"))
    assert all(model.has_labels(name) for name in REAL.values())


def test_two_seeds_of_one_queue_are_two_draws() -> None:
    whole = labels_by_draw(cases(), SIZES, UNEVEN)
    items = [replace(item, queue="stratified, seed 1, n 20") for item in whole]
    assert weighted_labels(labels_of(items)).notes == (WEIGHTED,)
    items[0] = replace(items[0], queue="stratified, seed 2, n 20")
    with pytest.raises(UsageError, match="several queues"):
        weighted_labels(labels_of(items))
