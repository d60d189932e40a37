"""Rankings that change with the metric, errors of metrics, and their figures."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from error_parts import refuses_data
from sqlverdict.errors import DataError, UsageError
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.records import Result
from sqlverdict.report.several_runs.metric_errors import errors_table, metric_errors
from sqlverdict.report.several_runs.ranks import (
    arrow,
    rank_parts_table,
    rank_sentence,
    ranks_table,
    read_types,
    rerank,
)
from sqlverdict.report.several_runs.ranks_figures import rank_figures
from sqlverdict.runlog.run import Run

MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]
LEVELS = ("simple", "challenging")


@pytest.fixture
def both(make_run: MakeRun, make_result: MakeResult) -> Callable[..., Run]:
    """A run from pairs of ex and flex."""

    def make(name: str, *pairs: tuple[float | None, float | None]) -> Run:
        results = [
            make_result(n, scores={"ex": ex, "flex": flex}, difficulty=LEVELS[n % 2])
            for n, (ex, flex) in enumerate(pairs)
        ]
        return make_run(name, results, metrics={"ex": 1, "flex": 1}, binary=("ex", "flex"))

    return make


@pytest.fixture
def three(both: Callable[..., Run]) -> list[Run]:
    # ex: a 3, b 2, c 1 of 4; flex: a 1, b 2, c 4.
    return [
        both("a", (1, 1), (1, 0), (1, 0), (0, 0)),
        both("b", (1, 1), (1, 1), (0, 0), (0, 0)),
        both("c", (1, 1), (0, 1), (0, 1), (0, 1)),
    ]


def test_ranks_values_and_changes_by_hand(three: list[Run]) -> None:
    order = rerank(three, "flex")
    assert [(s.system, s.rank, s.before, s.change) for s in order.shifts] == [
        ("c", 1, 3, 2),
        ("b", 2, 2, 0),
        ("a", 3, 1, -2),
    ]
    c, b, a = order.shifts
    assert (c.value, c.baseline, c.delta, c.fp, c.fn) == (1.0, 0.25, 0.75, 0.0, 0.75)
    assert (a.delta, a.fp, a.fn) == (-0.5, 0.5, 0.0)
    assert (b.delta, b.fp, b.fn) == (0.0, 0.0, 0.0)
    assert order.mean_delta == pytest.approx(0.25 / 3)
    assert order.mean_change == pytest.approx(4 / 3)
    assert order.largest_change == 2
    for shift in order.shifts:
        assert shift.delta == pytest.approx(shift.fn - shift.fp)


def test_equal_values_share_a_rank_and_the_next_one_is_skipped(both: Callable[..., Run]) -> None:
    runs = [both("a", (1, 1), (0, 0)), both("b", (0, 0), (1, 1)), both("c", (0, 0), (0, 0))]
    assert [(s.system, s.rank) for s in rerank(runs, "flex").shifts] == [
        ("a", 1),
        ("b", 1),
        ("c", 3),
    ]


def test_only_cases_scored_under_both_in_every_run_count(both: Callable[..., Run]) -> None:
    runs = [both("a", (1, 1), (1, None), (0, 1)), both("b", (1, 0), (1, 1), (0, 0))]
    order = rerank(runs, "flex")
    assert (order.cases, order.common) == (2, 3)
    assert [(s.system, s.value, s.baseline) for s in order.shifts] == [
        ("a", 1.0, 0.5),
        ("b", 0.0, 0.5),
    ]
    assert order.notes == ("1 common case unscored under a metric: left out",)


def test_types_and_difficulties(three: list[Run]) -> None:
    order = rerank(three, "flex", types={"a": "open", "c": "closed"})
    assert [(part.key, part.systems, part.value) for part in order.types] == [
        ("closed", 1, 1.0),
        ("open", 1, 0.25),
        ("untyped", 1, 0.5),
    ]
    simple, challenging = order.difficulties
    assert (simple.key, simple.cases, simple.systems) == ("simple", 2, 3)
    # simple: cases 0 and 2. a: FP on 2; c: FN on 2.
    assert simple.fp == simple.fn == pytest.approx(1 / 6)
    assert challenging.fn == pytest.approx(2 / 6)
    assert rerank(three, "flex").types == ()
    with pytest.raises(UsageError, match="'d'"):
        rerank(three, "flex", types={"d": "open"})


def test_tables_and_words(three: list[Run]) -> None:
    order = rerank(three, "flex", types={"a": "open", "b": "open", "c": "closed"})
    rows = ranks_table(order).rows
    assert rows[0] == ("1 (↑2)", "c", "closed", "100.00%", "25.00%", "+75.00", "0.00%", "75.00%")
    assert rows[2][0] == "3 (↓2)"
    assert arrow(0) == "-"
    assert "2 at most" in rank_sentence(order)
    assert rank_parts_table("type", order, order.types).rows[0][:3] == ("closed", "1", "4")


def test_what_cannot_be_ranked(three: list[Run], both: Callable[..., Run]) -> None:
    with pytest.raises(UsageError, match="baseline is ex"):
        rerank(three, "ex")
    with pytest.raises(UsageError, match="nothing to rank"):
        rerank([both("x", (1, None))], "flex")
    with pytest.raises(UsageError, match="'etm'"):
        rerank(three, "etm")


def test_types_are_read_from_words_and_files(tmp_path: Path) -> None:
    file = tmp_path / "types.json"
    file.write_text('{"a": "open"}')
    assert read_types([str(file), "x=y=closed"]) == {"a": "open", "x=y": "closed"}
    with pytest.raises(UsageError, match="'nothing'"):
        read_types(["nothing"])
    file.write_text('{"a": 1}')
    with refuses_data(DataError, "wrong_value", "types.json", "Expected `str`"):
        read_types([str(file)])


def test_figures_are_svg_of_what_there_is(three: list[Run]) -> None:
    plain = rank_figures(rerank(three, "flex"))
    assert set(plain) == {"flex_scores.svg", "flex_difficulties.svg"}
    typed = rerank(three, "flex", types={"a": "<open>"})
    figures = rank_figures(typed)
    assert set(figures) == {
        "flex_scores.svg",
        "flex_types.svg",
        "flex_types_errors.svg",
        "flex_difficulties.svg",
    }
    for svg in figures.values():
        root = ET.fromstring(svg)
        assert root.tag.endswith("svg")
    scores = figures["flex_scores.svg"]
    assert scores.count("<circle") >= 3
    assert "equal scores" in scores
    names = [text.text for text in ET.fromstring(scores).iter() if (text.text or "") in "abc"]
    assert {"a", "b", "c"} <= set(names)


def test_one_system_with_one_score_is_a_figure_too(both: Callable[..., Run]) -> None:
    order = rerank([both("a", (1, 1), (1, 1))], "flex")
    assert "<svg" in rank_figures(order)["flex_scores.svg"]


def test_errors_of_metrics_against_a_reference(make_run: MakeRun, make_result: MakeResult) -> None:
    scores = [(1, 1, 1), (1, 0, 0), (0, 0, 1), (0, None, 1), (1, 1, None)]
    results = [
        make_result(n, scores={"ex": ex, "esm": esm, "etm": etm})
        for n, (ex, esm, etm) in enumerate(scores)
    ]
    run = make_run("r", results, metrics={"ex": 1, "esm": 1, "etm": 1})
    result = metric_errors([run], reference="etm")
    ex, esm = result.errors
    assert (ex.metric, ex.n, ex.fp, ex.fn, ex.fp_rate, ex.fn_rate) == ("ex", 4, 1, 2, 0.25, 0.5)
    assert (esm.metric, esm.n, esm.unscored, esm.fp, esm.fn) == ("esm", 3, 1, 0, 1)
    assert errors_table(result).rows[0][:3] == ("r", "ex", "25.0%")
    people = Labels(Path("p"), "field", (Label("q0", 0, 0.0), Label("q1", None, 0.5)))
    (by_people,) = metric_errors([run], ["ex"], labels=people).errors
    assert (by_people.n, by_people.fp) == (1, 1)
    with pytest.raises(UsageError, match="reference"):
        metric_errors([run])
    other = make_run("s", results, metrics={"ex": 1})
    with pytest.raises(UsageError, match="2 runs"):
        metric_errors([run, other], labels=people)
