"""Two runs: the questions that can tell them apart are drawn, planned and estimated."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from drawn_votes import CASES, cases, invoke, vote_all
from error_parts import asks_for
from label_runs import write_run
from sqlverdict.errors import UsageError
from sqlverdict.estimate.accuracy import estimate_accuracy
from sqlverdict.estimate.difference import estimate_difference, plan_difference
from sqlverdict.label.queue import build_queue
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.people.sampling import TWO_RUNS
from sqlverdict.runlog.run import Run


def other(number: int) -> str:
    """The same query for half of the cases, an equal one for a fourth, another one for the rest."""
    return f"SELECT {number}" + ("", "", " + 0", " + 1")[number % 4]


def proof(_case: str, one: str, two: str) -> bool:
    return one.replace(" + 0", "") == two.replace(" + 0", "")


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    return [
        write_run(tmp_path / "a", cases(), system="a"),
        write_run(tmp_path / "b", cases(other), system="b"),
    ]


def test_the_queue_has_only_pairs_that_can_make_a_difference(runs: list[Run]) -> None:
    queue = build_queue(runs, "estimate", 40, 0, ask_proof=proof)
    assert queue.draw is not None
    assert queue.draw.sizes == {"first review": CASES // 4, "second review": CASES // 4}
    assert Counter(queue.draw.pairs.values()) == {"first review": 20, "second review": 20}
    assert all(item.result.index % 4 == 3 for item in queue.items.values())
    assert queue.matching == CASES // 2
    again = build_queue(runs, "estimate", 40, 0, draw=queue.draw)
    assert (again.order, again.matching) == (queue.order, queue.matching)
    without = build_queue(runs, "estimate", 40, 0).draw
    assert without is not None
    assert sum(without.sizes.values()) == CASES
    with asks_for("queue"):
        build_queue([runs[0], runs[0]], "estimate", 40, 0)


def test_every_label_of_the_draw_counts(runs: list[Run], tmp_path: Path) -> None:
    votes = vote_all(runs, tmp_path / "labels", 40, lambda c: "+ 1" not in (c.prediction or ""),
                     proof)  # fmt: skip
    labels = read_labels(votes)
    assert {item.stratum for item in labels.items} <= TWO_RUNS
    ours, theirs = ([*run.results()] for run in runs)
    outcome = estimate_difference(ours, theirs, labels, proof)
    assert (outcome.labels, outcome.same, outcome.proved) == (40, CASES // 2, CASES // 4)
    assert (outcome.value, outcome.certified, outcome.pending) == (0.25, True, 0)
    back = estimate_difference(theirs, ours, labels, proof)
    assert (back.value, back.low, back.high) == (-0.25, -outcome.high, -outcome.low)
    with pytest.raises(UsageError, match="'first rejected'"):
        estimate_difference(ours, theirs, labels)
    with pytest.raises(UsageError, match="'first rejected'"):
        estimate_difference(theirs, ours, labels)
    with pytest.raises(UsageError, match="several runs"):
        estimate_accuracy(ours, labels)
    half = replace(labels, items=labels.items[::2])
    assert not estimate_difference(ours, theirs, half, proof).certified


def test_labels_of_pairs_that_were_not_drawn_are_no_sample(runs: list[Run], tmp_path: Path) -> None:
    votes = vote_all(runs, tmp_path / "labels", 40, lambda _: True, proof)
    labels = read_labels(votes)
    sample = {item.pair for item in labels.items}
    ours, theirs = ([*run.results()] for run in runs)
    whole = build_queue(runs, "stratified", 2 * CASES, 0)
    extra = [
        replace(labels.items[0], id=item.result.id, pair=pair, value=0, original=0.0,
                stratum="match, proved")
        for pair, item in whole.items.items()
        if pair not in sample
    ]  # fmt: skip
    more = replace(labels, items=(*labels.items, *extra))
    assert estimate_difference(ours, theirs, more, proof) == estimate_difference(
        ours, theirs, labels, proof
    )


def test_the_plan_is_for_the_difference(runs: list[Run]) -> None:
    ours, theirs = ([*run.results()] for run in runs)
    plan, compared = plan_difference(ours, theirs, 0.1, proof)
    assert {*plan.strata} == {"first review", "second review"}
    assert (len(compared.same), len(compared.proved)) == (CASES // 2, CASES // 4)
    assert plan.expected <= 0.1
    assert 40 <= plan.labels < CASES // 2, "20 of each run at least"
    assert plan.labels <= plan.plain
    wide, _ = plan_difference(ours, theirs, 0.9, proof)
    assert wide.labels == 40
    folders = [run.folder for run in runs]
    text = invoke("estimate", *folders, "--plan", "--width", "0.1").output
    assert "for the difference: label " in text
    assert "60 questions with identical and 0 with proved equal queries" in " ".join(text.split())
    assert f"next: sqlverdict label {folders[0]} {folders[1]} --queue estimate" in " ".join(
        text.split()
    )
    record = json.loads(invoke("estimate", *folders, "--plan", "--json").output)
    assert record["runs"] == [str(folder) for folder in folders]
    with pytest.raises(UsageError, match="nothing to label"):
        plan_difference(ours, ours, 0.1)
