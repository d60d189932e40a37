"""Queues: which pairs, in which order, and for whom."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from error_parts import asks_for
from label_runs import SECRET, results, write_run
from sqlverdict.label.queue import QUEUE_NAMES, assign, build_queue
from sqlverdict.records import Reason
from sqlverdict.runlog.run import Run


def ids(run: Run, name, size: int = 100, seed: int = 0) -> list[str]:
    queue = build_queue([run], name, size, seed)
    return [queue.items[pair].result.id for pair in queue.order]


def test_each_queue_holds_its_pairs(run: Run) -> None:
    assert ids(run, "needs_review") == ["q3"]
    assert ids(run, "lucky") == ["q0"]
    assert sorted(ids(run, "disagree")) == ["q0", "q3", "q5"]
    assert sorted(ids(run, "random")) == [f"q{number}" for number in range(6)]
    assert len(QUEUE_NAMES) == 7


def test_abstentions_are_left_out_and_counted(run: Run) -> None:
    assert build_queue([run], "random", 100, 0).without_pair == 1


def test_replies_in_words_are_left_out_and_counted(tmp_path: Path) -> None:
    """A refusal is no query that could be compared with the gold."""
    query, refusal = results()[1:3]
    refusal = replace(refusal, prediction="Sorry, I cannot.", reasons=(Reason.REFUSED_IN_WORDS,))
    run = write_run(tmp_path / "run", [replace(query, index=0), replace(refusal, index=1)])
    assert ids(run, "random") == [query.id]
    assert build_queue([run], "random", 100, 0).without_pair == 1


def test_the_seed_decides_and_a_longer_queue_starts_with_the_shorter(run: Run) -> None:
    assert ids(run, "random", 3) == ids(run, "random")[:3]
    assert len({tuple(ids(run, "random", seed=seed)) for seed in range(5)}) > 1


def test_a_stratified_queue_starts_with_one_of_each_kind(run: Run) -> None:
    first = ids(run, "stratified", 2)
    assert "q0" in first or "q3" in first or "q5" in first
    kinds = {"q0": "match", "q3": "match", "q5": "match"}
    assert len({kinds.get(name, "difference") for name in first}) == 2


def test_golds_under_suspicion_come_first_by_rank(tmp_path: Path) -> None:
    runs = []
    for number in range(3):
        every = [replace(r, scores={"ex": 0.0, "esm": 0.0}) for r in results()]
        runs.append(write_run(tmp_path / f"run{number}", every, f"system {number}"))
    queue = build_queue(runs, "suspected_gold", 100, 0)
    assert queue.order
    assert all(len(queue.items[pair].systems) == 3 for pair in queue.order)


def test_an_empty_queue_names_the_others(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [replace(results()[1], index=0)])
    with asks_for("queue") as refusal:
        build_queue([run], "lucky", 10, 0)
    assert "'lucky'" in str(refusal.value)
    assert "random" in str(refusal.value)


def test_overlap_is_shared_and_the_rest_is_dealt_out() -> None:
    order = [f"p{number}" for number in range(10)]
    work = assign(order, ("ann", "bob"), 0.3, SECRET)
    assert {*work["ann"]} & {*work["bob"]} == {"p0", "p1", "p2"}
    assert sorted({*work["ann"]} | {*work["bob"]}) == sorted(order)
    assert abs(len(work["ann"]) - len(work["bob"])) <= 1
    whole = assign(order, ("ann", "bob"), 1.0, SECRET)
    assert sorted(whole["ann"]) == sorted(whole["bob"]) == sorted(order)
    assert whole["ann"] != whole["bob"]
