"""Several runs against people: pooled, side by side, by tag, combined, and as a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.evidence import Recorded
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.records import Result
from sqlverdict.report.agreement.agreement import compare_with_labels
from sqlverdict.report.agreement.tables import agreement_figure, group_table
from sqlverdict.runlog.run import Run

MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]
TRUTH = (1, 0, 1, 0)


def labels(values: Sequence[int] = TRUTH) -> Labels:
    items = tuple(Label(f"q{n}", value, float(value)) for n, value in enumerate(values))
    return Labels(Path("people.jsonl"), "field 'human'", items)


def recorded(**verdicts: float) -> Recorded:
    return Recorded("record", verdicts=verdicts)


@pytest.fixture
def pooled(make_run: MakeRun, make_result: MakeResult) -> list[Run]:
    """Two runs of two cases each, in two sets; the first has recorded verdicts."""
    first = [
        make_result(n, scores={"ex": 1.0}, tags={"set": "a"}, evidence=(recorded(j=1.0 - n),))
        for n in (0, 1)
    ]
    second = [
        make_result(n - 2, id=f"q{n}", scores={"ex": float(n == 2)}, tags={"set": "b"})
        for n in (2, 3)
    ]
    return [make_run("a", first), make_run("b", second)]


def test_runs_of_other_cases_are_one(pooled: list[Run]) -> None:
    agreement = compare_with_labels(pooled, labels())
    assert agreement.system == "a and b"
    assert list(agreement.metrics) == ["ex", "recorded:j", "verdict"]
    ex, judge = agreement.metrics["ex"], agreement.metrics["recorded:j"]
    assert (ex.tp, ex.fp, ex.fn, ex.tn, ex.n) == (2, 1, 0, 1, 4)
    assert (judge.tp, judge.tn, judge.n, judge.unscored) == (1, 1, 2, 2)
    assert "recorded:j: 2 labelled cases unscored; not in any figure" in agreement.notes


def test_figures_by_tag(pooled: list[Run]) -> None:
    agreement = compare_with_labels(pooled, labels(), metrics=["ex"])
    by_set = agreement.groups["set"]
    assert {value: part["ex"].fp for value, part in by_set.items()} == {"a": 1, "b": 0}
    assert [row[0] for row in group_table(agreement, "set").rows] == ["ex"]
    assert list(compare_with_labels(pooled, labels(), by=["db_id"]).groups) == ["db_id"]
    with pytest.raises(UsageError, match=r"'sett'.*'set'"):
        compare_with_labels(pooled, labels(), by=["sett"])


def test_runs_of_the_same_cases_stand_side_by_side(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    runs = [
        make_run(
            name,
            [
                make_result(n, scores={"ex": float(n < 2), "flex": opinion})
                for n, opinion in enumerate(values)
            ],
            metrics={"ex": 1, "flex": 1},
        )
        for name, values in (("o3", (1.0, 0.0, 1.0, 1.0)), ("gpt", (1.0, 1.0, 1.0, None)))
    ]
    agreement = compare_with_labels(
        runs, labels(), combined=["all(o3: flex, gpt: flex)", "any(ex, *)"]
    )
    assert list(agreement.metrics) == [
        "ex",
        "o3: flex",
        "gpt: flex",
        "o3: verdict",
        "gpt: verdict",
        "all(o3: flex, gpt: flex)",
        "any(ex, o3: flex)",
        "any(ex, gpt: flex)",
    ]
    assert agreement.matched == 4
    both = agreement.metrics["all(o3: flex, gpt: flex)"]
    assert (both.tp, both.tn, both.fp, both.unscored) == (2, 1, 0, 1)
    with pytest.raises(UsageError, match=r"'flexx'.*o3: flex"):
        compare_with_labels(runs, labels(), combined=["any(ex, flexx)"])


def test_a_label_is_about_one_prediction(make_run: MakeRun, make_result: MakeResult) -> None:
    runs = [make_run(sql[-1], [make_result(0, prediction=sql)]) for sql in ("SELECT 1", "SELECT 2")]
    with pytest.raises(UsageError, match="'q0' has another"):
        compare_with_labels(runs, labels())


def test_many_metrics_are_compared_with_the_first(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    names = [f"m{n}" for n in range(7)]
    results = [make_result(n, scores=dict.fromkeys(names, float(n % 2))) for n in range(4)]
    run = make_run("r", results, metrics=dict.fromkeys(names, 1))
    agreement = compare_with_labels(run, labels(), metrics=names)
    assert [(one.a, one.b) for one in agreement.differences] == [("m0", name) for name in names[1:]]


def test_the_figure_names_every_metric(pooled: list[Run]) -> None:
    agreement = compare_with_labels(pooled, labels())
    for tag, legend in ((None, {"all cases"}), ("set", {"a", "b"})):
        svg = agreement_figure(agreement, tag)
        texts = {one.text for one in ElementTree.fromstring(svg).iter() if one.text}
        assert {"ex", "recorded:j"} | legend <= texts
