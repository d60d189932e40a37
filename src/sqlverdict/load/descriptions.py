"""What a benchmark says about columns in words, beside the database file.

Two sources, both optional; what the first does not describe is looked up in the second:

* BIRD: ``database_description/<table>.csv`` in the database's folder, with the columns
  ``original_column_name``, ``column_name``, ``column_description``, ``data_format`` and
  ``value_description``. Names are matched in any case; files may be UTF-8 or Windows-1252.
* Spider: ``tables.json`` beside or above the folder of the database (``column_names`` are the
  natural names of ``column_names_original``); also ``dev_tables.json`` and the like.

Descriptions are a help and nothing more. A file that is huge, binary, cut or of another form gives
a :class:`Note` and never an error; the rest is read. Only the files of the tables that are asked
for are opened.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec

from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import UTF8_BOM
from sqlverdict.parse.tokens import fold

T = TypeVar("T")

FOLDER = "database_description"
TABLES = ("tables.json", "dev_tables.json", "train_tables.json", "test_tables.json")
LARGEST_CSV = 2**20
"""Bytes; the largest of BIRD's files has some 30,000."""
LARGEST_JSON = 2**26
LONGEST = 2_000
"""Characters of a cell that are kept."""
MOST_FILES = 2_000
MOST_ROWS = 5_000

_COLUMN = "original_column_name"
_NAME, _TEXT, _VALUES = "column_name", "column_description", "value_description"


class Problem(StrEnum):
    """Why a file says nothing."""

    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    BINARY = "binary"
    WRONG_HEADER = "wrong_header"
    BROKEN = "broken"
    TOO_MANY = "too_many"


@dataclass(frozen=True)
class Note:
    """A file that could not be used, or not to its end."""

    file: str
    problem: Problem
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"


@dataclass(frozen=True)
class Description:
    """What is said about one column; each part may be empty.

    Attributes:
        name: The column's name in natural words.
        text: What the column holds.
        values: What its values mean, or look like.
    """

    name: str = ""
    text: str = ""
    values: str = ""

    def __bool__(self) -> bool:
        return bool(self.name or self.text or self.values)


@dataclass(frozen=True)
class Descriptions:
    """What is said about the columns of some tables.

    Attributes:
        columns: By table and column, both folded as SQLite folds names.
        notes: Files that could not be used.
    """

    columns: Mapping[tuple[str, str], Description] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def of(self, table: str, column: str) -> Description | None:
        """What is said about a column; ``None``: nothing."""
        return self.columns.get((fold(table), fold(column)))


def read_descriptions(database: str | None, db_id: str, tables: Collection[str]) -> Descriptions:
    """What the files beside a database say about the columns of some tables. Never raises.

    Args:
        database: The database's file; it need not exist.
        db_id: The database's name, by which ``tables.json`` knows it.
        tables: The tables that are asked for.
    """
    if not database:
        return Descriptions()
    file_path = Path(database).absolute()
    columns: dict[tuple[str, str], Description] = {}
    notes: list[Note] = []
    keys = {fold(table) for table in tables}
    for file in tables_json_files(file_path):
        by_database, problem = _read(file, LARGEST_JSON, _parsed_json)
        notes += [problem] if problem is not None else []
        if db_id in by_database:
            columns |= {at: each for at, each in by_database[db_id].items() if at[0] in keys}
            break
    files, problem = _csv_files(file_path)
    notes += [problem] if problem is not None else []
    for file in files:
        if fold(file.stem.strip()) in keys:
            described, problem = _read(file, LARGEST_CSV, _parsed_csv)
            notes += [problem] if problem is not None else []
            table = fold(file.stem.strip())
            columns |= {(table, column): each for column, each in described.items()}
    return Descriptions(columns, tuple(notes))


def descriptions_digest(database: str | None) -> str:
    """A digest of the files that :func:`read_descriptions` may read; empty: there are none."""
    if not database:
        return ""
    file_path = Path(database).absolute()
    files, _ = _csv_files(file_path)
    parts = []
    for file, most in (
        *((file, LARGEST_CSV) for file in files),
        *((file, LARGEST_JSON) for file in tables_json_files(file_path)),
    ):
        try:
            # A file that is too large is not read, whatever it holds.
            mark = sha256_file(file) if file.stat().st_size <= most else "large"
        except OSError:
            mark = "unreadable"
        parts.append(f"{file.name}\0{mark}")
    if not parts:
        return ""
    return sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _csv_files(database: Path) -> tuple[list[Path], Note | None]:
    """The files of descriptions in a database's folder, sorted by name."""
    folder = database.parent / FOLDER
    try:
        with os.scandir(folder) as entries:
            files = list(islice(entries, MOST_FILES + 1))
            # Only plain files: reading a pipe would wait for ever.
            names = sorted(e.name for e in files if e.is_file() and e.name.lower().endswith(".csv"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        # A path with a NUL is no path, so there is nothing beside it.
        return [], None
    except OSError as error:
        return [], Note(FOLDER, Problem.UNREADABLE, f"it cannot be read: {error.strerror}")
    if len(files) > MOST_FILES:
        why = f"it holds more than {MOST_FILES:,} files; none is read"
        return [], Note(FOLDER, Problem.TOO_MANY, why)
    return [folder / name for name in names], None


def tables_json_files(database: Path) -> list[Path]:
    """The ``tables.json`` beside and above the folder of a database."""
    own = database.parent.name.casefold() == database.stem.casefold()
    home = database.parent.parent if own else database.parent
    folders = dict.fromkeys((home, home.parent))
    candidates = (folder / name for folder in folders for name in TABLES)
    return [file for file in candidates if file.is_file()]


def _read(
    file: Path, most: int, parse: Callable[[str, str], tuple[dict[str, T], Note | None]]
) -> tuple[dict[str, T], Note | None]:
    """What a file of descriptions holds, and what is wrong with it.

    Args:
        file: The file.
        most: How many bytes are read; a larger file is not.
        parse: Reads the file by its path and its digest, by which it remembers it.
    """
    try:
        size = file.stat().st_size
        if size > most:
            why = f"it has {size:,} bytes; at most {most:,} are read"
            return {}, Note(file.name, Problem.TOO_LARGE, why)
        return parse(str(file), sha256_file(file))
    except OSError as error:
        why = f"it cannot be read: {error.strerror or error}"
        return {}, Note(file.name, Problem.UNREADABLE, why)


@lru_cache(maxsize=1_024)
def _parsed_csv(path: str, digest: str) -> tuple[dict[str, Description], Note | None]:
    del digest  # The file as it is now, and not as it was.
    file = Path(path)
    with file.open("rb") as stream:
        data = stream.read(LARGEST_CSV).removeprefix(UTF8_BOM)
    if b"\0" in data:
        return {}, Note(file.name, Problem.BINARY, "it holds a NUL byte: it is not text")
    by_column: dict[str, Description] = {}
    note = None
    try:
        reader = csv.reader(io.StringIO(_decoded(data), newline=""))
        header = [cell.strip().casefold() for cell in next(reader, [])]
        if _COLUMN not in header or not {_NAME, _TEXT, _VALUES}.intersection(header):
            return {}, Note(file.name, Problem.WRONG_HEADER, _wrong_header(header))
        for row in islice(reader, MOST_ROWS):
            cells = {name: _flat(cell) for name, cell in zip(header, row, strict=False)}
            column = fold(cells.get(_COLUMN, ""))
            each = Description(cells.get(_NAME, ""), cells.get(_TEXT, ""), cells.get(_VALUES, ""))
            if column and each:
                by_column.setdefault(column, each)
    except csv.Error as error:
        note = Note(file.name, Problem.BROKEN, f"it is not valid CSV to its end: {error}")
    return by_column, note


def _decoded(data: bytes) -> str:
    """The text; what is not UTF-8 is what Windows writes, and that is some text in any case."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _wrong_header(header: list[str]) -> str:
    columns = ", ".join(cell[:40] for cell in header[:5]) or "nothing"
    return f"its first line has {columns}; expected {_COLUMN}, {_NAME}, {_TEXT}, {_VALUES}"


class _Entry(msgspec.Struct):
    """What is used of a database in ``tables.json``."""

    db_id: str
    table_names_original: list[str]
    column_names_original: list[tuple[int, str]]
    column_names: list[tuple[int, str]]


_NaturalNames = dict[str, dict[tuple[str, str], Description]]


@lru_cache(maxsize=16)
def _parsed_json(path: str, digest: str) -> tuple[_NaturalNames, Note | None]:
    del digest  # The file as it is now, and not as it was.
    file = Path(path)
    try:
        entries = msgspec.json.decode(file.read_bytes().removeprefix(UTF8_BOM), type=list[_Entry])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        why = f"it is not a tables.json: {' '.join(str(error).split())[:200]}"
        return {}, Note(file.name, Problem.BROKEN, why)
    return {entry.db_id: dict(_natural_names(entry)) for entry in reversed(entries)}, None


def _natural_names(entry: _Entry) -> Iterator[tuple[tuple[str, str], Description]]:
    tables = entry.table_names_original
    for (at, original), (_, natural) in zip(
        entry.column_names_original, entry.column_names, strict=False
    ):
        if 0 <= at < len(tables) and natural.strip():
            yield (fold(tables[at]), fold(original)), Description(name=_flat(natural))


def _flat(cell: str) -> str:
    return re.sub(r"\s+", " ", cell[:LONGEST]).strip()
