"""How well the audit finds wrong golds, held against people's labels; ``--write`` fits its model.

Four label sets (``audit_data.py``). Printed for each: the area under the ROC curve of the model and
of counting (the share of systems that differ from the gold), the paired difference, and the wrong
golds among the first 20 and 50, with 95 % intervals that draw questions anew; then expected against
observed, what each feature is worth, each suspicion alone, what fewer systems and run folders alone
are worth, and what each bound of the rank lists. No gold is ranked by a model that has seen its
question. The main figure leaves the whole set out: the model is fitted on the other three, without
the questions of the set.

Run: ``python bench/audit.py [--rows FILE] [--write]``; needs SQLVERDICT_DATA. ``--rows`` keeps the
features in a file, since running all queries takes minutes.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

import sqlverdict.audit.gold_model as package
from audit_data import Databases, Labelled, labelled
from audit_figures import auc, gain, interval, precision
from gold_fit import fit_model
from sqlverdict.audit.gold_model import MODEL, Feature, GoldModel, gold_features
from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.report.terminal.tables import plain_table, table

NAMES = (
    "mismatch",
    "agreement",
    "same_values",
    "gold_signs",
    "gold_doubts",
    "distinct_against",
)
ASSUMED = {
    "gold_fails": 3.6,
    "gold_limit": 1.4,
    "gold_self": 1.4,
    "judge_blames": 2.2,
    "judge_holds_right": 0.8,
}
"""No label set has these: log-odds over a base rate of one in five, by people's judgement."""
Features = dict[str, float | None]
SETS = ("revisions", "corrected", "spider", "bird")
LABELS = {
    "revisions": "bird_revisions.jsonl: BIRD's own rewrite answers otherwise",
    "corrected": "corrected_golds.jsonl: the corrected gold answers otherwise",
    "spider": "error_types.jsonl: 'Gold Error' among the marks, Spider dev",
    "bird": "error_types.jsonl: 'Gold Error' among the marks, BIRD dev",
}
FOLDS = 10
DRAWS = 20
BOUNDS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4)


@dataclass(frozen=True)
class Row:
    """One labelled gold.

    ``share`` is the share of systems that differ from it. ``logged`` are its features without
    running a query again, ``fewer`` those with 0, 1, 2, 3 or 10 systems. ``signs`` are its
    suspicions and the signs among them, by name.
    """

    set: str
    key: str
    database: str
    executed: bool
    wrong: bool
    share: float
    features: Features
    logged: Features
    fewer: dict[str, list[Features]]
    signs: list[str]


def look(report: GoldReport) -> list[Suspicion]:
    """All suspicions against a gold."""
    return [result for _, one in SUSPICIONS.items() for result in one.look(report)]


def features_of(report: GoldReport, raised: Sequence[Suspicion]) -> Features:
    """The features of a gold by name."""
    return {each.name: each.value for each in gold_features(report, raised)}


def row(item: Labelled) -> Row:
    """All that is measured about one gold."""
    report = item.report
    random = Random(item.key)
    raised = look(report)
    fewer: dict[str, list[Features]] = {}
    for size in (0, 1, 2, 3, 10):
        number = min(size, len(report.answers))
        draws = [random.sample(report.answers, number) for _ in range(DRAWS if size else 1)]
        # What the gold itself shows does not depend on the systems.
        fewer[str(size)] = [
            features_of(replace(report, answers=tuple(draw)), raised) for draw in draws
        ]
    bare = replace(
        report,
        answers=tuple(replace(answer, answer=None) for answer in report.answers),
        gold_answer=None,
        rerun=None,
    )
    known = [answer.right for answer in report.answers if answer.right is not None]
    signs = {name for each in raised for name in (each.name, *each.detail.get("signs", ()))}
    return Row(
        item.set,
        item.key,
        item.database,
        item.executed,
        item.wrong,
        known.count(False) / len(known) if known else 0.0,
        features_of(report, raised),
        features_of(bare, look(bare)),
        fewer,
        sorted(signs),
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


def held_out(rows: Sequence[Row], fold: Callable[[Row], object]) -> list[float]:
    """Each gold's probability by a model that has not seen its fold."""
    results: dict[int, float] = {}
    for part in sorted({str(fold(each)) for each in rows}):
        test = [n for n, each in enumerate(rows) if str(fold(each)) == part]
        model = fit([each for each in rows if str(fold(each)) != part])
        results.update(zip(test, ranks(model, [rows[n].features for n in test]), strict=True))
    return [results[n] for n in range(len(rows))]


def by_question(rows: Sequence[Row]) -> Callable[[Row], object]:
    """Ten folds of questions; a question that is in two sets is in one fold."""
    keys = sorted({each.key for each in rows})
    Random(1).shuffle(keys)
    places = {key: number % FOLDS for number, key in enumerate(keys)}
    return lambda each: places[each.key]


def other_models(rows: Sequence[Row], names: Sequence[str] = NAMES) -> dict[str, GoldModel]:
    """A model for each set, fitted on the other sets without the set's questions."""
    models = {}
    for one in SETS:
        keys = {each.key for each in rows if each.set == one}
        models[one] = fit([e for e in rows if e.set != one and e.key not in keys], names)
    return models


def other_sets(
    rows: Sequence[Row],
    names: Sequence[str] = NAMES,
    pick: Callable[[Row], Features] = lambda each: each.features,
) -> list[float]:
    """Each gold's probability by the model of the other sets."""
    models = other_models(rows, names)
    return [ranks(models[each.set], [pick(each)])[0] for each in rows]


def show(title: str, headers: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    print(plain_table(table(headers, lines, title, left=(0,))))
    print()


def pairs(rows: Sequence[Row], values: Sequence[float], one: str) -> list[tuple[float, bool]]:
    """The ranks and labels of one set."""
    return [(v, each.wrong) for v, each in zip(values, rows, strict=True) if each.set == one]


def areas(rows: Sequence[Row]) -> None:
    """The main tables: the model against counting."""
    counting = [each.share for each in rows]
    ranked = {
        "counting": counting,
        "model, fitted on the other sets": other_sets(rows),
        "model, folds by question": held_out(rows, by_question(rows)),
        "model, folds by database": held_out(rows, lambda each: each.database),
    }
    sizes = Counter((each.set, each.wrong) for each in rows)
    heads = [f"{one}, {sizes[one, True]} of {sizes[one, True] + sizes[one, False]}" for one in SETS]
    lines = [
        [name, *(interval(pairs(rows, values, one)) for one in SETS)]
        for name, values in ranked.items()
    ]
    show("AUC, 95 % interval by bootstrap over questions", ["rank", *heads], lines)
    lines = [
        [
            name,
            *(
                gain(pairs(rows, values, one), [e.share for e in rows if e.set == one])
                for one in SETS
            ),
        ]
        for name, values in list(ranked.items())[1:]
    ]
    show("AUC less that of counting, paired", ["rank", *SETS], lines)
    for most in (20, 50):
        lines = [
            [name, *(precision(pairs(rows, values, one), most) for one in SETS)]
            for name, values in list(ranked.items())[:2]
        ]
        show(f"Share of wrong golds among the first {most}", ["rank", *heads], lines)
    calibration(rows, ranked["model, folds by question"])


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
        expected = sum(value for value, _ in inside)
        wrong = sum(each.wrong for _, each in inside)
        error += abs(expected - wrong)
        number = len(inside)
        means = [f"{expected / number:.2f}", f"{wrong / number:.2f}", f"{wrong} of {number}"]
        lines.append([f"{low:g} to {min(high, 1):g}", *means])
    off = f"expected calibration error {error / len(rows):.3f}"
    title = f"Expected against observed, folds by question; {off}"
    show(title, ["probability", "expected", "observed", "wrong"], lines)


def worth(rows: Sequence[Row]) -> None:
    """What each feature is worth when it is left out, and its coefficient in each set alone."""
    choices = {
        "all": NAMES,
        **{f"without {name}": tuple(n for n in NAMES if n != name) for name in NAMES},
    }
    lines = []
    for name, names in choices.items():
        values = other_sets(rows, names)
        areas = [auc(pairs(rows, values, one)) or 0.0 for one in SETS]
        lines.append([name, *(f"{area:.3f}" for area in areas)])
    show("AUC, fitted on the other sets", ["features", *SETS], lines)
    models = [fit([each for each in rows if each.set == one]) for one in SETS]
    lines = [
        [name, *(f"{model.coefficients[name]:+.2f}" for model in (*models, fit(rows)))]
        for name in NAMES
    ]
    show("Coefficients, fitted on one set alone", ["feature", *SETS, "all"], lines)


def alone(rows: Sequence[Row]) -> None:
    """How many wrong and right golds each suspicion and sign shows on, by set."""
    lines = []
    for name in sorted({name for each in rows for name in each.signs}):
        counts = Counter((each.set, each.wrong) for each in rows if name in each.signs)
        lines.append([name, *(f"{counts[one, True]} : {counts[one, False]}" for one in SETS)])
    show("Golds with each suspicion or sign, wrong : right", ["name", *SETS], lines)


def less(rows: Sequence[Row]) -> None:
    """What fewer systems, or run folders alone, are worth."""
    models = other_models(rows)

    def area(pick: Callable[[Row], Features], one: str) -> float:
        picked = [each for each in rows if each.set == one]
        values = ranks(models[one], [pick(each) for each in picked])
        return auc(list(zip(values, (each.wrong for each in picked), strict=True))) or 0.0

    def draw(size: str, number: int) -> Callable[[Row], Features]:
        return lambda each: each.fewer[size][number]

    lines = [["no system", *(f"{area(draw('0', 0), one):.3f}" for one in SETS)]]
    for size in ("1", "2", "3"):
        line = [f"{size} of the systems, mean of {DRAWS} draws"]
        for one in SETS:
            draws = [area(draw(size, number), one) for number in range(DRAWS)]
            line.append(f"{sum(draws) / len(draws):.3f} ({min(draws):.2f} to {max(draws):.2f})")
        lines.append(line)
    choices: dict[str, Callable[[Row], Features]] = {
        "all systems, run folders alone": lambda each: each.logged,
        "all systems, run again": lambda each: each.features,
    }
    for words, pick in choices.items():
        lines.append([words, *(f"{area(pick, one):.3f}" for one in SETS)])
    title = "AUC, fitted on the other sets; in brackets the least and the most draw"
    show(title, ["what is known", *SETS], lines)


def bounds(rows: Sequence[Row]) -> None:
    """What the audit lists at each bound of the rank, with few and with many systems."""
    models = other_models(rows)
    for size in ("1", "2", "3", "10"):
        lines = []
        for bound in BOUNDS:
            line = [f"{bound:g}"]
            for one in (*SETS, ""):
                length = hits = 0.0
                golds = [each for each in rows if one in ("", each.set)]
                for each in golds:
                    draws = each.fewer[size]
                    share = sum(is_listed(models[each.set], each, one, bound) for one in draws)
                    length += share / len(draws)
                    hits += each.wrong * share / len(draws)
                shares = (length / len(golds), hits / (length or 1.0))
                recall = hits / sum(each.wrong for each in golds)
                line.append(" ".join(f"{share:.2f}" for share in (*shares, recall)))
            lines.append(line)
        number = "1 system" if size == "1" else f"{size} systems, or all that a set has"
        title = f"Listed golds, precision and recall; {number}, fitted on the other sets"
        show(title, ["bound", *SETS, "all"], lines)


def is_listed(model: GoldModel, each: Row, features: Features, bound: float) -> bool:
    """Whether the audit lists a gold."""
    weights = model.weigh([Feature(name, value, "") for name, value in features.items()])
    is_suspect = each.signs or any(one.raises for one in weights)
    return bool(is_suspect) and round(model.rank(weights), 4) >= bound


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
            "labels": LABELS,
            "counts": counts,
            "fit": "logistic regression, ridge 1, every gold counts once",
            "assumed": "no label set has these features; people's judgement",
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
    alone(rows)
    less(rows)
    bounds(rows)
    if arguments.write:
        write(rows)


if __name__ == "__main__":
    main()
