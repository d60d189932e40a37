"""How well verdicts agree with people, and how probable they say they are.

Prints, as Markdown, what ``docs/measurements/agreement.md`` shows: the labels in each situation,
kappa of each policy beside EX, each recorded judge alone and with evidence, calibration, and
whether the stated bounds hold. With ``--write`` it also writes the counts that come with the
package.

Run: ``python bench/agreement.py [--write]``; needs SQLVERDICT_DATA. Takes about two minutes.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from agreement_sets import SETS, Labelled, labelled
from sqlverdict.confidence import LabelSet, Model, cell_of, count, write_models
from sqlverdict.policies import INTENT, POLICIES, STRICT, Policy
from sqlverdict.records import Result, Verdict
from sqlverdict.report.charts.chart import Series, line_chart
from sqlverdict.score.expected import Expectation
from sqlverdict.score.statistics.intervals import wilson
from sqlverdict.situations import Situation

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
COUNTS = Path(__file__).parents[1] / "src" / "sqlverdict" / "confidence.json"
FIGURE = Path(__file__).parents[1] / "docs" / "measurements" / "calibration.svg"
STYLES = {INTENT.name: ("rose-bird", "rose-spider", "corrected"), STRICT.name: ("flex",)}
"""The sets whose labels follow the idea of a policy."""
ABOUT = {
    "rose-bird": "ROSE, BIRD pairs, every second one; people judged the intent",
    "rose-spider": "ROSE, Spider pairs, every second one; people judged the intent",
    "corrected": "13 systems of BIRD mini-dev on 88 questions of two databases; the label is EX "
    "against a gold that experts corrected",
    "flex": "FLEX, 100 BIRD pairs; consensus of three experts, strict criteria",
}
FORM = frozenset(
    {
        Situation.FEWER_COLUMNS,
        Situation.HARMLESS_DIFFERENCE,
        Situation.UNSEARCHED_DIFFERENCE,
        Situation.TIED_DIFFERENCE,
        Situation.NULL_ROWS_DIFFERENCE,
    }
)
"""Of these a label that a comparison made says nothing: it calls every such difference wrong."""
FOLDS = 10
DIVISIONS = 10
"""How often questions are divided into folds anew: which bin a pair falls into is partly chance."""
SAMPLES = 1_000
DRAWS = 200
BINS = 10
VALUES = {Verdict.CORRECT: True, Verdict.INCORRECT: False}
Opinion = Callable[[Labelled], bool | None]


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Cohen's kappa."""
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    ours, theirs = sum(a for a, _ in pairs) / n, sum(b for _, b in pairs) / n
    chance = ours * theirs + (1 - ours) * (1 - theirs)
    return 0.0 if chance == 1 else (observed - chance) / (1 - chance)


def by_question(items: Iterable[Labelled]) -> list[list[Labelled]]:
    """The pairs of each question: what is drawn, and what is held out, together."""
    groups: dict[str, list[Labelled]] = defaultdict(list)
    for item in items:
        groups[item.question].append(item)
    return [groups[name] for name in sorted(groups)]


def samples(items: Sequence[Labelled], number: int = SAMPLES) -> Iterator[list[Labelled]]:
    """Questions drawn with repetition."""
    groups, random = by_question(items), Random(0)
    for _ in range(number):
        yield [item for group in random.choices(groups, k=len(groups)) for item in group]


def agreement(items: Sequence[Labelled], opinion: Opinion) -> str:
    """Kappa with its interval, and on how many of the pairs."""
    values = {id(item): opinion(item) for item in items}

    def pairs(sample: Iterable[Labelled]) -> list[tuple[bool, bool]]:
        return [(i.label, v) for i in sample if (v := values[id(i)]) is not None]

    decided = pairs(items)
    if not decided:
        return "–"  # noqa: RUF001
    kappas = sorted(kappa(result) for s in samples(items) if (result := pairs(s)))
    low, high = kappas[len(kappas) // 40], kappas[-len(kappas) // 40 - 1]
    left = "" if len(decided) == len(items) else f", {len(decided)} of {len(items)} decided"
    return f"{kappa(decided):.3f} ({low:.2f} to {high:.2f}{left})"


def by_policy(policy: Policy) -> Opinion:
    """What a policy says without a judge."""
    return lambda item: VALUES.get(item.judgement(policy).verdict)


def with_judge(policy: Policy, name: str) -> Opinion:
    """What a policy says with a recorded judge."""
    return lambda item: VALUES.get(item.judgement(policy, item.judges[name]).verdict)


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table."""
    print(f"\n| {' | '.join(headers)} |")
    print(f"| --- |{' ---: |' * (len(headers) - 1)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def situations(items: Sequence[Labelled]) -> None:
    """What people said in each situation."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        name = item.judgement(INTENT).situation
        counts[name][f"{item.set} all"] += 1
        counts[name][f"{item.set} right"] += item.label
    rows = []
    for name in Situation:
        labels = counts[name]
        if labels:
            cells = [
                f"{labels[f'{s} right']}/{labels[f'{s} all']}" if labels[f"{s} all"] else "–"  # noqa: RUF001
                for s in SETS
            ]
            rows.append([f"`{name}`", *cells, *(p.table[name] for p in POLICIES.values())])
    table(("situation", *SETS, *POLICIES), rows)


def policies(items: Sequence[Labelled]) -> None:
    """Each comparison and each policy on each set."""
    names = ("recorded EX", "ex", "ex[bird]", "ex[spider]")
    rows = [[f"`{name}`", *(_ex(items, name, s) for s in SETS)] for name in names]
    for policy in POLICIES.values():
        opinion = by_policy(policy)
        rows.append([f"`{policy.name}`", *(agreement(_of(items, s), opinion) for s in SETS)])
    table(("without a judge", *SETS), rows)


def _ex(items: Sequence[Labelled], name: str, which: str) -> str:
    subset = [item for item in _of(items, which) if name in item.ex]
    return agreement(subset, lambda item: item.ex[name]) if subset else "–"  # noqa: RUF001


def comparisons(items: Sequence[Labelled]) -> None:
    """Each comparison and ``intent`` on labels that each of the comparisons makes."""
    opinion = by_policy(INTENT)
    decided = [(i, value) for i in items if i.labels and (value := opinion(i)) is not None]
    names = ("ex", "ex[bird]", "ex[spider]")
    rows = []
    for by in names:
        row = [f"{kappa([(i.labels[by], i.ex[name]) for i, _ in decided]):.3f}" for name in names]
        row.append(f"{kappa([(i.labels[by], value) for i, value in decided]):.3f}")
        rows.append([f"`{by}`", *row])
    table(("labels made by", *(f"`{name}`" for name in names), f"`{INTENT.name}`"), rows)


def _of(items: Iterable[Labelled], which: str) -> list[Labelled]:
    return [item for item in items if item.set == which]


def judges(items: Sequence[Labelled]) -> None:
    """Each recorded judge alone, with EX, and with evidence."""
    for which, policy in (("rose-bird", INTENT), ("rose-spider", INTENT), ("flex", STRICT)):
        subset = _of(items, which)
        ex = "recorded EX" if which != "flex" else "ex"
        names = sorted({name for item in subset for name in item.judges})
        rows = []
        for name in names:
            opinion = with_judge(policy, name)
            label_pairs = [(item.label, v) for item in subset if (v := opinion(item)) is not None]
            calls = sum(Situation(i.judgement(policy).situation) in policy.asks for i in subset)
            wrong = Counter(pair for pair in label_pairs if pair[0] != pair[1])
            rows.append(
                [
                    name,
                    f"{kappa([(i.label, i.judges[name]) for i in subset]):.3f}",
                    f"{kappa([(i.label, i.ex[ex] or i.judges[name]) for i in subset]):.3f}",
                    agreement(subset, opinion),
                    f"{wrong[False, True]} / {wrong[True, False]}",
                    f"{calls} of {len(subset)}",
                ]
            )
        headers = ("judge", "alone", "EX or judge", f"`{policy.name}`", "FP / FN", "calls")
        print(f"\n{which}, {len(subset)} pairs:")
        table(headers, rows)


def model_of(items: Sequence[Labelled], style: str) -> Model:
    """The counts of a policy's label sets."""
    policy = POLICIES[style]
    subset = [item for item in items if item.set in STYLES[style]]
    labelled_results = []
    for item in subset:
        situation = Situation(item.judgement(policy).situation)
        if item.set == "corrected" and situation in FORM:
            continue
        evidence = item.result.evidence
        labelled_results.append((cell_of(situation, evidence), item.set, item.label, 1.0))
        if situation in policy.asks:
            for opinion in item.judges.values():
                cell = cell_of(situation, evidence, opinion)
                labelled_results.append((cell, item.set, item.label, 1 / len(item.judges)))
    used = Counter(name for cell, name, _, _ in labelled_results if "/judged_" not in cell)
    sets = tuple(LabelSet(name, ABOUT[name], used[name]) for name in STYLES[style] if used[name])
    return Model(sets, count(labelled_results))


def held_out(
    items: Sequence[Labelled], style: str, division: int = 1
) -> list[tuple[Labelled, float, float]]:
    """Each pair with the probability and deviation that the other questions give it."""
    policy = POLICIES[style]
    groups = by_question(item for item in items if item.set in STYLES[style])
    Random(division).shuffle(groups)
    forecasts = []
    for fold in range(FOLDS):
        training = [i for n, group in enumerate(groups) if n % FOLDS != fold for i in group]
        model = model_of(training, style)
        for item in (i for n, group in enumerate(groups) if n % FOLDS == fold for i in group):
            judgement = item.judgement(policy, model=model)
            if item.set == "corrected" and judgement.situation in FORM:
                continue
            if judgement.p_right is not None and judgement.p_deviation is not None:
                forecasts.append((item, judgement.p_right, judgement.p_deviation))
    return forecasts


def error(forecasts: Sequence[tuple[Labelled, float, float]]) -> float:
    """The expected calibration error over ten bins of equal width."""
    bins: dict[int, list[tuple[bool, float]]] = defaultdict(list)
    for item, p, _ in forecasts:
        bins[min(int(p * BINS), BINS - 1)].append((item.label, p))
    return sum(
        abs(sum(label for label, _ in pairs) - sum(p for _, p in pairs)) for pairs in bins.values()
    ) / len(forecasts)


def chance(forecasts: Sequence[tuple[Labelled, float, float]]) -> str:
    """The error if every probability were exact: the mean, and what 95 % of draws stay below."""
    random = Random(0)
    errors = sorted(
        error([(replace(i, label=random.random() < p), p, d) for i, p, d in forecasts])
        for _ in range(DRAWS)
    )
    return f"{sum(errors) / DRAWS:.3f} (95 % below {errors[DRAWS * 95 // 100]:.3f})"


def calibration(items: Sequence[Labelled]) -> None:
    """Expected against observed, and whether the bounds hold; questions held out."""
    series: list[Series] = []
    for style in STYLES:
        divided = [held_out(items, style, number) for number in range(1, DIVISIONS + 1)]
        forecasts = divided[0]
        errors = [error(each) for each in divided]
        bins: dict[int, list[tuple[bool, float]]] = defaultdict(list)
        for item, p, _ in forecasts:
            bins[min(int(p * BINS), BINS - 1)].append((item.label, p))
        rows = [
            [
                f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}",
                str(len(pairs)),
                f"{sum(p for _, p in pairs) / len(pairs):.3f}",
                f"{sum(label for label, _ in pairs) / len(pairs):.3f}",
            ]
            for number, pairs in sorted(bins.items())
        ]
        series.append(
            Series(
                f"{style}: error {sum(errors) / DIVISIONS:.3f}",
                [
                    (sum(p for _, p in pairs) / len(pairs), sum(y for y, _ in pairs) / len(pairs))
                    for _, pairs in sorted(bins.items())
                ],
                [
                    (
                        sum(p for _, p in pairs) / len(pairs),
                        *wilson(sum(label for label, _ in pairs), len(pairs)),
                    )
                    for _, pairs in sorted(bins.items())
                ],
                marks=True,
            )
        )
        print(f"\n`{style}`, {len(forecasts)} pairs, calibration error {_spread(errors)}")
        for which in STYLES[style]:
            own = [[one for one in each if one[0].set == which] for each in divided]
            spread, by_chance = _spread([error(each) for each in own]), chance(own[0])
            print(f"* {which}: {spread}, by chance {by_chance}; {bounds(own[0])}")
        table(("stated", "pairs", "mean stated", "right"), rows)
    if "--write" in sys.argv:
        FIGURE.write_text(draw(series), encoding="utf-8")


def _spread(errors: Sequence[float]) -> str:
    """The mean over all divisions, and the least and the greatest."""
    return f"{sum(errors) / len(errors):.3f} ({min(errors):.3f} to {max(errors):.3f})"


def draw(series: Sequence[Series]) -> str:
    """Expected against observed, as a figure."""
    ideal = Series("as stated", [(0.0, 0.0), (1.0, 1.0)], dashed=True)
    return line_chart(
        "How often a prediction is right, by the probability stated; questions held out",
        "probability stated, mean of a bin",
        "share that people call right, with Wilson's interval",
        [*series, ideal],
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        x_percent=True,
        y_percent=True,
    )


def bounds(forecasts: Sequence[tuple[Labelled, float, float]]) -> str:
    """What is expected of a set, and how often its bounds hold in samples of its questions."""
    by_item = {id(item): (p, deviation) for item, p, deviation in forecasts}
    items = [item for item, _, _ in forecasts]
    whole = _expected([(item, *by_item[id(item)]) for item in items])
    share = sum(item.label for item in items) / len(items)
    inside = 0
    for sample in samples(items):
        low, _, high = _expected([(item, *by_item[id(item)]) for item in sample])
        inside += low <= sum(item.label for item in sample) / len(sample) <= high
    low, value, high = whole
    return (
        f"stated {100 * low:.1f} to {100 * high:.1f} %, estimate {100 * value:.1f} %, labels "
        f"{100 * share:.1f} %; inside in {100 * inside / SAMPLES:.1f} % of samples"
    )


def _expected(forecasts: Sequence[tuple[Labelled, float, float]]) -> tuple[float, float, float]:
    expectation = Expectation()
    for item, p, deviation in forecasts:
        expectation.add(_with(item.result, p, deviation))
    expected = expectation.expected()
    assert expected is not None
    return expected.low, expected.value, expected.high


def _with(result: Result, p: float, deviation: float) -> Result:
    from msgspec.structs import replace

    return replace(result, p_right=p, p_deviation=deviation)


def main() -> None:
    """Print everything; write the counts where that is asked for."""
    items = labelled(DATA)
    if "--write" in sys.argv:
        COUNTS.write_bytes(write_models({style: model_of(items, style) for style in STYLES}))
    print("### Labels in each situation (right / all)")
    situations(items)
    print("\n### Policies")
    policies(items)
    comparisons(items)
    print("\n### Recorded judges")
    judges(items)
    print("\n### Calibration, questions held out")
    calibration(items)


if __name__ == "__main__":
    main()
