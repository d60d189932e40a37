"""FLEX's figures 6 and 9: kinds of difference and of error, by GPT-4o and by experts.

The paper counts the answers of ten systems. Published are 100 of its false negatives and 100 of its
false positives with GPT-4o's kinds, and how many of three experts gave each kind.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping

from sqlverdict.compare.tag_labels import FATAL, MINOR
from sqlverdict.errors import DataError
from sqlverdict.judge.categories import read_categories
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Figure, Printed
from sqlverdict.papers.flex.flex_files import flex_path
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.report.charts.chart import bar_chart

FOLDER = "categorization_agreement"
GPT_4O, EXPERTS = "by GPT-4o", "by most experts"
_MOST = 2
"""Of three experts."""
_STRUCTURE, _GOLD = "output_structure", "wrong_gold"
FIGURE_6: Printed = {(_STRUCTURE, GPT_4O): "58.13", (_GOLD, GPT_4O): "54.54"}
_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "fn": {
        "output_structure": "Structure",
        "value_representation": "Value Repr.",
        "wrong_gold": "Incorrect GT (FN)",
        "several_answers": "Multiple Ans FN",
        "other_minor": "Other FN",
        "no such case": "FLEX is incorrect (FN)",
    },
    "fp": {
        "schema_linking": "Schema Link",
        "filtering": "Filtering Cond",
        "nullable_column": "Nullable Col",
        "several_rows": "Multi Rows",
        "abused_clauses": "Clause Abusing",
        "other_fatal": "Other FP",
        "wrong_gold": "Incorrect GT (FP)",
        "no such case": "FLEX is incorrect (FP)",
    },
}
"""What the experts could choose, and how their columns are called."""
_SAMPLE = "a published sample of one set of answers, where the paper has the means of ten systems"


def difference_kinds(data: PaperData) -> Iterator[PaperCell | Figure]:
    """Figure 6: why right answers differ from the gold (false negatives of EX)."""
    yield from _kinds(data, "fn", MINOR, "Why right answers differ from the gold", "figure6.svg")


def error_kinds(data: PaperData) -> Iterator[PaperCell | Figure]:
    """Figure 9: kinds of error of answers that match the gold (false positives of EX)."""
    yield from _kinds(data, "fp", FATAL, "Kinds of error of lucky matches", "figure9.svg")


def _kinds(
    data: PaperData, half: str, labels: Mapping[str, str], title: str, name: str
) -> Iterator[PaperCell | Figure]:
    by_model, n = _model_counts(data, half, labels)
    by_experts, voted = _expert_counts(data, half)
    rows = list(dict.fromkeys((*labels, *by_experts)))
    for row in rows:
        if row in labels:
            yield PaperCell(row, GPT_4O, 100 * by_model[row] / n, n=n, reason=_SAMPLE)
        if row in by_experts:
            yield PaperCell(row, EXPERTS, 100 * by_experts[row] / voted, n=voted)
    bars = {
        GPT_4O: [by_model[row] / n if row in labels else float("nan") for row in rows],
        EXPERTS: [by_experts[row] / voted if row in by_experts else float("nan") for row in rows],
    }
    names = [row.replace("_", " ") for row in rows]
    yield Figure(name, bar_chart(title, "share of answers", names, bars, y_percent=True))


def _model_counts(
    data: PaperData, half: str, labels: Mapping[str, str]
) -> tuple[Counter[str], int]:
    """How many answers have each kind by GPT-4o, and how many there are."""
    file = flex_path(data, FOLDER, f"categorized_{half}100.jsonl")
    counts: Counter[str] = Counter()
    cases = BENCHMARKS.get("flex").read(file).cases
    total = 0
    for case in cases:
        text = case.recorded.categories if case.recorded is not None else ""
        kinds = read_categories(text, labels).value
        if kinds is not None:
            total += 1
            counts.update(kinds.labels)
    if not total:
        raise DataError(f"{file}: no line has kinds in judge_result_category", reason="empty")
    return counts, total


def _expert_counts(data: PaperData, half: str) -> tuple[dict[str, int], int]:
    """For how many answers most experts chose each kind, and how many there are."""
    file = flex_path(data, FOLDER, "experts_categorization.csv")
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    try:
        counts = {
            kind: sum(int(row[column]) >= _MOST for row in rows)
            for kind, column in _COLUMNS[half].items()
        }
    except (KeyError, ValueError, TypeError) as error:
        raise DataError(
            f"{file}: expected a number of experts in each column, such as Structure ({error!r})",
            reason="wrong_value",
        ) from error
    return counts, max(1, len(rows))
