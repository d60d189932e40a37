"""Labels that hold for other predictions: those that are identical, or proved equal.

Whether an answer is right depends on what the query returns, not on how it is written. So a label
of one prediction holds for another of the same question that returns the same on every database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlverdict.load.people.labels import Label, LabelIndex, Labels
from sqlverdict.records import Result

AreEqual = Callable[[str, str, str], bool]
"""Whether two queries are proved equal: the case's id and both texts."""


def carried_labels(
    results: Iterable[Result], labels: Labels, are_equal: AreEqual
) -> dict[str, Label]:
    """The labels of other predictions that hold for the predictions of a run, by case.

    Args:
        results: The results of the run.
        labels: What people said; only labels that name their prediction can be carried over.
        are_equal: Asks for a proof.
    """
    index = LabelIndex(labels)
    by_case: dict[str, list[Label]] = {}
    for item in labels.items:
        if item.prediction is not None and (item.original is not None or item.unanswerable):
            by_case.setdefault(item.id, []).append(item)
    carried = {}
    for result in results:
        query = result.prediction
        if query is None or index.of(result) is not None:
            continue
        for item in by_case.get(result.id, ()):
            other = item.prediction or ""
            if query == other or are_equal(result.id, query, other):
                carried[result.id] = item
                break
    return carried
