"""Which column of a user's file holds the ids, where none has a name of ours.

A column that is called ``nr``, ``no``, ``#``, ``index`` or the like holds the ids if each of its
cells is one word that no other cell has: such names are also used for counts, which repeat. Columns
with other names are never taken, as a wrong id pairs answers with other questions; messages name
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlverdict.errors import DataError, column_option

_WORDS = ("nr", "no", "n°", "nº", "num", "number", "nummer", "index", "#")
_OF = ("row", "question", "case", "q", "fall", "frage", "testfall")
_NUMBERS = frozenset(
    (
        *_WORDS,
        *("idx", "row", "row_id", "numero", "número", "lfd_nr", "q#", "qnr", "qno"),
        *("fall", "fallnummer", "testfall", "frage_id", "fragenummer", "fall_id"),
        *(f"{what}_{word}" for what in _OF for word in _WORDS),
    )
)
_LONGEST = 40
_FRACTION = re.compile(r"[-+]?\d*\.\d+")
ROW_NUMBERS = "the cases are numbered by row, from 1"
"""What the note says where a table has no ids."""


def is_number_name(name: str) -> bool:
    """Whether a column's name is one for numbers of rows or questions: ``Nr.``, ``Question #``."""
    return re.sub(r"[\s\-.]+", "_", name.strip()).strip("_").casefold() in _NUMBERS


def number_columns(names: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns with such a name whose cells may be ids."""
    return [name for name in distinct_columns(names, rows) if is_number_name(name)]


def distinct_columns(names: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns in which each cell is an integer or one short word, and no two are the same."""
    return [name for name in names if _is_distinct([row.get(name) for row in rows])]


def whole_columns(names: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Those of them that a note may propose: fractions are measures, such as times."""
    return [
        name
        for name in distinct_columns(names, rows)
        if not all(_FRACTION.fullmatch(str(row.get(name)).strip()) for row in rows)
    ]


def _is_distinct(cells: Sequence[Any]) -> bool:
    texts = [_id_text(cell) for cell in cells]
    return bool(texts) and None not in texts and len(set(texts)) == len(texts)


def _id_text(cell: object) -> str | None:
    """A cell as an id; ``None``: it is none."""
    if isinstance(cell, bool) or not isinstance(cell, (str, int)):
        return None
    text = str(cell).strip()
    return text if 0 < len(text) <= _LONGEST and len(text.split()) == 1 else None


def id_from(value: object, where: str, error: type[DataError]) -> str:
    """An id as text: integers become their decimal text.

    Raises:
        DataError: of the given kind; there is no id, or it is neither text nor integer.
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    is_missing = value is None or value == ""
    problem = "no id" if is_missing else f"the id {value!r}"
    raise error(
        f"{where}: found {problem}. Expected an 'id' that is text or an integer; "
        "if it has another name, map it: ",
        column_option("NAME", "id"),
        reason="missing_field" if is_missing else "wrong_value",
    )


def row_number_hint(notes: Iterable[str]) -> str:
    """What to do where ids are numbers of rows, which change with the table; empty where not.

    Args:
        notes: The notes of a run.
    """
    note = next((note for note in notes if ROW_NUMBERS in note), None)
    if note is None:
        return ""
    return (
        f" {note}. Numbers of rows change when rows are added or moved: evaluate with "
        f"{column_option('NAME', 'id')}, or add a column 'id'."
    )
