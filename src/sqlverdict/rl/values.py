"""Outcomes of a reward, and what each of them is worth.

A value that is not stated is that of the next more general outcome:

=========================  =========================================================  =============
outcome                    what happened                                              else worth
=========================  =========================================================  =============
``right``                  the answers match                                          1.0
``proved``                 they match, and a proof shows that they always do          right
``refuted_match``          they match here; a witness shows where they differ, or     right
                           the reply's own text keeps a search from being made
``constant_match``         they match, and the prediction reads no row of the data    refuted_match
``empty_match``            they match, and both are empty; no proof, no witness       right
``abstained_right``        an abstention, and the question cannot be answered         right
``wrong``                  the answers differ                                         0.0
``extra_columns``          the gold's columns, and a few more                         wrong
``order_only``             the gold's rows in another order, where the gold has one   wrong
``missing_columns``        some of the gold's columns, and its rows                   wrong
``row_subset``             some of the gold's rows, and no others                     wrong
``row_superset``           the gold's rows, and others                                wrong
``rounding``               the gold's numbers, some of them rounded                   wrong
``failed``                 the query gives no answer                                  wrong
``timed_out``              it reached a limit of steps or time                        failed
``blocked``                it would write, or touch what is not the database          failed
``no_sql``                 the reply holds no SQL                                     wrong
``refusal``                the reply refuses in words                                 no_sql
``abstained_wrong``        an abstention, and the question can be answered            wrong
``answered_unanswerable``  SQL, and the question cannot be answered                   wrong
``unscored``               nothing can be said, and the model is not to blame; such   its policy
                           as a match for which the search itself fails
=========================  =========================================================  =============

The outcomes from ``order_only`` to ``rounding`` are near misses, and not by chance: the columns
that stand for the gold's read rows, more than one digit agrees, and no witness breaks the relation.
Where that cannot be said the outcome is ``wrong``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from numbers import Real

from sqlverdict.errors import UsageError


class RewardOutcome(StrEnum):
    """What happened, in one word."""

    RIGHT = "right"
    PROVED = "proved"
    REFUTED_MATCH = "refuted_match"
    CONSTANT_MATCH = "constant_match"
    EMPTY_MATCH = "empty_match"
    ABSTAINED_RIGHT = "abstained_right"
    WRONG = "wrong"
    EXTRA_COLUMNS = "extra_columns"
    ORDER_ONLY = "order_only"
    MISSING_COLUMNS = "missing_columns"
    ROW_SUBSET = "row_subset"
    ROW_SUPERSET = "row_superset"
    ROUNDING = "rounding"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    BLOCKED = "blocked"
    NO_SQL = "no_sql"
    REFUSAL = "refusal"
    ABSTAINED_WRONG = "abstained_wrong"
    ANSWERED_UNANSWERABLE = "answered_unanswerable"
    UNSCORED = "unscored"


GENERAL: Mapping[RewardOutcome, RewardOutcome] = {
    RewardOutcome.PROVED: RewardOutcome.RIGHT,
    RewardOutcome.REFUTED_MATCH: RewardOutcome.RIGHT,
    RewardOutcome.CONSTANT_MATCH: RewardOutcome.REFUTED_MATCH,
    RewardOutcome.EMPTY_MATCH: RewardOutcome.RIGHT,
    RewardOutcome.ABSTAINED_RIGHT: RewardOutcome.RIGHT,
    RewardOutcome.EXTRA_COLUMNS: RewardOutcome.WRONG,
    RewardOutcome.ORDER_ONLY: RewardOutcome.WRONG,
    RewardOutcome.MISSING_COLUMNS: RewardOutcome.WRONG,
    RewardOutcome.ROW_SUBSET: RewardOutcome.WRONG,
    RewardOutcome.ROW_SUPERSET: RewardOutcome.WRONG,
    RewardOutcome.ROUNDING: RewardOutcome.WRONG,
    RewardOutcome.FAILED: RewardOutcome.WRONG,
    RewardOutcome.TIMED_OUT: RewardOutcome.FAILED,
    RewardOutcome.BLOCKED: RewardOutcome.FAILED,
    RewardOutcome.NO_SQL: RewardOutcome.WRONG,
    RewardOutcome.REFUSAL: RewardOutcome.NO_SQL,
    RewardOutcome.ABSTAINED_WRONG: RewardOutcome.WRONG,
    RewardOutcome.ANSWERED_UNANSWERABLE: RewardOutcome.WRONG,
}
"""The more general outcome whose value counts where an outcome has none."""


@dataclass(frozen=True)
class RewardValues:
    """What each outcome is worth; ``None``: as the next more general one.

    Without a value for ``abstained_right`` a gold of ``None`` is a gold that is missing, and
    unscored. With one, it says that the question cannot be answered; so does
    ``answerable=False`` at the call, with any table.

    Examples:
        >>> from sqlverdict.rl import RewardOutcome, RewardValues
        >>> RewardValues(failed=-0.5).value(RewardOutcome.TIMED_OUT)
        -0.5
    """

    right: float = 1.0
    wrong: float = 0.0
    proved: float | None = None
    refuted_match: float | None = None
    constant_match: float | None = None
    empty_match: float | None = None
    abstained_right: float | None = None
    extra_columns: float | None = None
    order_only: float | None = None
    missing_columns: float | None = None
    row_subset: float | None = None
    row_superset: float | None = None
    rounding: float | None = None
    failed: float | None = None
    timed_out: float | None = None
    blocked: float | None = None
    no_sql: float | None = None
    refusal: float | None = None
    abstained_wrong: float | None = None
    answered_unanswerable: float | None = None

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is None and entry.name not in ("right", "wrong"):
                continue
            if isinstance(value, bool) or not isinstance(value, Real):
                raise UsageError(f"the value of {entry.name} is {value!r}; expected a number")
            if not math.isfinite(value):
                raise UsageError(f"the value of {entry.name} is {value}; expected a finite number")

    def value(self, outcome: RewardOutcome) -> float | None:
        """What an outcome is worth; ``None``: the table has no value for it."""
        own: float | None = getattr(self, outcome.value, None)
        if own is not None:
            return float(own)
        general = GENERAL.get(outcome)
        return None if general is None else self.value(general)

    @property
    def needs_search(self) -> bool:
        """Whether a value depends on witnesses."""
        return self.refuted_match is not None or self.constant_match is not None


def read_values(values: RewardValues | Mapping[str, float]) -> RewardValues:
    """A table, or a mapping of outcomes to values, as a configuration file has it.

    Raises:
        UsageError: an outcome is unknown, or a value is no number.
    """
    if isinstance(values, RewardValues):
        return values
    if not isinstance(values, Mapping):
        raise UsageError(
            f"values is {type(values).__name__}; expected a mapping, such as {{'failed': -0.5}}"
        )
    known = [entry.name for entry in fields(RewardValues)]
    for name in values:
        if name not in known:
            raise UsageError(f"{name!r} is not an outcome; expected one of {', '.join(known)}")
    return RewardValues(**dict(values))
