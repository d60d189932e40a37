"""What is said of databases that are not where they were expected, of all cases and of some."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sqlverdict.files.references import file_of
from sqlverdict.files.text import count, few_of
from sqlverdict.load.databases import Databases
from sqlverdict.records import Case


def missing_databases(folder: Databases, db_ids: Sequence[str]) -> tuple[str, ...]:
    """A note on the databases that are not there, and on names that differ in case."""
    without = [db_id for db_id in db_ids if folder.path(db_id) is None]
    return (*folder.notes, *_missing_note(without, folder.describe()))


def notes_for_part(notes: Sequence[str], cases: Iterable[Case]) -> tuple[str, ...]:
    """The notes on a benchmark as they are for some of its cases.

    Args:
        notes: The notes, as :func:`missing_databases` makes them and others.
        cases: The cases that are worked on.
    """
    if not any(_MISSING.fullmatch(note) for note in notes):
        return tuple(notes)
    without = [case.db_id for case in cases if _lacks_file(case.database)]
    part: list[str] = []
    for note in notes:
        missing = _MISSING.fullmatch(note)
        part += [note] if missing is None else _missing_note(without, missing[1])
    return tuple(part)


_MISSING = re.compile(r"[\d,]+ databases? not found below (.*) \(.*\): .* cannot be executed")


def _lacks_file(database: str | None) -> bool:
    file = None if database is None else file_of(database)
    return database is None or (file is not None and not file.exists())


def _missing_note(without: Sequence[str], where: str) -> list[str]:
    """What is said of the cases without a database, by their ids of databases."""
    if not without:
        return []
    missing = sorted(set(without))
    return [
        f"{count(len(missing), 'database')} not found below {where} ({few_of(missing)}): "
        f"{count(len(without), 'case')} cannot be executed"
    ]
