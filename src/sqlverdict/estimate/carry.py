"""Labels that hold for other predictions: those that are identical, or proved equal.

Whether an answer is right depends on what the query returns, not on how it is written. So a label
of one prediction holds for another of the same question that returns the same on every database.

A proof has a direction: a prediction may sort rows that its gold leaves in any order, so that a
proof against an unsorted query does not say that the sorted one may lose its ORDER BY. Two
predictions are equal where each is proved to answer as the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlverdict.load.people.label_index import LabelIndex
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.load.people.votes import vote_digest
from sqlverdict.records import Result

AskProof = Callable[[str, str, str], bool]
"""Whether a query is proved to answer as another: the case's id, the other as gold, the query."""


def are_proved_equal(ask_proof: AskProof, case_id: str, one: str, other: str) -> bool:
    """Whether each of two queries of a case is proved to answer as the other."""
    return ask_proof(case_id, one, other) and ask_proof(case_id, other, one)


def carried_labels(
    results: Iterable[Result], labels: Labels, ask_proof: AskProof
) -> dict[str, Label]:
    """The labels of other predictions that hold for the predictions of a run, by case.

    Args:
        results: The results of the run.
        labels: What people said; only labels that name their prediction can be carried over.
        ask_proof: Asks for a proof; it is asked in both directions.
    """
    index = LabelIndex(labels)
    by_case: dict[str, list[Label]] = {}
    for item in labels.items:
        if item.prediction is not None and (item.original is not None or item.unanswerable):
            by_case.setdefault(item.id, []).append(item)
    carried = {}
    for result in results:
        query = result.prediction
        own = index.of(result)
        if query is None or (own is not None and is_about(own, result)):
            continue
        for item in by_case.get(result.id, ()):
            other = item.prediction or ""
            if query == other or are_proved_equal(ask_proof, result.id, other, query):
                carried[result.id] = item
                break
    return carried


def is_about(label: Label, result: Result) -> bool:
    """Whether a label was given for a result's own prediction, as far as the file says."""
    if label.pair == vote_digest(result.id, result.gold, result.prediction):
        return True
    query = label.prediction
    return query == result.prediction or (query is None and not label.pair)
