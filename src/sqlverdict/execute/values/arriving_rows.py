"""The rows of an answer while they arrive: a limit is noticed before they fill the memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Final

from sqlverdict.execute.engine import Limits
from sqlverdict.execute.values.cell_bytes import encode_cells
from sqlverdict.execute.values.driver_values import cells_of_rows
from sqlverdict.records import Answer, Failure, Outcome, Reason, Row

BATCH: Final = 1_024
"""Rows that are fetched at once."""


class ArrivingRows:
    """The rows of one answer.

    Args:
        limits: What a query may spend.
        driver_values: The answer also holds the driver's values.
    """

    def __init__(self, limits: Limits, *, driver_values: bool) -> None:
        self._limits = limits
        self._began = perf_counter()
        self._rows: list[Row] = []
        self._driver_rows: list[tuple[object, ...]] | None = [] if driver_values else None
        self._size = 0

    def add(self, cells: list[Row], batch: Sequence[tuple[object, ...]]) -> Failure | None:
        """Take more rows; why they are too many, or too large.

        Args:
            cells: The rows.
            batch: The same as the driver gives them.
        """
        limits = self._limits
        weight = len(encode_cells(cells))
        self._size += weight
        self._rows += cells
        if self._driver_rows is not None:
            self._driver_rows += batch
        if len(self._rows) > limits.rows:
            return Failure(Reason.ROW_LIMIT, f"more than {limits.rows:,} rows")
        if self._size > limits.bytes:
            return Failure(Reason.MEMORY_LIMIT, f"more than {limits.bytes:,} bytes of rows")
        if weight > limits.cell and _has_longer(cells, limits.cell):
            return Failure(Reason.MEMORY_LIMIT, f"a value of more than {limits.cell:,} bytes")
        return None

    def answer(self, columns: Sequence[str], *, volatile: bool, lasting: bool) -> Answer:
        """The answer that the rows are."""
        seconds = perf_counter() - self._began
        return Answer(tuple(columns), self._rows, seconds, volatile, lasting, self._driver_rows)


def collect_answer(
    columns: Sequence[str],
    batches: Iterable[Sequence[Sequence[object]]],
    limits: Limits,
    *,
    volatile: bool = False,
    driver_values: bool = False,
) -> Outcome:
    """The answer that a driver's rows amount to; a failure where they are more than is allowed.

    Args:
        columns: The names of the columns.
        batches: The rows as the driver gives them, not read further than the limits allow.
        limits: What one query may spend.
        volatile: Whether the answer may be another one next time.
        driver_values: Whether the answer also holds the values as the driver gives them.
    """
    rows = ArrivingRows(limits, driver_values=driver_values)
    for batch in batches:
        failure = rows.add(cells_of_rows(batch), [tuple(row) for row in batch])
        if failure is not None:
            return failure
    return rows.answer(columns, volatile=volatile, lasting=not volatile)


def _has_longer(rows: Sequence[Row], most: int) -> bool:
    return any(isinstance(cell, str | bytes) and len(cell) > most for row in rows for cell in row)
