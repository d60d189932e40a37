"""Populations with a known truth, for ``estimate.py``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from pathlib import Path
from random import Random
from statistics import mean

from msgspec import structs

from agreement import DATA
from agreement_sets import labelled
from sqlverdict.estimate.label_error import share_with_label_error
from sqlverdict.estimate.population import stratum_of, stratum_with_judge
from sqlverdict.estimate.share import DrawnStratum
from sqlverdict.load.people.sampling import JUDGE_STRATA, STRATA
from sqlverdict.score.statistics.strata import Stratum, stratified_interval
from sqlverdict.verdicts import POLICIES

Kinds = dict[str, tuple[int, int]]
"""By stratum: how many cases it has, and how many of them are right."""


Counts = tuple[tuple[int, int, int], ...]
"""Of each stratum: its size, its labels, and how many of them say right."""

JUDGES = ("o3/ROSE", "gpt-4o/FLEX")
"""The recorded judges that make strata: the strongest one of each label set, by its own paper."""


@dataclass(frozen=True)
class LabelledPopulation:
    """A labelled set, by strata.

    Attributes:
        name: The set, and the judge if there is one.
        kinds: Its strata.
        p_right: By stratum: the mean probability that verdicts state.
    """

    name: str
    kinds: Kinds
    p_right: dict[str, float | None]

    def repeated(self, cases: int) -> Kinds:
        """The set, repeated until it has at least so many cases."""
        times = -(-cases // sum(size for size, _ in self.kinds.values()))
        return {name: (times * size, times * right) for name, (size, right) in self.kinds.items()}


def label_set_populations(stored: Path | None = None) -> list[LabelledPopulation]:
    """Each labelled set by evidence, and by evidence and each of its judges.

    Args:
        stored: A file that keeps what the sets say: examining them takes minutes.
    """
    if stored is not None and stored.exists():
        rows = json.loads(stored.read_text("utf-8"))
    else:
        rows = list(_rows())
        if stored is not None:
            stored.write_text(json.dumps(rows), "utf-8")
    populations = []
    for set_name in dict.fromkeys(row["set"] for row in rows):
        own = [row for row in rows if row["set"] == set_name]
        populations.append(_population(set_name, [(row, row["stratum"]) for row in own], STRATA))
        for judge in JUDGES:
            if not any(judge in row["with_judge"] for row in own):
                continue
            pairs = [(row, row["with_judge"].get(judge, "differ")) for row in own]
            populations.append(_population(f"{set_name}, {judge}", pairs, JUDGE_STRATA))
    return populations


def _rows() -> Iterator[dict[str, object]]:
    for item in labelled(DATA):
        judgement = item.judgement(POLICIES["intent"])
        result = structs.replace(
            item.result, verdict=judgement.verdict, situation=judgement.situation
        )
        yield {
            "set": item.set,
            "label": item.label,
            "p_right": item.result.p_right,
            "stratum": stratum_of(result),
            "with_judge": {
                name: stratum_with_judge(result, says) for name, says in item.judges.items()
            },
        }


def _population(
    name: str, pairs: list[tuple[dict[str, object], str]], order: tuple[str, ...]
) -> LabelledPopulation:
    kinds: Kinds = {}
    probabilities: dict[str, float | None] = {}
    for stratum in order:
        own = [row for row, of in pairs if of == stratum]
        if own:
            kinds[stratum] = (len(own), sum(bool(row["label"]) for row in own))
            known = [p for row in own if isinstance(p := row["p_right"], float)]
            probabilities[stratum] = mean(known) if known else None
    return LabelledPopulation(name, kinds, probabilities)


def totals(kinds: Kinds) -> tuple[int, int]:
    """How many cases there are, and how many are right."""
    return sum(size for size, _ in kinds.values()), sum(right for _, right in kinds.values())


def accuracy_of(kinds: Kinds) -> float:
    """The share of right cases."""
    size, right = totals(kinds)
    return right / size


def end_populations(labels: int, number: int, seed: int = 5) -> Iterator[Kinds]:
    """Populations whose share lies just below the interval of labels that are all right.

    They are the worst for such an interval. Of each two, one has its wrong cases in all strata
    alike, and one has them in the first strata.
    """
    random = Random(seed)
    for turn in range(number):
        weights = [random.gammavariate(0.7, 1) + 0.05 for _ in range(random.randint(2, 5))]
        cases = random.choice((200, 500, 2000))
        sizes = [max(5, round(cases * weight / sum(weights))) for weight in weights]
        total = sum(sizes)
        low, _ = stratified_interval([Stratum(total, labels, labels)])
        open_ = wrong = total - (ceil(low * total) - 1)
        kinds: Kinds = {}
        for index, size in enumerate(sizes):
            part = round(wrong * size / total) if turn % 2 and index < len(sizes) - 1 else open_
            own = min(part, size, open_)
            open_ -= own
            kinds[str(index)] = (size, size - own)
        yield kinds


def random_populations(number: int, seed: int = 1) -> Iterator[Kinds]:
    """Populations by chance: sizes, rates and how they are spread.

    Of each four, one has strata of extreme rates, one of any rates, one of rates that are 0 or 1 or
    near it, and one where every stratum is alike: a proxy that says nothing.
    """
    random = Random(seed)
    for turn in range(number):
        cases = random.choice((200, 500, 2000))
        weights = [random.gammavariate(0.7, 1) + 0.01 for _ in range(random.randint(1, 5))]
        sizes = [max(1, round(cases * weight / sum(weights))) for weight in weights]
        alike = random.betavariate(2, 1)
        rates = [
            (
                random.betavariate(0.5, 0.5),
                random.random(),
                random.choice((0.0, 1.0, 0.95, 0.05)),
                alike,
            )[turn % 4]
            for _ in sizes
        ]
        yield {
            str(index): (size, round(size * rate))
            for index, (size, rate) in enumerate(zip(sizes, rates, strict=True))
        }


@lru_cache(maxsize=1 << 18)
def interval_with_errors(counts: Counts, differ: int, known: int) -> tuple[float, float] | None:
    """The interval with label errors, for 20 cases that two people labelled.

    So many more cases need no label; half of them are right.
    """
    strata = [
        DrawnStratum(str(n), size, all_, all_, right)
        for n, (size, all_, right) in enumerate(counts)
    ]
    return share_with_label_error(strata, 20, differ, known=known, known_right=known // 2)
