"""A run against people: ids, halves, judges, calls, unscored cases, disagreements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from error_parts import asks_for
from sqlverdict.errors import NothingEvaluated, UsageError
from sqlverdict.evidence import Judged, Related, Tested
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.report.agreement.agreement import compare_with_labels
from sqlverdict.report.agreement.opinions import calls_of, metric_uses_opinions, results_match
from sqlverdict.report.agreement.tables import (
    agreement_table,
    annotator_sentence,
    annotator_table,
    difference_table,
)
from sqlverdict.runlog.run import Run
from sqlverdict.score.metric import METRICS

MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]


def labels(*values: int | None, equal: tuple[bool | None, ...] | None = None) -> Labels:
    halves = equal or (None,) * len(values)
    items = tuple(
        Label(f"q{n}", value, None if value is None else float(value), (), halves[n])
        for n, value in enumerate(values)
    )
    return Labels(Path("people.jsonl"), "field 'human'", items, (), 0, values.count(None))


def judged(correct: bool | None, **fields: Any) -> Judged:
    return Judged("flex", correct=correct, **{"calls": 1, **fields})


def test_every_metric_and_judge_of_the_run(make_run: MakeRun, make_result: MakeResult) -> None:
    results = [
        make_result(0, scores={"ex": 1.0, "soft": 0.9}, evidence=(judged(True),)),
        make_result(1, scores={"ex": 1.0, "soft": 1.0}, evidence=(judged(False),)),
        make_result(
            2,
            scores={"ex": 0.0, "soft": 0.2},
            verdict=Verdict.NEEDS_REVIEW,
            evidence=(judged(None),),
        ),
    ]
    run = make_run("r", results, metrics={"ex": 1, "soft": 1})
    agreement = compare_with_labels(run, labels(1, 0, 1))
    assert list(agreement.metrics) == ["ex", "soft", "judge:flex", "verdict"]
    ex, soft, judge, verdict = agreement.metrics.values()
    assert (ex.tp, ex.fp, ex.fn, ex.tn) == (1, 1, 1, 0)
    assert (soft.tp, soft.fp, soft.fn) == (0, 1, 2)
    assert (judge.tp, judge.tn, judge.unscored, judge.n) == (1, 1, 1, 2)
    assert (verdict.n, verdict.unscored) == (2, 1)
    assert compare_with_labels(run, labels(1, 0, 1), threshold=0.5).metrics["soft"].tp == 1
    with pytest.raises(UsageError, match="'soft'"):
        compare_with_labels(run, labels(1), metrics=["sof"])


def test_halves_come_from_the_labels_else_from_ex_else_from_evidence(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    differs = Related("compare", (Reason.VALUE_MISMATCH,))
    results = [
        make_result(0, scores={"ex": 0.0}),
        make_result(1, scores={"ex": 0.0, "ex[bird]": 1.0}),
        make_result(2, scores={"em": 0.0}, evidence=(differs,)),
    ]
    assert [results_match(result) for result in results] == [False, False, False]
    run = make_run("r", results, metrics={"ex": 1})
    agreement = compare_with_labels(
        run, labels(0, 0, 0, equal=(True, None, None)), metrics=["verdict"]
    )
    assert (agreement.metrics["verdict"].eq_n, agreement.metrics["verdict"].neq_n) == (1, 2)


def test_calls_count_for_the_metrics_that_asked(make_result: MakeResult) -> None:
    result = make_result(
        0, evidence=(judged(True, calls=2, metrics=("flex",)), judged(True, metrics=("verdict",)))
    )
    assert calls_of(result, "flex") == 2
    assert calls_of(result, "verdict") == 1
    assert calls_of(result, "ex") == 0
    assert calls_of(result, "judge:flex") == 3
    shared = make_result(0, evidence=(judged(True, calls=3, metrics=("flex", "verdict")),))
    assert calls_of(shared, "verdict") == calls_of(shared, "flex") == 3
    assert calls_of(shared, "ex") == 0


def test_the_metrics_that_hear_judges_are_those_that_need_an_opinion() -> None:
    hearing = {name for name in METRICS.names() if metric_uses_opinions(name)}
    assert hearing == {"flex", "judge", "verdict"}
    assert metric_uses_opinions("flex[any]")
    assert not metric_uses_opinions("no_such_metric")


def test_what_is_left_out_is_said(make_run: MakeRun, make_result: MakeResult) -> None:
    results = [make_result(n, scores={"ex": None if n == 1 else 1.0}) for n in range(3)]
    run = make_run("r", [*results, make_result(3, id="new")])
    agreement = compare_with_labels(run, labels(1, 0, None, 1), metrics=["ex"])
    assert (agreement.labelled, agreement.matched, agreement.dropped, agreement.unlabelled) == (
        3,
        2,
        1,
        1,
    )
    assert (agreement.metrics["ex"].n, agreement.metrics["ex"].unscored) == (1, 1)
    notes = " / ".join(agreement.notes)
    assert "1 label without a case in the run: 'q3'" in notes
    assert "1 labelled case has no majority; left out" in notes
    assert "1 case of the run without a label; left out" in notes
    assert "ex: 1 labelled case unscored" in notes


def test_verdicts_that_repeat_a_metric_are_listed_where_they_are_asked_for(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    run = make_run("r", [make_result(n, scores={"ex": 1.0}) for n in range(3)])
    assert list(compare_with_labels(run, labels(1, 0, 1)).metrics) == ["ex"]
    agreement = compare_with_labels(run, labels(1, 0, 1), metrics=["verdict"])
    assert list(agreement.metrics) == ["verdict"]
    combined = compare_with_labels(run, labels(1, 0, 1), combined=["any(ex, verdict)"])
    assert list(combined.metrics) == ["ex", "any(ex, verdict)"]


def test_labels_of_other_cases_are_an_error(make_run: MakeRun, make_result: MakeResult) -> None:
    run = make_run("r", [make_result(0, id="elsewhere")])
    with asks_for("id_field"):
        compare_with_labels(run, labels(1))
    unscored = make_run("u", [make_result(0, scores={"ex": None}, verdict=Verdict.UNSCORED)])
    with pytest.raises(NothingEvaluated):
        compare_with_labels(unscored, labels(1))


def test_disagreements_come_with_their_evidence(make_run: MakeRun, make_result: MakeResult) -> None:
    tested = Tested("compare")
    results = [
        make_result(0, scores={"ex": 1.0}, evidence=(tested,)),
        make_result(1, scores={"ex": 0.0}, verdict=Verdict.INCORRECT),
        make_result(2, scores={"ex": 1.0}),
    ]
    agreement = compare_with_labels(make_run("r", results), labels(0, 1, 1))
    first, second = agreement.disagreements
    assert (first.result.id, first.label, first.metrics) == ("q0", False, ("ex",))
    assert first.as_record()["wrongly_right"] == ("ex",)
    assert "on the real database both return the same rows" in first.evidence[0]
    assert (second.result.id, second.as_record()["wrongly_wrong"]) == ("q1", ("ex",))


def test_tables(make_run: MakeRun, make_result: MakeResult) -> None:
    results = [make_result(n, scores={"ex": float(n < 2), "em": float(n < 3)}) for n in range(4)]
    run = make_run("r", results, metrics={"ex": 1, "em": 1})
    items = tuple(
        Label(f"q{n}", int(n < 3), float(n < 3), (1.0, float(n < 3)), True) for n in range(4)
    )
    people = Labels(Path("p"), "field", items, ("ann", "bob"))
    agreement = compare_with_labels(run, people, metrics=["ex", "em"])
    rows = agreement_table(agreement).rows
    assert [row[0] for row in rows] == ["ex", "em"]
    assert rows[0][1] == "0.50"
    assert rows[1][1] == "1.00"
    assert rows[0][4:8] == ("75.0%", "–", "0", "1")  # noqa: RUF001
    assert agreement_table(agreement, in_percent=True).rows[0][1:5:3] == ("50.00", "75.0")
    (row,) = difference_table(agreement).rows
    assert (row[0], row[1], row[4]) == ("ex → em", "+25.0", "1 : 0")
    assert agreement.annotators is not None
    assert "Fleiss' kappa of 2 annotators on 4 cases" in annotator_sentence(agreement.annotators)
    assert annotator_table(agreement.annotators).rows[0][:2] == ("ann", "bob")
