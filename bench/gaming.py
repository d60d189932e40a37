"""What queries score that are written without understanding the question.

The strategies of ``sqlverdict.testing.gaming`` under every metric, on Spider dev and on BIRD's
runnable databases. A strategy that is right now and then is right under ``ex`` too; ``beyond`` is
what ``verdict`` gives it beyond that: the share of cases that ``verdict`` calls correct although
``ex`` does not. It should be about 0 for each of them.

Run: ``python bench/gaming.py [--every N] [--only spider|bird]``; needs SQLVERDICT_DATA.
Exits with 1 where ``beyond`` is above one percent.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from sqlverdict.compare.preset import PRESETS
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Case, Result
from sqlverdict.report.tables import plain, table
from sqlverdict.testing.gaming import BLIND, DISGUISES, Target, target_of

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
METRICS = (
    *(f"ex[{preset}]" for preset in PRESETS.names()),
    *("text_match", "esm", "etm", "proved", "verdict", "soft_f1", "ves", "ts", "witness_accuracy"),
)
MOST_BEYOND = 0.01


@cache
def known(path: str) -> Target:
    """What strategies know of a database; read once."""
    return target_of(Path(path))


def cases_of(name: str, every: int) -> list[Case]:
    """Every n-th answerable case of a benchmark whose database is here."""
    benchmark = BENCHMARKS.get(name).read(DATA / name)
    here = [
        case
        for case in benchmark.cases
        if case.answerable and case.database and Path(case.database).is_file()
    ]
    return here[::every]


def runs(cases: Sequence[Case]) -> Mapping[str, list[Result]]:
    """The results of every strategy."""
    systems = [
        System(name, {case.id: write(known(str(case.database)), case) for case in cases})
        for name, write in {**BLIND, **DISGUISES}.items()
    ]
    options = Options(metrics=",".join(METRICS), workers=2, cache=None)
    done = evaluate_systems(cases, systems, options=options)
    return {system.name: list(run.results()) for system, run in zip(systems, done, strict=True)}


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is scored; ``None`` where nothing is."""
    scored = [value for value in values if value is not None]
    return sum(scored) / len(scored) if scored else None


def shown(share: float | None) -> str:
    """A share in percent."""
    return "-" if share is None else f"{100 * share:.1f}"


def beyond(results: Sequence[Result]) -> float:
    """The share of cases that are correct although the answers differ."""
    extra = [
        result.scores["verdict"] == 1 and result.scores["ex[strict]"] != 1 for result in results
    ]
    return sum(extra) / len(extra)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", choices=("spider", "bird"))
    chosen = parser.parse_args()
    worst = 0.0
    for name in [chosen.only] if chosen.only else ["spider", "bird"]:
        cases = cases_of(name, chosen.every)
        rows = []
        for strategy, results in runs(cases).items():
            scores = [mean(result.scores[m] for result in results) for m in METRICS]
            more = beyond(results)
            worst = max(worst, more)
            rows.append([strategy, *map(shown, scores), shown(more)])
        headers = ("strategy", *METRICS, "beyond")
        print(plain(table(headers, rows, f"{name}: {len(cases)} cases, percent", left=(0,))))
        print()
    if worst > MOST_BEYOND:
        sys.exit(f"a strategy scores {100 * worst:.1f} % beyond ex; at most 1 % is accepted")


if __name__ == "__main__":
    main()
