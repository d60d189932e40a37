"""One test for each known defect of the rewards that people use, named after it."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sqlverdict import Limits
from sqlverdict.parse import grammar as accepted
from sqlverdict.rl import Rewarder, options
from sqlverdict.rl.verl import compute_score
from sqlverdict.testing.hostile import hostile_predictions

GOLD = "SELECT name FROM t WHERE n > 1"
EMPTY = "SELECT name FROM t WHERE n > 5"
ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r"
LIMITS = Limits(steps=300_000, seconds=600, bytes=2**22, cell=2**20)


@pytest.fixture
def rewarder(db: Path) -> Rewarder:
    return Rewarder(db=db, limits=LIMITS)


@pytest.mark.parametrize("broken", ["SELECT FROM", "SELECT nope FROM t", "DROP TABLE t", "", "?"])
@pytest.mark.parametrize("gold", [EMPTY, "SELECT nope FROM t"])
def test_broken_sql_earns_nothing_beside_an_empty_or_a_failing_gold(
    rewarder: Rewarder, gold: str, broken: str
) -> None:
    """An error that becomes an empty answer equals every other empty answer."""
    assert rewarder(gold, broken) in (0.0, None)


def test_an_order_that_the_gold_asks_for_is_compared(rewarder: Rewarder) -> None:
    """Whether the order matters was searched for with swapped arguments, and never found."""
    gold = "SELECT name FROM t ORDER BY n DESC"
    assert rewarder(gold, "SELECT name FROM t ORDER BY n") == 0.0
    assert rewarder(gold, "SELECT name FROM t ORDER BY -n") == 1.0
    assert rewarder("SELECT name FROM t", "SELECT name FROM t ORDER BY n DESC") == 1.0


@pytest.mark.slow
def test_a_comment_swallows_and_hides_what_it_does_for_the_engine(rewarder: Rewarder) -> None:
    """One rewarder: each would start a process for queries with comments."""
    whole = (
        f"```sql\n-- the shop\n{GOLD}\n```",
        "```sql\nSELECT name -- what is asked\nFROM t /* all */ WHERE n > 1\n```",
        "SELECT name FROM t WHERE n > 1 -- done",
        "SELECT name FROM t WHERE name <> '--' AND n > 1",
    )
    assert [rewarder(GOLD, reply) for reply in whole] == [1.0] * len(whole)
    assert rewarder(GOLD, "SELECT name FROM t -- WHERE n > 1") == 0.0


def test_a_reply_without_sql_is_not_filled_in(rewarder: Rewarder) -> None:
    """``SELECT 1`` in place of nothing is right where the gold returns 1."""
    assert rewarder.reward("SELECT 1", "No idea.").outcome == "no_sql"


@pytest.mark.slow
def test_a_query_that_never_ends_ends_and_leaves_nothing_running(rewarder: Rewarder) -> None:
    threads = threading.active_count()
    reward = rewarder.reward(GOLD, ENDLESS)
    assert (reward.outcome, reward.reasons) == ("timed_out", ("EXECUTION_TIMEOUT",))
    assert threading.active_count() <= threads
    assert multiprocessing.active_children() == []
    assert rewarder(GOLD, GOLD) == 1.0


@pytest.mark.slow
def test_what_hangs_does_not_tie_up_the_event_loop(rewarder: Rewarder) -> None:
    async def both() -> tuple[int, list[str]]:
        ticks = 0
        task = asyncio.create_task(rewarder.abatch([(GOLD, f"{ENDLESS} -- {n}") for n in range(4)]))
        while not task.done():
            await asyncio.sleep(0)
            ticks += 1
        return ticks, [reward.outcome.value for reward in task.result()]

    ticks, outcomes = asyncio.run(both())
    assert ticks > 1
    assert outcomes == ["timed_out"] * 4


@pytest.mark.slow
def test_outside_the_main_thread_a_reward_is_the_same(rewarder: Rewarder) -> None:
    """A time limit by signal raises there, and the exception becomes a silent 0."""
    before = signal.getsignal(signal.SIGALRM)
    with ThreadPoolExecutor(1) as pool:
        outcomes = [pool.submit(rewarder.reward, GOLD, q).result().outcome for q in (GOLD, ENDLESS)]
    assert outcomes == ["right", "timed_out"]
    assert signal.getsignal(signal.SIGALRM) == before


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_daemonic_worker_gets_its_rewards(rewarder: Rewarder, method: str) -> None:
    """Such a process may have no children, so a process for a query fails there."""
    assert rewarder(GOLD, GOLD) == 1.0
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.starmap(rewarder, [(GOLD, GOLD), (GOLD, ENDLESS), (GOLD, "")]) == [1, 0, 0]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to count descriptors")
def test_descriptors_are_bounded_however_many_databases_there_are(db: Path) -> None:
    def descriptors() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    copies = [db.with_name(f"{number}.sqlite") for number in range(150)]
    for copy in copies:
        copy.write_bytes(db.read_bytes())
    before = descriptors()
    with Rewarder(databases=db.parent) as rewarder:
        highest = 0
        for copy in copies:
            assert rewarder(GOLD, GOLD, db_id=copy.stem) == 1.0
            highest = max(highest, descriptors())
    assert highest - before <= 64
    assert descriptors() <= before


def test_a_database_that_someone_writes_to_is_read_all_the_same(
    rewarder: Rewarder, db: Path
) -> None:
    """Rewards that open a database to write wait for a lock, and give 0 when they get none."""
    writer = sqlite3.connect(db, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    assert rewarder(GOLD, "SELECT name FROM t WHERE 1 < n") == 1.0
    writer.execute("ROLLBACK")
    writer.close()


def test_a_failing_gold_is_not_the_fault_of_the_model(rewarder: Rewarder) -> None:
    reward = rewarder.reward("SELECT nope FROM t", GOLD)
    assert (reward.score, reward.outcome) == (None, "unscored")
    assert "GOLD_EXECUTION_ERROR" in reward.reasons


@pytest.mark.slow
def test_hundreds_of_replies_with_hostile_ones_in_eight_threads(db: Path) -> None:
    """As a trainer sends them: no hang, nothing left behind, the same bytes as in one thread."""
    hostile = [each.sql for each in hostile_predictions() if not each.hangs][:24]
    good = [f"SELECT name FROM t WHERE n > {n % 4}" for n in range(488)]
    pairs: list[Any] = [(GOLD, reply) for reply in (*good, *hostile)]
    before, files, threads = db.read_bytes(), set(db.parent.iterdir()), threading.active_count()
    rows = []
    for count in (8, 1):
        with Rewarder(db=db, limits=LIMITS, threads=count) as rewarder:
            rows.append([reward.as_row() for reward in rewarder.batch(pairs)])
    assert rows[0] == rows[1]
    assert all(row["score"] in (0.0, 1.0) for row in rows[0])
    assert (db.read_bytes(), set(db.parent.iterdir())) == (before, files)
    assert threading.active_count() <= threads
    assert multiprocessing.active_children() == []


def test_a_function_named_in_a_configuration_works_after_a_fork(db: Path) -> None:
    """Connections that a fork copies must not be used by two processes."""
    assert compute_score("x", GOLD, GOLD, {"db": db})["score"] == 1.0
    child = os.fork()
    if child == 0:
        score = compute_score("x", "SELECT name FROM t WHERE n >= 2", GOLD, {"db": db})["score"]
        os._exit(0 if score == 1.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("module", [options, accepted])
def test_a_lock_that_another_thread_has_is_open_after_a_fork(module: Any) -> None:
    """One process that waits for it for ever stops a whole training."""
    with module._lock:
        child = os.fork()
        if child == 0:
            os._exit(0 if module._lock.acquire(blocking=False) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
