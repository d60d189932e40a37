"""Counts of labels from runs, and how well they foretell labels that they have not seen.

Questions are held out together: the pairs of one question are not independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from sqlverdict.confidence import NO_LABELS, Counts, Model, cell_of, count
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
    """

    set: str
    result: Result
    right: bool

    def cells(self) -> Iterator[str]:
        """The cells in which it counts: that of its evidence, and that of a judge's opinion."""
        result = self.result
        yield cell_of(result.situation, result.evidence)
        for piece in result.evidence:
            match piece:
                case Judged(correct=bool(correct)) if "verdict" in piece.metrics:
                    yield cell_of(result.situation, result.evidence, correct)
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


def counts_of(labelled: Iterable[LabelledResult]) -> Counts:
    """The counts of labels by cell and set."""
    return count((cell, one.set, one.right, 1.0) for one in labelled for cell in one.cells())


def with_own(before: Model, labelled: Iterable[LabelledResult], name: str) -> Model:
    """A model with own labels beside those of other sets.

    Own labels replace a set of the same name as a whole, cells that they do not reach included.
    """
    others = {
        cell: {other: counts for other, counts in sets.items() if other != name}
        for cell, sets in before.cells.items()
    }
    ours = counts_of(labelled)
    names = sorted({*(cell for cell, sets in others.items() if sets), *ours})
    cells = {cell: {**others.get(cell, {}), **ours.get(cell, {})} for cell in names}
    return Model(before.sets, cells, own=name)


def forecasts_of(
    model: Model, labelled: Iterable[LabelledResult], alike: Callable[[str], Collection[str]]
) -> list[tuple[float, bool]]:
    """What a model states of each case, and the label."""
    return [
        (model.p_right(list(one.cells())[-1], alike(one.result.situation)), one.right)
        for one in labelled
    ]


def cross_validated(
    labelled: Sequence[LabelledResult],
    alike: Callable[[str], Collection[str]],
    before: Model = NO_LABELS,
    name: str = "",
) -> LabelCalibration:
    """Calibration on cases whose questions were held out of the counts.

    Args:
        labelled: The cases with their labels.
        alike: The situations on which their policy decides as on the one of this name.
        before: The counts of other sets, which these labels are added to.
        name: The name of the set of these labels.
    """
    folds: dict[int, list[LabelledResult]] = defaultdict(list)
    for one in labelled:
        folds[_fold(one.result)].append(one)
    predictions: list[tuple[float, bool]] = []
    for fold, held_out in sorted(folds.items()):
        training = (one for other, ones in folds.items() if other != fold for one in ones)
        model = with_own(before, training, name or held_out[0].set)
        predictions.extend(forecasts_of(model, held_out, alike))
    return calibration(predictions)


def _fold(result: Result) -> int:
    """The same question is in the same fold, whatever the order of cases and the hash seed."""
    name = f"{result.db_id}\n{result.question or result.id}".encode("utf-8", "backslashreplace")
    return blake2b(name, digest_size=4).digest()[0] % FOLDS


def calibration(predictions: Sequence[tuple[float, bool]]) -> LabelCalibration:
    """Expected against observed."""
    by_bin: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for p, right in predictions:
        by_bin[min(int(p * BINS), BINS - 1)].append((p, right))
    bins = tuple(
        ProbabilityBin(
            number / BINS,
            (number + 1) / BINS,
            len(pairs),
            sum(p for p, _ in pairs) / len(pairs),
            sum(right for _, right in pairs) / len(pairs),
        )
        for number, pairs in sorted(by_bin.items())
    )
    off = sum(one.cases * abs(one.predicted - one.right) for one in bins)
    return LabelCalibration(len(predictions), off / len(predictions) if predictions else 0.0, bins)
