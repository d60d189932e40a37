"""How long reliability takes for a million items, and how much memory.

A run of made-up results is written to a folder as ``evaluate`` would write it, read back in one
pass, and scored: outcome table, RS with intervals, curve, AURC and AUGRC with intervals,
calibration, thresholds, charts. One process, one core, the standard library alone.

Run: ``python bench/reliability.py [ITEMS]``.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

from sqlverdict.records import Result, Verdict
from sqlverdict.runlog.log import RESULTS, encode_result, read_results
from sqlverdict.score.reliability.calibration import calibration
from sqlverdict.score.reliability.curve import augrc, aurc
from sqlverdict.score.reliability.curve_intervals import compare_curves, curve_intervals
from sqlverdict.score.reliability.intervals import interval_of, resampled_tables
from sqlverdict.score.reliability.items import ReliabilityCounts
from sqlverdict.score.reliability.outcomes import PROVED, FailurePolicy
from sqlverdict.score.reliability.reliability_score import PENALTIES, break_even, rs, views
from sqlverdict.score.reliability.thresholds import best_prefix, certify

T = TypeVar("T")
SQL = "SELECT name FROM singer WHERE age > (SELECT avg(age) FROM singer) ORDER BY age DESC"


def results(items: int) -> Iterator[Result]:
    """Half of the items unanswerable, a fifth held back, confidences that mean something."""
    rng = random.Random(1)
    for number in range(items):
        answerable = number % 2 == 0
        sure = rng.random()
        right = answerable and rng.random() < 0.3 + 0.7 * sure
        abstains = rng.random() < 0.2
        yield Result(
            index=number,
            id=f"case-{number}",
            db_id="concert_singer",
            question="Which singers are older than the average?",
            gold=(SQL,) if answerable else (),
            prediction=None if abstains else SQL,
            abstained=abstains,
            verdict=Verdict.CORRECT if right else Verdict.INCORRECT,
            scores={"ex": float(right) if answerable else None},
            answerable=answerable,
            confidence=sure,
        )


def timed(what: str, work: Callable[[], T]) -> T:
    """Do it and print a row."""
    began, began_cpu = perf_counter(), process_time()
    result = work()
    spent, cpu = perf_counter() - began, process_time() - began_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {what} | {cpu:.2f} | {spent:.2f} | {peak:.0f} |", flush=True)
    return result


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / RESULTS).open("wb") as log:
            for result in results(items):
                log.write(encode_result(result) + b"\n")
        print(f"{items:,} items, {(folder / RESULTS).stat().st_size / 1e6:.0f} MB of run log\n")
        print("| step | CPU seconds | wall seconds | peak memory so far, MB |")
        print("| --- | ---: | ---: | ---: |")
        ledger = ReliabilityCounts("ex", FailurePolicy(), beside=("verdict", PROVED))
        timed(
            "read the log: outcomes, slices, answers", lambda: ledger.add_all(read_results(folder))
        )
    table = ledger.table
    timed(
        "RS, 3 views x 3 penalties", lambda: [rs(table, c, v) for v in views() for c in PENALTIES]
    )

    def intervals() -> object:
        tables = resampled_tables(table)
        scores = [
            interval_of(lambda t, c=c, v=v: rs(t, c, v), tables) for v in views() for c in PENALTIES
        ]
        return scores, [interval_of(lambda t, v=v: break_even(t, v), tables) for v in views()]

    timed("their intervals, and of break-even", intervals)
    timed("a seeded quarter of the unanswerable", ledger.subset)
    curve = timed("risk-coverage curve", ledger.curve)
    timed("AURC and AUGRC", lambda: (aurc(curve), augrc(curve)))
    timed("their intervals, and of coverage at 3 risks", lambda: curve_intervals(curve))
    timed("ECE, Brier score, diagram, with intervals", lambda: calibration(curve))
    timed("threshold heuristic", lambda: best_prefix(curve, 10.0))
    timed("certified threshold", lambda: certify(curve, risk=0.4))
    rng = random.Random(2)
    few = {str(n): (rng.random(), rng.random() < 0.7) for n in range(items // 5)}
    other = {name: (rng.random(), right) for name, (_, right) in few.items()}
    timed(f"AURC of two systems, {len(few):,} pairs", lambda: compare_curves(few, other))


if __name__ == "__main__":
    main()
