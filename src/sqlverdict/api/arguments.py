"""What callers of the Python API may give, and what it is taken for."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlverdict.errors import UsageError
from sqlverdict.files.references import check_reference, file_of
from sqlverdict.records import Prediction

Reference = str | os.PathLike[str]
Golds = str | Sequence[str] | None
Reply = str | Prediction | None
Pair = Sequence[Any] | Mapping[str, Any]
_FIELDS = ("gold", "prediction", "db")
"""What the entries of a pair without names are, in order."""
_GAPS = frozenset({"NAType", "NaTType"})
"""What tables have in empty cells, beside NaN and ``None``."""


def read_reference(value: Reference | None) -> str | None:
    """A path or a URL as text.

    Raises:
        UsageError: it is something else, or holds a password.
    """
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike):
        raise UsageError(f"a database is {type(value).__name__}; expected a path or a URL")
    return _checked(os.fspath(value))


_checked = lru_cache(maxsize=4_096)(check_reference)


def read_golds(gold: Golds) -> tuple[str, ...]:
    """The golds of a pair; none where the question cannot be answered.

    Raises:
        UsageError: one is no text.
    """
    if gold is None:
        return ()
    golds = (gold,) if isinstance(gold, str) else tuple(gold)
    for each in golds:
        if not isinstance(each, str) or not each.strip():
            raise UsageError(
                f"a gold is {each!r}; expected SQL text, several of them, or None where the "
                f"question cannot be answered"
            )
    return tuple(map(plain_text, golds))


plain_text = str.__str__
"""A text of a class of its own as Python's: other processes need not know the class."""


def read_reply(prediction: Reply) -> Reply:
    """A prediction of a known type.

    Raises:
        UsageError: it is of another type.
    """
    if isinstance(prediction, str):
        return plain_text(prediction)
    if prediction is None or isinstance(prediction, Prediction):
        return prediction
    raise UsageError(
        f"a prediction is {type(prediction).__name__}; expected SQL, a reply, a Prediction, or "
        f"None for an abstention"
    )


def read_arguments(pair: Pair) -> dict[str, Any]:
    """A pair as the arguments of a check.

    Raises:
        UsageError: it is no pair.
    """
    if isinstance(pair, Mapping):
        return dict(pair)
    if not isinstance(pair, tuple | list) or not 2 <= len(pair) <= len(_FIELDS):
        raise UsageError(f"a pair is {pair!r}; expected (gold, prediction, db) or a mapping")
    return dict(zip(_FIELDS, pair, strict=False))


def read_cell(cell: Any) -> Any:
    """A cell of a table as Python's own value; an empty one as ``None``."""
    if isinstance(cell, str):
        return str(cell)
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    return None if is_gap(cell) else cell


def is_gap(cell: Any) -> bool:
    """Whether a cell of a table is empty; Python's ``None`` was written there by somebody."""
    return type(cell).__name__ in _GAPS or (isinstance(cell, float) and math.isnan(cell))


def file_stamp(database: str | None) -> tuple[object, ...]:
    """What changes when a file does; a server's database is read as it was when it was opened."""
    path = _path(database) if database is not None else None
    if path is None:
        return ()
    # Called for every pair: the functions of ``os`` are much faster than those of a Path.
    # Of a link, SQLite's write-ahead log lies beside the file itself, and DuckDB's beside the link.
    file = os.path.realpath(path) if os.path.islink(path) else path  # noqa: PTH114
    return _file_state(file), _file_state(f"{file}-wal"), _file_state(f"{path}.wal")


def _file_state(path: str) -> tuple[int, ...]:
    try:
        state = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return ()
    return (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


@lru_cache(maxsize=4_096)
def _path(database: str) -> str | None:
    """The file of a database; ``None`` on a server."""
    file = file_of(database)
    return None if file is None else str(file)


@lru_cache(maxsize=4_096)
def name_of_database(reference: str) -> str:
    """The name of a database: that of its file, or the last part of its URL."""
    file = file_of(reference)
    return file.stem if file is not None else reference.rpartition("/")[2]
