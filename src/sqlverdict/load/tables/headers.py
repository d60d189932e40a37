"""Which column of a table is which field."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlverdict.files.text import few_of
from sqlverdict.load.fields import (
    CASE_ALIASES,
    CASE_FIELDS,
    ID_KEYS,
    PREDICTION_FIELDS,
    SQL_KEYS,
    TRIAL,
)

_NAMES = frozenset((*CASE_FIELDS, *CASE_ALIASES, *PREDICTION_FIELDS, *SQL_KEYS, *ID_KEYS, TRIAL))
_QUERY = re.compile(r"\s*(?:```\w*\s*)?(?:select|with)\b", re.IGNORECASE)


def other_spellings(header: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """The columns that have a name of ours in another spelling: ``Gold SQL`` for ``gold_sql``.

    Args:
        header: The names of the columns.
        columns: The user's column map, which comes first.
    """
    used = {*header, *columns.values()}
    spellings: dict[str, str] = {}
    for name in header:
        ours = re.sub(r"[\s\-]+", "_", name.strip()).casefold()
        if name not in columns and name != ours and ours in _NAMES and ours not in used:
            spellings[name] = ours
            used.add(ours)
    return spellings


def sql_columns(header: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns in which most of these rows have a query."""
    return [
        name
        for name in header
        if sum(_QUERY.match(str(row[name] or "")) is not None for row in rows) * 2 > len(rows)
    ]


def guess_columns(header: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """A column map, from the cells: columns of queries and of questions whose names are not ours.

    The first column of queries is taken for the gold, the next for the prediction.
    """
    spellings = other_spellings(header, {})
    read_as = {name: spellings.get(name, name) for name in header}
    ours = {CASE_ALIASES.get(name, name) for name in read_as.values()}
    if not ours.isdisjoint(SQL_KEYS):
        ours.add("prediction")
    unknown = [name for name, field in read_as.items() if field not in _NAMES]
    missing = [field for field in ("gold", "prediction") if field not in ours]
    columns = dict(zip(sql_columns(unknown, rows), missing, strict=False))
    questions = [
        name
        for name in unknown
        if sum(str(row[name] or "").rstrip().endswith("?") for row in rows) * 2 > len(rows)
    ]
    if "question" not in ours and len(questions) == 1:
        columns[questions[0]] = "question"
    return columns


def missing_columns(fields: Sequence[str], header: Sequence[str], candidates: Sequence[str]) -> str:
    """What to do where a table has no column for some fields.

    Args:
        fields: The fields.
        header: The names of the columns.
        candidates: The columns that may be meant, in their order.
    """
    names = [*candidates, *["NAME"] * len(fields)]
    options = " ".join(
        f"--column {shlex.quote(f'{name}={field}')}"
        for name, field in zip(names, fields, strict=False)
    )
    likely = f" Columns with SQL: {few_of(candidates, 8)}." if candidates else ""
    expected = " and ".join(map(repr, fields))
    return (
        f"Expected a column {expected}; found {few_of(header, 12)}.{likely} Say which column is "
        f"which, such as {options}"
    )
