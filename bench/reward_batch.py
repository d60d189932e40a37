"""A batch as a trainer sends it: 1,024 replies to 256 questions, 5 % hostile.

The replies are those of four published systems on Spider dev. Prints the seconds, a digest of all
rewards, and what is left behind: descriptors, threads and processes, before and after.

Run: ``python bench/reward_batch.py [--witnesses] [--threads N]``; needs SQLVERDICT_DATA and /proc.
Exits with 1 where two runs differ, or something is left behind.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from scorer import Pair, pairs_of
from sqlverdict.rl import Rewarder
from sqlverdict.testing.hostile import hostile_predictions

SYSTEMS = ("DAIL", "C3", "RESDSQL", "RASAT+PICARD")
QUESTIONS = 256
EVERY = 20


def replies() -> list[Pair]:
    systems = [pairs_of(system)[:QUESTIONS] for system in SYSTEMS]
    pairs = [pair for group in zip(*systems, strict=True) for pair in group]
    hostile = [each.sql for each in hostile_predictions() if not each.hangs]
    for turn, index in enumerate(range(0, len(pairs), EVERY)):
        gold, _, database = pairs[index]
        pairs[index] = (gold, hostile[turn % len(hostile)], database)
    return pairs


def left_open() -> tuple[int, int, int]:
    """Descriptors, threads and child processes."""
    descriptors = sum(1 for _ in Path("/proc/self/fd").iterdir())
    return descriptors, threading.active_count(), len(multiprocessing.active_children())


def digest_of_batch(
    pairs: Sequence[Pair], values: Mapping[str, float], threads: int
) -> tuple[str, float]:
    start = time.perf_counter()
    with Rewarder(values=values, threads=threads) as rewarder:
        rows = [reward.as_row() for reward in rewarder.batch(pairs)]
    seconds = time.perf_counter() - start
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16], seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--witnesses", action="store_true", help="search for witnesses")
    parser.add_argument("--threads", type=int, default=0, help="0: the thread of the caller")
    args = parser.parse_args()
    values = {"refuted_match": 0.3} if args.witnesses else {}
    pairs, before, digests = replies(), left_open(), []
    for _ in range(2):
        digest, seconds = digest_of_batch(pairs, values, args.threads)
        digests.append(digest)
        print(f"{len(pairs):,} replies in {seconds:.2f} s, digest {digest}")
    after = left_open()
    print(f"descriptors, threads and processes: {before} before, {after} after")
    return int(len(set(digests)) > 1 or after > before)


if __name__ == "__main__":
    sys.exit(main())
