"""What a user's own labels are worth: calibration after ``sqlverdict calibrate``, by set.

Each set of labels in turn plays the user's. The counts of the other sets stand for the package's.
Questions are divided into ten folds; for each of them, 20, 50 or 100 labels are drawn from the
other nine, one per question before a second one of any, and are added as ``calibrate`` adds them.
Printed are the calibration error and the log loss (x 1,000), means of several divisions:

* without own labels;
* all labels alike: the former rule, without a limit to what other sets count;
* own labels alone (``calibrate --alone``);
* as ``calibrate`` counts: the others as so many labels at most, in each cell;
* the error that the last row would have if its probabilities were exact: so much is chance.

Then, for each set, how often the bounds that a report states contain the share of right labels in a
fifth of the questions, and how wide they are.

Run: ``python bench/agreement_refit.py``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log
from random import Random

from msgspec import structs

from agreement import DATA, FORM, STYLES, table
from agreement_sets import labelled
from sqlverdict.confidence import NO_LABELS, Model
from sqlverdict.policies import INTENT
from sqlverdict.score.calibration import (
    LabelledResult,
    calibration,
    counts_of,
    forecasts_of,
    with_own,
)
from sqlverdict.score.expected import Expectation

FOLDS = 10
DIVISIONS = 10
OWN = (20, 50, 100)
SAMPLES = 100
Question = str
Forecast = tuple[float, bool]


def by_set() -> dict[str, list[tuple[Question, LabelledResult]]]:
    """The labelled results of each set, with their questions."""
    sets: dict[str, list[tuple[Question, LabelledResult]]] = defaultdict(list)
    for item in labelled(DATA):
        if item.set not in STYLES[INTENT.name]:
            continue
        if item.set == "corrected" and item.result.situation in FORM:
            continue
        sets[item.set].append((item.question, LabelledResult(item.set, item.result, item.label)))
    return sets


def draw(
    pairs: Iterable[tuple[Question, LabelledResult]], number: int, random: Random
) -> list[LabelledResult]:
    """So many results, one per question before a second one of any."""
    questions: dict[Question, list[LabelledResult]] = defaultdict(list)
    for question, one in pairs:
        questions[question].append(one)
    order = sorted(questions)
    random.shuffle(order)
    for question in order:
        random.shuffle(questions[question])
    turns = [(turn, q) for q in order for turn in range(len(questions[q]))]
    turns.sort(key=lambda pair: pair[0])
    return [questions[q][turn] for turn, q in turns[:number]]


def forecasts(
    own: Sequence[tuple[Question, LabelledResult]], package: Model, number: int, division: int
) -> dict[str, list[Forecast]]:
    """What each way to count states of the set's results, questions held out."""
    random = Random(1_000 * number + division)
    questions = sorted({question for question, _ in own})
    random.shuffle(questions)
    folds = {question: at % FOLDS for at, question in enumerate(questions)}
    name = own[0][1].set
    ways: dict[str, list[Forecast]] = defaultdict(list)
    for fold in range(FOLDS):
        training = draw([p for p in own if folds[p[0]] != fold], number, random)
        package_with_own = with_own(package, training, name)
        models = {
            "none": package,
            "alike": replace(package_with_own, own=""),
            "alone": with_own(NO_LABELS, training, name),
            "calibrate": package_with_own,
        }
        held_out = [one for question, one in own if folds[question] == fold]
        for way, model in models.items():
            ways[way].extend(forecasts_of(model, held_out, INTENT.alike))
    exact = Random(division)
    ways["exact"] = [(p, exact.random() < p) for p, _ in ways["calibrate"]]
    return ways


def log_loss(pairs: Sequence[Forecast]) -> float:
    """The mean of the logarithms: honest probabilities have the least."""
    return -sum(log(p if right else 1 - p) for p, right in pairs) / len(pairs)


def inside(
    own: Sequence[tuple[Question, LabelledResult]], package: Model, number: int
) -> tuple[int, float]:
    """In how many samples the bounds contain the share of right labels, and their mean width."""
    times, width = 0, 0.0
    questions = sorted({question for question, _ in own})
    for sample in range(SAMPLES):
        random = Random(1_000 * number + sample)
        held_out = set(random.sample(questions, len(questions) // 5))
        training = draw([p for p in own if p[0] not in held_out], number, random)
        model = with_own(package, training, own[0][1].set) if number else package
        expectation, right, all_ = Expectation(), 0, 0
        for one in (one for question, one in own if question in held_out):
            result = one.result
            alike = INTENT.alike(result.situation)
            p, deviation = model.expect(result.situation, result.evidence, alike=alike)
            expectation.add(structs.replace(result, p_right=p, p_deviation=deviation))
            right, all_ = right + one.right, all_ + 1
        bounds = expectation.expected()
        assert bounds is not None
        times += bounds.low <= right / all_ <= bounds.high
        width += (bounds.high - bounds.low) / SAMPLES
    return times, width


def main() -> None:
    """Print a row for each set and number of own labels."""
    sets = by_set()
    rows, bounds = [], []
    for name, own in sets.items():
        others = [one for other, pairs in sets.items() if other != name for _, one in pairs]
        package = Model(cells=counts_of(others))
        for number in OWN:
            divided = [forecasts(own, package, number, each) for each in range(DIVISIONS)]
            cells = []
            for way in ("none", "alike", "alone", "calibrate", "exact"):
                error = sum(calibration(each[way]).error for each in divided) / DIVISIONS
                loss = sum(log_loss(each[way]) for each in divided) / DIVISIONS
                cells.append(
                    f"{error:.3f}" if way == "exact" else f"{error:.3f} / {1_000 * loss:.0f}"
                )
            rows.append([name, str(number), *cells])
        contained = (inside(own, package, number) for number in (0, *OWN))
        bounds.append([name, *(f"{times}, width {width:.2f}" for times, width in contained)])
    table(("set", "own labels", "without", "all alike", "alone", "`calibrate`", "by chance"), rows)
    headers = ("without", *(f"{number} own labels" for number in OWN))
    table((f"inside, of {SAMPLES}", *headers), bounds)


if __name__ == "__main__":
    main()
