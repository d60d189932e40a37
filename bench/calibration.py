"""How far the probabilities of verdicts can be trusted, and the counts that they rest on.

Prints, as Markdown, what ``docs/measurements/calibration.md`` shows about calibration:

* the labels of each step of the order, by set, with its rate and bounds;
* each set left out in turn: what a report would state of it from the labels of the others, and in
  how many samples of its questions the bounds contain the share of right labels;
* each question left out in turn, all sets together: stated against observed, the calibration
  error, and the error that chance explains. The labels of a question go together, so chance
  does not draw them one by one: pairs of one question and situation are as alike as they are here.

With ``--write`` it also writes the counts that come with the package, and the figure.

Run: ``python bench/calibration.py [--write]``; needs SQLVERDICT_DATA. Takes about two minutes.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from msgspec.structs import replace

from agreement import DATA
from agreement_pairs import by_question, samples, table
from agreement_sets import SETS, Labelled, audited_golds, labelled, picked
from sqlverdict.confidence.counts import (
    NAMES,
    STEPS,
    CellLabel,
    LabelSet,
    by_step,
    cell_name,
    count_labels,
)
from sqlverdict.confidence.model import Model
from sqlverdict.confidence.rates import total
from sqlverdict.confidence.stored import write_label_model
from sqlverdict.report.charts.chart import Series, line_chart
from sqlverdict.score.calibration import ProbabilityBin, label_calibration
from sqlverdict.score.expected import Expectation, ExpectedScore
from sqlverdict.score.statistics.intervals import wilson
from sqlverdict.situations import Situation
from sqlverdict.verdicts import POLICIES

ROOT = Path(__file__).parents[1]
COUNTS = ROOT / "src" / "sqlverdict" / "confidence" / "labels.json"
FIGURE = ROOT / "docs" / "measurements" / "calibration.svg"
ABOUT = {
    "rose-bird": "ROSE, BIRD pairs, every second one; people judged the intent",
    "rose-spider": "ROSE, Spider pairs, every second one; people judged the intent",
    "corrected": "13 systems of BIRD mini-dev on 88 questions of two databases, and the 88 golds "
    "themselves as proved; the label is EX against a gold that experts corrected",
    "flex": "FLEX, 100 BIRD pairs; consensus of three experts, strict criteria",
}
FORM = frozenset(
    {
        Situation.HARMLESS_DIFFERENCE,
        Situation.UNSEARCHED_DIFFERENCE,
        Situation.MINOR_DIFFERENCE,
    }
)
"""Of these a label that a comparison made says nothing: it calls every such difference wrong."""
DRAWS = 1_000
Golds = Mapping[str, bool]
Forecast = tuple[Labelled, float]


def usable(items: Iterable[Labelled]) -> list[Labelled]:
    """The pairs whose label says something of their situation."""
    return [i for i in items if i.set != "corrected" or i.result.situation not in FORM]


def labels_of(items: Sequence[Labelled], golds: Golds) -> Iterator[CellLabel]:
    """The labels in their cells; a gold that experts audited is one more proved answer."""
    questions_of_policies = frozenset().union(*(policy.asks for policy in POLICIES.values()))
    for item in items:
        situation = item.result.situation
        yield CellLabel(cell_name(situation), item.set, item.question, item.label)
        if situation in questions_of_policies:
            for opinion in item.judges.values():
                cell = cell_name(situation, opinion)
                yield CellLabel(cell, item.set, item.question, item.label, 1 / len(item.judges))
    for question in sorted({item.question for item in items if item.set == "corrected"}):
        yield CellLabel(cell_name(Situation.PROVED), "corrected", question, golds[question])


def model_of(items: Sequence[Labelled], golds: Golds) -> Model:
    """The counts of these labels."""
    labels = list(labels_of(items, golds))
    used = Counter(label.set for label in labels if "/" not in label.cell)
    sets = tuple(LabelSet(s, ABOUT[s], used[s], "sqlite") for s in SETS if used[s])
    return Model(sets, count_labels(labels))


def expected(items: Iterable[Labelled], model: Model) -> ExpectedScore | None:
    """What a report states of these pairs."""
    expectation = Expectation()
    for item in items:
        p, basis = model.expect(item.result.situation)
        expectation.add(replace(item.result, p_right=p, p_basis=basis))
    return expectation.expected()


def steps(model: Model) -> None:
    """The labels of each step, and what they amount to."""
    rows = []
    for name, situations, sets in zip(NAMES, STEPS, by_step(model.cells), strict=True):
        if sets:
            low, high = model.bounds(situations[0])
            counts = [sets.get(one) for one in SETS]
            cells = [f"{c.right:g}/{c.labels:g} ({c.questions:g})" if c else "" for c in counts]
            rate = total(sets).rate
            p = model.p_right(situations[0])
            rows.append([name, *cells, f"{rate:.3f}", f"{p:.3f}", f"{low:.2f} to {high:.2f}"])
    table(("step: right/labels (questions)", *SETS, "share", "`p_right`", "bounds"), rows)
    print(f"\nAnother set lies within {model.sets_apart:.2f} in log odds.")
    worth = [f"{model._worth(opinion):+.2f}" for opinion in (True, False)]
    print(f"A judge's opinion adds {worth[0]} where it says right, {worth[1]} where wrong.")


def sets_left_out(items: Sequence[Labelled], golds: Golds, others: Sequence[Labelled]) -> None:
    """What the other sets state of each set, and how often it holds in samples of questions."""
    rows = []
    for name in (*SETS, "picked"):
        known = [item for item in items if item.set != name]
        model = model_of(known, golds)
        own = [
            item
            for item in (*items, *others)
            if item.set == name and model.has_labels(item.result.situation)
        ]
        whole = expected(own, model)
        assert whole is not None
        inside = sum(_holds(sample, model) for sample in samples(own)) / 1_000
        right = sum(item.label for item in own) / len(own)
        rows.append(
            [
                name,
                str(len(own)),
                f"{100 * whole.low:.0f} to {100 * whole.high:.0f} %",
                f"{100 * whole.value:.0f} %",
                f"{100 * right:.0f} %",
                f"{100 * inside:.1f} %",
            ]
        )
    table(("set left out", "pairs", "stated", "estimate", "labels", "inside"), rows)


def _holds(sample: Sequence[Labelled], model: Model) -> bool:
    bounds = expected(sample, model)
    assert bounds is not None
    return bounds.low <= sum(item.label for item in sample) / len(sample) <= bounds.high


def questions_left_out(items: Sequence[Labelled], golds: Golds) -> list[Forecast]:
    """Each pair with what the labels of all other questions state of it."""
    forecasts = []
    for group in by_question(items):
        model = model_of([i for i in items if i.question != group[0].question], golds)
        forecasts += [(item, model.p_right(item.result.situation)) for item in group]
    return forecasts


def alike(forecasts: Sequence[Forecast]) -> float:
    """How alike the labels of one question and situation are: the correlation of two of them."""
    groups: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for item, p in forecasts:
        groups[_group(item)].append(item.label - p)
    products = pairs = squares = 0.0
    for rests in groups.values():
        own = sum(rest**2 for rest in rests)
        products += sum(rests) ** 2 - own
        pairs += len(rests) * (len(rests) - 1)
        squares += own
    return products / pairs / (squares / len(forecasts))


def chance(forecasts: Sequence[Forecast], correlation: float) -> tuple[float, float]:
    """The error if every probability were exact: the mean, and what 95 % of draws stay below."""
    errors = []
    for draw in range(DRAWS):
        random, by_group = Random(draw), dict[tuple[str, str, str], float]()
        pairs = []
        for item, p in forecasts:
            number = random.random()
            if random.random() < correlation**0.5:
                number = by_group.setdefault(_group(item), number)
            pairs.append((p, number < p))
        errors.append(label_calibration(pairs).error)
    errors.sort()
    return sum(errors) / DRAWS, errors[DRAWS * 95 // 100]


def _group(item: Labelled) -> tuple[str, str, str]:
    return item.set, item.question, item.result.situation


def stated_and_observed(items: Sequence[Labelled], golds: Golds) -> None:
    """Stated against observed, questions left out; and what chance explains."""
    forecasts = questions_left_out(items, golds)
    measured = label_calibration([(p, item.label) for item, p in forecasts])
    correlation = alike(forecasts)
    print(f"\n{len(forecasts)} pairs, calibration error {measured.error:.3f}")
    for value in (0.0, correlation):
        mean, most = chance(forecasts, value)
        print(f"* by chance, labels of a question {value:.2f} alike: {mean:.3f}, 95 % {most:.3f}")
    rows = [
        [f"{b.low:.1f} to {b.high:.1f}", str(b.cases), f"{b.predicted:.3f}", f"{b.right:.3f}"]
        for b in measured.bins
    ]
    table(("stated", "pairs", "mean stated", "right"), rows)
    for name in SETS:
        own = [(p, item.label) for item, p in forecasts if item.set == name]
        print(f"* {name}: calibration error {label_calibration(own).error:.3f}")
    if "--write" in sys.argv:
        FIGURE.write_text(draw_figure(measured.bins, measured.error), encoding="utf-8")


def draw_figure(bins: Sequence[ProbabilityBin], error: float) -> str:
    """Stated against observed, as a figure."""
    points = [(one.predicted, one.right) for one in bins]
    bars = [(one.predicted, *wilson(round(one.right * one.cases), one.cases)) for one in bins]
    return line_chart(
        "How often a prediction is right, by the probability stated; questions held out",
        "probability stated, mean of a bin",
        "share that people call right, with Wilson's interval",
        [
            Series(f"four sets together: error {error:.3f}", points, bars, marks=True),
            Series("as stated", [(0.0, 0.0), (1.0, 1.0)], dashed=True),
        ],
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        x_percent=True,
        y_percent=True,
    )


def main() -> None:
    """Print everything; write the counts where that is asked for."""
    items, golds = usable(labelled(DATA)), audited_golds(DATA)
    model = model_of(items, golds)
    if "--write" in sys.argv:
        COUNTS.write_bytes(write_label_model(model))
    print("### The labels of each step")
    steps(model)
    print(f"\nOf {len(golds)} golds that experts audited {sum(golds.values())} are right.")
    print("\n### Each set left out")
    sets_left_out(items, golds, picked(DATA))
    print("\n### Each question left out")
    stated_and_observed(items, golds)


if __name__ == "__main__":
    main()
