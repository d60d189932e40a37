"""Tables of the runs that ``train_grpo.py`` wrote.

Every figure is the mean over the seeds of a reward, at the last step that all runs looked at.
Intervals are 95 % ones of 2,000 draws of questions: a draw takes a question with the replies of all
runs, so differences are paired by question. They say what other questions would change, not what
other seeds would.

Run: ``python bench/train_figures.py FOLDER``, the folder that ``--out`` named.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlverdict.report.terminal.tables import plain_table, table
from train_rewards import MATCHES, REWARDS

DRAWS = 2_000
Look = Mapping[str, Any]
Counts = list[tuple[float, ...]]
"""By question: matches, refuted ones, empty ones, constants, replies."""


def counts(look: Look) -> Counts:
    """What became of the replies to each question."""
    return [
        (
            sum(outcome in MATCHES for outcome in outcomes),
            sum(outcome == "refuted_match" for outcome in outcomes),
            sum(outcome == "empty_match" for outcome in outcomes),
            sum(outcome == "constant_match" for outcome in outcomes),
            sum(outcome != "unscored" for outcome in outcomes),
        )
        for outcomes in look["outcomes"]
    ]


def merged(looks: Sequence[Look]) -> Counts:
    """The counts of several seeds together, question by question."""
    each = [counts(look) for look in looks]
    return [tuple(map(sum, zip(*same, strict=True))) for same in zip(*each, strict=True)]


def shares(figures: Counts, places: Sequence[int]) -> tuple[float, ...]:
    """In percent: EX, EX without refuted matches; of the matches: refuted, empty, constant."""
    matched, refuted, empty, constant, replies = (
        sum(figures[at][column] for at in places) for column in range(5)
    )
    of_matches = max(matched, 1)
    parts = (
        matched / replies,
        (matched - refuted - constant) / replies,
        refuted / of_matches,
        empty / of_matches,
        constant / of_matches,
    )
    return tuple(100 * part for part in parts)


def interval(values: Sequence[float]) -> str:
    order = sorted(values)
    low, high = order[round(0.025 * len(order))], order[round(0.975 * len(order)) - 1]
    return f"{low:.1f} to {high:.1f}"


def with_intervals(
    figures: Mapping[str, Counts], value: Callable[[str, Sequence[int]], tuple[float, ...]]
) -> list[list[str]]:
    """A row for each name: values, each with its interval."""
    size, draw = len(next(iter(figures.values()))), random.Random(0)
    draws = [draw.choices(range(size), k=size) for _ in range(DRAWS)]
    rows = []
    for name in figures:
        point = value(name, range(size))
        spread = list(zip(*(value(name, places) for places in draws), strict=True))
        cells = [
            f"{number:.1f} ({interval(column)})"
            for number, column in zip(point, spread, strict=True)
        ]
        rows.append([name, *cells])
    return rows


def quality(title: str, figures: dict[str, Counts]) -> None:
    """Print what the held-out replies are, and how rewards differ."""
    headers = ("reward", "EX", "EX, not refuted", "refuted", "empty", "constant")
    rows = with_intervals(figures, lambda name, places: shares(figures[name], places))
    print(plain_table(table(headers, rows, f"{title}, percent", left=(0,))), end="\n\n")
    others = {name: each for name, each in figures.items() if name != "ex"}
    if "ex" not in figures or not others:
        return

    def less(name: str, places: Sequence[int]) -> tuple[float, ...]:
        pairs = zip(shares(figures[name], places), shares(figures["ex"], places), strict=True)
        return tuple(one - other for one, other in pairs)

    rows = with_intervals(others, less)
    print(plain_table(table(headers, rows, f"{title}, less that of ex", left=(0,))), end="\n\n")


def speed(runs: Sequence[Look]) -> None:
    """Print what rewards took, and how long the GPU waited."""
    rows = []
    for name in REWARDS:
        steps = [step for run in runs if run["reward"] == name for step in run["steps"]]
        if not steps:
            continue
        total = {
            key: sum(step[key] for step in steps)
            for key in ("replies", "write_s", "reward_s", "step_s", "reward_busy_s")
        }
        whole = total["write_s"] + total["reward_s"] + total["step_s"]
        rows.append(
            [
                name,
                f"{len(steps)}",
                f"{total['replies'] / total['reward_s']:,.0f}",
                f"{total['replies'] / total['reward_busy_s']:,.0f}",
                *(f"{total[key] / len(steps):.2f}" for key in ("write_s", "reward_s", "step_s")),
                f"{100 * total['reward_s'] / whole:.0f}",
            ]
        )
    headers = (
        *("reward", "steps", "replies a second", "a processor's second"),
        *("writing s", "reward s", "training s", "waited %"),
    )
    print(plain_table(table(headers, rows, "speed, of one run among the others", left=(0,))))


def course(runs: Sequence[Look]) -> None:
    """Print the mean training reward and the held-out EX as training goes on."""
    rows = []
    for run in runs:
        steps = run["steps"]
        thirds = [steps[at * len(steps) // 3 : (at + 1) * len(steps) // 3] for at in range(3)]
        means = [
            statistics.mean(step["reward"] or 0.0 for step in part) if part else 0.0
            for part in thirds
        ]
        looks = ", ".join(f"{at}: {100 * each['ex']:.1f}" for at, each in run["looks"].items())
        cells = [f"{mean:.3f}" for mean in means]
        rows.append([f"{run['reward']} {run['seed']}", str(len(steps)), *cells, looks])
    headers = ("run", "steps", "reward, first third", "second", "last", "EX by step")
    print(plain_table(table(headers, rows, "training", left=(0, 5))), end="\n\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    runs = [json.loads(path.read_text()) for path in sorted(folder.glob("run-*.json"))]
    course(runs)
    common = set.intersection(*(set(run["looks"]) for run in runs))
    if common:
        last = max(common, key=int)
        figures = {
            name: merged([run["looks"][last] for run in runs if run["reward"] == name])
            for name in REWARDS
            if any(run["reward"] == name for run in runs)
        }
        tuned = folder / "tune.json"
        if tuned.is_file():
            figures["before"] = counts(json.loads(tuned.read_text())["look"])
        quality(f"likeliest reply after {last} steps", figures)
    if all("samples" in run for run in runs):
        figures = {
            name: merged([run["samples"] for run in runs if run["reward"] == name])
            for name in REWARDS
            if any(run["reward"] == name for run in runs)
        }
        quality("sampled replies at the end", figures)
    speed(runs)


if __name__ == "__main__":
    main()
