"""Counts of labels from runs, and how well they foretell labels that they have not seen.

Questions are held out together: the pairs of one question are not independent. Where labels count
differently (``load/people/weights.py``), shares are weighted, and numbers of labels and questions
stay as they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from statistics import fmean

from sqlverdict.confidence.counts import (
    STEP_OF,
    CellLabel,
    Count,
    Counts,
    LabelSet,
    cell_name,
    count_labels,
    situation_of,
)
from sqlverdict.confidence.model import NO_LABELS, Model
from sqlverdict.evidence import Judged
from sqlverdict.records import Result

FOLDS = 10
BINS = 10


@dataclass(frozen=True)
class LabelledResult:
    """A result with its label.

    Attributes:
        set: The label set's name.
        result: The result.
        right: What people say.
        weight: What it counts in a share.
    """

    set: str
    result: Result
    right: bool
    weight: float = 1

    def labels(self) -> Iterator[CellLabel]:
        """The label in the cell of its situation, and in that of a judge's opinion."""
        question, situation = question_of(self.result), self.result.situation
        yield CellLabel(cell_name(situation), self.set, question, self.right)
        for piece in self.result.evidence:
            match piece:
                case Judged(correct=bool(correct)) if "verdict" in piece.metrics:
                    yield CellLabel(cell_name(situation, correct), self.set, question, self.right)
                    break


@dataclass(frozen=True)
class ProbabilityBin:
    """Cases whose predicted probability lies in one tenth."""

    low: float
    high: float
    cases: int
    predicted: float
    right: float


@dataclass(frozen=True)
class LabelCalibration:
    """How predicted probabilities compare with labels that were held out.

    Attributes:
        cases: How many labelled cases there are.
        error: The expected calibration error, over ten bins.
        bins: The bins that hold cases.
    """

    cases: int
    error: float
    bins: tuple[ProbabilityBin, ...]


def question_of(result: Result) -> str:
    """What tells a question from others; a case without one is a question of its own."""
    about = result.session and f"session {result.session}"
    return f"{result.db_id}\n{about or result.question or result.id}"


def label_counts(labelled: Iterable[LabelledResult]) -> Counts:
    """The counts of labels by cell and set.

    Labels of one step count by their weights, in each set as many as there are: a step is what has
    a rate, and its situations may have been drawn differently.
    """
    every = [(label, one.weight) for one in labelled for label in one.labels()]
    counts = count_labels(label for label, _ in every)
    if len({weight for _, weight in every}) < 2:
        return counts
    weights: dict[tuple[str, int, bool], list[float]] = defaultdict(list)
    for label, weight in every:
        weights[_family(label)].append(weight)
    means = {family: fmean(own) for family, own in weights.items()}
    weighted = count_labels(
        label._replace(weight=weight / means[_family(label)]) for label, weight in every
    )
    return {
        cell: {name: _with_questions(one, counts[cell][name]) for name, one in sets.items()}
        for cell, sets in weighted.items()
    }


def _with_questions(weighted: Count, plain: Count) -> Count:
    """A weighted count with as many questions a label as there are."""
    questions = plain.questions * weighted.labels / plain.labels
    return weighted._replace(questions=round(questions, 3))


def _family(label: CellLabel) -> tuple[str, int, bool]:
    """The labels that make one rate: those of a step, and those of them that a judge saw."""
    situation, opinion = situation_of(label.cell)
    return label.set, STEP_OF[situation], opinion is not None


def with_own(before: Model, labelled: Sequence[LabelledResult], own: LabelSet) -> Model:
    """A model with own labels beside those of other sets.

    Own labels replace a set of the same name as a whole, cells that they do not reach included.
    """
    others = {
        cell: {name: counts for name, counts in sets.items() if name != own.name}
        for cell, sets in before.cells.items()
    }
    ours = label_counts(replace(one, set=own.name) for one in labelled)
    names = sorted({*(cell for cell, sets in others.items() if sets), *ours})
    cells = {cell: {**others.get(cell, {}), **ours.get(cell, {})} for cell in names}
    sets = (*(one for one in before.sets if one.name != own.name), own)
    return Model(sets, cells, own=own.name)


def forecasts_of(model: Model, labelled: Iterable[LabelledResult]) -> list[tuple[float, bool]]:
    """What a model states of each case, and the label."""
    return [
        (model.p_right(*situation_of(list(one.labels())[-1].cell)), one.right) for one in labelled
    ]


def cross_validated_calibration(
    labelled: Sequence[LabelledResult], own: LabelSet, before: Model = NO_LABELS
) -> LabelCalibration:
    """Calibration on cases whose questions were held out of the counts.

    Args:
        labelled: The cases with their labels.
        own: The set of these labels.
        before: The counts of other sets, which these labels are added to.
    """
    folds: dict[int, list[LabelledResult]] = defaultdict(list)
    for one in labelled:
        folds[_fold(one.result)].append(one)
    predictions: list[tuple[float, bool]] = []
    weights: list[float] = []
    for fold, held_out in sorted(folds.items()):
        training = [one for other, ones in folds.items() if other != fold for one in ones]
        predictions.extend(forecasts_of(with_own(before, training, own), held_out))
        weights.extend(one.weight for one in held_out)
    return label_calibration(predictions, weights)


def _fold(result: Result) -> int:
    """The same question is in the same fold, whatever the order of cases and the hash seed."""
    name = question_of(result).encode("utf-8", "backslashreplace")
    return blake2b(name, digest_size=4).digest()[0] % FOLDS


def label_calibration(
    predictions: Sequence[tuple[float, bool]], weights: Sequence[float] = ()
) -> LabelCalibration:
    """Expected against observed.

    Args:
        predictions: What is stated of each case, and the label.
        weights: What each counts; by default all count alike.
    """
    by_bin: dict[int, list[tuple[float, bool, float]]] = defaultdict(list)
    counts = weights or [1] * len(predictions)
    for (p, right), weight in zip(predictions, counts, strict=True):
        by_bin[min(int(p * BINS), BINS - 1)].append((p, right, weight))
    sums = {number: sum(weight for *_, weight in own) for number, own in by_bin.items()}
    bins = tuple(
        ProbabilityBin(
            number / BINS,
            (number + 1) / BINS,
            len(pairs),
            sum(p * weight for p, _, weight in pairs) / sums[number],
            sum(right * weight for _, right, weight in pairs) / sums[number],
        )
        for number, pairs in sorted(by_bin.items())
    )
    off = sum(
        sums[number] * abs(one.predicted - one.right)
        for number, one in zip(sorted(by_bin), bins, strict=True)
    )
    error = off / sum(sums.values()) if predictions else 0.0
    return LabelCalibration(len(predictions), error, bins)
