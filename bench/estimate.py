"""Whether the intervals of ``sqlverdict estimate`` hold, and how many labels they save.

Prints, as Markdown, what ``docs/measurements/estimate.md`` shows. Every population is one whose
truth is known: the labelled sets that verdicts are measured on (each as it is, and repeated to
2,000 cases), populations by chance, among them some with proxies that say nothing, proxies that
know everything, strata that are all right, and strata with a single case, and populations just
below the end of the interval whose labels are all right. Labels are drawn again and again:

* coverage: how often the interval holds the truth, drawn by strata and drawn at random;
* width: against Wilson's interval of as many labels drawn from all cases;
* labels for the width that 100 labels drawn from all cases give;
* the width that a plan expects, and the mean width reached;
* the gate: how often it passes a system whose accuracy is just below the minimum, at one look and
  at four planned ones;
* the difference of two systems;
* label errors: both intervals where each label is wrong with one probability.

``--part plot`` draws width against labels (``docs/measurements/estimate.svg``).

Run: ``python bench/estimate.py [--part NAME]...``; the labelled sets need SQLVERDICT_DATA. Each
part has the draws and populations of the page (``DRAWS``, ``POPULATIONS``), unless ``--draws`` and
``--populations`` say otherwise: quicker, and other figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from statistics import mean

from agreement_pairs import table
from estimate_populations import (
    Counts,
    Kinds,
    LabelledPopulation,
    accuracy_of,
    end_populations,
    interval_with_errors,
    label_set_populations,
    random_populations,
    totals,
)
from sqlverdict.estimate.accuracy import join_neighbours, strata_after_draw
from sqlverdict.estimate.difference import Side, difference_interval
from sqlverdict.estimate.gate import bound_confidence
from sqlverdict.estimate.plan import cautious, plan_labels
from sqlverdict.estimate.population import allocate
from sqlverdict.estimate.share import DrawnStratum
from sqlverdict.load.people.sampling import SIDES, side_stratum
from sqlverdict.report.charts.chart import Series, line_chart
from sqlverdict.score.statistics.strata import Stratum, stratified_interval

ROOT = Path(__file__).parent.parent
FIGURE = ROOT / "docs" / "measurements" / "estimate.svg"
PLOT_SET = "rose-bird"
LABELS = (20, 40, 60, 100)
DRAWS = {"sets": 4000, "saved": 200, "plans": 300, "gate": 1000, "random": 400}
DRAWS |= {"difference": 200, "errors": 2000, "plot": 400}
POPULATIONS = {"gate": 100, "random": 200, "difference": 60}
ERROR_RATES = (0.0, 0.03, 0.07)


@lru_cache(maxsize=1 << 18)
def interval(counts: Counts, confidence: float = 0.95) -> tuple[float, float]:
    """The interval for strata of these sizes, labels and right labels."""
    return stratified_interval([Stratum(*each) for each in counts], confidence)


def by_strata(kinds: Kinds, labels: int, random: Random) -> Counts:
    """Labels drawn stratum by stratum."""
    sample = allocate({name: size for name, (size, _) in kinds.items()}, labels)
    return tuple(
        (size, sample[name], _right(size, right, sample[name], random))
        for name, (size, right) in kinds.items()
    )


def at_random(kinds: Kinds, labels: int, random: Random) -> Counts:
    """Labels drawn from all cases, the strata formed after it."""
    cases = [(name, i < right) for name, (size, right) in kinds.items() for i in range(size)]
    sample = random.sample(cases, labels)
    strata = []
    for name, (size, _) in kinds.items():
        own = [right for stratum, right in sample if stratum == name]
        strata.append(DrawnStratum(name, size, len(own), len(own), sum(own)))
    return tuple((each.size, each.labels, each.right) for each in strata_after_draw(strata))


def plain(kinds: Kinds, labels: int, random: Random) -> Counts:
    """Labels drawn from all cases, without strata."""
    size, right = totals(kinds)
    return ((size, labels, _right(size, right, labels, random)),)


DESIGNS = {"by strata": by_strata, "at random": at_random, "plain": plain}


def _right(size: int, right: int, labels: int, random: Random) -> int:
    return sum(index < right for index in random.sample(range(size), labels))


def holds(kinds: Kinds, labels: int, design: str, draws: int, seed: int) -> tuple[float, float]:
    """How often the interval holds the truth, and its mean width."""
    size, right = totals(kinds)
    random = Random(seed)
    hits, widths = 0, []
    for _ in range(draws):
        low, high = interval(DESIGNS[design](kinds, labels, random))
        hits += low - 1e-9 <= right / size <= high + 1e-9
        widths.append(high - low)
    return hits / draws, mean(widths)


def coverage(sets: Sequence[tuple[str, Kinds]], draws: int) -> Iterator[list[str]]:
    """A row for each population and number of labels."""
    for name, kinds in sets:
        for labels in LABELS:
            if labels > totals(kinds)[0] * 0.8:
                continue
            row = [name, str(totals(kinds)[0]), str(len(kinds)), str(labels)]
            _, width = holds(kinds, labels, "plain", draws, 1)
            for design in ("by strata", "at random"):
                hits, own = holds(kinds, labels, design, draws, 2)
                row += [f"{100 * hits:.1f}", f"{own / width:.2f}"]
            yield row


def labels_for_plain(kinds: Kinds, draws: int) -> int:
    """How many labels by strata give the mean width of 100 drawn from all cases."""
    goal = holds(kinds, 100, "plain", draws, 3)[1]
    low, high = len(kinds), 110
    while high - low > 1:
        middle = (low + high) // 2
        if holds(kinds, middle, "by strata", draws, 4)[1] <= goal:
            high = middle
        else:
            low = middle
    return high


def planned(kinds: Kinds, rates: dict[str, float], draws: int) -> tuple[int, int, float, float]:
    """A plan for a width of 0.15: labels, plain labels, the planned width and the one reached."""
    plan = plan_labels({name: size for name, (size, _) in kinds.items()}, rates, 0.15)
    return (
        plan.labels,
        plan.plain,
        plan.expected,
        holds(kinds, plan.labels, "by strata", draws, 5)[1],
    )


def false_passes(kinds: Kinds, labels: int, looks: int, draws: int) -> float:
    """How often a gate passes whose minimum is one case above the truth, over planned looks."""
    size, right = totals(kinds)
    least = (right + 1) / size
    confidence = bound_confidence(looks)
    random = Random(6)
    passes = 0
    for _ in range(draws):
        # The looks are at the first parts of one sample of each stratum.
        sample = {name: random.sample(range(count), count) for name, (count, _) in kinds.items()}
        for look in range(1, looks + 1):
            own = allocate({name: n for name, (n, _) in kinds.items()}, labels * look // looks)
            counts = tuple(
                (count, own[name], sum(i < good for i in sample[name][: own[name]]))
                for name, (count, good) in kinds.items()
            )
            if interval(counts, confidence)[0] >= least:
                passes += 1
                break
    return passes / draws


def random_rows(
    populations_for: Callable[[int], Sequence[Kinds]], draws: int
) -> Iterator[list[str]]:
    """Coverage over the populations for each number of labels: mean, fifth percentile, least."""
    for labels in LABELS[:3]:
        populations = populations_for(labels)
        for design in ("by strata", "at random"):
            hits, ratio = [], []
            for seed, kinds in enumerate(populations):
                if totals(kinds)[0] * 0.8 < labels or len(kinds) > labels:
                    continue
                own, width = holds(kinds, labels, design, draws, seed)
                hits.append(own)
                ratio.append(width / holds(kinds, labels, "plain", draws, seed)[1])
            yield [
                str(labels),
                design,
                str(len(hits)),
                *_spread(hits),
                f"{mean(ratio):.2f}",
                f"{max(ratio):.2f}",
            ]


def difference_rows(number: int, draws: int) -> Iterator[list[str]]:
    """Coverage of the difference of two systems over populations by chance.

    As ``label`` and ``estimate`` do it: one draw over the strata of both systems, neighbours with
    few labels joined after it.
    """
    populations = list(random_populations(2 * number, seed=2))
    pairs = list(zip(populations[:number], populations[number:], strict=True))
    for labels in (40, 60, 100):
        shares, random = [], Random(7)
        for sides in pairs:
            sizes = {
                side_stratum(side, name): size
                for side, kinds in zip(SIDES, sides, strict=True)
                for name, (size, _) in kinds.items()
            }
            sample = allocate(sizes, labels)
            cases = max(totals(kinds)[0] for kinds in sides)
            truth = (totals(sides[0])[1] - totals(sides[1])[1]) / cases
            hits = 0
            for _ in range(draws):
                both: list[Side] = []
                for side, kinds in zip(SIDES, sides, strict=True):
                    strata = []
                    for name, (size, right) in kinds.items():
                        own = sample[side_stratum(side, name)]
                        is_right = _right(size, right, own, random)
                        strata.append(DrawnStratum(name, size, own, own, is_right))
                    both.append((join_neighbours(strata), 0, 0))
                low, high = difference_interval(both, cases)
                hits += low - 1e-9 <= truth <= high + 1e-9
            shares.append(hits / draws)
        yield [str(labels), str(len(shares)), *_spread(shares)]


def _spread(shares: Sequence[float]) -> list[str]:
    """The mean of shares, their fifth percentile and the least."""
    low = sorted(shares)
    return [f"{100 * each:.1f}" for each in (mean(low), low[len(low) // 20], low[0])]


def random_gate_rows(number: int, draws: int) -> Iterator[list[str]]:
    """How often a gate passes a system just below the minimum, over populations by chance."""
    populations = [each for each in random_populations(number) if 0.3 < accuracy_of(each) < 0.98]
    for labels in (40, 100):
        for looks in (1, 4):
            own = [each for each in populations if totals(each)[0] * 0.8 >= labels]
            passes = sorted(false_passes(kinds, labels, looks, draws) for kinds in own)
            yield [
                str(labels),
                str(looks),
                str(len(own)),
                f"{100 * mean(passes):.1f}",
                f"{100 * passes[len(passes) * 19 // 20]:.1f}",
                f"{100 * passes[-1]:.1f}",
            ]


def error_rows(
    sets: Sequence[LabelledPopulation], draws: int, *, add_known: bool = False
) -> Iterator[list[str]]:
    """Both intervals under label errors: 100 labels, 20 cases labelled by two people.

    ``add_known``: as many cases more need no label, and half of them are right.
    Where the two differ the case counts as not right, as it does until an adjudicator decides.
    """
    for each in sets:
        kinds = each.repeated(2000)
        known = sum(size for size, _ in kinds.values()) if add_known else 0
        truth = accuracy_of(kinds)
        if known:
            truth = (truth + known // 2 / known) / 2
        sure = ((known, known, known // 2),) if known else ()
        for rate in ERROR_RATES:
            random = Random(9)
            hits, hits_with, number, widths = 0, 0, 0, []
            for _ in range(draws):
                counts, differ = with_label_errors(kinds, 100, 20, rate, random)
                low, high = interval((*counts, *sure))
                hits += low <= truth <= high
                wider = interval_with_errors(counts, differ, known)
                if wider is not None:
                    number += 1
                    hits_with += wider[0] <= truth <= wider[1]
                    widths.append((wider[1] - wider[0]) / (high - low))
            yield [
                each.name,
                f"{100 * rate:.0f}",
                f"{100 * hits / draws:.1f}",
                f"{100 * hits_with / number:.1f}",
                f"{mean(widths):.2f}",
                f"{100 * (draws - number) / draws:.1f}",
            ]


def with_label_errors(
    kinds: Kinds, labels: int, twice: int, rate: float, random: Random
) -> tuple[Counts, int]:
    """Labels drawn by strata, each wrong with one probability, and how many pairs differ."""
    votes = []
    for name, (size, labelled, right) in zip(kinds, by_strata(kinds, labels, random), strict=True):
        votes += [(name, size, index < right) for index in range(labelled)]
    both = {*random.sample(range(len(votes)), twice)}
    strata = {name: [size, 0, 0] for name, (size, _) in kinds.items()}
    differ = 0
    for index, (name, _, truth) in enumerate(votes):
        answers = [truth ^ (random.random() < rate) for _ in range(1 + (index in both))]
        differ += len(set(answers)) > 1
        strata[name][1] += 1
        strata[name][2] += all(answers)
    return tuple((size, labelled, right) for size, labelled, right in strata.values()), differ


def width_plot(sets: Sequence[LabelledPopulation], draws: int) -> str:
    """The mean width against the number of labels, as SVG: without strata, by evidence, by both."""
    numbers = (20, 30, 40, 50, 60, 80, 100, 120, 150, 200)
    own = [each for each in sets if each.name.partition(",")[0] == PLOT_SET]
    lines = [("drawn from all cases, without strata", own[0], "plain")]
    lines += [("by evidence", own[0], "by strata")]
    lines += [("by evidence and a judge", each, "by strata") for each in own[1:]]
    series = [
        Series(name, [(n, holds(each.repeated(2000), n, design, draws, 8)[1]) for n in numbers])
        for name, each, design in lines
    ]
    return line_chart(
        "Width of the 95% interval, from end to end (ROSE, BIRD)",
        "labels",
        "mean width",
        series,
        y_percent=True,
        y_range=(0.0, 0.4),
        x_range=(0, 200),
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, help="instead of the page's")
    parser.add_argument("--populations", type=int, help="instead of the page's")
    parser.add_argument("--part", choices=tuple(DRAWS), action="append", help="repeatable")
    parser.add_argument("--stored", type=Path, help="populations of an earlier call")
    args = parser.parse_args()
    parts = args.part or [part for part in DRAWS if part != "plot"]
    sets = [] if {*parts} <= {"random", "difference"} else label_set_populations(args.stored)
    for part in parts:
        populations = args.populations or POPULATIONS.get(part, 0)
        print_part(part, sets, args.draws or DRAWS[part], populations)


def print_part(part: str, sets: Sequence[LabelledPopulation], draws: int, populations: int) -> None:
    """Print the tables of one part, or write the plot."""
    if part == "plot":
        FIGURE.write_text(width_plot(sets, draws), encoding="utf-8")
    if part == "sets":
        both = [*((p.name, p.kinds) for p in sets)]
        both += [(f"{p.name}, repeated", p.repeated(2000)) for p in sets]
        head = ["set", "cases", "strata", "labels", *("by strata, %", "width")]
        table([*head, "at random, %", "width"], coverage(both, draws))
    if part == "saved":
        rows = [[p.name, str(labels_for_plain(p.repeated(2000), draws))] for p in sets]
        table(["set", "labels for the width of 100"], rows)
    if part == "plans":
        rows = []
        for p in sets:
            rates = {name: cautious(rate) for name, rate in p.p_right.items()}
            labels, plain_, width, reached = planned(p.repeated(2000), rates, draws)
            rows.append([p.name, str(labels), str(plain_), f"{width:.3f}", f"{reached:.3f}"])
        table(["set", "labels", "plain", "planned width", "reached"], rows)
    if part == "gate":
        rows = []
        for p in sets:
            for labels in (40, 100):
                kinds = p.repeated(2000)
                row = [p.name, str(labels)]
                row += [
                    f"{100 * false_passes(kinds, labels, looks, 2 * draws):.1f}"
                    for looks in (1, 2, 4)
                ]
                rows.append(row)
        table(["set", "labels", "1 look, %", "2 looks, %", "4 looks, %"], rows)
        head = ["labels", "looks", "populations", "mean, %", "95th percentile", "greatest"]
        table(head, random_gate_rows(populations, draws))
    if part == "random":
        head = ["labels", "drawn", "populations", "mean, %", "5th percentile", "least", "width"]
        chance = list(random_populations(populations, seed=3))
        table([*head, "widest"], random_rows(lambda _: chance, draws))
        table([*head, "widest"], random_rows(lambda n: [*end_populations(n, 60)], draws))
    if part == "difference":
        head = ["labels", "pairs", "mean, %", "5th percentile", "least"]
        table(head, difference_rows(populations // 2, draws))
    if part == "errors":
        head = ["set", "label errors, %", "holds, %", "with label errors, %"]
        head += ["width", "not told, %"]
        table(head, error_rows(sets, draws))
        table(head, error_rows(sets, draws, add_known=True))


if __name__ == "__main__":
    main()
