"""What callers of the Python API may give, and what it is taken for."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from numbers import Real
from operator import index
from typing import Any, SupportsIndex

from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import LONGEST, Limits
from sqlverdict.files.references import as_existing, check_reference, file_of
from sqlverdict.files.text import near
from sqlverdict.records import Prediction
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.run.options import SearchOptions

Reference = str | os.PathLike[str]
"""A database: the path of a file, or a URL."""
Golds = str | Sequence[str] | None
"""The gold query, or several of which any counts; ``None`` where the question has no answer."""
Reply = str | Prediction | None
"""The answer of a system: SQL, or a reply that holds it; ``None`` is an abstention."""
Pair = Sequence[Any] | Mapping[str, Any]
"""``(gold, prediction, db)``, or a mapping with arguments of :meth:`sqlverdict.Scorer.check`."""
_FIELDS = ("gold", "prediction", "db")
"""What the entries of a pair without names are, in order."""
_TRUTHS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
"""What columns of tables say for true and false; beside an empty cell numbers are 1.0 and 0.0."""
_GAPS = frozenset({"NAType", "NaTType"})
"""What tables have in empty cells, beside NaN and ``None``."""
WORK_A_MILLISECOND = 10_000
"""The work of a search in one millisecond; see ``SearchBudget.work``."""
_PATIENCE = 10
"""The clock ends a search that takes so many times its budget."""
_LEAST_SECONDS = 1.0


def read_reference(value: Reference | None) -> str | None:
    """A path or a URL as text.

    Raises:
        UsageError: it is something else, is empty, or holds a password.
    """
    if value is None:
        return None
    reference = os.fspath(value) if isinstance(value, str | os.PathLike) else value
    if not isinstance(reference, str):
        raise UsageError(f"a database is {type(value).__name__}; expected a path or a URL")
    if not reference.strip() or "\0" in reference:
        raise UsageError(f"a database is {reference!r}; expected a path or a URL")
    return as_existing(_checked(reference))


_checked = lru_cache(maxsize=4_096)(check_reference)


def read_golds(gold: Golds) -> tuple[str, ...]:
    """The golds of a pair; none where the question cannot be answered.

    Raises:
        UsageError: one is no text.
    """
    if gold is None:
        return ()
    golds: tuple[Any, ...] = (gold,)
    if isinstance(gold, Iterable) and not isinstance(gold, str | bytes | Mapping | Set):
        # An empty list may be golds that were lost: it does not say that there is no answer.
        golds = tuple(gold) or (gold,)
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


def text_from(value: str | None, name: str) -> str:
    """An argument that is text; ``None`` is the same as none.

    Raises:
        UsageError: it is of another type.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(f"{name} is {type(value).__name__}; expected text")
    return plain_text(value)


def read_timeout(timeout: float | None) -> float | None:
    """Seconds that a query may take.

    Raises:
        UsageError: it is no number of seconds.
    """
    if timeout is None:
        return None
    if not _is_number(timeout) or not 0 < timeout <= LONGEST:
        raise UsageError(
            f"timeout is {timeout!r}; expected seconds, more than 0 and at most {LONGEST:,}"
        )
    return float(timeout)


def check_limits(limits: Limits | None) -> None:
    """Refuse limits of another type.

    Raises:
        UsageError: they are none.
    """
    if limits is not None and not isinstance(limits, Limits):
        raise UsageError(f"limits is {limits!r}; expected a sqlverdict.Limits")


def _is_number(value: object) -> bool:
    """Whether it is a number, of Python or of an array."""
    return isinstance(value, Real) and not isinstance(value, bool)


def read_count(value: int, name: str) -> int:
    """A count of things.

    Raises:
        UsageError: it is no whole number, or negative.
    """
    # Numbers of tables and arrays count too. True does not: who says it means no number.
    if isinstance(value, bool) or not isinstance(value, SupportsIndex) or index(value) < 0:
        raise UsageError(f"{name} is {value!r}; expected a whole number, 0 or more")
    return index(value)


def read_columns(columns: Mapping[str, str] | None, name: str) -> dict[str, str]:
    """A map from columns to fields.

    Raises:
        UsageError: it is of another type.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise UsageError(
            f"{name} is {type(columns).__name__}; expected a mapping from columns to fields, such "
            f"as {{'query': 'gold'}}"
        )
    for column, field in (columns or {}).items():
        if not isinstance(column, str) or not isinstance(field, str):
            raise UsageError(
                f"{name} has {{{column!r}: {field!r}}}; expected the name of a column and that of "
                f"a field"
            )
    return dict(columns or {})


def read_arguments(pair: Pair, names: Set[str]) -> dict[str, Any]:
    """A pair as the arguments of a check.

    Args:
        pair: The pair.
        names: The arguments that there are.

    Raises:
        UsageError: it is no pair, or its names are others.
    """
    if isinstance(pair, Mapping):
        if not names >= pair.keys():
            unknown = next(name for name in pair if name not in names)
            raise UsageError(
                f"a pair has {unknown!r}, which is not an argument.{near(str(unknown), names)} "
                f"Arguments: {', '.join(sorted(names))}"
            )
        for name in ("gold", "prediction"):
            if name not in pair:
                raise UsageError(f"a pair has no {name!r}; it has {', '.join(sorted(pair))}")
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


def read_truth(value: Any, name: str) -> bool | None:
    """A value that is true or false; ``None`` where a table says neither.

    Raises:
        UsageError: it is something else.
    """
    cell = read_cell(value)
    if cell is None or isinstance(cell, bool):
        return cell
    truth = _TRUTHS.get(str(cell).strip().lower())
    if truth is None:
        raise UsageError(f"{name} is {cell!r}; expected true or false")
    return truth


def is_gap(cell: Any) -> bool:
    """Whether a cell of a table is empty; Python's ``None`` was written there by somebody."""
    return type(cell).__name__ in _GAPS or (isinstance(cell, float) and math.isnan(cell))


def read_search(refute: int, budget_ms: float | None) -> SearchOptions | None:
    """The search; ``None`` where there is none.

    Args:
        refute: How many databases are tried; 0: as many as by default, or none.
        budget_ms: About how many milliseconds the search for one witness may take.

    Raises:
        UsageError: it is no number of milliseconds.
    """
    if not refute and budget_ms is None:
        return None
    budget = SearchBudget(instances=refute) if refute else SearchBudget()
    if budget_ms is not None:
        if not _is_number(budget_ms) or not 0 < budget_ms <= LONGEST:
            raise UsageError(
                f"budget_ms is {budget_ms!r}; expected milliseconds, more than 0 and at most "
                f"{LONGEST:,}"
            )
        work = max(1, int(budget_ms * WORK_A_MILLISECOND))
        seconds = max(_LEAST_SECONDS, _PATIENCE * float(budget_ms) / 1000)
        budget = replace(budget, work=work, seconds=seconds)
    return SearchOptions(budget)


@lru_cache(maxsize=4_096)
def name_of_database(reference: str) -> str:
    """The name of a database: that of its file, or the last part of its URL."""
    file = file_of(reference)
    return file.stem if file is not None else reference.rpartition("/")[2]
