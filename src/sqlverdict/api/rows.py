"""Rows of tables and entries of lists, as records whose empty cells are marked.

An empty cell of a table is ``None`` in most fields. Where a prediction belongs it is a missing one:
an abstention is a value that somebody gave.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from sqlverdict.api.arguments import is_gap, read_cell
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.files.text import few_of, near
from sqlverdict.load.columns.column_map import absent_columns
from sqlverdict.load.fields import ANSWER_KEYS, CASE_ALIASES

GAP = object()
"""An empty cell."""


def read_records(values: Any, name: str) -> list[Any]:
    """The rows of a table, or the entries of a list; empty cells are marked as such."""
    rows = None if isinstance(values, Mapping) else _read_table(values, name)
    if rows is not None:
        return rows
    if isinstance(values, Set):
        # Their order is chance, and pairs predictions with cases.
        raise UsageError(f"{name} are a set, which has no order; expected a list")
    if hasattr(values, "collect"):
        raise UsageError(f"{name} are {type(values).__name__}; give what its collect() returns")
    if isinstance(values, Mapping | str | bytes) or not isinstance(values, Iterable):
        raise UsageError(
            f"{name} are {type(values).__name__}; expected a file, a DataFrame, a list of "
            f"records, or {name.removeprefix('the ')}"
        )
    return [_row(entry) if isinstance(entry, Mapping) else read_value(entry) for entry in values]


def _read_table(values: Any, name: str) -> list[Any] | None:
    """The rows of a DataFrame, or the cells of a column or an array; ``None``: it is none."""
    entries = _entries_with_nulls(values)
    if entries is not None:
        return [_without_nulls(entry) for entry in entries]
    if hasattr(values, "to_dict") and hasattr(values, "columns"):
        repeated = [each for each, times in Counter(map(str, values.columns)).items() if times > 1]
        if repeated:
            raise UsageError(
                f"{name} have {few_of(repeated)} as the name of several columns; rename all but one"
            )
        return [_row(row) for row in values.to_dict("records")]
    if hasattr(values, "tolist") and isinstance(entries := values.tolist(), list):
        return [read_value(entry) for entry in entries]
    return None


def _entries_with_nulls(values: Any) -> list[Any] | None:
    """The rows of a table, or the cells of a column, of polars or Arrow; ``None``: it is none."""
    for method in ("to_dicts", "to_pylist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    # Those of pandas have both.
    is_column = hasattr(values, "to_list") and not hasattr(values, "tolist")
    return list(values.to_list()) if is_column else None


def _without_nulls(entry: Any) -> Any:
    """An entry whose nulls are gaps: a join leaves them in rows it did not find."""
    if isinstance(entry, Mapping):
        return {str(key): GAP if cell is None else read_value(cell) for key, cell in entry.items()}
    return GAP if entry is None else read_value(entry)


def _row(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): read_value(cell) for key, cell in row.items()}


def read_value(cell: Any) -> Any:
    """A cell as Python's own value, or the mark of an empty one."""
    return GAP if is_gap(cell) else read_cell(cell)


def without_gaps(record: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """A record whose gaps are ``None``; a prediction that is a gap is left out."""
    return {
        key: None if value is GAP else value
        for key, value in record.items()
        if value is not GAP or field_of(key, columns) not in ANSWER_KEYS
    }


def field_of(name: str, columns: Mapping[str, str]) -> str:
    """The field that a column is read as."""
    target = columns.get(name, name)
    return CASE_ALIASES.get(target, target)


def check_gaps(missing: Sequence[str], total: int) -> None:
    """Refuse predictions that are missing: an abstention is a value that somebody gave.

    Raises:
        PredictionError: there are some.
    """
    if missing:
        raise PredictionError(
            f"the predictions: {len(missing)} of {total} are an empty cell, such as NaN (id "
            f"{few_of(missing)}). Expected a prediction for each case. An abstention is None in a "
            f"list, a mapping or a column of Python objects (dtype=object), or true in a column "
            f"'abstained'.",
            reason="incomplete",
        )


def answer_cells(record: Mapping[str, Any], columns: Mapping[str, str]) -> list[Any]:
    """The cells of a record that say what its prediction is."""
    return [value for key, value in record.items() if field_of(key, columns) in ANSWER_KEYS]


def check_columns(
    argument: str,
    columns: Mapping[str, str],
    names: Iterable[str],
    records: Sequence[Mapping[str, Any]],
    holder: str,
) -> None:
    """Refuse a column map that names a column which no record has: it would change nothing.

    Args:
        argument: The argument that is the map.
        columns: The map.
        names: The columns of it that the records must have.
        records: The records, or one that stands for a header.
        holder: Who has the records, in the plural.

    Raises:
        UsageError: no record has one of them.
    """
    for name in absent_columns(records, names):
        header = list(dict.fromkeys(each for record in records for each in record))
        have = f"They have {few_of(header, 12)}" if header else "They have no columns"
        raise UsageError(
            f"{argument}={{{name!r}: {columns[name]!r}}}: {holder} have no column {name!r}."
            f"{near(name, header)} {have}."
        )
