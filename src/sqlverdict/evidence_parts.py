"""Small structs that types of evidence share: excerpts, tags, signs, sizes, errors of ours.

And what both queries of a case returned, as a line of the run log holds it; how much that is
stands in ``compare/log_answers.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from sqlverdict.reasons import Reason


class TypedCell(Struct, frozen=True, omit_defaults=True):
    """A cell that JSON cannot hold as it is, or of which a part is kept.

    Attributes:
        type: Its type in the database.
        text: The hexadecimal digits of a blob, the digits of an integer beyond 2^53 or of an exact
            decimal number, ``inf``, ``-inf`` or ``nan`` of a real, or the beginning of a text.
        length: The bytes of the blob or characters of the text, where only a part is kept.
    """

    type: Literal["blob", "decimal", "integer", "real", "text"]
    text: str
    length: int = 0


AnswerCell = None | bool | int | float | str | TypedCell
AnswerRow = tuple[AnswerCell, ...]


class LoggedChange(Struct, frozen=True):
    """A changed row: the gold's, the prediction's, and the gold's columns in which they differ."""

    gold: AnswerRow
    prediction: AnswerRow
    cells: tuple[int, ...]


class LoggedAnswers(Struct, frozen=True, omit_defaults=True):
    """What both queries returned on the real database, as far as a run log keeps it.

    Rows and names of columns stand in each answer's own order of columns; names are in lower case.

    Attributes:
        gold_shape: Rows and columns of the gold's answer.
        prediction_shape: Those of the prediction's; ``None``: it gave no answer.
        gold_columns: The names of the gold's columns.
        prediction_columns: Those of the prediction's.
        columns: The prediction's column that stands for each of the gold's, ``None`` where none
            does; the whole is ``None`` where each stands for the one at its place.
        same: The first rows of the prediction, where both answers have the same rows.
        missing: Rows of the gold that the prediction lacks; its first rows where there is no
            prediction's answer.
        extra: Rows of the prediction that the gold lacks.
        changed: Rows that differ in some cells; where only the order differs, what stands where.
        missing_count: How many rows are missing.
        extra_count: How many rows are extra.
        changed_count: How many rows are changed, or stand elsewhere.
        order_only: Both have the same rows, in another order.
        gold: Which of several golds is meant, from 0.
    """

    gold_shape: tuple[int, int]
    prediction_shape: tuple[int, int] | None
    gold_columns: tuple[str, ...] = ()
    prediction_columns: tuple[str, ...] = ()
    columns: tuple[int | None, ...] | None = None
    same: tuple[AnswerRow, ...] = ()
    missing: tuple[AnswerRow, ...] = ()
    extra: tuple[AnswerRow, ...] = ()
    changed: tuple[LoggedChange, ...] = ()
    missing_count: int = 0
    extra_count: int = 0
    changed_count: int = 0
    order_only: bool = False
    gold: int = 0


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


class StepChange(Struct, frozen=True, omit_defaults=True, array_like=True):
    """The SQL that one step of a derivation changes, before and after it; long text is cut.

    An array in the run log: a derivation may have many.
    """

    before: str = ""
    after: str = ""


LONGEST_DETAIL = 300
"""So many letters of what shows a tag are kept: a log must not repeat a huge query."""


class Tag(Struct, frozen=True, omit_defaults=True):
    """One difference between two queries, by name, and what shows it; see ``compare/tags``."""

    name: str
    detail: str = ""

    def __post_init__(self) -> None:
        """Cut what is too long to be read."""
        if len(self.detail) > LONGEST_DETAIL:
            force_setattr(self, "detail", self.detail[: LONGEST_DETAIL - 3] + "...")


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


class SharedProof(Struct, frozen=True):
    """What the proofs of several relations share, typed; ``compare/relation.py`` has the fields.

    A proof is logged as JSON, by this version, by another or by a plug-in: a field of another
    form counts as one that is not known.

    Attributes:
        columns: The prediction's column for each gold column; ``None``: the proof has no map.
        extra: The prediction's columns that are left over.
        missing: Whether something of the gold has no counterpart.
        order: ``free``, ``same`` or ``other``; empty: the proof says nothing of it.
        weak: Whether the proof may be chance.
        constant: The prediction's columns that read no row; ``None``: not known.
        alternatives: Further columns, each of which could be the answer as well.
        limited: Whose LIMIT cuts through a tie: ``gold`` or ``prediction``; empty: nobody's.
        tied: How many rows tie there; ``None``: the proof does not say.
    """

    columns: tuple[int | None, ...] | None = None
    extra: tuple[int, ...] = ()
    missing: bool = False
    order: str = ""
    weak: bool = False
    constant: tuple[int, ...] | None = ()
    alternatives: tuple[int, ...] = ()
    limited: str = ""
    tied: int | None = None

    @classmethod
    def read(cls, detail: Mapping[str, Any]) -> SharedProof:
        """The shared fields of a proof."""
        tied = detail.get("tied")
        return cls(
            columns=_positions(detail.get("columns")),
            extra=_positions(detail.get("extra")) or (),
            missing=bool(detail.get("missing")),
            order=str(detail.get("order") or ""),
            weak=bool(detail.get("weak")),
            constant=_positions(detail.get("constant", ())),
            alternatives=_positions(detail.get("alternatives")) or (),
            limited=str(detail.get("limited") or ""),
            tied=tied if isinstance(tied, int) else None,
        )


def _positions(value: object) -> tuple[Any, ...] | None:
    return tuple(value) if isinstance(value, list | tuple) else None


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
        missing: The gold's columns, from 0, that nothing in the prediction stands for.
    """

    instances: int
    columns: str
    rows: str
    overlap: float
    assumed_schema: bool = False
    missing: tuple[int, ...] = ()
