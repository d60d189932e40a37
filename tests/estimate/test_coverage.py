"""How often an interval holds the truth, from the real queue to the estimate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from label_runs import write_run
from sqlverdict.estimate.accuracy import estimate_accuracy
from sqlverdict.estimate.difference import estimate_difference
from sqlverdict.label.queue import LabelQueue, QueueName, build_queue
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.records import Result, Verdict
from sqlverdict.runlog.run import Run
from tiers import sampled

pytestmark = [pytest.mark.slow, pytest.mark.sampled]

DRAWS = sampled(150, 300)
"""The seeds are those of the first draws each time: a result is never one of chance."""
KINDS = {
    "correct proved": (60, 0.97),
    "correct match": (40, 0.85),
    "needs_review odd_witness": (25, 0.5),
    "incorrect difference": (50, 0.2),
    "incorrect failed": (5, 0.0),
}
"""How many cases of each kind of verdict there are, and how probably people call one right."""


class RunInMemory:
    """What a queue needs of a run, read once."""

    def __init__(self, run: Run) -> None:
        self.manifest = run.manifest
        self.folder = run.folder
        self._results = list(run.results())

    def results(self) -> Sequence[Result]:
        return self._results


def population(seed: int, name: str) -> tuple[list[Result], dict[str, bool]]:
    """The cases of a run, and which of them people call right; a tenth abstains."""
    random = Random(seed)
    results, truth = [], {}
    kinds = [(kind, rate) for kind, (size, rate) in KINDS.items() for _ in range(size)]
    kinds += [("abstained_wrong", 0.0)] * 12
    random.shuffle(kinds)
    kinds += [("abstained_right", 1.0)] * 8
    for number, (kind, rate) in enumerate(kinds):
        verdict, _, situation = kind.partition(" ")
        silent = verdict.startswith("abstained")
        own = number % 3 == 0
        query = None if silent else f"SELECT {number} AS {name if own else 'shared'}"
        gold = () if verdict == "abstained_right" else ("SELECT 0",)
        case = Result(
            number, f"q{number}", "shop", "How many?", gold, query, silent, Verdict(verdict),
            situation=situation,
        )  # fmt: skip
        results.append(case)
        truth[case.id] = random.random() < rate
    return results, truth


def in_memory(folder: Path, results: list[Result]) -> Run:
    return cast("Run", RunInMemory(write_run(folder, results)))


def votes(queue: LabelQueue, is_right: Any) -> Labels:
    """A label of every pair of a queue, as a vote log keeps it."""

    def labels() -> Iterable[Label]:
        for pair in queue.order:
            case, how = queue.items[pair].result, queue.sampling[pair]
            value = int(is_right(case))
            yield Label(
                case.id, value, float(value), (float(value),), pair=pair, stratum=how.stratum,
                stratum_size=how.size, sampling_probability=how.probability,
            )  # fmt: skip

    return Labels(Path("votes.jsonl"), "votes", tuple(labels()))


@pytest.mark.parametrize("queue_name", ["estimate", "random"])
@pytest.mark.parametrize("size", [25, 60])
def test_intervals_hold_from_the_queue_to_the_estimate(
    tmp_path: Path, queue_name: QueueName, size: int
) -> None:
    results, truth = population(1, "own")
    run = in_memory(tmp_path / "run", results)
    known = {"abstained_right": True, "abstained_wrong": False}
    right = sum(known.get(case.verdict.value, truth[case.id]) for case in results)
    share = right / len(results)
    hits = 0
    for seed in range(DRAWS):
        labels = votes(build_queue([run], queue_name, size, seed), lambda case: truth[case.id])
        outcome = estimate_accuracy(results, labels).share
        assert (outcome.cases, outcome.known, outcome.labels) == (len(results), 20, size)
        hits += outcome.low <= share <= outcome.high
    assert hits >= 0.92 * DRAWS


def test_intervals_hold_for_a_later_run(tmp_path: Path) -> None:
    """A panel: the draw is that of another run, with other verdicts, abstentions and answers."""
    earlier, _ = population(2, "earlier")
    later, truth = population(1, "later")
    run = in_memory(tmp_path / "run", earlier)
    pairs = {case.id: case for case in later}
    known = {"abstained_right": True, "abstained_wrong": False}

    def is_right(case: Result) -> bool:
        own = pairs[case.id]
        return known.get(own.verdict.value, truth[case.id])

    share = sum(map(is_right, later)) / len(later)
    hits = 0
    for seed in range(DRAWS):
        labels = votes(build_queue([run], "estimate", 40, seed), is_right)
        carried = {item.id: item for item in labels.items}
        outcome = estimate_accuracy(later, labels, carried=carried).share
        hits += outcome.low <= share <= outcome.high
    assert hits >= 0.92 * DRAWS


def test_differences_hold_from_the_queue_to_the_estimate(tmp_path: Path) -> None:
    first, right_first = population(1, "first")
    second, right_second = population(1, "second")
    changed = Random(3)
    own = {case.id for case in second if "second" in (case.prediction or "")}
    right_second = {
        case: changed.random() < 0.4 if case in own else is_right
        for case, is_right in right_second.items()
    }
    runs = [in_memory(tmp_path / "first", first), in_memory(tmp_path / "second", second)]
    share = sum(right_first[case] - right_second[case] for case in own) / len(first)

    def is_right(case: Result) -> bool:
        is_second = "second" in (case.prediction or "")
        return (right_second if is_second else right_first)[case.id]

    hits = certified = 0
    for seed in range(DRAWS // 2):
        labels = votes(build_queue(runs, "estimate", 100, seed), is_right)
        outcome = estimate_difference(first, second, labels)
        hits += outcome.low <= share <= outcome.high
        certified += outcome.certified
    assert certified > DRAWS // 4
    assert hits >= 0.92 * (DRAWS // 2)
