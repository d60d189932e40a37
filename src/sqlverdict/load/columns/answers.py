"""Which columns of a table of predictions are the id and the prediction, by names and cells.

A lone column of queries is the prediction. A column that is called ``nr``, ``#`` or the like
(``ids.py``) holds the ids if each cell is the id of a case. Other ids are never guessed, as a wrong
one pairs answers with other questions: the message lists the columns whose cells are ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from sqlverdict.errors import UnclearColumns
from sqlverdict.files.text import few_of
from sqlverdict.load.columns.column_map import LEAVE_OUT
from sqlverdict.load.columns.guess import HEAD, query_columns
from sqlverdict.load.columns.ids import is_number_name
from sqlverdict.load.columns.words import Role, role_of
from sqlverdict.load.fields import ANSWER_KEYS, FIELD_NAMES, ID_KEYS

_MOST_CHOICES = 6


def answer_columns(
    path: Path,
    header: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str],
    case_ids: Sequence[str],
) -> dict[str, str]:
    """The columns of predictions that have no name of ours, as a column map.

    Args:
        path: The file, for messages.
        header: The names of its columns.
        rows: Its rows.
        columns: The user's column map, with other spellings of our names.
        case_ids: The ids of the cases.

    Raises:
        UnclearColumns: no column has the name of an id, or several columns may be the prediction.
    """
    fields = {columns.get(name, name) for name in header}
    names = [name for name in header if columns.get(name, name) not in (*FIELD_NAMES, LEAVE_OUT)]
    queries = query_columns(names, rows[:HEAD]) if fields.isdisjoint(ANSWER_KEYS) else []
    guess = [name for name in queries if role_of(name) is not Role.GOLD]
    ids = _id_columns(names, rows, case_ids) if fields.isdisjoint(ID_KEYS) else []
    numbers = [name for name in ids if is_number_name(name)]
    id_guess = numbers if len(numbers) == 1 else []
    lacks_id = fields.isdisjoint(ID_KEYS) and not id_guess
    if not lacks_id and len(guess) < 2:
        return {**dict.fromkeys(id_guess, "id"), **dict.fromkeys(guess, "prediction")}
    parts = []
    if lacks_id:
        parts.append([(name, "id") for name in ids or ["NAME"]])
    if len(guess) > 1:
        parts.append([(name, "prediction") for name in guess])
    known_ids = "" if not lacks_id else f" Ids of the cases are {few_of(case_ids, 2)}."
    problem = "found no id" if lacks_id else f"each of {few_of(guess)} may be the prediction"
    raise UnclearColumns(
        f"{path}: {problem} among {few_of(header, 8)}. Expected 'id' or 'question_id' and "
        f"'prediction' or 'sql' in every record: records are never paired by position.{known_ids}",
        tuple(product(*parts))[:_MOST_CHOICES],
    )


def _id_columns(
    names: Sequence[str], rows: Sequence[Mapping[str, Any]], case_ids: Sequence[str]
) -> list[str]:
    """The columns in which each cell is the id of a case, and no two are the same."""
    known = set(case_ids)
    columns = {name: [str(row.get(name)) for row in rows] for name in names}
    return [
        name
        for name, cells in columns.items()
        if cells and known.issuperset(cells) and len(set(cells)) == len(cells)
    ]
