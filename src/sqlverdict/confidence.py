"""How probable it is that people call a prediction right: counts of labels, with shrinkage.

A model is a table of counts. For every situation it knows how many labelled predictions were in
it and how many of them people called right, set by set. A situation is divided further by what
its evidence shows first (the relation between the answers, the columns on generated databases),
and by what a judge said. The probability of a small cell is drawn towards that of its situation,
that of a situation towards that of all situations on which the policy decides alike (correct,
incorrect, needs_review), and that of a decision towards one half:

    p(decision) = (right + 1) / (labels + 2)
    p(situation) = (right + 4 p(decision)) / (labels + 4)
    p(cell) = (right + 4 p(situation)) / (labels + 4)

There is nothing else to it: a reader can redo each probability by hand. The counts that come
with the package, and what they were made of, are in ``confidence.json``, policy by policy;
``sqlverdict calibrate`` makes such a file from a user's own runs and labels. Sets of labels differ
more than their sizes suggest, so beside a user's own set all others together count in each cell as
:data:`OTHERS` labels at most: ``right`` and ``labels`` above are then

    right = own right + w * others' right,   w = min(1, OTHERS / others' labels)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from pathlib import Path

import msgspec

from sqlverdict.errors import UsageError
from sqlverdict.evidence import Evidence, Related

SHRINKAGE = 4.0
"""A cell counts as if so many labels of its situation were in it, too; so does a situation with
labels of its decision."""
PRIOR = 2.0
"""A decision counts as if so many labels, half of them right, were in it, too."""
OTHERS = 5.0
"""Beside own labels the other sets count in a cell as so many at most; measured with 20, 50 and 100
own labels in docs/measurements/agreement.md."""
ENOUGH = 5
"""A set with so many labels in a cell says something about how sets differ."""
LEAST = 0.02
"""Sets of labels differ at least by this standard deviation, also where those at hand agree."""


class LabelSet(msgspec.Struct, frozen=True):
    """Where labels came from.

    Attributes:
        name: The set's name.
        about: What was labelled, by whom, and which part of it was used.
        labels: How many labels there are.
    """

    name: str
    about: str
    labels: int


Counts = dict[str, dict[str, tuple[float, float]]]
"""For every cell and set: how many were right, and how many there are."""


@dataclass(frozen=True)
class Model:
    """Counts of labels by cell and set.

    Attributes:
        sets: Where the labels came from.
        cells: The counts.
        own: The set of the user's own labels; empty where all sets count alike.
    """

    sets: tuple[LabelSet, ...] = ()
    cells: Counts = field(default_factory=dict)
    own: str = ""

    def expect(
        self,
        situation: str,
        evidence: Sequence[Evidence] = (),
        opinion: bool | None = None,
        alike: Collection[str] = (),
    ) -> tuple[float | None, float | None]:
        """The probability that people call the prediction right, and its deviation.

        ``None`` where the model has no labels at all. ``alike`` are the situations on which the
        policy decides as on this one.
        """
        if not self.cells:
            return None, None
        cell = cell_of(situation, evidence, opinion)
        p, deviation = self.p_right(cell, alike), self.deviation(cell, alike)
        return round(p, 4), round(deviation, 4)

    def p_right(self, cell: str, alike: Collection[str] = ()) -> float:
        """The probability that people call a prediction of a cell right."""
        above, _, _ = cell.rpartition("/")
        right, labels = self._totals.get(cell, (0.0, 0.0))
        prior = self.p_right(above, alike) if above else self._p_alike(alike)
        return (right + SHRINKAGE * prior) / (labels + SHRINKAGE)

    def _p_alike(self, situations: Collection[str]) -> float:
        """The probability in all of these situations."""
        totals = [self._totals.get(name, (0.0, 0.0)) for name in sorted(set(situations))]
        right, labels = sum(r for r, _ in totals), sum(n for _, n in totals)
        return (right + PRIOR / 2) / (labels + PRIOR)

    def deviation(self, cell: str, alike: Collection[str] = ()) -> float:
        """How far a cell's rate may lie from its probability in another set of labels.

        A standard deviation, of two parts: what few labels leave open, and how much the sets
        that there are differ among themselves. Where fewer than two sets have enough labels, the
        situation's sets say it, and without these a stated least.
        """
        p = self.p_right(cell, alike)
        _, labels = self._totals.get(cell, (0.0, 0.0))
        own = p * (1 - p) / (labels + SHRINKAGE + 1)
        return float((own + self._between(cell)) ** 0.5)

    def _between(self, cell: str) -> float:
        """The variance of the rates of a cell's sets, weighted by their labels."""
        rates = [(r / n, n) for r, n in self.cells.get(cell, {}).values() if n >= ENOUGH]
        if len(rates) < 2:
            above, _, _ = cell.rpartition("/")
            return self._between(above) if above else LEAST**2
        total = sum(n for _, n in rates)
        mean = sum(n * rate for rate, n in rates) / total
        variance = sum(n * (rate - mean) ** 2 for rate, n in rates) / total
        return float(max(variance * len(rates) / (len(rates) - 1), LEAST**2))

    def priors(self) -> dict[str, tuple[int, int]]:
        """By situation: how many labels say right, and how many there are; few say nothing."""
        totals = {cell: _total(sets.values()) for cell, sets in self.cells.items()}
        return {
            cell: (round(right), round(labels))
            for cell, (right, labels) in totals.items()
            if "/" not in cell and labels >= ENOUGH
        }

    @cached_property
    def _totals(self) -> Mapping[str, tuple[float, float]]:
        """The labels of each cell, as they count."""
        return {cell: self._weighted(sets) for cell, sets in self.cells.items()}

    def _weighted(self, sets: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
        if not self.own:
            return _total(sets.values())
        others_right, others = _total(counts for name, counts in sets.items() if name != self.own)
        weight = min(1.0, OTHERS / others) if others else 0.0
        right, labels = sets.get(self.own, (0.0, 0.0))
        return right + weight * others_right, labels + weight * others


def _total(counts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """How many are right in all sets, and how many there are."""
    pairs = list(counts)
    return sum(right for right, _ in pairs), sum(labels for _, labels in pairs)


Models = Mapping[str, Model]
"""A model for every policy that has one: people judge differently where they are asked to."""

NO_LABELS = Model()


def cell_of(situation: str, evidence: Sequence[Evidence] = (), opinion: bool | None = None) -> str:
    """The name of a cell: the situation, what its evidence shows first, what a judge said."""
    name = str(situation)
    if opinion is not None:
        return f"{name}/judged_{'right' if opinion else 'wrong'}"
    part = next(filter(None, map(_first_part, evidence)), "")
    return f"{name}/{part}" if part else name


def _first_part(evidence: Evidence) -> str:
    """What evidence of a difference shows first."""
    match evidence:
        case Related(generated=generated) if generated is not None:
            return generated.columns
        case Related(relations=(first, *_)):
            return first.kind
    return ""


def count(labelled: Iterable[tuple[str, str, bool, float]]) -> Counts:
    """Counts of labels: each comes with its cell, its set, whether it says right, and a weight.

    A cell's labels count for its situation, too.
    """
    cells: Counts = {}
    for cell, name, right, weight in labelled:
        path = cell
        while path:
            sets = cells.setdefault(path, {})
            before = sets.get(name, (0.0, 0.0))
            sets[name] = (before[0] + weight * right, before[1] + weight)
            path, _, last = path.rpartition("/")
            if last.startswith("judged_"):
                # What a judge says is one more look at cases that are counted already.
                break
    return {
        cell: {name: (round(r, 3), round(n, 3)) for name, (r, n) in sorted(sets.items())}
        for cell, sets in sorted(cells.items())
    }


class _PolicyCounts(msgspec.Struct):
    """A model as it is stored."""

    sets: list[LabelSet]
    cells: Counts
    own: str = ""


class _ModelFile(msgspec.Struct):
    """Models as they are stored, by policy."""

    schema: int
    policies: dict[str, _PolicyCounts]


def read_models(path: Path) -> Models:
    """Models from a file that ``sqlverdict calibrate`` wrote.

    Raises:
        UsageError: there is no such file, or it holds no models.
    """
    try:
        return _decode(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}. Expected a file that 'sqlverdict calibrate' wrote"
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} holds no counts of labels ({error}). Expected a file that 'sqlverdict "
            f"calibrate' wrote; make it again"
        ) from None


def write_models(models: Models) -> bytes:
    """Models as the text of a file."""
    policies = {
        name: {
            "sets": model.sets,
            **({"own": model.own} if model.own else {}),
            "cells": model.cells,
        }
        for name, model in sorted(models.items())
    }
    stored = {"schema": 1, "policies": policies}
    return msgspec.json.format(msgspec.json.encode(stored), indent=1) + b"\n"


def _decode(text: bytes) -> Models:
    stored = msgspec.json.decode(text, type=_ModelFile)
    if stored.schema != 1:
        raise msgspec.ValidationError(f"schema {stored.schema}; this version reads schema 1")
    for policy in stored.policies.values():
        for sets in policy.cells.values():
            for right, labels in sets.values():
                if not 0 <= right <= labels:
                    raise msgspec.ValidationError(f"{right} right of {labels} labels")
    return {
        name: Model(tuple(one.sets), one.cells, one.own) for name, one in stored.policies.items()
    }


@cache
def built_in() -> Models:
    """The models that come with the package."""
    return _decode(resources.files("sqlverdict").joinpath("confidence.json").read_bytes())
