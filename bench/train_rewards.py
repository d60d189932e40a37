"""Three rewards over one pool of processes, and what a trainer waits for them.

``ex`` pays a match of results. ``verdict`` pays what the policy ``strict`` calls correct: no match
that a witness refutes, and an answer that differs harmlessly. ``penalty`` pays a match, and 0.3
where a witness refutes it. ``measure`` is none of them: it pays nothing, and names the outcome of
each reply after a search for a witness.

The processes are forked before the trainer loads torch: a fork of a process that has a GPU open is
not safe.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from sqlverdict.rl import Rewarder, RewardOutcome

INSTANCES = 40
REWARDS: dict[str, dict[str, Any]] = {
    "ex": {},
    "verdict": {"metric": "verdict", "refute": INSTANCES},
    "penalty": {"values": {"refuted_match": 0.3}},
}
MEASURE = "measure"
_ALL: dict[str, dict[str, Any]] = {
    **REWARDS,
    MEASURE: {"values": {"refuted_match": 0.0}, "refute": INSTANCES},
}
MATCHES = frozenset(
    outcome.value
    for outcome in (
        *(RewardOutcome.RIGHT, RewardOutcome.PROVED, RewardOutcome.REFUTED_MATCH),
        *(RewardOutcome.CONSTANT_MATCH, RewardOutcome.EMPTY_MATCH),
    )
)
"""Outcomes of a reply whose results match, by their names in a file."""

Task = tuple[str, str, Sequence[str]]
"""A gold, its database's name, and the replies to one question."""
Scored = tuple[float | None, str]
"""The score and the outcome of a reply."""

_databases = ""
_rewarders: dict[str, Rewarder] = {}


@dataclass(frozen=True)
class Scores:
    """The scores of a batch, by question and reply, and what they took."""

    replies: list[list[Scored]]
    seconds: float
    """How long the caller waited."""
    busy: float
    """Seconds of all processors together."""


class RewardPool:
    """Processes that score replies; made before torch is imported."""

    def __init__(self, databases: str, workers: int) -> None:
        self._pool = ProcessPoolExecutor(
            workers, multiprocessing.get_context("fork"), _start, (databases,)
        )
        self._pool.submit(_ready).result()

    def score(self, kind: str, tasks: Sequence[Task]) -> Scores:
        """Score the replies to some questions with one of the rewards."""
        began = time.perf_counter()
        done = list(self._pool.map(_score, [kind] * len(tasks), tasks))
        seconds = time.perf_counter() - began
        return Scores([scored for scored, _ in done], seconds, sum(busy for _, busy in done))

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def _start(databases: str) -> None:
    global _databases
    _databases = databases


def _ready() -> None:
    """Start all processes: a pool of forks starts them with the first task."""


def _score(kind: str, task: Task) -> tuple[list[Scored], float]:
    gold, db_id, replies = task
    rewarder = _rewarders.get(kind)
    if rewarder is None:
        rewarder = _rewarders[kind] = Rewarder(databases=_databases, **_ALL[kind])
    began = time.process_time()
    rewards = [rewarder.reward(gold, reply, db_id=db_id) for reply in replies]
    scored = [(reward.score, reward.outcome.value) for reward in rewards]
    return scored, time.process_time() - began
