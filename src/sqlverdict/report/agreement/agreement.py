"""Runs against people's labels: every metric and judge of them, and where they disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any

from sqlverdict.errors import NothingEvaluated
from sqlverdict.files.text import count, few_of
from sqlverdict.load.people.labels import Labels
from sqlverdict.load.people.weights import weighted_labels
from sqlverdict.records import Result
from sqlverdict.report.agreement.cases import (
    LabelledCase,
    combinations_of,
    combined_opinions,
    groups_of,
    label_cases,
    raters_of,
    usual_raters,
)
from sqlverdict.report.agreement.opinions import results_match
from sqlverdict.report.one_run.case import evidence_lines, prediction_text
from sqlverdict.runlog.run import Run
from sqlverdict.score.agreement.agreement import Agreement, RatedCase, agreement
from sqlverdict.score.agreement.annotators import (
    AnnotatorAgreement,
    ModeAgreement,
    annotator_agreement,
    mode_agreement,
)
from sqlverdict.score.agreement.power import MetricDifference, compare_metrics
from sqlverdict.score.statistics.pairing import RIGHT

MOST_COMPARED = 6
"""Up to so many metrics are compared two by two; of more, each is compared with the first."""
FEW_LABELS = 50
"""With fewer labelled cases a note says so."""


@dataclass(frozen=True)
class Disagreement:
    """A case on which some metric and people differ.

    Attributes:
        result: Its line in the run log.
        label: What people say: right or wrong.
        votes: One an annotator.
        equal: Whether the results match.
        metrics: Those that say the opposite.
        evidence: What was found out, a sentence each.
    """

    result: Result
    label: bool
    votes: tuple[float | None, ...]
    equal: bool | None
    metrics: tuple[str, ...]
    evidence: tuple[str, ...]

    def as_record(self) -> dict[str, Any]:
        """The disagreement as plain values, for JSON."""
        result = self.result
        return {
            "id": result.id,
            "db_id": result.db_id,
            "difficulty": result.difficulty,
            "label": self.label,
            "votes": self.votes,
            "equal": self.equal,
            "wrongly_right": () if self.label else self.metrics,
            "wrongly_wrong": self.metrics if self.label else (),
            "question": result.question,
            **result.turn_fields,
            "gold": result.gold,
            "prediction": prediction_text(result),
            "verdict": result.verdict,
            "reasons": result.reasons,
            "evidence": self.evidence,
        }


@dataclass(frozen=True)
class AgreementReport:
    """One or several runs held against a file of labels.

    Attributes:
        runs: The runs' folders.
        system: Whose answers they are.
        labels: The file of labels.
        source: Where in it the label comes from.
        labelled: Cases with a settled label.
        matched: Those of them that the run has; every figure is over these.
        dropped: Cases of the file without a settled label.
        undecided: Labels that were 0.5.
        unlabelled: Cases of the runs without a label.
        metrics: For each metric, judge and combination, its agreement over all cases.
        groups: The same by tag (``difficulty``, ``set``) and value.
        differences: Each two of them, or each against the first where there are many: told apart,
            and how many more labels would.
        annotators: How people agree with one another, over all cases of the file.
        disagreements: Cases on which some metric and people differ, in the run's order.
        notes: What weakens the figures.
        modes: How labels by queries agree with labels by results alone; ``None``: no case of the
            file has both.
    """

    runs: tuple[str, ...]
    system: str
    labels: str
    source: str
    labelled: int
    matched: int
    dropped: int
    undecided: int
    unlabelled: int
    metrics: Mapping[str, Agreement]
    groups: Mapping[str, Mapping[str, Mapping[str, Agreement]]]
    differences: tuple[MetricDifference, ...]
    annotators: AnnotatorAgreement | None
    disagreements: tuple[Disagreement, ...]
    notes: tuple[str, ...] = ()
    modes: ModeAgreement | None = None

    def as_record(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return plain | {"disagreements": [one.as_record() for one in self.disagreements]}


def compare_with_labels(
    runs: Run | Sequence[Run],
    labels: Labels,
    *,
    metrics: Sequence[str] = (),
    combined: Sequence[str] = (),
    by: Sequence[str] = (),
    threshold: float = RIGHT,
    seed: int = 0,
) -> AgreementReport:
    """Hold the metrics and judges of one or several runs against people's labels.

    The halves come from the labels where these say them, else from the run's ``ex``.

    Args:
        runs: Finished runs; of different cases, or of the same predictions under other judges.
        labels: People's labels.
        metrics: Which to look at; by default every metric and judge of the runs.
        combined: Judges as one: ``any(ex, flex)``, ``majority(a, b, c)``, ``any(ex, *)``.
        by: Tags by whose values figures are given too; by default difficulty and set.
        threshold: A metric that is not 0 or 1 says "right" from this value on; so does a
            probability.
        seed: For the intervals.

    Raises:
        UsageError: there is no such metric, tag or rule, no labelled case, one id has two
            predictions, or pairs were drawn with different probabilities that are not known.
        NothingEvaluated: no metric scored any labelled case.
    """
    every = [runs] if isinstance(runs, Run) else list(runs)
    labels = weighted_labels(labels)
    cases, unlabelled = label_cases(every, labels)
    raters = raters_of(every, cases)
    opinions = {rater.name: [rater.says(case, threshold) for case in cases] for rater in raters}
    calls = {rater.name: sum(map(rater.calls, cases)) for rater in raters}
    chosen_raters = raters_of(every, cases, metrics) if metrics else usual_raters(raters, every)
    names = [rater.name for rater in chosen_raters]
    for one in combinations_of(combined, raters):
        names.append(str(one))
        opinions[str(one)] = combined_opinions(one, opinions, cases)
        calls[str(one)] = sum(calls[name] for name in one.members)
    halves = [_half(case) for case in cases]
    rated_cases = {
        name: [
            RatedCase(case.label.id, bool(case.label.value), opinion, half, case.label.weight)
            for case, opinion, half in zip(cases, opinions[name], halves, strict=True)
        ]
        for name in names
    }
    agreements = {
        name: agreement(name, items, calls=calls[name], seed=seed)
        for name, items in rated_cases.items()
    }
    folders = tuple(str(run.folder) for run in every)
    if not any(one.n for one in agreements.values()):
        raise NothingEvaluated(
            f"none of {few_of(names)} scored any of the {count(len(cases), 'labelled case')} of "
            f"{', '.join(folders)}; sqlverdict show says why for one case"
        )
    scored = [name for name in names if agreements[name].n]
    few = len(scored) <= MOST_COMPARED
    pairs = combinations(scored, 2) if few else ((scored[0], name) for name in scored[1:])
    groups = {
        tag: {
            value: {
                name: agreement(name, [items[index] for index in indices], seed=seed)
                for name, items in rated_cases.items()
            }
            for value, indices in sorted(values.items())
        }
        for tag, values in groups_of(cases, by).items()
    }
    return AgreementReport(
        runs=folders,
        system=" and ".join(dict.fromkeys(run.manifest.system for run in every)),
        labels=str(labels.path),
        source=labels.field,
        labelled=sum(item.value is not None for item in labels.items),
        matched=len(cases),
        dropped=labels.dropped,
        undecided=labels.undecided,
        unlabelled=len(unlabelled),
        metrics=agreements,
        groups=groups,
        differences=tuple(
            compare_metrics((a, rated_cases[a]), (b, rated_cases[b]), seed=seed) for a, b in pairs
        ),
        annotators=annotator_agreement(
            labels.annotators,
            [(item.votes, item.equal) for item in labels.items],
            [item.weight for item in labels.items],
        ),
        disagreements=tuple(_disagreements(cases, rated_cases, every)),
        notes=tuple(_notes(labels, cases, len(unlabelled), agreements, halves)),
        modes=mode_agreement(
            [(i.by_mode["queries"], i.by_mode["results"]) for i in labels.items if i.by_mode],
            [i.weight for i in labels.items if i.by_mode],
        ),
    )


def _half(case: LabelledCase) -> bool | None:
    """Whether the case's results match: the labels say it, else a run."""
    if case.label.equal is not None:
        return case.label.equal
    matches = (results_match(result) for result in case.results.values())
    return next((match for match in matches if match is not None), None)


def _disagreements(
    cases: Sequence[LabelledCase],
    rated_cases: Mapping[str, Sequence[RatedCase]],
    runs: Sequence[Run],
) -> list[Disagreement]:
    disagreements = []
    for index, case in enumerate(cases):
        result, label = case.first, case.label
        folder = runs[next(iter(case.results))].folder
        items = {name: rows[index] for name, rows in rated_cases.items()}
        differing = [name for name, item in items.items() if item.opinion not in (None, item.label)]
        if not differing:
            continue
        disagreements.append(
            Disagreement(
                result=result,
                label=bool(label.value),
                votes=label.votes,
                equal=next(iter(items.values())).equal,
                metrics=tuple(differing),
                evidence=tuple(evidence_lines(result, folder)),
            )
        )
    return disagreements


def _notes(
    labels: Labels,
    cases: Sequence[LabelledCase],
    unlabelled: int,
    agreements: Mapping[str, Agreement],
    halves: Sequence[bool | None],
) -> list[str]:
    notes = list(labels.notes)
    if len(cases) < FEW_LABELS:
        notes.append(
            f"{count(len(cases), 'labelled case')}: too few to rely on. Kappa and its interval "
            f"mean little below {FEW_LABELS}, and an interval of 0 width says that nothing varied"
        )
    if labels.dropped:
        notes.append(
            f"{count(labels.dropped, 'labelled case has', 'labelled cases have')} no "
            "majority; left out"
        )
    undecided = sum(item.original == 0.5 and item.value is not None for item in labels.items)
    if undecided:
        notes.append(f"{count(undecided, 'label')} of 0.5 counted as {_undecided_value(labels)}")
    there = {(case.label.id, case.label.pair) for case in cases}
    absent = [i for i in labels.items if i.value is not None and (i.id, i.pair) not in there]
    if absent:
        ids = few_of(i.id for i in absent)
        what = "a case with these queries" if any(i.pair for i in absent) else "a case"
        notes.append(f"{count(len(absent), 'label')} without {what} in the run: {ids}")
    if unlabelled:
        notes.append(f"{count(unlabelled, 'case')} of the run without a label; left out")
    unknown = sum(equal is None for equal in halves)
    if unknown:
        notes.append(
            f"{count(unknown, 'case')} in neither half: the run has no ex, and the labels "
            "do not say it"
        )
    notes += [
        f"{name}: {count(one.unscored, 'labelled case')} unscored; not in any figure"
        for name, one in agreements.items()
        if one.unscored
    ]
    return notes


def _undecided_value(labels: Labels) -> str:
    value = next(item.value for item in labels.items if item.original == 0.5)
    return "right" if value else "wrong"
