"""How well the audit finds wrong golds, held against people's labels; ``--write`` fits its model.

Three label sets (``audit_data.py``). Printed for each: the area under the ROC curve of the former
rank and of the model's probability, with 95 % intervals that draw questions anew; precision among
the first 10 and 20; expected against observed; what each feature is worth; what fewer systems and
run folders alone are worth. No gold is ranked by a model that has seen its question: folds are made
by question, by database, and by set (fit on one kind of label, test on the other, without shared
questions).

Run: ``python bench/audit.py [--rows FILE] [--write]``; needs SQLVERDICT_DATA. ``--rows`` keeps the
features in a file, since running all queries takes minutes.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import prod
from pathlib import Path
from random import Random

import sqlverdict.audit.gold_model as package
from audit_data import Databases, Labelled, labelled
from audit_figures import auc, first, gain, interval
from gold_fit import fit_model
from sqlverdict.audit.gold_model import MODEL, Feature, GoldModel, gold_features
from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.report.terminal.tables import plain_table, table

NAMES = ("mismatch", "agreement", "same_values", "gold_signs", "distinct_against")
ASSUMED = {
    "gold_fails": 3.6,
    "gold_limit": 1.4,
    "gold_self": 1.4,
    "judge_blames": 2.2,
    "judge_holds_right": 0.8,
}
"""No label set has these: the log-odds of the former weights over a base rate of one in five."""
FORMER = (
    "gold_fails",
    "gold_nothing",
    "gold_open",
    "gold_values",
    "judge_disputes",
    "nobody_right",
    "systems_agree",
)
"""The suspicions of the former rank, 1 - (1 - w1)(1 - w2)..."""
FORMER_RANK = "former"
Features = dict[str, float | None]
SETS = ("corrected", "spider", "bird")
FOLDS = 10
DRAWS = 20


@dataclass(frozen=True)
class Row:
    """One labelled gold: its features, as :func:`look` returns them.

    ``logged`` are those without running a query again, ``fewer`` those with 1, 2 or 3 systems.
    """

    set: str
    key: str
    database: str
    executed: bool
    wrong: bool
    features: Features
    logged: Features
    fewer: dict[str, list[Features]]

    @property
    def former(self) -> float:
        """The rank that it had before there was a model."""
        return self.features[FORMER_RANK] or 0.0


def look(report: GoldReport) -> Features:
    """The features of a gold, and its former rank among them, which no model knows."""
    raised: list[Suspicion] = [
        result for _, one in SUSPICIONS.items() for result in one.look(report)
    ]
    former = 1 - prod(1 - result.weight for result in raised if result.name in FORMER)
    return {
        **{each.name: each.value for each in gold_features(report, raised)},
        FORMER_RANK: former,
    }


def row(item: Labelled) -> Row:
    """All that is measured about one gold."""
    report = item.report
    random = Random(item.key)
    fewer: dict[str, list[Features]] = {}
    for size in (1, 2, 3):
        draws = [
            random.sample(range(len(report.answers)), min(size, len(report.answers)))
            for _ in range(DRAWS)
        ]
        fewer[str(size)] = [
            look(replace(report, answers=tuple(report.answers[n] for n in sorted(draw))))
            for draw in draws
        ]
    bare = replace(
        report,
        answers=tuple(replace(answer, answer=None) for answer in report.answers),
        gold_answer=None,
        rerun=None,
    )
    return Row(
        item.set,
        item.key,
        item.database,
        item.executed,
        item.wrong,
        look(report),
        look(bare),
        fewer,
    )


def fit(rows: Sequence[Row], names: Sequence[str] = NAMES) -> GoldModel:
    """The model of some golds."""
    return fit_model(
        [each.features for each in rows], [each.wrong for each in rows], names, assumed=ASSUMED
    )


def ranks(model: GoldModel, rows: Sequence[Features]) -> list[float]:
    """The probabilities of golds by their features."""
    return [
        model.probability([Feature(name, value, "") for name, value in each.items()])
        for each in rows
    ]


def held_out(
    rows: Sequence[Row], fold: Callable[[Row], object], names: Sequence[str] = NAMES
) -> list[float]:
    """Each gold's probability by a model that has not seen its fold."""
    results: dict[int, float] = {}
    for part in sorted({str(fold(each)) for each in rows}):
        test = [n for n, each in enumerate(rows) if str(fold(each)) == part]
        model = fit([each for each in rows if str(fold(each)) != part], names)
        results.update(zip(test, ranks(model, [rows[n].features for n in test]), strict=True))
    return [results[n] for n in range(len(rows))]


def by_question(rows: Sequence[Row]) -> Callable[[Row], object]:
    """Ten folds of questions; a question that is in two sets is in one fold."""
    keys = sorted({each.key for each in rows})
    Random(1).shuffle(keys)
    places = {key: number % FOLDS for number, key in enumerate(keys)}
    return lambda each: places[each.key]


def other_sets(rows: Sequence[Row]) -> list[float]:
    """Each gold's probability by a model of the other two sets, without the set's questions."""
    results: dict[int, float] = {}
    for one in SETS:
        test = [n for n, each in enumerate(rows) if each.set == one]
        keys = {rows[n].key for n in test}
        model = fit([each for each in rows if each.set != one and each.key not in keys])
        results.update(zip(test, ranks(model, [rows[n].features for n in test]), strict=True))
    return [results[n] for n in range(len(rows))]


def other_kind(rows: Sequence[Row]) -> list[float]:
    """Each gold's probability by a model of the other kind of labels, without its questions."""
    results: list[float] = []
    for corrected in (True, False):
        test = [each for each in rows if (each.set == "corrected") is corrected]
        keys = {each.key for each in test}
        train = [each for each in rows if (each.set == "corrected") is not corrected]
        model = fit([each for each in train if each.key not in keys])
        results += ranks(model, [each.features for each in test])
    return results


def show(title: str, headers: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    print(plain_table(table(headers, lines, title, left=(0,))))
    print()


def areas(rows: Sequence[Row]) -> None:
    """The main table: before and after."""
    ordered = sorted(rows, key=lambda each: each.set != "corrected")
    ranked = {
        "former rank": [each.former for each in ordered],
        "model, folds by question": held_out(ordered, by_question(ordered)),
        "model, folds by database": held_out(ordered, lambda each: each.database),
        "model, fitted on the other two sets": other_sets(ordered),
        "model, fitted on the other kind of labels": other_kind(ordered),
        "share of systems that differ, alone": [
            float(each.features["mismatch"] or 0) for each in ordered
        ],
    }
    lines, precise, gains = [], [], []
    for name, values in ranked.items():
        line, hits, more = [name], [name], [name]
        for one in SETS:
            pairs = [
                (value, each.wrong)
                for value, each in zip(values, ordered, strict=True)
                if each.set == one
            ]
            line.append(interval(pairs))
            hits += [first(pairs, 10), first(pairs, 20)]
            more.append(gain(pairs, [each.former for each in ordered if each.set == one]))
        lines.append(line)
        gains.append(more)
        precise.append(hits)
    sizes = Counter((each.set, each.wrong) for each in rows)
    heads = [
        f"{one} ({sizes[one, True]} of {sizes[one, True] + sizes[one, False]} wrong)"
        for one in SETS
    ]
    show("AUC, 95 % interval by bootstrap over questions", ["rank", *heads], lines)
    show("AUC against the former rank's", ["rank", *SETS], gains[1:])
    heads = [f"{one}, first {most}" for one in SETS for most in (10, 20)]
    show("Wrong golds among the first", ["rank", *heads], precise)
    calibration(ordered, ranked["model, folds by question"])


def calibration(rows: Sequence[Row], values: Sequence[float]) -> None:
    """Expected against observed."""
    lines = []
    error = 0.0
    for low, high in ((0, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.5), (0.5, 1.01)):
        inside = [
            (value, each) for value, each in zip(values, rows, strict=True) if low <= value < high
        ]
        if not inside:
            continue
        expected = sum(value for value, _ in inside) / len(inside)
        wrong = sum(each.wrong for _, each in inside)
        error += abs(sum(value for value, _ in inside) - wrong)
        parts = [
            f"{sum(labels)}/{len(labels)}"
            for one in SETS
            for labels in [[each.wrong for _, each in inside if each.set == one]]
        ]
        label = f"{low:g} to {min(high, 1):g}"
        lines.append(
            [
                label,
                f"{expected:.2f}",
                f"{wrong / len(inside):.2f}",
                f"{wrong}/{len(inside)}",
                *parts,
            ]
        )
    off = f"expected calibration error {error / len(rows):.3f}"
    title = f"Expected against observed, folds by question; {off}"
    show(title, ["probability", "expected", "observed", "wrong", *SETS], lines)


def worth(rows: Sequence[Row]) -> None:
    """What each feature is worth: left out, and alone."""
    fold = by_question(rows)
    choices = {
        "all": NAMES,
        **{f"without {name}": tuple(n for n in NAMES if n != name) for name in NAMES},
    }
    lines = [[name, *by_set(rows, held_out(rows, fold, names))] for name, names in choices.items()]
    show("AUC, folds by question", ["features", *SETS], lines)


def by_set(rows: Sequence[Row], values: Sequence[float]) -> list[str]:
    """The area of each set."""
    return [
        interval([(v, each.wrong) for v, each in zip(values, rows, strict=True) if each.set == one])
        for one in SETS
    ]


def less(rows: Sequence[Row]) -> None:
    """What fewer systems, or run folders alone, are worth."""
    fold = by_question(rows)
    parts = sorted({fold(each) for each in rows}, key=str)
    models = {part: fit([each for each in rows if fold(each) != part]) for part in parts}

    def model_area(pick: Callable[[Row], Features], one: str) -> float:
        selection = [each for each in rows if each.set == one]
        pairs = [(ranks(models[fold(each)], [pick(each)])[0], each.wrong) for each in selection]
        return auc(pairs) or 0.0

    def former_area(pick: Callable[[Row], Features], one: str) -> float:
        return auc([(pick(e)[FORMER_RANK] or 0.0, e.wrong) for e in rows if e.set == one]) or 0.0

    def draw(size: str, number: int) -> Callable[[Row], Features]:
        return lambda each: each.fewer[size][number]

    lines = []
    for name, area in (("former rank", former_area), ("model", model_area)):
        for size in ("1", "2", "3"):
            line = [f"{name}, {size} of the systems, mean of {DRAWS} draws"]
            for one in SETS:
                areas = [area(draw(size, number), one) for number in range(DRAWS)]
                line.append(f"{sum(areas) / len(areas):.3f} ({min(areas):.2f} to {max(areas):.2f})")
            lines.append(line)
        for words, pick in (
            ("all systems, run folders alone", lambda each: each.logged),
            ("all systems, run again", lambda each: each.features),
        ):
            lines.append([f"{name}, {words}", *(f"{area(pick, one):.3f}" for one in SETS)])
    title = "AUC, folds by question; in brackets the least and the most draw"
    show(title, ["rank, and what is known", *SETS], lines)


def write(rows: Sequence[Row]) -> None:
    """The model of all labels, into the package."""
    model = fit(rows)
    counts = {
        one: {
            "golds": sum(each.set == one for each in rows),
            "wrong": sum(each.wrong for each in rows if each.set == one),
            "run here": sum(each.executed for each in rows if each.set == one),
        }
        for one in SETS
    }
    record = {
        "provenance": {
            "labels": {
                "corrected": "corrected_golds.jsonl: the corrected gold answers otherwise",
                "spider": "error_types.jsonl: 'Gold Error' among the marks, Spider dev",
                "bird": "error_types.jsonl: 'Gold Error' among the marks, BIRD dev",
            },
            "counts": counts,
            "fit": "logistic regression, ridge 1, every gold counts once",
            "assumed": "no label set has these features; from the former weights",
            "written by": "bench/audit.py --write",
        },
        "intercept": round(model.intercept, 4),
        "coefficients": {name: round(value, 4) for name, value in model.coefficients.items()},
        "means": {name: round(value, 4) for name, value in model.means.items()},
        "assumed": ASSUMED,
    }
    path = Path(package.__file__).with_name(MODEL)
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(f"written: {path}")


def main() -> None:
    """Print the tables; with --write also fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.rows is not None and arguments.rows.is_file():
        rows = [Row(**each) for each in json.loads(arguments.rows.read_text(encoding="utf-8"))]
    else:
        rows = [row(item) for item in labelled(Databases())]
        if arguments.rows is not None:
            arguments.rows.write_text(json.dumps([asdict(each) for each in rows]), encoding="utf-8")
    areas(rows)
    worth(rows)
    less(rows)
    if arguments.write:
        write(rows)


if __name__ == "__main__":
    main()
