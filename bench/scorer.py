"""How fast pairs are scored: new ones, known golds, repeated ones; beside what rewards do today.

A group is what a trainer sends: several replies to one question, here those of four systems.

Beside ``Scorer``: plain ``sqlite3`` with the same queries and open connections, which compares
nothing; a reward that starts a process per query; and one that starts two threads per pair, each
with a connection of its own, and waits for them. Times are processor time of this process and its
children, so that a busy machine changes little.

Then verdicts, with proofs and searches, under budgets for the search of one witness.

Run: ``python bench/scorer.py [--sample N]``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import process_time

import sqlverdict as sv
from sqlverdict.evidence import Refuted
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.report.terminal.tables import plain_table, table

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
SECONDS = 30.0
Pair = tuple[str, str, str]
Rows = list[tuple[object, ...]]


def pairs_of(system: str) -> list[Pair]:
    """Gold, prediction and database of every question of Spider dev whose database is here."""
    folder = DATA / "spider"
    predictions = (folder / "predictions" / "dev" / f"{system}.txt").read_text().splitlines()
    cases = [case for case in BENCHMARKS.get("spider").read(folder).cases if case.golds]
    return [
        (case.golds[0], sql, case.database)
        for case, sql in zip(cases, predictions, strict=False)
        if case.database and Path(case.database).is_file()
    ]


def processor_seconds() -> float:
    """What this process and its children have spent."""
    # os.times counts in hundredths of a second.
    usages = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@contextmanager
def clock(seconds: list[float]) -> Iterator[None]:
    before = processor_seconds()
    yield
    seconds.append(processor_seconds() - before)


def rate(pairs: Sequence[Pair], work: Callable[[Pair], object]) -> float:
    """Pairs a second."""
    seconds: list[float] = []
    with clock(seconds):
        for pair in pairs:
            work(pair)
    return len(pairs) / max(seconds[0], 1e-9)


def connections() -> Callable[[Pair], object]:
    """Plain sqlite3: both queries on an open connection."""
    connections: dict[str, sqlite3.Connection] = {}

    def work(pair: Pair) -> None:
        gold, prediction, database = pair
        if database not in connections:
            connections[database] = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
            connections[database].text_factory = bytes
        for sql in (gold, prediction):
            with suppress(sqlite3.Error):
                connections[database].execute(sql).fetchall()

    return work


def fetch(database: str, sql: str) -> Rows | None:
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            connection.text_factory = bytes
            return connection.execute(sql).fetchall()
    except sqlite3.Error:
        return None


def _send(database: str, sql: str, queue: multiprocessing.Queue[Rows | None]) -> None:
    queue.put(fetch(database, sql))


def by_process(pair: Pair) -> bool:
    """A process per query, as rewards do that want to kill it."""
    gold, prediction, database = pair
    answers: list[Rows | None] = []
    for sql in (prediction, gold):
        queue: multiprocessing.Queue[Rows | None] = multiprocessing.Queue()
        process = multiprocessing.Process(target=_send, args=(database, sql, queue))
        process.start()
        answers.append(queue.get(timeout=SECONDS))
        process.join()
    return set(answers[0] or ()) == set(answers[1] or ())


def by_thread(pair: Pair) -> bool:
    """A thread a query and a wait: what a time limit by threads amounts to."""
    gold, prediction, database = pair
    answers: list[Rows | None] = []
    for sql in (prediction, gold):
        thread = threading.Thread(target=lambda sql=sql: answers.append(fetch(database, sql)))
        thread.start()
        thread.join(SECONDS)
    return set(answers[0] or ()) == set(answers[1] or ())


def verdict_line(pairs: Sequence[Pair], budget_ms: float | None) -> tuple[str, ...]:
    """How long verdicts take under a budget, and how many searches it ended."""
    with sv.Scorer("verdict", budget_ms=budget_ms) as scorer:
        for _, _, database in {pair[2]: pair for pair in pairs}.values():
            scorer("SELECT 1 + 1", "SELECT 2", database)  # opens, and mines the data once for all
        spent: list[float] = []
        results = []
        for pair in pairs:
            began = process_time()
            results.append(scorer.check(*pair))
            spent.append(process_time() - began)
    evidence = [piece for result in results for piece in result.evidence if piece.by == "refute"]
    milliseconds = sorted(1_000 * seconds for seconds in spent)
    return (
        "none" if budget_ms is None else f"{budget_ms:g}",
        *(f"{milliseconds[int(part * (len(pairs) - 1))]:.0f}" for part in (0.5, 0.95, 1)),
        str(len(evidence)),
        str(sum(isinstance(piece, Refuted) for piece in evidence)),
        str(sum(sv.Reason.BUDGET_EXHAUSTED in piece.reasons for piece in evidence)),
        str(sum(piece.cut_by_time for piece in evidence)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=60, help="pairs with a process per query")
    sample = parser.parse_args().sample
    pairs, others = pairs_of("DAIL"), pairs_of("C3")
    seen = {pair[1:] for pair in pairs}
    known = [pair for pair in others if pair[1:] not in seen]
    systems = [pairs, others, pairs_of("RESDSQL"), pairs_of("RASAT+PICARD")]
    groups = [pair for group in zip(*systems, strict=True) for pair in group]
    grouped = sv.Scorer()
    connected = connections()
    rate(pairs, connected)
    scorer = sv.Scorer()
    rate(pairs[::20], lambda pair: sv.Scorer()(*pair))  # imports, schemas
    rates = {
        "plain sqlite3, nothing compared": rate(pairs, connected),
        "Scorer, new pairs": rate(pairs, lambda pair: scorer(*pair)),
        "Scorer, known gold": rate(known, lambda pair: scorer(*pair)),
        "Scorer, repeated": rate(pairs * 10, lambda pair: scorer(*pair)),
        "Scorer, groups of four": rate(groups, lambda pair: grouped(*pair)),
        "two threads per pair": rate(pairs, by_thread),
        "two processes a pair": rate(pairs[:: max(1, len(pairs) // sample)], by_process),
    }
    new = rates["Scorer, new pairs"]
    lines = [(name, f"{value:,.0f}", f"{new / value:.2f}") for name, value in rates.items()]
    print(f"{len(pairs):,} pairs of Spider dev, {len(known):,} with a known gold")
    print(plain_table(table(("what", "pairs a second", "Scorer on new pairs is x times"), lines)))
    head = ("budget_ms", "median ms", "95 % ms", "most ms", "searches", "witnesses")
    head = (*head, "ended by the budget", "by the clock")
    searched = pairs[:: max(1, len(pairs) // (5 * sample))]
    print(f"\nverdicts of {len(searched):,} pairs")
    print(
        plain_table(table(head, [verdict_line(searched, budget) for budget in (10, 50, 200, None)]))
    )


if __name__ == "__main__":
    main()
