"""The settled labels of a file by case."""

from __future__ import annotations

from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.load.people.votes import vote_digest
from sqlverdict.records import Result


class LabelIndex:
    """The settled labels by case: one about the case's own queries, or about any."""

    def __init__(self, labels: Labels) -> None:
        self._labels: dict[str, dict[str, Label]] = {}
        self._unsettled: set[tuple[str, str]] = set()
        for item in labels.items:
            if item.value is not None:
                self._labels.setdefault(item.id, {})[item.pair] = item
            else:
                self._unsettled.add((item.id, item.pair))

    def ids(self) -> list[str]:
        """The cases with a label, in the order of the file."""
        return list(self._labels)

    def of(self, result: Result) -> Label | None:
        """The label of a case's result; ``None``: it has none."""
        labels = self._labels.get(result.id, {})
        if not any(labels):
            return labels.get("")
        return labels.get(vote_digest(result.id, result.gold, result.prediction))

    def is_unsettled(self, result: Result) -> bool:
        """Whether there is a label or a vote for the case's result, and none that counts."""
        pair = vote_digest(result.id, result.gold, result.prediction)
        return not self._unsettled.isdisjoint({(result.id, ""), (result.id, pair)})
