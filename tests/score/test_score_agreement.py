"""Agreement with people: figures by hand, their limits, and the published ones."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.score.agreement.agreement import Confusion, RatedCase, agreement, confusion
from sqlverdict.score.agreement.annotators import (
    annotator_agreement,
    cohen_kappa,
    fleiss_kappa,
)
from sqlverdict.score.agreement.power import compare_metrics, labels_needed
from sqlverdict.score.statistics.significance import mcnemar


def rated(*items: tuple[int, int | None, int | None]) -> list[RatedCase]:
    """From (people, metric, results match)."""
    return [
        RatedCase(
            str(number),
            bool(label),
            None if opinion is None else bool(opinion),
            None if equal is None else bool(equal),
        )
        for number, (label, opinion, equal) in enumerate(items)
    ]


def test_figures_by_hand() -> None:
    # 39 both right, 11 and 10 wrong calls, 40 both wrong: chance agrees on exactly one half.
    result = Confusion(tp=39, fp=11, fn=10, tn=40)
    assert result.accuracy == 0.79
    assert result.kappa == 0.58
    assert result.mcc == pytest.approx((39 * 40 - 110) / sqrt(50 * 49 * 51 * 50))
    # 20 of 25 right calls, 15 of 25 wrong ones: accuracy 0.7, chance 0.5.
    assert Confusion(tp=20, fp=10, fn=5, tn=15).kappa == pytest.approx(0.4)


def test_no_figure_is_made_up() -> None:
    assert (Confusion().accuracy, Confusion().kappa, Confusion().mcc) == (None, None, None)
    only_right = Confusion(tp=5)
    assert (only_right.accuracy, only_right.kappa, only_right.mcc) == (1.0, None, None)
    # People say both, the metric one thing: kappa is 0, MCC has no meaning.
    assert Confusion(tp=5, fp=5).kappa == 0.0
    assert Confusion(tp=5, fp=5).mcc is None


def test_halves_and_unscored_cases() -> None:
    items = rated((1, 1, 1), (0, 1, 1), (1, None, 1), (0, 0, 0), (1, 0, 0), (1, 1, None))
    result = agreement("ex", items, calls=3)
    assert (result.n, result.unscored, result.fp, result.fn, result.calls) == (5, 1, 1, 1, 3)
    assert (result.eq_accuracy, result.neq_accuracy) == (0.5, 0.5)
    assert (result.eq_n, result.neq_n) == (2, 2)
    assert result.accuracy == 0.6


def test_an_unscored_case_is_never_a_wrong_one() -> None:
    without = agreement("m", rated((1, 1, 1), (0, 0, 0)))
    with_one = agreement("m", rated((1, 1, 1), (0, 0, 0), (1, None, 1)))
    assert with_one.accuracy == without.accuracy == 1.0
    assert with_one.kappa == without.kappa == 1.0
    nothing = agreement("m", rated((1, None, 1)))
    assert (nothing.kappa, nothing.accuracy, nothing.n, nothing.intervals) == (None, None, 0, {})


def test_intervals_hold_the_figure_and_come_from_the_seed() -> None:
    items = rated(*[(1, 1, 1)] * 39, *[(0, 1, 1)] * 11, *[(1, 0, 0)] * 10, *[(0, 0, 0)] * 40)
    result = agreement("ex", items, seed=1)
    low, high = result.intervals["kappa"]
    assert low < 0.58 < high
    assert high - low == pytest.approx(0.32, abs=0.06)  # 2 * 1.96 * sqrt(.79 * .21 / 100) / .5
    assert agreement("ex", list(reversed(items)), seed=1) == result
    assert agreement("ex", items, seed=2).intervals != result.intervals


counts = st.integers(0, 40)


@given(counts, counts, counts, counts)
def test_kappa_is_the_general_kappa_and_symmetric(tp: int, fp: int, fn: int, tn: int) -> None:
    pairs = [(1.0, 1.0)] * tp + [(1.0, 0.0)] * fp + [(0.0, 1.0)] * fn + [(0.0, 0.0)] * tn
    result = Confusion(tp, fp, fn, tn)
    assert result.kappa == cohen_kappa(pairs)
    assert result.kappa == Confusion(tp, fn, fp, tn).kappa
    if result.kappa is not None:
        assert -1 <= result.kappa <= 1
        assert (result.kappa == 1) == (fp + fn == 0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=30))
def test_counting(pairs: list[tuple[bool, bool]]) -> None:
    result = confusion(
        RatedCase(str(n), label, opinion) for n, (label, opinion) in enumerate(pairs)
    )
    assert result.n == len(pairs)
    assert result.tp + result.fn == sum(label for label, _ in pairs)
    assert result.fp == sum(opinion and not label for label, opinion in pairs)


def test_fleiss_by_hand() -> None:
    # P = (1 + 1/3) / 2, e = (4/6)^2 + (2/6)^2 = 5/9.
    assert fleiss_kappa([(1, 1, 1), (1, 0, 0)]) == pytest.approx(0.25)
    # Fleiss' own worked example, 10 subjects, 14 raters, 5 categories: 0.210.
    table = [
        (0, 0, 0, 0, 14),
        (0, 2, 6, 4, 2),
        (0, 0, 3, 5, 6),
        (0, 3, 9, 2, 0),
        (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0),
        (3, 2, 6, 3, 0),
        (2, 5, 3, 2, 2),
        (6, 5, 2, 1, 0),
        (0, 2, 2, 3, 7),
    ]
    rows = [[float(j) for j, n in enumerate(row) for _ in range(n)] for row in table]
    assert fleiss_kappa(rows) == pytest.approx(0.210, abs=5e-4)
    assert fleiss_kappa([(1, 1), (1, 1)]) is None
    assert fleiss_kappa([]) is None
    with pytest.raises(UsageError, match="Fleiss"):
        fleiss_kappa([(1, 1), (1,)])


def test_two_raters_of_fleiss_agree_on_all_or_on_nothing() -> None:
    assert fleiss_kappa([(1, 1), (0, 0)]) == 1.0
    assert fleiss_kappa([(1, 0), (0, 1)]) == -1.0


def test_annotators_with_missing_votes() -> None:
    rows: list[tuple[list[float | None], bool | None]] = [
        ([1, 1, 1], True),
        ([0, 0, 1], True),
        ([0, 0, 0], False),
        ([1, None, 1], False),
    ]
    result = annotator_agreement(("a", "b", "c"), rows)
    assert result is not None
    assert (result.n, result.incomplete, result.unanimous) == (3, 1, 2)
    assert [(pair.a, pair.b, pair.n) for pair in result.pairs] == [
        ("a", "b", 3),
        ("a", "c", 4),
        ("b", "c", 3),
    ]
    assert result.pairs[0].kappa == 1.0
    assert result.fleiss_neq is None
    assert annotator_agreement(("a",), [([1.0], None)]) is None


def test_labels_needed_by_hand() -> None:
    # d = 0.08, s = 0.16: (1.95996 * 0.4 + 0.84162 * sqrt(0.1536))^2 / 0.0064 = 193.9
    assert labels_needed(4, 12, 100) == 194
    assert labels_needed(12, 4, 100) == 194
    assert labels_needed(5, 5, 100) is None
    assert labels_needed(0, 0, 100) is None
    with pytest.raises(UsageError, match="60 and 60"):
        labels_needed(60, 60, 100)
    with pytest.raises(UsageError, match="alpha"):
        labels_needed(1, 2, 100, power=1.0)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(60, 400))
def test_more_power_needs_more_labels_and_never_too_few(b: int, c: int, n: int) -> None:
    few, many = labels_needed(b, c, n, power=0.5), labels_needed(b, c, n, power=0.95)
    assert (few is None) == (many is None) == (b == c)
    if few is not None and many is not None:
        assert few <= many
        # At that size all of the differing cases on one side must be significant at all.
        differing = round(few * (b + c) / n)
        assert mcnemar(0, differing + 1) < 0.05


def test_two_metrics_on_the_same_labels() -> None:
    labels = [1] * 20 + [0] * 20
    good = [1] * 20 + [0] * 20
    bad = [1] * 20 + [1] * 12 + [0] * 8
    a = rated(*((label, opinion, None) for label, opinion in zip(labels, bad, strict=True)))
    b = rated(*((label, opinion, None) for label, opinion in zip(labels, good, strict=True)))
    result = compare_metrics(("bad", a), ("good", b))
    assert (result.n, result.only_a, result.only_b, result.difference) == (40, 0, 12, 0.3)
    assert result.p_value == mcnemar(0, 12)
    assert result.kappa_difference == pytest.approx(1 - 0.4)
    assert result.low is not None
    assert result.low > 0
    assert result.more_labels == 0


def test_only_cases_that_both_scored_are_compared() -> None:
    a = rated((1, 1, None), (1, None, None), (0, 0, None))
    b = rated((1, 1, None), (1, 1, None), (0, None, None))
    result = compare_metrics(("a", a), ("b", b))
    assert (result.n, result.only_a, result.only_b, result.labels_needed) == (1, 0, 0, None)
    nothing = compare_metrics(("a", rated((1, None, None))), ("b", rated((1, 1, None))))
    assert (nothing.n, nothing.p_value) == (0, None)


@pytest.mark.data
def test_the_published_half(data_root: Path) -> None:
    lines = (data_root / "flex" / "agreement_half.jsonl").read_text().splitlines()
    pairs = [json.loads(line) for line in lines]
    equal = [pair["set"] == "EQ" for pair in pairs]

    def against(field: str) -> tuple[str, str, float | None, float | None]:
        items = [
            RatedCase(str(n), bool(pair["human"]), bool(pair[field]), equal[n])
            for n, pair in enumerate(pairs)
        ]
        result = agreement(field, items)
        assert result.kappa is not None
        assert result.accuracy is not None
        return (
            f"{result.kappa * 100:.2f}",
            f"{result.accuracy * 100:.1f}",
            result.eq_accuracy,
            result.neq_accuracy,
        )

    assert against("ex") == ("58.00", "79.0", 0.78, 0.8)
    assert against("gpt4o") == ("86.02", "93.0", 0.88, 0.98)
    people = annotator_agreement(
        ("a", "b", "c"), [(pair["votes"], match) for pair, match in zip(pairs, equal, strict=True)]
    )
    assert people is not None
    assert people.fleiss == pytest.approx(0.8133, abs=5e-5)
