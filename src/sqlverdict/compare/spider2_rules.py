"""What the two presets of Spider 2.0 share: its columns are compared one by one.

Both answers are compared as pandas reads them from CSV, whatever they come from: the script
writes the result of a query to a file and reads it again.
"""

from __future__ import annotations

import math

from sqlverdict.compare.preset import QueryPair, row_reasons
from sqlverdict.files.result_csv import csv_cell, typed_column
from sqlverdict.records import Answer, Comparison, Contract, Reason

Vector = list[object]
_TOLERANCE = 1e-2
_NONE = Contract()


def compare_columns(
    gold: Answer, prediction: Answer, pair: QueryPair, *, null_is_zero: bool, takes_numbers: bool
) -> Comparison:
    """Whether every gold column that counts is a column of the prediction.

    Args:
        gold: The gold answer.
        prediction: The prediction's.
        pair: What else is known; the contract's ``key_columns`` count.
        null_is_zero: No value is the number 0.
        takes_numbers: A number where a list of columns is expected is one column, and 0 is all;
            otherwise nothing matches such a gold.
    """
    contract = pair.contract or _NONE
    ours, theirs = _vectors(gold), _vectors(prediction)
    if null_is_zero:
        ours, theirs = (
            [[0 if cell is None else cell for cell in vector] for vector in side]
            for side in (ours, theirs)
        )
    counting = _columns_that_count(ours, contract, pair.gold_index, takes_numbers=takes_numbers)
    in_order = contract.order == "respect"
    if counting is None or not all(
        any(_same(vector, candidate, in_order=in_order) for candidate in theirs)
        for vector in counting
    ):
        return _different(gold, prediction)
    return Comparison(True)


def _vectors(answer: Answer) -> list[Vector]:
    """The columns of an answer as the script sees them: typed, and all floats beside a float."""
    columns: list[Vector] = [
        list(typed_column([csv_cell(row[index]) for row in answer.rows]))
        for index in range(len(answer.columns))
    ]
    if answer.rows and all(map(_is_numeric, columns)) and any(map(_is_float, columns)):
        # Turning a table on its side gives all its numbers one type.
        return [[None if cell is None else float(str(cell)) for cell in each] for each in columns]
    return columns


def _is_numeric(column: Vector) -> bool:
    return all(cell is None or type(cell) in (int, float) for cell in column)


def _is_float(column: Vector) -> bool:
    return any(cell is None or type(cell) is float for cell in column)


def _same(gold: Vector, prediction: Vector, *, in_order: bool) -> bool:
    if len(gold) != len(prediction):
        return False
    if not in_order:
        gold, prediction = sorted(gold, key=_rank), sorted(prediction, key=_rank)
    return all(map(_same_cell, gold, prediction))


def _rank(cell: object) -> tuple[bool, str, bool]:
    return cell is None, str(cell), isinstance(cell, int | float)


def _same_cell(gold: object, prediction: object) -> bool:
    if isinstance(gold, int | float) and isinstance(prediction, int | float):
        return math.isclose(float(gold), float(prediction), abs_tol=_TOLERANCE)
    return gold == prediction


def _columns_that_count(
    columns: list[Vector], contract: Contract, index: int, *, takes_numbers: bool
) -> list[Vector] | None:
    """The columns of a gold that count; ``None`` where the script does not find them."""
    if contract.key_columns is None:
        return columns
    if index >= len(contract.key_columns):
        return None
    entry = contract.key_columns[index]
    if isinstance(entry, int):
        if not takes_numbers:
            return None
        entry = (entry,) if entry else ()
    try:
        return [columns[position] for position in entry] or columns
    except IndexError:
        return None


def _different(gold: Answer, prediction: Answer) -> Comparison:
    if len(gold.rows) != len(prediction.rows):
        return Comparison(False, row_reasons(gold, prediction))
    if len(prediction.columns) < len(gold.columns):
        return Comparison(False, (Reason.RESULT_MISSING_COLUMNS,))
    return Comparison(False, (Reason.VALUE_MISMATCH,))
