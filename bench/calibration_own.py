"""What a user's own labels are worth: calibration after ``sqlverdict agree --calibrate``, by set.

Each set of labels in turn plays the user's. The counts of the other sets stand for the package's.
Questions are divided into ten folds; for each of them, 20, 50 or 100 labels are drawn from the
other nine, one per question before a second one of any, and are added as ``--calibrate`` adds them.
Printed are the calibration error and the log loss (x 1,000), means of several divisions:

* without own labels;
* own labels alone (``agree --calibrate --alone``);
* as ``agree --calibrate`` counts;
* the error that the last row would have if its probabilities were exact: so much is chance.

Then, for each set, how often the bounds that a report states contain the share of right labels in a
fifth of the questions, and how wide they are.

Run: ``python bench/calibration_own.py``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import log
from random import Random

from agreement import DATA
from agreement_pairs import table
from agreement_sets import SETS, Labelled, audited_golds, labelled
from calibration import Golds, expected, model_of, usable
from sqlverdict.confidence.counts import LabelSet
from sqlverdict.confidence.model import NO_LABELS, Model
from sqlverdict.score.calibration import LabelledResult, label_calibration, with_own

FOLDS = 10
DIVISIONS = 10
OWN = (20, 50, 100)
SAMPLES = 100
OURS = LabelSet("own", "", 0, "sqlite")
Forecast = tuple[float, bool]


def draw(items: Iterable[Labelled], number: int, random: Random) -> list[LabelledResult]:
    """So many results, one per question before a second one of any."""
    questions: dict[str, list[Labelled]] = defaultdict(list)
    for item in items:
        questions[item.question].append(item)
    order = sorted(questions)
    random.shuffle(order)
    for question in order:
        random.shuffle(questions[question])
    turns = [(turn, q) for q in order for turn in range(len(questions[q]))]
    turns.sort(key=lambda pair: pair[0])
    choice = [questions[q][turn] for turn, q in turns[:number]]
    return [LabelledResult(OURS.name, item.result, item.label) for item in choice]


def forecasts(
    own: Sequence[Labelled], package: Model, number: int, division: int
) -> dict[str, list[Forecast]]:
    """What each way to count states of the set's results, questions held out."""
    random = Random(1_000 * number + division)
    questions = sorted({item.question for item in own})
    random.shuffle(questions)
    folds = {question: at % FOLDS for at, question in enumerate(questions)}
    ways: dict[str, list[Forecast]] = defaultdict(list)
    for fold in range(FOLDS):
        training = draw([i for i in own if folds[i.question] != fold], number, random)
        models = {
            "none": package,
            "alone": with_own(NO_LABELS, training, OURS),
            "calibrate": with_own(package, training, OURS),
        }
        held_out = [item for item in own if folds[item.question] == fold]
        for way, model in models.items():
            ways[way] += [(model.p_right(i.result.situation), i.label) for i in held_out]
    exact = Random(division)
    ways["exact"] = [(p, exact.random() < p) for p, _ in ways["calibrate"]]
    return ways


def log_loss(pairs: Sequence[Forecast]) -> float:
    """The mean of the logarithms: honest probabilities have the least."""
    return -sum(log(p if right else 1 - p) for p, right in pairs) / len(pairs)


def inside(own: Sequence[Labelled], package: Model, number: int) -> tuple[int, float]:
    """In how many samples the bounds contain the share of right labels, and their mean width."""
    times, width = 0, 0.0
    questions = sorted({item.question for item in own})
    for sample in range(SAMPLES):
        random = Random(1_000 * number + sample)
        held_out = set(random.sample(questions, len(questions) // 5))
        training = draw([i for i in own if i.question not in held_out], number, random)
        model = with_own(package, training, OURS) if number else package
        sample_items = [
            item
            for item in own
            if item.question in held_out and model.has_labels(item.result.situation)
        ]
        bounds = expected(sample_items, model)
        assert bounds is not None
        share = sum(item.label for item in sample_items) / len(sample_items)
        times += bounds.low <= share <= bounds.high
        width += (bounds.high - bounds.low) / SAMPLES
    return times, width


def own_labels(items: Sequence[Labelled], golds: Golds) -> None:
    """Print a row for each set and number of own labels."""
    rows, bounds = [], []
    for name in SETS:
        own = [item for item in items if item.set == name]
        package = model_of([item for item in items if item.set != name], golds)
        for number in OWN:
            divided = [forecasts(own, package, number, each) for each in range(DIVISIONS)]
            cells = []
            for way in ("none", "alone", "calibrate", "exact"):
                error = sum(label_calibration(each[way]).error for each in divided) / DIVISIONS
                loss = sum(log_loss(each[way]) for each in divided) / DIVISIONS
                cells.append(
                    f"{error:.3f}" if way == "exact" else f"{error:.3f} / {1_000 * loss:.0f}"
                )
            rows.append([name, str(number), *cells])
        contained = (inside(own, package, number) for number in (0, *OWN))
        bounds.append([name, *(f"{times}, width {width:.2f}" for times, width in contained)])
    table(("set", "own labels", "without", "alone", "`--calibrate`", "by chance"), rows)
    headers = ("without", *(f"{number} own labels" for number in OWN))
    table((f"inside, of {SAMPLES}", *headers), bounds)


if __name__ == "__main__":
    own_labels(usable(labelled(DATA)), audited_golds(DATA))
