"""What each part of a judge's context is worth: its agreement with people without that part.

FLEX's tables 4 and 5: execution results nowhere, or in both halves; the question, the knowledge,
the criteria, the gold left out. Every context is a run of its own, so n contexts cost about n
times the calls of one; replies that are cached are not paid for again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlverdict.errors import UsageError
from sqlverdict.evidence import Judged
from sqlverdict.files.text import near
from sqlverdict.load.people.label_index import LabelIndex
from sqlverdict.load.people.labels import Labels
from sqlverdict.load.people.weights import weighted_labels
from sqlverdict.report.agreement.agreement import compare_with_labels
from sqlverdict.report.agreement.opinions import opinion, results_match
from sqlverdict.report.agreement.tables import (
    between_text,
    kappa_difference_text,
    kappa_text,
    share_text,
)
from sqlverdict.report.terminal.tables import TextTable, table
from sqlverdict.runlog.run import Run
from sqlverdict.score.agreement.agreement import Agreement, RatedCase
from sqlverdict.score.agreement.power import MetricDifference, compare_metrics

METRIC = "flex"
FULL = "full"
CONTEXTS: Mapping[str, Mapping[str, Any]] = {
    FULL: {"results_eq": False, "results_neq": True},
    "no_results": {"results_eq": False, "results_neq": False},
    "results_in_both": {"results_eq": True, "results_neq": True},
    "no_question": {"question": False},
    "no_knowledge": {"knowledge": False},
    "no_criteria": {"criteria": False},
    "no_gold": {"gold": False},
}
"""The contexts of FLEX's tables 4 and 5, as settings of the judge."""

PUBLISHED: Mapping[str, tuple[float, float, float, float]] = {
    FULL: (87.04, 93.5, 88, 99),
    "no_results": (82.06, 91.0, 88, 94),
    "results_in_both": (81.08, 90.5, 82, 99),
    "no_question": (80.10, 90.0, 84, 96),
    "no_knowledge": (79.09, 89.5, 82, 97),
    "no_criteria": (74.08, 87.0, 81, 93),
    "no_gold": (29.36, 64.0, 72, 56),
}
"""Kappa, accuracy, EQ and NEQ of GPT-4o as FLEX's paper prints them, on its 200 pairs."""


@dataclass(frozen=True)
class Ablated:
    """One context.

    Attributes:
        context: Its name.
        run: The folder of its run.
        agreement: The judge's agreement with people in it.
        against_full: How it differs from the full context; ``None`` for that itself.
        cached: Calls that were answered from the cache.
        tokens: Tokens read and written.
        cost: Dollars that its replies cost when they were paid for; ``None``: a price is unknown.
    """

    context: str
    run: str
    agreement: Agreement
    against_full: MetricDifference | None
    cached: int
    tokens: tuple[int, int]
    cost: float | None


def choose_contexts(names: Sequence[str]) -> tuple[str, ...]:
    """The contexts to try: the full one first, by default all.

    Raises:
        UsageError: there is no such context.
    """
    for name in names:
        if name not in CONTEXTS:
            raise UsageError(
                f"there is no context {name!r}.{near(name, CONTEXTS)} Known: {', '.join(CONTEXTS)}"
            )
    contexts = names or tuple(CONTEXTS)
    return (FULL, *(name for name in dict.fromkeys(contexts) if name != FULL))


def ablation(runs: Mapping[str, Run], labels: Labels) -> tuple[Ablated, ...]:
    """Hold a judge against people in several contexts.

    Args:
        runs: From a context's name to its run, which has the metric ``flex``; the first is the
            one that the others are compared with.
        labels: People's labels.

    Raises:
        UsageError: a run lacks the metric, or has no labelled case.
        NothingEvaluated: the judge gave no verdict in some context.
    """
    rows = []
    full: tuple[str, list[RatedCase]] | None = None
    for name, run in runs.items():
        cases, cached, tokens, cost = _rated_cases(run, labels)
        agreement = compare_with_labels(run, labels, metrics=[METRIC])
        gap = None if full is None else compare_metrics(full, (name, cases))
        full = full or (name, cases)
        rows.append(
            Ablated(name, str(run.folder), agreement.metrics[METRIC], gap, cached, tokens, cost)
        )
    return tuple(rows)


def _rated_cases(
    run: Run, labels: Labels
) -> tuple[list[RatedCase], int, tuple[int, int], float | None]:
    """What the judge said of the labelled cases, and what that took."""
    index = LabelIndex(weighted_labels(labels))
    cases: list[RatedCase] = []
    cached = 0
    tokens = [0, 0]
    cost: float | None = 0.0
    for result in run.results():
        label = index.of(result)
        if label is None:
            continue
        equal = label.equal if label.equal is not None else results_match(result)
        word = opinion(result, METRIC)
        cases.append(RatedCase(result.id, bool(label.value), word, equal, label.weight))
        for evidence in result.evidence:
            if isinstance(evidence, Judged) and METRIC in evidence.metrics:
                cached += evidence.cached
                for side, number in enumerate(evidence.tokens):
                    tokens[side] += number
                spent = evidence.cost
                cost = None if cost is None or spent is None else cost + spent
    return cases, cached, (tokens[0], tokens[1]), cost


def ablation_table(ablations: Sequence[Ablated], *, published: bool = False) -> TextTable:
    """One row a context; with ``published``, the paper's kappa beside ours, all times 100."""
    rows = []
    for one in ablations:
        figures, gap = one.agreement, one.against_full
        between = gap is not None and gap.low is not None and gap.high is not None
        rows.append(
            (
                one.context,
                kappa_text(figures.kappa, published),
                share_text(figures.accuracy, published),
                share_text(figures.eq_accuracy, published),
                share_text(figures.neq_accuracy, published),
                "" if gap is None else kappa_difference_text(gap.kappa_difference, published),
                between_text((gap.low, gap.high), published, signed=True) if between else "",  # type: ignore[arg-type,union-attr]
                *((f"{PUBLISHED[one.context][0]:.2f}",) if published else ()),
                f"{figures.n:,}",
                f"{figures.unscored:,}",
                f"{figures.calls:,}",
                "–" if one.cost is None else f"{one.cost:.2f}",  # noqa: RUF001
            )
        )
    paper = ("paper's kappa",) if published else ()
    headers = ("context", "kappa", "accuracy", "EQ", "NEQ", "Δ kappa", "95% interval", *paper)
    return table((*headers, "n", "unscored", "calls", "USD"), rows)
