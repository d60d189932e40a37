"""Which kinds of error a run has: a judge's labels and our tags, by difficulty, database, system.

Each case is put into one of four sets by whether its results match and whether it is held right:

====  ==============  ==========  =================================================
set   results         held        labels
====  ==============  ==========  =================================================
TP    match           right       none
FP    match           wrong       FLEX's six kinds of error
TN    differ          wrong       FLEX's six kinds of error, or ``sql_error``
FN    differ          right       FLEX's five kinds of acceptable difference
====  ==============  ==========  =================================================

Ratios are over the cases of a set (FLEX's figures 6 and 9); several labels may hold, so they need
not add up to 1. A case that is not decided is in no set, and is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from statistics import fmean, pstdev
from typing import Any, Literal

from sqlverdict.compare.tag_labels import DIFFERENCES, ERRORS, difference_labels, error_labels
from sqlverdict.compare.tags import clauses_of, find_tags
from sqlverdict.errors import UsageError
from sqlverdict.evidence import Failed, Judged, Refuted, Related, relations_of
from sqlverdict.evidence_parts import Tag
from sqlverdict.judge.opinion import UNCATEGORISED
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Result
from sqlverdict.report.agreement.opinions import VERDICT, opinion, results_match
from sqlverdict.report.charts.chart import bar_chart
from sqlverdict.report.terminal.tables import TextTable, percent, table
from sqlverdict.runlog.missing_metric import missing_metric
from sqlverdict.runlog.run import Run, system_names
from sqlverdict.score.estimates import UNLABELLED, difficulty_rank
from sqlverdict.score.metric import label_by_alias

Outcome = Literal["TP", "FP", "TN", "FN"]
By = Literal["tags", "judge"]

SQL_ERROR = "sql_error"
"""The label of a prediction that gives no answer: it is no question for a judge."""

GROUPS = ("all", "difficulty", "db_id", "system")


@dataclass(frozen=True)
class Categorised:
    """One case with its labels.

    Attributes:
        id: The case.
        outcome: Its set.
        tags: What differs, from the queries and the evidence.
        by_tags: FLEX's labels of the tags.
        by_judge: FLEX's labels that a judge gave, or that the prediction failed; ``None`` where no
            judge gave any.
    """

    id: str
    outcome: Outcome
    tags: tuple[Tag, ...]
    by_tags: tuple[str, ...]
    by_judge: tuple[str, ...] | None


@dataclass(frozen=True)
class CategoryShare:
    """How often a label holds in a set of cases."""

    by: By
    group: str
    key: str
    outcome: Outcome
    label: str
    count: int
    cases: int

    @property
    def ratio(self) -> float:
        """The share of the set's cases."""
        return self.count / self.cases


@dataclass(frozen=True)
class CategoryReport:
    """The labels of some runs.

    Attributes:
        metric: What holds a prediction right or wrong.
        systems: The systems.
        cases: All cases.
        undecided: Cases in no set.
        outcomes: How many cases each set has.
        shares: Every label of every group that occurs.
        clauses: How often each clause differs in predictions that are held wrong.
        tags: How often each tag holds in them.
    """

    metric: str
    systems: tuple[str, ...]
    cases: int
    undecided: int
    outcomes: Mapping[str, int]
    shares: tuple[CategoryShare, ...]
    clauses: Mapping[str, int] = field(default_factory=dict)
    tags: Mapping[str, int] = field(default_factory=dict)


def tags_of_result(result: Result, schema: Schema | None = None) -> tuple[Tag, ...]:
    """What differs between a case's prediction and its gold: logged, else found now."""
    for piece in result.evidence:
        if isinstance(piece, Refuted | Related | Failed) and piece.tags is not None:
            return piece.tags
    if not result.gold or not (result.prediction or "").strip():
        return ()
    return _tags(
        result.gold[0],
        result.prediction or "",
        schema,
        tuple(relation.kind for relation in relations_of(result.evidence)),
        tuple(str(reason) for piece in result.evidence for reason in piece.reasons),
    )


@lru_cache(maxsize=4096)
def _tags(
    gold: str,
    prediction: str,
    schema: Schema | None,
    relations: tuple[str, ...],
    reasons: tuple[str, ...],
) -> tuple[Tag, ...]:
    return find_tags(gold, prediction, schema, relations=relations, reasons=reasons)


def judge_labels(result: Result) -> tuple[str, ...] | None:
    """FLEX's labels that judges gave, each once; ``None`` where no judge's labels could be read."""
    opinions = [
        piece
        for piece in result.evidence
        if isinstance(piece, Judged)
        and piece.correct is not None
        and UNCATEGORISED not in piece.flags
    ]
    if not opinions:
        return None
    return tuple(dict.fromkeys(label for piece in opinions for label in piece.categories))


def category_of(
    result: Result, metric: str = VERDICT, schema: Schema | None = None
) -> Categorised | None:
    """A case's set and labels; ``None`` where it is in no set.

    Args:
        result: The case.
        metric: What holds a prediction right or wrong: a metric or judge of the run.
        schema: The case's schema; without it every column counts as nullable.
    """
    right, equal = opinion(result, metric), results_match(result)
    if right is None or equal is None or result.abstained or not result.answerable:
        return None
    outcome: Outcome = ("TP" if right else "FP") if equal else ("FN" if right else "TN")
    if outcome == "TP":
        return Categorised(result.id, outcome, (), (), None)
    tags = tags_of_result(result, schema)
    if any(tag.name == "fails" for tag in tags):
        return Categorised(result.id, outcome, tags, (SQL_ERROR,), (SQL_ERROR,))
    if outcome == "FN":
        labels: tuple[str, ...] = difference_labels(tags)
    else:
        labels = error_labels(tags)
    return Categorised(result.id, outcome, tags, labels, judge_labels(result))


def category_report(
    runs: Sequence[Run],
    metric: str | None = None,
    *,
    schemas: Mapping[str, Schema] | None = None,
) -> CategoryReport:
    """Count the labels of some runs.

    Args:
        runs: One a system.
        metric: What holds a prediction right or wrong; by default ``verdict``.
        schemas: Schemas by database.

    Raises:
        UsageError: no run is given, or one lacks the metric.
    """
    if not runs:
        raise UsageError("no run is given; name the folders that evaluate wrote")
    label = metric or VERDICT
    names = system_names(runs)
    counts: Counter[tuple[str, ...]] = Counter()
    outcomes: Counter[str] = Counter()
    clauses: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    cases = undecided = 0
    for name, run in zip(names, runs, strict=True):
        label, _ = label_by_alias(label, run.manifest.metrics)
        if label != VERDICT and label not in run.manifest.metrics:
            raise UsageError(missing_metric(label, [(run.folder, run.manifest)]))
        # A judge that names no kind in a whole run was not asked for kinds.
        has_judge_labels = any(judge_labels(result) for result in run.results())
        for result in run.results():
            cases += 1
            categorised = category_of(result, label, (schemas or {}).get(result.db_id))
            if categorised is None:
                undecided += 1
                continue
            if not has_judge_labels:
                categorised = replace(categorised, by_judge=None)
            outcomes[categorised.outcome] += 1
            counts.update(_count_keys(result, name, categorised))
            if categorised.outcome in ("FP", "TN"):
                clauses.update(clauses_of(categorised.tags))
                tags.update(tag.name for tag in categorised.tags)
    return CategoryReport(
        metric=label,
        systems=tuple(names),
        cases=cases,
        undecided=undecided,
        outcomes={key: outcomes[key] for key in ("TP", "FP", "TN", "FN") if outcomes[key]},
        shares=tuple(_shares(counts)),
        clauses=dict(clauses.most_common()),
        tags=dict(tags.most_common()),
    )


def _count_keys(result: Result, system: str, categorised: Categorised) -> Iterator[tuple[str, ...]]:
    """Where a case counts: once in each group's set, and once for each of its labels there."""
    groups = {
        "all": "all",
        "difficulty": result.difficulty or UNLABELLED,
        "db_id": result.db_id,
        "system": system,
    }
    labels: dict[By, Iterable[str]] = {"tags": categorised.by_tags}
    if categorised.by_judge is not None:
        labels["judge"] = categorised.by_judge
    for group, key in groups.items():
        for by, names in labels.items():
            yield (by, group, key, categorised.outcome)
            for label in names:
                yield (by, group, key, categorised.outcome, label)


def _shares(counts: Mapping[tuple[str, ...], int]) -> Iterator[CategoryShare]:
    order = (*ERRORS, SQL_ERROR, *DIFFERENCES)

    def sort_key(share: CategoryShare) -> tuple[Any, ...]:
        known = share.label in order
        label = order.index(share.label) if known else len(order)
        group = GROUPS.index(share.group)
        return (
            share.by,
            group,
            difficulty_rank(share.key),
            share.key,
            share.outcome,
            label,
            share.label,
        )

    shares = [
        CategoryShare(*key, count, counts[key[:4]])  # type: ignore[arg-type]
        for key, count in counts.items()
        if len(key) == 5
    ]
    return iter(sorted(shares, key=sort_key))


def category_table(report: CategoryReport, group: str = "all", by: By = "tags") -> TextTable:
    """The labels of one grouping: a row per group, set and label."""
    rows = [
        (share.key, share.outcome, share.label, f"{share.count:,}", percent(share.ratio))
        for share in report.shares
        if share.group == group and share.by == by
    ]
    title = "labels by tags, no language model" if by == "tags" else "labels by the judge"
    headers = (group, "set", "label", "cases", "ratio")
    return table(headers, rows, title=title, left=(0, 1, 2))


def clause_table(report: CategoryReport) -> TextTable:
    """The clauses that differ in predictions held wrong."""
    wrong = report.outcomes.get("FP", 0) + report.outcomes.get("TN", 0)
    rows = [
        (clause, f"{number:,}", percent(number / wrong if wrong else None))
        for clause, number in report.clauses.items()
    ]
    return table(("clause that differs", "cases", "ratio"), rows)


_SETS: Mapping[str, str] = {
    "FP": "matches that are wrong (FP)",
    "TN": "wrong answers (TN)",
    "FN": "right answers (FN)",
}
"""What a set is called in the legend."""


def category_figures(report: CategoryReport) -> dict[str, str]:
    """A figure for each set that has cases, from file name to SVG.

    Of one run the bars are shares of its cases; of several systems they are means of the systems'
    shares, with their standard deviation around them.
    """
    several = len(report.systems) > 1
    unit = "mean share of cases, ± standard deviation" if several else "share of cases"
    figures = {}
    for name, outcomes, labels, title in (
        ("errors.svg", ("FP", "TN"), (*ERRORS, SQL_ERROR), "Kinds of error"),
        ("differences.svg", ("FN",), DIFFERENCES, "Why right answers differ from the gold"),
    ):
        bars: dict[str, list[float]] = {}
        errors: dict[str, list[tuple[float, float]]] = {}
        for outcome in outcomes:
            for by in ("tags", "judge"):
                systems = _label_shares(report, outcome, by, "system" if several else "all")
                if systems:
                    columns = [[shares.get(label, 0.0) for shares in systems] for label in labels]
                    means = [fmean(column) for column in columns]
                    bars[f"{_SETS[outcome]}, by {by}"] = means
                    errors[f"{_SETS[outcome]}, by {by}"] = [
                        (max(0.0, mean - pstdev(column)), mean + pstdev(column))
                        for mean, column in zip(means, columns, strict=True)
                    ]
        if bars:
            figures[name] = bar_chart(
                title,
                unit,
                [label.replace("_", " ") for label in labels],
                bars,
                errors=errors if several else None,
                y_percent=True,
            )
    return figures


def _label_shares(
    report: CategoryReport, outcome: str, by: str, group: str
) -> list[dict[str, float]]:
    """The shares of each system that has labels in the set, or of all cases together."""
    shares: dict[str, dict[str, float]] = {}
    for share in report.shares:
        if (share.group, share.outcome, share.by) == (group, outcome, by):
            shares.setdefault(share.key, {})[share.label] = share.ratio
    return list(shares.values())
