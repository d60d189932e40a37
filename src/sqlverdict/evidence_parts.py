"""Small structs that types of evidence share: excerpts, tags, signs, sizes, errors of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sqlverdict.reasons import Reason

ExcerptCell = None | int | float | str
"""A cell as JSON holds it: blobs as SQL writes them, long text cut."""
ExcerptRow = tuple[ExcerptCell, ...]


class TableExcerpt(Struct, frozen=True):
    """The rows of one table of a witness, with the columns that matter."""

    columns: tuple[str, ...]
    rows: tuple[ExcerptRow, ...]


class AnswerExcerpt(Struct, frozen=True, omit_defaults=True):
    """The first rows of an answer, or why there is none.

    Attributes:
        columns: The answer's columns.
        rows: Its first rows.
        count: How many rows it has.
        failed: Why the query gave no answer; ``None``: it gave one.
        message: What the engine says of the failure.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[ExcerptRow, ...] = ()
    count: int = 0
    failed: Reason | None = None
    message: str = ""


class LoggedTag(Struct, frozen=True, omit_defaults=True):
    """One difference between two queries, by name; see ``compare/tags``."""

    name: str
    detail: str = ""


class LoggedSign(Struct, frozen=True, omit_defaults=True):
    """One sign of a mistake in a query; see ``signs``.

    Attributes:
        name: The sign.
        strength: ``strong`` or ``weak``.
        message: What it says.
        detail: What shows it; each sign has fields of its own, and no verdict reads them.
    """

    name: str
    strength: str = ""
    message: str = ""
    detail: Mapping[str, Any] = {}


class StageFailure(Struct, frozen=True, omit_defaults=True):
    """An error of ours in one stage or metric, or a text that it cannot handle.

    Attributes:
        stage: The stage or the metric's label.
        error: The error in words; empty where nothing was raised.
        may_go_away: Whether another run may go better.
        storage: Whether a file could not be read or written.
        blame: ``prediction`` where its own text is beyond the stage; it counts as wrong there.
    """

    stage: str
    error: str = ""
    may_go_away: bool = False
    storage: bool = False
    blame: str = ""


class AnswerShapes(Struct, frozen=True):
    """Rows and columns of both answers; ``None``: not known."""

    gold: tuple[int, int] | None
    prediction: tuple[int, int] | None


class GeneratedRelation(Struct, frozen=True, omit_defaults=True):
    """How two queries relate on generated databases; see ``refute/related.py``.

    Attributes:
        instances: On how many databases.
        columns: ``same``, ``permuted``, ``extra`` or ``missing``.
        rows: ``same``, ``repeated``, ``more``, ``fewer`` or ``other``.
        overlap: How much the rows overlap, from 0 to 1.
        assumed_schema: Whether the schema was read off the queries.
    """

    instances: int
    columns: str
    rows: str
    overlap: float
    assumed_schema: bool = False
