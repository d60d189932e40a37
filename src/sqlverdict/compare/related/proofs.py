"""The types of proofs that several relations share; a relation's own fields are in its file.

A proof is JSON, so these are dictionaries with typed keys. A field that does not apply is
absent. ``compare/relation.py`` says what the shared fields mean.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TypedDict

from sqlverdict.evidence_parts import ExcerptCell


class RelationProof(TypedDict, total=False):
    """What any proof may hold."""

    order: str
    weak: bool
    constant: Sequence[int] | None
    alternatives: Sequence[int]


class ChangedColumn(TypedDict, total=False):
    """A column pair that is equal only after a transformation, and which.

    Each relation has its own transformation: ``factor`` is of ``scale``, ``rounded`` and
    ``digits`` of it and of ``rounding``, ``steps`` of ``formats``, the forms of ``yes_no``.
    """

    gold: int
    prediction: int
    factor: float
    rounded: str
    digits: int | None
    steps: Sequence[str]
    gold_form: str
    prediction_form: str


class ColumnsProof(RelationProof, total=False):
    """The same rows under a map of columns; ``extra`` and ``missing`` list columns."""

    columns: Sequence[int | None]
    extra: Sequence[int]
    missing: Sequence[int]
    changed: Sequence[ChangedColumn]


class RowsProof(RelationProof, total=False):
    """One answer within the other; ``extra`` and ``missing`` count rows."""

    columns: Sequence[int]
    extra: int
    missing: int
    examples: Sequence[Sequence[ExcerptCell]]


_EXAMPLE = 80
"""Characters of an example row that a sentence shows."""


def positions(columns: Iterable[int | None]) -> str:
    """Columns counted from 1, as people do."""
    return ", ".join("none" if column is None else str(column + 1) for column in columns)


def example(detail: RowsProof) -> str:
    """The first example row of a proof, as the end of a sentence; "" without one."""
    examples = detail.get("examples") or ()
    if not examples:
        return ""
    text = json.dumps(examples[0], ensure_ascii=False, default=str)
    return f", for instance {text if len(text) <= _EXAMPLE else text[:_EXAMPLE] + '…'}"


def other_side(side: str) -> str:
    """The prediction for the gold, and the reverse."""
    return "prediction" if side == "gold" else "gold"
