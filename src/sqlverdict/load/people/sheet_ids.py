"""Which field of a sheet of labels is the id of a case.

A field with the name of an id is one. Without, a field called ``nr``, ``#``, ``Fall`` or the like
(``columns/ids.py``) is, where there is one; and where the cases are known, the only field whose
cells are all ids of cases. Cells of digits alone do not tell: minutes and counts have them as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from string import Formatter
from typing import Any

from sqlverdict.errors import DataError, OptionName, UsageError
from sqlverdict.files.text import few_of
from sqlverdict.load.columns.ids import distinct_columns, is_number_name
from sqlverdict.load.fields import ID_KEYS
from sqlverdict.load.people.sheet_records import Record

_MOST = 3
"""So many fields are named that may hold the ids."""


def field_called(names: Iterable[str], usual: Sequence[str]) -> str | None:
    """The field that has a usual name, in any case: the first of these names that there is."""
    by_name = {re.sub(r"[\s\-]+", "_", name.strip()).casefold(): name for name in names}
    return next((by_name[name] for name in usual if name in by_name), None)


def unusual_id(
    names: Sequence[str], records: Sequence[Mapping[str, Any]], case_ids: Collection[str]
) -> tuple[str | None, bool]:
    """The field of the id that has no name of an id, and whether its cells alone tell.

    Args:
        names: The fields of the sheet that are no labels.
        records: Its rows.
        case_ids: The ids of the cases, where they are known.

    Returns:
        ``None`` where each row has a field with the name of an id, or nothing tells.
    """
    if usual_id(names) is not None:
        # An empty id must not become the number of another case.
        return None, False
    numbers = [name for name in names if is_number_name(name)]
    fitting = _fields_of_ids(names, records, case_ids)
    if len(numbers) > 1 and len(own := [name for name in numbers if name in fitting]) == 1:
        numbers = own
    if len(numbers) == 1 and (numbers[0] in fitting or not fitting):
        return numbers[0], False
    words = [name for name in fitting if not _has_digits_alone(name, records)]
    return (words[0], True) if len(words) == 1 else (None, False)


def likely_ids(
    names: Sequence[str], records: Sequence[Mapping[str, Any]], case_ids: Collection[str]
) -> list[str]:
    """The fields that may hold the ids: those whose cells are ids of cases, else single words."""
    return (_fields_of_ids(names, records, case_ids) or distinct_columns(names, records))[:_MOST]


def _fields_of_ids(
    names: Iterable[str], records: Sequence[Mapping[str, Any]], case_ids: Collection[str]
) -> list[str]:
    """The fields in which every cell is the id of a case."""
    known = frozenset(case_ids)
    cells = {name: {str(record.get(name, "")).strip() for record in records} for name in names}
    return [name for name, own in cells.items() if own and known.issuperset(own)]


def _has_digits_alone(name: str, records: Sequence[Mapping[str, Any]]) -> bool:
    return all(str(record.get(name)).strip().isdigit() for record in records)


def usual_id(names: Sequence[str]) -> str | None:
    """The field or the pattern of the id, where one has a usual name."""
    own = field_called(names, ID_KEYS)
    if own is not None:
        return f"{{{own}}}"
    return "{set}-{i}" if {"set", "i"} <= {*names} else None


def row_id(record: Record, id_field: str | None, where: str) -> str:
    """The id of the case that a row is about.

    Args:
        record: The row.
        id_field: The field or the pattern; ``None``: a field with the name of an id.
        where: File and line.

    Raises:
        DataError: the row has none.
        UsageError: the pattern is none.
    """
    pattern = id_field
    if pattern is None:
        filled = [name for name in record if record[name] not in (None, "")]
        pattern = usual_id(filled) or "{set}-{i}"
    if "{" not in pattern:
        pattern = "{" + pattern + "}"
    try:
        parts = list(Formatter().parse(pattern))
    except ValueError as bad:
        raise UsageError(OptionName("id_field", pattern), f" is not a pattern: {bad}") from bad
    missing = [name for _, name, _, _ in parts if name and record.get(name) in (None, "")]
    if missing:
        raise DataError(
            f"{where}: found no {missing[0]!r}. Expected an id in one of {', '.join(ID_KEYS)}, or "
            f"'set' and 'i'; name it with ",
            OptionName("id_field"),
            f". There are {few_of(record, 12)}.",
            reason="missing_field",
        )
    return "".join(text + (str(record[name]) if name else "") for text, name, _, _ in parts)
