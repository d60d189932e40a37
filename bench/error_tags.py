"""How far our error tags agree with the error types that people gave.

``labels/error_types.jsonl`` holds predictions of text-to-SQL systems on Spider dev and BIRD dev
with the error types that annotators gave them. For each type, :data:`MAPPING` states the tags that
should cover it. Recall: of the predictions with that type, the share that has one of the tags.
Precision: of the predictions with one of the tags, the share that has that type. Both with
Wilson's 95 % intervals. Annotators name the error that matters, tags name every difference, so a
precision below 1 is no proof of a wrong tag.

Counted are predictions whose results differ from the gold's and that have a type which is about the
prediction: one that is only marked "Gold Error" has no error to name, and one that passes differs
in nothing that could be named from the queries in many cases. Tags come from the queries and the
schema alone: most databases of BIRD are not there.

Questions are split into two halves by a hash of their id. The tags and the mapping were chosen on
``tuning``; ``reporting`` was measured afterwards. Measured are types with at least ten labels.

Run: ``python bench/error_tags.py [--half tuning] [--mapping FILE]``; needs SQLVERDICT_DATA. FILE is
a JSON object from types to lists of tags, in place of :data:`MAPPING`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlverdict.compare.tags import TAGS, find_tags
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.report.terminal.tables import plain_table, table
from sqlverdict.score.statistics.intervals import wilson

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
HALVES = ("tuning", "reporting")
FEWEST = 10
"""A type with fewer labels, in both halves together, is not measured."""

MAPPING: Mapping[str, tuple[str, ...]] = {
    "Output Format": (
        "output_order",
        "more_outputs",
        "fewer_outputs",
        "composed_output",
        "key_for_name",
    ),
    "Projection Error": ("other_outputs", "other_columns", "condition_moved", "aggregate_changed"),
    "Value Specification": ("value_spelling", "value_changed", "column_changed"),
    "Table Selection Error": ("other_tables",),
    "Wrong Condition": (
        "condition_missing",
        "condition_extra",
        "condition_changed",
        "connective_changed",
        "null_condition",
    ),
    "Table-Column Mismatch": ("misplaced_column", "unread_table"),
    "Comparing Unrelated Columns": ("unrelated_join",),
    "Aggregation Structure Error": (
        "group_missing",
        "group_extra",
        "group_keys",
        "having_differs",
        "aggregate_missing",
    ),
    "Schema Hallucination": ("unknown_column", "unknown_table", "name_as_text"),
    "Extreme Value Selection Ambiguity": ("ties",),
    "Not Qualified": ("ambiguous_column",),
    "Using = instead of IN": ("scalar_subquery",),
    "Misc_SE": ("syntax_error", "several_statements", "aggregate_misplaced", "refused"),
    "Wrong COUNT Object": ("count_object",),
    "NULL Value in Output": ("null_output",),
    "Aggregation/Comparison Misuse": ("text_extreme",),
    "Function Hallucination": ("unknown_function",),
    "Missing DISTINCT": ("distinct_missing",),
    "FK Integrity": ("idle_table",),
    "Implicit Type Conversion": ("integer_division",),
    "ORDER BY Error": ("order_keys", "order_missing", "order_extra"),
}
"""The tags that should cover each type."""

NOT_ABOUT_THE_PREDICTION = frozenset({"Gold Error"})
NO_KIND = frozenset({"Misc_Others", "Unclassifiable"})
"""Types that name no kind of error: no tag could cover them."""


@dataclass(frozen=True)
class Labelled:
    """A prediction with its human types and our tags."""

    types: frozenset[str]
    tags: frozenset[str]


def half_of(row: Mapping[str, Any]) -> str:
    """Which half a question is in."""
    digest = sha256(f"{row['benchmark']}/{row['question_id']}".encode()).digest()
    return HALVES[digest[-1] % 2]


def read() -> list[dict[str, Any]]:
    """The predictions with types, of both halves."""
    lines = (DATA / "labels" / "error_types.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["error_types"]]


def counts(row: Mapping[str, Any]) -> bool:
    """Whether a prediction is counted: it fails, and a type is about it."""
    return not row["results_match"] and bool(set(row["error_types"]) - NOT_ABOUT_THE_PREDICTION)


def tagged(rows: Iterable[Mapping[str, Any]]) -> tuple[list[Labelled], list[float]]:
    """Each prediction with its tags, and the milliseconds that those took, parsing aside."""
    schemas = {
        "spider": load_schemas(DATA / "spider" / "tables.json"),
        "bird": load_schemas(DATA / "bird" / "ddl.json"),
    }
    result, times = [], []
    for row in rows:
        gold, prediction = row["gold"], row["prediction"]
        schema = schemas[row["benchmark"]][row["db_id"]]
        parse(gold), parse(prediction)
        start = time.process_time()
        tags = find_tags(gold, prediction, schema)
        times.append((time.process_time() - start) * 1000)
        names = frozenset(tag.name for tag in tags)
        result.append(Labelled(frozenset(row["error_types"]), names))
    return result, times


def share(successes: int, n: int) -> str:
    """A share with its interval, in percent."""
    if not n:
        return "-"
    low, high = wilson(successes, n)
    return f"{successes / n * 100:.0f} [{low * 100:.0f}, {high * 100:.0f}]"


def figures(cases: Sequence[Labelled], kind: str, tags: Iterable[str]) -> tuple[int, int, int]:
    """How many have the type, how many a tag of it, and how many both."""
    expected = frozenset(tags)
    labelled = sum(kind in case.types for case in cases)
    marked = sum(bool(case.tags & expected) for case in cases)
    both = sum(kind in case.types and bool(case.tags & expected) for case in cases)
    return labelled, marked, both


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--half", choices=HALVES, default="reporting")
    parser.add_argument("--mapping", type=Path)
    options = parser.parse_args()
    if not (DATA / "labels" / "error_types.jsonl").is_file():
        sys.exit(f"no data at {DATA}: set SQLVERDICT_DATA")
    mapping = json.loads(options.mapping.read_text()) if options.mapping else MAPPING
    rows = read()
    labels: dict[str, int] = {}
    for row in rows:
        for kind in set(row["error_types"]):
            labels[kind] = labels.get(kind, 0) + 1
    cases, times = tagged(row for row in rows if counts(row) and half_of(row) == options.half)
    lines = []
    totals = [0, 0, 0]
    for kind in sorted(labels, key=lambda one: (-labels[one], one)):
        if labels[kind] < FEWEST or kind in NOT_ABOUT_THE_PREDICTION | NO_KIND:
            continue
        tags = mapping.get(kind, ())
        labelled, marked, both = figures(cases, kind, tags)
        totals = [a + b for a, b in zip(totals, (labelled, marked, both), strict=True)]
        f1 = 200 * both / (labelled + marked) if labelled + marked else 0.0
        lines.append(
            (
                kind,
                ", ".join(tags) or "none",
                str(labelled),
                share(both, labelled),
                share(both, marked),
                f"{f1:.0f}",
            )
        )
    f1 = 200 * totals[2] / (totals[0] + totals[1])
    shares = share(totals[2], totals[0]), share(totals[2], totals[1])
    lines.append(("all labels", "", str(totals[0]), *shares, f"{f1:.0f}"))
    headers = ("human type", "tags", "labels", "recall %", "precision %", "F1")
    print(
        plain_table(table(headers, lines, title=f"{options.half} half: {len(cases)} predictions"))
    )
    some = sum(bool(case.tags - {"same_trees", "not_read"}) for case in cases)
    unknown = {tag for tags in mapping.values() for tag in tags} - TAGS.keys()
    print(f"with some tag: {share(some, len(cases))} % of the predictions")
    print(f"tags a prediction: {sum(len(case.tags) for case in cases) / len(cases):.1f}")
    times.sort()
    middle, high = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(f"processor time a pair, parsing aside: median {middle:.2f} ms, 99 % below {high:.2f} ms")
    if unknown:
        print(f"no such tags: {', '.join(sorted(unknown))}")


if __name__ == "__main__":
    main()
