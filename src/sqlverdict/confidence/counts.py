"""Labels of people, counted by situation and label set.

The labels of one question are not independent: a wrong gold makes all of them wrong at once. So a
count also holds the number of questions, and a rate weighs as much as its questions.

Situations stand in the order of what they say for an answer. A step says more for an answer than
every later one, whatever the labels: a proof more than a match that a search did not refute, this
more than a difference that people mostly accept, and so on down to a query that does not run. So
more evidence against an answer never raises its probability. A match that was not searched stands
below one that was, and beside one that a search refutes on unusual data alone: neither not to
search nor such a witness is worth anything. Situations of one step share a rate: there are too few
labels to tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, get_args

import msgspec

from sqlverdict.situations import Situation, Step

NAMES: tuple[str, ...] = get_args(Step)
"""The steps in words, the one that says most for an answer first."""

STEPS: tuple[tuple[str, ...], ...] = tuple(
    tuple(str(situation) for situation in Situation if situation.row.step == step) for step in NAMES
)
"""The situations of each step."""

STEP_OF: Mapping[str, int] = {
    situation: number for number, step in enumerate(STEPS) for situation in step
}
"""The step of each situation; situations without one say nothing about an answer."""


class LabelSet(msgspec.Struct, frozen=True):
    """Where labels came from.

    Attributes:
        name: The set's name.
        about: What was labelled, by whom, and which part of it was used.
        labels: How many labels there are.
        engine: The engine whose SQL was labelled.
    """

    name: str
    about: str
    labels: int
    engine: str


class Count(NamedTuple):
    """Labels of one cell and set.

    Attributes:
        right: How many say right.
        labels: How many there are.
        questions: About how many questions.
    """

    right: float
    labels: float
    questions: float

    @property
    def rate(self) -> float:
        """The share that says right."""
        return self.right / self.labels if self.labels else 0.0


NONE = Count(0.0, 0.0, 0.0)

BySet = Mapping[str, Count]
"""The counts of one cell or step, by label set."""
Counts = dict[str, dict[str, Count]]
"""The counts of every cell: a situation, or a situation with a judge's opinion."""


class CellLabel(NamedTuple):
    """One label of a person.

    Attributes:
        cell: The cell of the labelled prediction.
        set: The label set.
        question: The question that the prediction answers.
        right: What the person says.
        weight: What it counts; one of several opinions about the same label counts in part.
    """

    cell: str
    set: str
    question: str
    right: bool
    weight: float = 1.0


def cell_name(situation: str, opinion: bool | None = None) -> str:
    """The name of a cell: the situation, and what a judge says where one was asked."""
    if opinion is None:
        return str(situation)
    return f"{situation}/judged_{'right' if opinion else 'wrong'}"


def situation_of(cell: str) -> tuple[str, bool | None]:
    """The situation of a cell, and what a judge says."""
    situation, _, opinion = cell.partition("/judged_")
    return situation, None if not opinion else opinion == "right"


def count_labels(labels: Iterable[CellLabel]) -> Counts:
    """Counts of labels by cell and set."""
    sums: dict[tuple[str, str], list[float]] = {}
    questions: dict[tuple[str, str], dict[str, float]] = {}
    for one in labels:
        key = (one.cell, one.set)
        total = sums.setdefault(key, [0.0, 0.0])
        total[0] += one.weight * one.right
        total[1] += one.weight
        weights = questions.setdefault(key, {})
        weights[one.question] = min(1.0, weights.get(one.question, 0.0) + one.weight)
    cells: Counts = {}
    for (cell, name), (right, number) in sorted(sums.items()):
        about = sum(questions[cell, name].values())
        cells.setdefault(cell, {})[name] = Count(round(right, 3), round(number, 3), round(about, 3))
    return cells


def by_step(cells: Mapping[str, BySet]) -> list[dict[str, Count]]:
    """The counts of each step, by set; what judges say of the same cases is left out."""
    steps = []
    for step in STEPS:
        situations = [cells.get(situation, {}) for situation in step]
        names = sorted({name for sets in situations for name in sets})
        steps.append({n: _sum(sets[n] for sets in situations if n in sets) for n in names})
    return steps


def _sum(counts: Iterable[Count]) -> Count:
    return Count(*map(sum, zip(*counts, strict=True)))
