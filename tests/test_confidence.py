"""Probabilities from counts of labels: by hand, in a file, refused where they are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.confidence import (
    NO_LABELS,
    Model,
    built_in,
    cell_of,
    count,
    read_models,
    write_models,
)
from sqlverdict.errors import UsageError
from sqlverdict.evidence import Related, Relation, Tested
from sqlverdict.evidence_parts import GeneratedRelation
from sqlverdict.policies import POLICIES, RESULTS
from sqlverdict.situations import Situation

EXTRA = Related("compare", relations=(Relation("extra_columns"),))
UNSEEN = Related("compare", generated=GeneratedRelation(50, "permuted", "same", 1.0))


def labels(
    cell: str, right: int, wrong: int, name: str = "ours"
) -> list[tuple[str, str, bool, float]]:
    return [(cell, name, True, 1.0)] * right + [(cell, name, False, 1.0)] * wrong


def test_probabilities_can_be_redone_by_hand() -> None:
    results = [*labels("difference/scale", 3, 1), *labels("difference", 0, 4)]
    model = Model(cells=count([*results, *labels("failed", 0, 8), *labels("match", 9, 0)]))
    alike = ("difference", "failed")
    wrong = (3 + 1) / (16 + 2)
    situation = (3 + 4 * wrong) / (8 + 4)
    assert model.p_right("difference", alike) == pytest.approx(situation)
    assert model.p_right("difference/scale", alike) == pytest.approx((3 + 4 * situation) / (4 + 4))
    assert model.p_right("difference/never_seen", alike) == pytest.approx(situation)
    assert model.p_right("match", ["match"]) == pytest.approx((9 + 4 * 10 / 11) / (9 + 4))


def test_a_situation_without_labels_is_as_probable_as_its_decision() -> None:
    model = Model(cells=count([*labels("failed", 0, 8), *labels("match", 9, 0)]))
    assert model.p_right("gold_suspect", ("failed", "gold_suspect")) == pytest.approx(1 / 10)
    assert model.p_right("gold_suspect", ["gold_suspect"]) == 0.5
    assert model.p_right("gold_suspect") == 0.5


def test_what_a_judge_says_is_not_counted_twice() -> None:
    results = [*labels("difference", 1, 1), *labels("difference/judged_right", 1, 0)]
    model = Model(cells=count(results))
    assert model.priors() == {}
    assert model.cells["difference"]["ours"] == (1.0, 2.0)
    assert model.p_right("difference/judged_right") > model.p_right("difference")


def test_without_labels_nothing_is_stated() -> None:
    assert NO_LABELS.expect("match") == (None, None)


def test_cells_are_named_after_what_shows_first() -> None:
    assert cell_of("difference", [EXTRA]) == "difference/extra_columns"
    assert cell_of("generated_near", [UNSEEN]) == "generated_near/permuted"
    assert cell_of("difference", [EXTRA], True) == "difference/judged_right"
    assert cell_of("match", [Tested("compare")]) == "match"


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=4))
def test_probabilities_and_deviations_are_in_bounds(sets: list[tuple[int, int]]) -> None:
    results = [
        one
        for number, (right, wrong) in enumerate(sets)
        for one in labels("match", right, wrong, f"set {number}")
    ]
    model = Model(cells=count(results) or {"other": {"ours": (1.0, 1.0)}})
    p, deviation = model.expect("match")
    assert p is not None
    assert deviation is not None
    assert 0 < p < 1
    assert 0 < deviation < 1


def test_sets_that_differ_widen_what_is_stated() -> None:
    alike = Model(cells=count([*labels("match", 50, 50, "a"), *labels("match", 50, 50, "b")]))
    apart = Model(cells=count([*labels("match", 90, 10, "a"), *labels("match", 10, 90, "b")]))
    assert alike.p_right("match") == apart.p_right("match")
    assert apart.deviation("match") > 3 * alike.deviation("match")


def test_beside_own_labels_the_others_count_as_a_few() -> None:
    results = [*labels("difference", 60, 140, "a"), *labels("difference", 20, 180, "b")]
    cells = count([*results, *labels("difference", 9, 1, "ours")])
    others = 5 * 80 / 400
    decision = (9 + others + 1) / (10 + 5 + 2)
    model = Model(cells=cells, own="ours")
    by_hand = (9 + others + 4 * decision) / (10 + 5 + 4)
    assert model.p_right("difference", ["difference"]) == pytest.approx(by_hand)
    assert Model(cells=cells).p_right("difference", ["difference"]) < 0.25
    assert model.priors() == {"difference": (89, 410)}, (
        "what a judge reads are the labels themselves"
    )


def test_few_other_labels_and_none_count_in_full() -> None:
    cells = count([*labels("match", 2, 1, "a"), *labels("failed", 0, 3, "ours")])
    model, alike = Model(cells=cells, own="ours"), ["match"]
    assert model.p_right("match", alike) == Model(cells=cells).p_right("match", alike)
    assert model.p_right("failed", ["failed"]) == Model(cells=cells).p_right("failed", ["failed"])


def test_the_packages_counts_serve_the_policies_that_judge() -> None:
    models = built_in()
    assert set(models) == set(POLICIES) - {RESULTS.name}
    for model in models.values():
        assert model.sets
        assert {cell.partition("/")[0] for cell in model.cells} <= set(Situation)
        assert sum(one.labels for one in model.sets) == sum(
            n for cell, sets in model.cells.items() if "/" not in cell for _, n in sets.values()
        )
    intent = models["intent"]
    assert intent.p_right("proved") > 0.95
    assert intent.p_right("failed") < 0.05


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    file = tmp_path / "counts.json"
    file.write_bytes(write_models(built_in()))
    assert read_models(file) == built_in()
    own = {"intent": Model(cells=count(labels("match", 3, 1)), own="ours")}
    file.write_bytes(write_models(own))
    assert read_models(file) == own


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"schema": 2, "policies": {}}',
        '{"schema": 1}',
        '{"schema": 1, "policies": {"intent": {"sets": [], "cells": {"a": {"b": [3, 2]}}}}}',
        '{"schema": 1, "policies": {"intent": {"sets": [], "cells": {"a": {"b": ["x", 2]}}}}}',
    ],
)
def test_what_is_no_model_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "counts.json"
    file.write_text(text)
    with pytest.raises(UsageError, match="holds no counts of labels"):
        read_models(file)
    with pytest.raises(UsageError, match="Expected a file that 'sqlverdict calibrate' wrote"):
        read_models(tmp_path / "nothing.json")


def test_the_counts_are_json_that_a_person_can_read() -> None:
    stored = json.loads(write_models(built_in()))
    assert stored["schema"] == 1
    assert stored["policies"]["intent"]["sets"][0]["about"]
