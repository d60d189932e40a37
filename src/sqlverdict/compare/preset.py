"""What a comparison preset is: when two answers count as the same.

A preset may rewrite both queries before they run (Spider's script strips DISTINCT) and
then compares the two answers. Presets that reproduce a published script reproduce its
quirks too and name them in their documentation; ``strict`` has none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.records import Answer, Comparison, Contract, Outcome, Reason, Row
from sqlverdict.registry import Registry

DEFAULT_PRESET = "strict"


class ProbedQuery(msgspec.Struct, frozen=True):
    """A query with its answer's database: ``probe`` runs a further read-only query there."""

    sql: str
    dialect: str = DEFAULT_DIALECT
    probe: Callable[[str], Outcome] | None = None


class QueryPair(msgspec.Struct, frozen=True):
    """What a preset may look at besides the two answers.

    ``probe`` runs a further read-only query on the same database, for instance the gold
    query without its LIMIT to see whether the LIMIT cuts through a tie. ``category`` is the
    case's tag of that name. ``golds`` are all gold queries of the case, and ``gold_index`` is the
    position of this gold among those of the case.
    """

    gold_sql: str = ""
    prediction_sql: str = ""
    dialect: str = DEFAULT_DIALECT
    contract: Contract | None = None
    probe: Callable[[str], Outcome] | None = None
    question: str = ""
    category: str = ""
    gold_index: int = 0
    golds: tuple[str, ...] = ()

    @property
    def gold(self) -> ProbedQuery:
        """The gold alone, for what is read from it and not from the prediction."""
        return ProbedQuery(self.gold_sql, self.dialect, self.probe)


class Preset(Protocol):
    """One definition of "the same answer"."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """The two queries as this preset runs them."""
        ...

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the two answers are the same."""
        ...


PRESETS: Registry[Preset] = Registry(
    "preset", "sqlverdict.compare.presets", "sqlverdict.presets", Preset
)


def reads_driver_values(name: str) -> bool:
    """Whether a preset compares values as the driver gives them (``driver_values = True``).

    Scripts that compare Python objects tell ``Decimal('1.10')`` from ``1.1``; our cells do not.
    """
    return bool(getattr(PRESETS.get(name), "driver_values", False))


def column_reason(gold: Answer, prediction: Answer) -> Reason | None:
    """Too many or too few columns, if so."""
    surplus = len(prediction.columns) - len(gold.columns)
    if surplus == 0:
        return None
    return Reason.RESULT_EXTRA_COLUMNS if surplus > 0 else Reason.RESULT_MISSING_COLUMNS


def row_reasons(gold: Answer, prediction: Answer) -> tuple[Reason, ...]:
    """What is wrong with rows that are not the same bag."""
    if gold.rows and not prediction.rows:
        return (Reason.EMPTY_RESULT,)
    expected, predicted = gold.bag, prediction.bag
    if expected.keys() == predicted.keys():
        return (Reason.DUPLICATES_MISMATCH,)
    surplus = len(prediction.rows) - len(gold.rows)
    if surplus < 0 and _holds(expected, predicted):
        return (Reason.RESULT_MISSING_ROWS,)
    if surplus > 0 and _holds(predicted, expected):
        return (Reason.RESULT_EXTRA_ROWS,)
    if surplus == 0:
        return (Reason.VALUE_MISMATCH,)
    count = Reason.RESULT_EXTRA_ROWS if surplus > 0 else Reason.RESULT_MISSING_ROWS
    return (Reason.VALUE_MISMATCH, count)


def _holds(larger: dict[Row, int], smaller: dict[Row, int]) -> bool:
    """Whether one bag contains the other."""
    return smaller.keys() <= larger.keys() and all(
        times <= larger[row] for row, times in smaller.items()
    )
