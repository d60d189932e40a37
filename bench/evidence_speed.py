"""How fast evidence is: verdicts, rewards that search for witnesses, searches that find none.

Each measure is of one process, in seconds of its processor time, on four published systems of
Spider dev. ``--beside`` names other checkouts, and ``--python`` other interpreters (such as one
with the extra ``fast``): all take turns, so that what else the machine does falls on all alike.

Run: ``python bench/evidence_speed.py [--rounds N] [--beside CHECKOUT] [--python PYTHON]``; needs
SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from time import process_time
from typing import Any

Pair = tuple[str, str, str]
DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
SYSTEMS = ("DAIL", "C3", "RESDSQL", "RASAT+PICARD")
EVERY = 7
"""Rewards are measured on every seventh question: no two of them share a gold by chance."""
HERE = Path(__file__).resolve()


def verdicts(systems: Sequence[Sequence[Pair]]) -> dict[str, Any]:
    """``evaluate --metrics verdict`` of a whole prediction file, start and reports included."""
    del systems
    spider = DATA.resolve() / "spider"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "sqlverdict", "evaluate", "--benchmark", "spider"]
        command += ["--root", str(spider), "--split", "dev", "--workers", "1", "--quiet"]
        command += ["--predictions", str(spider / "predictions" / "dev" / "DAIL.txt")]
        command += ["--metrics", "ex,verdict", "--out", f"{folder}/run"]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise SystemExit(done.stderr)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"seconds": usage.ru_utime + usage.ru_stime}


def rewards(systems: Sequence[Sequence[Pair]]) -> dict[str, Any]:
    """A batch of new pairs with a value for ``refuted_match``; imports are not counted."""
    from sqlverdict.rl import Rewarder

    groups = zip(*(system[::EVERY] for system in systems), strict=True)
    pairs = list(dict.fromkeys(pair for group in groups for pair in group))
    with Rewarder(values={"refuted_match": 0.3}) as rewarder:
        rewarder.batch(pairs[:1])
        before = process_time()
        outcomes = [str(reward.outcome) for reward in rewarder.batch(pairs[1:])]
        seconds = process_time() - before
    decided = sum(outcome in ("proved", "refuted_match") for outcome in outcomes)
    return {"pairs": len(outcomes), "decided": decided, "seconds": seconds}


def searches(systems: Sequence[Sequence[Pair]]) -> dict[str, Any]:
    """The seconds of each search for a witness of two matching queries that are not proved."""
    import sqlverdict as sv
    from sqlverdict.prove.proof import Proof
    from sqlverdict.refute.witness import NotRefuted

    pairs = list(dict.fromkeys(pair for system in systems for pair in system))
    seconds = {}
    with sv.Scorer("ex") as scorer:
        matches = [pair for pair in pairs if scorer(*pair) == 1.0]
    for gold, prediction, database in matches:
        if isinstance(sv.prove_pair(gold, prediction, db=database), Proof):
            continue
        # The second search of a pair has the schema and the real rows at hand, as a run has.
        for _ in range(2):
            before = process_time()
            refutation = sv.refute_pair(gold, prediction, db=database)
            after = process_time()
        if isinstance(refutation, NotRefuted):
            seconds[f"{gold}\n{prediction}"] = after - before
    return {"seconds": seconds}


MEASURES = {measure.__name__: measure for measure in (verdicts, rewards, searches)}


def pairs_of_systems() -> list[list[Pair]]:
    # Not at the top: a process that measures another checkout must not import this one's benches.
    from scorer import pairs_of

    return [pairs_of(system) for system in SYSTEMS]


def measured(checkout: Path, python: str, measure: str, pairs: str) -> dict[str, Any]:
    """What a process of its own measures; it reads the pairs from its standard input."""
    done = subprocess.run(
        [python, str(HERE), "--measure", measure],
        env={**os.environ, "PYTHONPATH": str(checkout.resolve() / "src")},
        input=pairs,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def write_lines(name: str, measure: str, rounds: Sequence[dict[str, Any]], alike: set[str]) -> None:
    if measure == "searches":
        least = [min(each["seconds"][pair] for each in rounds) * 1000 for pair in sorted(alike)]
        if len(least) < 2:
            print(f"{name:40} {measure:9} {len(least)} searches")
            return
        p95 = quantiles(least, n=20, method="inclusive")[-1]
        words = f"{len(least)} searches without a witness: median {median(least):.0f} ms, "
        print(f"{name:40} {measure:9} {words}p95 {p95:.0f}, longest {max(least):.0f}")
        return
    seconds = sorted(each["seconds"] for each in rounds)
    words = f"median {median(seconds):.1f} s ({seconds[0]:.1f} to {seconds[-1]:.1f})"
    if measure == "rewards":
        pairs, decided = rounds[0]["pairs"], rounds[0]["decided"]
        words += f", {pairs} pairs, {decided} decided, {pairs / median(seconds):.0f} a second"
    print(f"{name:40} {measure:9} {words}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beside", type=Path, action="append", default=[])
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--measure", choices=MEASURES, help="print one measure of this process")
    options = parser.parse_args()
    if options.measure:
        pairs = [[tuple(pair) for pair in system] for system in json.load(sys.stdin)]
        print(json.dumps(MEASURES[options.measure](pairs)))
        return
    checkouts = [*options.beside, HERE.parents[1]]
    subjects = [(path, each) for path in checkouts for each in [sys.executable, *options.python]]
    pairs_as_text = json.dumps(pairs_of_systems())
    for measure in MEASURES:
        results: dict[tuple[Path, str], list[dict[str, Any]]] = {key: [] for key in subjects}
        for _ in range(options.rounds):
            for key in subjects:
                results[key].append(measured(*key, measure, pairs_as_text))
        alike: set[str] = set()
        if measure == "searches":
            rounds = [set(each["seconds"]) for many in results.values() for each in many]
            alike = set.intersection(*rounds)
        for (path, python), many in results.items():
            write_lines(f"{path.name} {Path(python).parts[-3]}", measure, many, alike)


if __name__ == "__main__":
    main()
