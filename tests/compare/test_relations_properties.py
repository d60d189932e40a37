"""Relations on random answers: what is made is found, what is claimed is true."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from itertools import permutations
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.relate import relate, verify_relation
from sqlverdict.records import Answer, Row

PAIR = QueryPair("SELECT * FROM t", "SELECT * FROM u")
ORDERED = QueryPair("SELECT * FROM t ORDER BY a", "SELECT * FROM u")
QUICK = settings(max_examples=80, deadline=None)

texts = st.text("abcXYZ äß%,.'0123456789-/", max_size=6)
numbers = st.integers(-2000, 2000) | st.integers(-99999, 99999).map(lambda n: n / 1000)
cells = st.none() | numbers | texts | st.binary(max_size=2)
# Few values: chance makes relations, and the proofs have to stand.
common: Any = st.sampled_from(
    [None, 0, 1, 2, 100, 0.01, 1.0, 1.4, 0.5, "1", "yes", "NO", "a", "A", " a", "a 1", "1%", b"a"]
)


def tables(
    cell: Any, *, width: tuple[int, int] = (1, 4), height: tuple[int, int] = (1, 7)
) -> st.SearchStrategy[list[Row]]:
    return st.integers(*width).flatmap(
        lambda w: st.lists(st.tuples(*[cell] * w), min_size=height[0], max_size=height[1])
    )


def check(gold: list[Row], prediction: list[Row], pair: QueryPair = PAIR) -> dict[str, Any]:
    """The relations by kind; every proof is JSON and is accepted."""
    left, right = Answer((), gold), Answer((), prediction)
    results = {}
    for relation in relate(left, right, pair):
        assert json.loads(json.dumps(relation.detail, allow_nan=False)) == relation.detail
        assert verify_relation(relation, left, right, pair), relation
        results[relation.kind] = relation.detail
    return results


def disguised(data: st.DataObject, rows: list[Row], *, extra: bool = True) -> list[Row]:
    """The rows in another order, the columns too, with columns put between."""
    order = data.draw(st.permutations(range(len(rows[0]))))
    more = data.draw(st.integers(0, 2)) if extra else 0
    answer = [
        (*(row[index] for index in order), *(f"extra {n} {m}" for m in range(more)))
        for n, row in enumerate(rows)
    ]
    order = data.draw(st.permutations(range(len(answer[0]))))
    answer = [tuple(row[index] for index in order) for row in answer]
    return data.draw(st.permutations(answer))


@QUICK
@given(tables(cells), st.data())
def test_columns_in_disguise_are_found(gold: list[Row], data: st.DataObject) -> None:
    prediction = disguised(data, gold)
    result = check(gold, prediction)
    mirrored = check(prediction, gold)
    if len(prediction[0]) > len(gold[0]):
        assert list(result) == ["extra_columns"]
        assert list(mirrored) == ["missing_columns"]
    elif Counter(gold) != Counter(prediction):
        assert list(result) == list(mirrored) == ["column_permutation"]
    else:
        assert result == mirrored == {}


@QUICK
@given(tables(cells, height=(2, 7)), st.data())
def test_order_is_found(gold: list[Row], data: st.DataObject) -> None:
    prediction = data.draw(st.permutations(gold))
    assume(gold != prediction)
    assert list(check(gold, prediction, ORDERED)) == ["order_only"]


@QUICK
@given(tables(cells, height=(2, 7)), st.data())
def test_parts_are_found(gold: list[Row], data: st.DataObject) -> None:
    count = data.draw(st.integers(1, len(gold) - 1))
    part = disguised(data, gold, extra=False)[:count]
    result, mirrored = check(gold, part), check(part, gold)
    if "duplicates_only" in result:
        assert "duplicates_only" in mirrored
    else:
        assert "row_subset" in result
        # Rows of zero are a superset that says more.
        assert {"row_superset", "zero_rows"} & mirrored.keys()


@QUICK
@given(tables(cells), st.data())
def test_repetitions_are_found(gold: list[Row], data: st.DataObject) -> None:
    repeated = [*gold, *data.draw(st.lists(st.sampled_from(gold), min_size=1, max_size=4))]
    prediction = disguised(data, repeated, extra=False)
    assert list(check(gold, prediction)) == ["duplicates_only"]
    assert list(check(prediction, gold)) == ["duplicates_only"]


def rounded(number: float, digits: int) -> float:
    return float(Decimal(repr(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


@QUICK
@given(tables(numbers), st.integers(0, 2), st.data())
def test_rounding_is_found(fine: list[Row], digits: int, data: st.DataObject) -> None:
    coarse: list[Row] = [(rounded(row[0], digits), *row[1:]) for row in fine]  # type: ignore[arg-type]
    prediction = disguised(data, coarse)
    result = check(fine, prediction)
    assume("extra_columns" not in result and "column_permutation" not in result)
    if Counter(coarse) != Counter(fine):
        assert list(result) == ["rounding"]
        assert list(check(prediction, fine)) == ["rounding"]


@QUICK
@given(
    tables(numbers.filter(bool)),
    st.sampled_from([100, 0.01, 1000, 0.001, 60, 1 / 60]),
    st.data(),
)
def test_scale_is_found(gold: list[Row], factor: float, data: st.DataObject) -> None:
    scaled: list[Row] = [(row[0] * factor, *row[1:]) for row in gold]  # type: ignore[operator]
    prediction = disguised(data, scaled)
    result = check(gold, prediction)
    assume(not {"extra_columns", "column_permutation", "rounding"} & result.keys())
    assert list(result) == ["scale"]
    assert list(check(prediction, gold)) == ["scale"]


spellings: Any = st.one_of(
    st.tuples(
        st.integers(-9, 99999), st.sampled_from(["{}", "{}.0", " {}", "{:,}", "{}%", "{} %"])
    ),
    st.tuples(
        st.dates(min_value=date(1800, 1, 1)),
        st.sampled_from(["{:%Y-%m-%d}", "{:%Y/%m/%d}", "{:%d %B %Y}", "{:%b %d, %Y}", "{}T00:00"]),
    ),
    st.tuples(st.text("abcdef xyz", max_size=8), st.sampled_from(["{}", " {} ", "{}\n"])),
)


@QUICK
@given(st.lists(st.tuples(spellings, cells), min_size=1, max_size=6), st.data())
def test_spellings_are_found(values: list[Any], data: st.DataObject) -> None:
    def plain(value: Any) -> Any:
        return value if isinstance(value, int | str) else value.isoformat()

    gold: list[Row] = [(plain(value), other) for (value, _), other in values]
    forms: list[Row] = [(form.format(value), other) for (value, form), other in values]
    prediction = disguised(data, forms)
    result = check(gold, prediction)
    assume(not {"extra_columns", "column_permutation", "duplicates_only"} & result.keys())
    if Counter(gold) != Counter(forms):
        assert list(result) == ["formats"]
        assert list(check(prediction, gold)) == ["formats"]


@QUICK
@given(
    st.lists(st.tuples(st.booleans(), cells), min_size=1, max_size=6),
    st.sampled_from([("yes", "no"), ("True", "False"), ("Y", "N"), ("t", "f")]),
    st.sampled_from([(1, 0), ("1", "0"), (7, 0), ("true", "false")]),
    st.data(),
)
def test_yes_and_no_are_found(
    truths: list[Any], words: tuple[str, str], others: tuple[Any, Any], data: st.DataObject
) -> None:
    assume(words[0].lower() != others[0])
    gold: list[Row] = [(words[0] if truth else words[1], cell) for truth, cell in truths]
    prediction: list[Row] = [(others[0] if truth else others[1], cell) for truth, cell in truths]
    prediction = disguised(data, prediction)
    result = check(gold, prediction)
    assume(not {"extra_columns", "column_permutation"} & result.keys())
    assert "yes_no" in result


@QUICK
@given(st.lists(numbers, min_size=2, max_size=8), st.sampled_from([sum, max, min, len]))
def test_what_is_computed_from_a_list_is_found(values: list[float], function: Any) -> None:
    gold: list[Row] = [(value,) for value in values]
    assert "sum_of_list" in check(gold, [(function(values),)]) or len(set(values)) == 1
    assert "sum_of_list" in check([(function(values),)], gold) or len(set(values)) == 1


@QUICK
@given(st.lists(cells, min_size=2, max_size=6), st.data())
def test_transposing_is_found(values: list[Any], data: st.DataObject) -> None:
    column: list[Row] = [(value,) for value in data.draw(st.permutations(values))]
    assert "transposed" in check([tuple(values)], column)
    assert "transposed" in check(column, [tuple(values)])


@QUICK
@given(
    tables(st.text("abc", min_size=1, max_size=3) | st.integers(0, 99), width=(2, 4)),
    st.sampled_from([" ", ", ", "-", "", " | "]),
    st.data(),
)
def test_joining_is_found(gold: list[Row], separator: str, data: st.DataObject) -> None:
    count = data.draw(st.integers(2, len(gold[0])))
    joined: list[Row] = [
        (separator.join(str(cell) for cell in row[:count]), *row[count:]) for row in gold
    ]
    prediction = disguised(data, joined, extra=False)
    result = check(gold, prediction)
    assume("missing_columns" not in result)
    # Digits joined without a separator can be read as another spelling of one part.
    assert list(result) == ["concatenated"] or "formats" in result
    check(prediction, gold)


@settings(max_examples=400, deadline=None)
@given(tables(common, width=(1, 3), height=(1, 4)), tables(common, width=(1, 3), height=(1, 4)))
def test_every_claim_stands(gold: list[Row], prediction: list[Row]) -> None:
    check(gold, prediction)
    check(gold, prediction, ORDERED)


@settings(max_examples=300, deadline=None)
@given(
    tables(st.integers(0, 2), width=(1, 3), height=(1, 3)),
    tables(st.integers(0, 2), width=(1, 4), height=(1, 3)),
)
def test_column_maps_agree_with_trying_all(gold: list[Row], prediction: list[Row]) -> None:
    def exists(narrow: list[Row], wide: list[Row]) -> bool:
        return any(
            Counter(narrow) == Counter(tuple(row[index] for index in places) for row in wide)
            for places in permutations(range(len(wide[0])), len(narrow[0]))
        )

    result = check(gold, prediction)
    width, other = len(gold[0]), len(prediction[0])
    assert ("extra_columns" in result) == (width < other and exists(gold, prediction))
    assert ("missing_columns" in result) == (width > other and exists(prediction, gold))
    assert ("column_permutation" in result) == (
        width == other and Counter(gold) != Counter(prediction) and exists(gold, prediction)
    )
