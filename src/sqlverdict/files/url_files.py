"""URLs of files in the spellings of other tools: SQLAlchemy's three slashes are a relative path."""

from __future__ import annotations

from pathlib import Path

from sqlverdict.files.references import file_of, scheme_of

_MARK = ":///"


def as_existing(reference: str) -> str:
    """A reference of a file that is there, where its URL can be read in two ways.

    ``duckdb:///a.duckdb`` is ``/a.duckdb`` here, and ``a.duckdb`` in the current folder to
    SQLAlchemy. Where only the second is there, it is meant. Four slashes are absolute to both.
    """
    scheme = scheme_of(reference)
    rest = reference[len(scheme) + len(_MARK) :]
    if not scheme or not reference.startswith(_MARK, len(scheme)) or rest.startswith("/"):
        return reference
    relative = f"{scheme}://{rest}"
    here, there = file_of(relative), file_of(reference)
    if here is None or there is None:
        return reference
    return relative if not _is_there(there) and _is_there(here) else reference


def _is_there(file: Path) -> bool:
    try:
        return file.exists()
    except (OSError, ValueError):
        return False
