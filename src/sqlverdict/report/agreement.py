"""A run against people's labels: every metric and judge of the run, and where they disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from sqlverdict.errors import NothingEvaluated, UsageError
from sqlverdict.load.labels import Label, Labels
from sqlverdict.load.text import listed, near
from sqlverdict.records import Evidence, Result, Rung, Verdict
from sqlverdict.report.case import evidence_lines, said
from sqlverdict.report.run import Run
from sqlverdict.report.tables import count
from sqlverdict.score.agreement import Agreement, Rated, agreement
from sqlverdict.score.agreement_annotators import AnnotatorAgreement, annotator_agreement
from sqlverdict.score.agreement_power import POWER, MetricDifference, compare_metrics
from sqlverdict.score.aliases import label_of
from sqlverdict.score.pairing import RIGHT
from sqlverdict.score.significance import ALPHA

VERDICT = "verdict"
"""The run's own verdicts as a metric, where the run has no metric of that name."""

JUDGE = "judge:"
"""Before a judge's name: its opinions wherever it was heard, whatever became of them."""

_RIGHT = (Verdict.CORRECT,)
_WRONG = (Verdict.INCORRECT, Verdict.ABSTAINED_WRONG)


@dataclass(frozen=True)
class Disagreement:
    """A case on which some metric and people differ.

    Attributes:
        id: The case.
        db_id: Its database.
        difficulty: Its level.
        label: What people say: right or wrong.
        votes: One an annotator.
        equal: Whether the results match.
        wrongly_right: Metrics that call it right though people do not.
        wrongly_wrong: Metrics that call it wrong though people do not.
        question: The question.
        gold: The gold queries.
        prediction: What the system said.
        verdict: The run's verdict.
        reasons: Its reasons.
        evidence: What was found out, a sentence each.
    """

    id: str
    db_id: str
    difficulty: str | None
    label: bool
    votes: tuple[float | None, ...]
    equal: bool | None
    wrongly_right: tuple[str, ...]
    wrongly_wrong: tuple[str, ...]
    question: str
    gold: tuple[str, ...]
    prediction: str
    verdict: str
    reasons: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class AgreementReport:
    """A run held against a file of labels.

    Attributes:
        run: The run's folder.
        system: Whose answers they are.
        labels: The file of labels.
        source: Where in it the label comes from.
        labelled: Cases with a settled label.
        matched: Those of them that the run has; every figure is over these.
        dropped: Cases of the file without a settled label.
        undecided: Labels that were 0.5.
        unlabelled: Cases of the run without a label.
        metrics: For each metric and judge, its agreement.
        differences: Each two of them: told apart, and how many more labels would.
        annotators: How people agree with one another, over all cases of the file.
        disagreements: Cases on which some metric and people differ, in the run's order.
        notes: What weakens the figures.
    """

    run: str
    system: str
    labels: str
    source: str
    labelled: int
    matched: int
    dropped: int
    undecided: int
    unlabelled: int
    metrics: Mapping[str, Agreement]
    differences: tuple[MetricDifference, ...]
    annotators: AnnotatorAgreement | None
    disagreements: tuple[Disagreement, ...]
    notes: tuple[str, ...] = ()


def hold_against(
    run: Run,
    labels: Labels,
    *,
    metrics: Sequence[str] = (),
    threshold: float = RIGHT,
    seed: int = 0,
    alpha: float = ALPHA,
    power: float = POWER,
) -> AgreementReport:
    """Hold the metrics and judges of a run against people's labels.

    The halves come from the labels where these say them, else from the run's ``ex``.

    Args:
        run: A finished run.
        labels: People's labels.
        metrics: Which to look at; by default every metric and judge of the run.
        threshold: A metric that is not 0 or 1 says "right" from this value on.
        seed: For the intervals.
        alpha: The level at which two metrics are told apart.
        power: The chance with which the estimated number of labels would tell them apart.

    Raises:
        UsageError: the run has no such metric, or no labelled case.
        NothingEvaluated: no metric scored any labelled case.
    """
    settled = {item.id: item for item in labels.items if item.value is not None}
    pairs: list[tuple[Result, Label]] = []
    unlabelled = 0
    ids: list[str] = []
    for result in run.results():
        label = settled.get(result.id)
        if label is None:
            unlabelled += 1
            ids.append(result.id)
        else:
            pairs.append((result, label))
    if not pairs:
        raise UsageError(
            f"no case of {run.folder} has a settled label in {labels.path}: the run has "
            f"{listed(ids, 3)}, the labels {listed(settled, 3)}. Name the field of the id with "
            f"--id-field."
        )
    names = _choose(run, pairs, metrics)
    halves = _halves(pairs)
    rated = {
        name: [
            Rated(result.id, bool(label.value), opinion(result, name, threshold), halves[result.id])
            for result, label in pairs
        ]
        for name in names
    }
    found = {
        name: agreement(
            name,
            items,
            calls=sum(calls_of(result, name) for result, _ in pairs),
            seed=seed,
        )
        for name, items in rated.items()
    }
    if not any(one.n for one in found.values()):
        raise NothingEvaluated(
            f"none of {listed(names)} scored any of the {count(len(pairs), 'labelled case')} of "
            f"{run.folder}; sqlverdict show says why for one case"
        )
    scored = [name for name in names if found[name].n]
    return AgreementReport(
        run=str(run.folder),
        system=run.manifest.system,
        labels=str(labels.path),
        source=labels.field,
        labelled=len(settled),
        matched=len(pairs),
        dropped=labels.dropped,
        undecided=labels.undecided,
        unlabelled=unlabelled,
        metrics=found,
        differences=tuple(
            compare_metrics((a, rated[a]), (b, rated[b]), seed=seed, alpha=alpha, power=power)
            for a, b in combinations(scored, 2)
        ),
        annotators=annotator_agreement(
            labels.annotators, [(item.votes, item.equal) for item in labels.items]
        ),
        disagreements=tuple(_disagreements(pairs, rated, run.folder)),
        notes=tuple(_notes(labels, settled, pairs, unlabelled, found, halves)),
    )


def opinion(result: Result, name: str, threshold: float = RIGHT) -> bool | None:
    """What a metric or judge says of a case; ``None``: unscored, never wrong."""
    if name in result.scores:
        value = result.scores[name]
        return None if value is None else value >= threshold
    if name.startswith(JUDGE):
        wanted = name.removeprefix(JUDGE)
        for found in result.evidence:
            if found.rung is Rung.JUDGED and found.by == wanted:
                return found.agrees
        return None
    if name == VERDICT:
        return True if result.verdict in _RIGHT else False if result.verdict in _WRONG else None
    return None


def calls_of(result: Result, name: str) -> int:
    """Calls of a language model that a metric or judge took for a case.

    A judge's evidence may name the metrics that asked for it; where it does not, every metric
    that hears judges shares it.
    """
    total = 0
    for found in result.evidence:
        if found.rung is not Rung.JUDGED:
            continue
        asked_by = found.detail.get("metrics")
        if name.startswith(JUDGE):
            counts = found.by == name.removeprefix(JUDGE)
        elif isinstance(asked_by, list | tuple):
            counts = name in asked_by
        else:
            counts = hears_judges(name)
        total += int(found.detail.get("calls") or 0) if counts else 0
    return total


def hears_judges(name: str) -> bool:
    """Whether a metric may ask a language model."""
    from sqlverdict.errors import UnknownMember
    from sqlverdict.score.metric import METRICS

    base = name.partition("[")[0]
    if base == VERDICT:
        return True
    try:
        return "opinion" in METRICS.get(base).needs
    except UnknownMember:
        return False


def _choose(run: Run, pairs: Sequence[tuple[Result, Label]], asked: Sequence[str]) -> list[str]:
    labels = list(run.manifest.metrics)
    judges = dict.fromkeys(
        found.by
        for result, _ in pairs
        for found in result.evidence
        if found.rung is Rung.JUDGED and not _is_metric(found, labels)
    )
    every = [*labels, *(f"{JUDGE}{name}" for name in judges)]
    if VERDICT not in every:
        every.append(VERDICT)
    asked = [label_of(name, every)[0] for name in asked]
    unknown = [name for name in asked if name not in every]
    if unknown:
        raise UsageError(
            f"{run.folder} has no metric {unknown[0]!r}.{near(unknown[0], every)} "
            f"It has {', '.join(every)}."
        )
    return list(asked) or every


def _is_metric(found: Evidence, labels: Sequence[str]) -> bool:
    """Whether an opinion is a metric's value as it stands: FLEX asks about every pair."""
    return found.by in labels or ("flex" in labels and "flex" in found.detail.get("metrics", ()))


def _halves(pairs: Sequence[tuple[Result, Label]]) -> dict[str, bool | None]:
    """Whether each case's results match: the labels say it, else the run."""
    return {
        result.id: label.equal if label.equal is not None else results_match(result)
        for result, label in pairs
    }


def results_match(result: Result) -> bool | None:
    """Whether the two results are the same by the run's ``ex``, else by its evidence."""
    labels = [name for name in result.scores if name == "ex" or name.startswith("ex[")]
    for name in sorted(labels, key=lambda name: name != "ex"):
        value = result.scores[name]
        if value is not None:
            return value >= RIGHT
    for found in result.evidence:
        if found.by in ("compare", "execute") and found.agrees is not None:
            return found.agrees
    return None


def _disagreements(
    pairs: Sequence[tuple[Result, Label]], rated: Mapping[str, Sequence[Rated]], folder: Path
) -> list[Disagreement]:
    shown = []
    for place, (result, label) in enumerate(pairs):
        items = {name: rows[place] for name, rows in rated.items()}
        differing = [name for name, item in items.items() if item.said not in (None, item.label)]
        if not differing:
            continue
        right = bool(label.value)
        shown.append(
            Disagreement(
                id=result.id,
                db_id=result.db_id,
                difficulty=result.difficulty,
                label=right,
                votes=label.votes,
                equal=next(iter(items.values())).equal,
                wrongly_right=() if right else tuple(differing),
                wrongly_wrong=tuple(differing) if right else (),
                question=result.question,
                gold=result.gold,
                prediction=said(result),
                verdict=str(result.verdict),
                reasons=tuple(map(str, result.reasons)),
                evidence=tuple(evidence_lines(result, folder)),
            )
        )
    return shown


def _notes(
    labels: Labels,
    settled: Mapping[str, Label],
    pairs: Sequence[tuple[Result, Label]],
    unlabelled: int,
    found: Mapping[str, Agreement],
    halves: Mapping[str, bool | None],
) -> list[str]:
    notes = []
    if labels.dropped:
        notes.append(f"{count(labels.dropped, 'case')} of the labels without a settled one: out")
    kept = sum(item.given == 0.5 and item.value is not None for item in labels.items)
    if kept:
        notes.append(f"{count(kept, 'label')} of 0.5 counted as {_counted(labels)}")
    absent = [case_id for case_id in settled if case_id not in {r.id for r, _ in pairs}]
    if absent:
        notes.append(f"{count(len(absent), 'label')} without a case in the run: {listed(absent)}")
    if unlabelled:
        notes.append(f"{count(unlabelled, 'case')} of the run without a settled label: left out")
    unknown = sum(equal is None for equal in halves.values())
    if unknown:
        notes.append(f"{count(unknown, 'case')} in neither half: no ex in the run, none labelled")
    notes += [
        f"{name}: {count(one.unscored, 'labelled case')} unscored, in no figure"
        for name, one in found.items()
        if one.unscored
    ]
    return notes


def _counted(labels: Labels) -> str:
    value = next(item.value for item in labels.items if item.given == 0.5)
    return "right" if value else "wrong"
