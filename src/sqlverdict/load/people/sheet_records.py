"""The rows of a sheet of labels as records, whatever file it is in, and the id of each.

A field with the name of an id is one. Without, a field called ``nr``, ``#``, ``Fall`` or the like
(``columns/ids.py``) is, where there is one; and where the cases are known, the only field whose
cells are all ids of cases. Cells of digits alone do not tell: minutes and counts have them as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from sqlverdict.errors import DataError, OptionName, UsageError
from sqlverdict.files.escapes import spreadsheet_text
from sqlverdict.files.text import decode_json, few_of, read_bytes, stream_lines
from sqlverdict.load.columns.ids import distinct_columns, is_number_name
from sqlverdict.load.fields import ID_KEYS
from sqlverdict.load.tables.open_table import open_table, table_format

Record = Mapping[str, Any]
_HALVES_OF_FLEX = {"EQ": "FP_consensus", "NEQ": "FN_consensus"}


def two_halves(records: list[tuple[str, Record]]) -> list[tuple[str, Record]]:
    """FLEX's table, which has a label of either half in each row, as a record a label.

    The experts' votes stand beside the label: ``FP_A``, ``FP_B`` ... beside ``FP_consensus``.
    """
    if not all(name in record for _, record in records for name in _HALVES_OF_FLEX.values()):
        return records
    halves: list[tuple[str, Record]] = []
    for half, name in _HALVES_OF_FLEX.items():
        for index, (where, record) in enumerate(records):
            own = {"set": half, "i": index, "human": record[name]}
            expert = re.compile(f"{name.removesuffix('consensus')}[A-Z]")
            votes = [cell for column, cell in record.items() if expert.fullmatch(column)]
            halves.append((where, {**own, "votes": votes} if votes else own))
    return halves


def sheet_records(path: Path) -> Iterator[tuple[str, Record]]:
    """Each record, and where it stands.

    Raises:
        DataError: the file cannot be read.
    """
    if table_format(path) is not None:
        for location, row in open_table(path, DataError).rows:
            yield (
                f"{path}, {location}",
                {name: spreadsheet_text(cell) for name, cell in row.items()},
            )
        return
    if path.suffix.lower() == ".json":
        content = decode_json(read_bytes(path, DataError), str(path), DataError)
        if isinstance(content, Mapping):
            # {"id": {...}} or {"id": label}: the usual other shape of a JSON file.
            content = [
                {"id": key, **(value if isinstance(value, Mapping) else {"human": value})}
                for key, value in content.items()
            ]
        for number, record in enumerate(content if isinstance(content, list) else [], 1):
            yield _object(record, f"{path}, item {number}")
        return
    for number, line in stream_lines(path, DataError):
        if line.strip():
            where = f"{path}, line {number}"
            yield _object(decode_json(line.strip(), where, DataError), where)


def _object(record: object, where: str) -> tuple[str, Record]:
    if not isinstance(record, Mapping):
        raise DataError(
            f"{where}: found {type(record).__name__}. Expected an object per case.",
            reason="wrong_kind",
        )
    return where, record


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
