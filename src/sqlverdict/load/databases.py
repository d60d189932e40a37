"""Where the database of a ``db_id`` lies, in any of the usual layouts.

In this order: ``<root>/<db>/<db>.sqlite`` (or ``.sqlite3``, ``.db``), ``<root>/<db>.sqlite``,
the only database file in ``<root>/<db>/``. A root that is itself a file serves every
``db_id``. Names that differ only in case are used and reported, where there is exactly one.
Several database files in ``<root>/<db>/`` are the test suite of that database.

The databases may be on a server: a URL, with ``{db_id}`` where the name of the database goes
(``postgresql://host/{db_id}``), or without it where one database serves every ``db_id``.

A ``db_id`` is a name and never a path: one that could lead out of the root has no database.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PureWindowsPath
from typing import Protocol
from urllib.parse import quote, urlsplit

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.execute.engine import Engine
from sqlverdict.files.references import attached_files, check_reference, file_of
from sqlverdict.files.text import few_of, near

SUFFIXES = (".sqlite", ".sqlite3", ".db")
_PLACEHOLDER = "{db_id}"
_LONGEST_NAME = 200
"""Bytes; file systems take 255, with the suffix and what SQLite adds to it."""


@dataclass(frozen=True)
class DatabaseLocation:
    """Where a user says the databases are.

    Attributes:
        where: A folder, a file, or a URL; ``None``: at the usual place of the benchmark.
        suffixes: What a database file's name may end in, best first: those of the engine.
        folders: A database is a folder of such files, and no file.
    """

    where: str | None = None
    suffixes: tuple[str, ...] = SUFFIXES
    folders: bool = False

    @classmethod
    def of(cls, where: str | None, engine: Engine) -> DatabaseLocation:
        """Where the databases of an engine are."""
        return cls(where, engine.suffixes, engine.folders)


Location = Path | DatabaseLocation | None
"""What readers take: a folder or file of SQLite databases, or any location."""


class Databases(Protocol):
    """The database of each ``db_id``."""

    @property
    def only(self) -> str | None:
        """The name of the database that serves cases which name none; ``None``: several may."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was odd about the names asked for so far."""
        ...

    def path(self, db_id: str) -> str | None:
        """The reference of a database, or None."""
        ...

    def expected(self, db_id: str) -> str | None:
        """The reference of a database, or where it should have been."""
        ...

    def describe(self) -> str:
        """Where the databases are, in words."""
        ...


class ServerDatabases:
    """Databases on a server; whether one exists shows when it is opened.

    Args:
        template: A URL; ``{db_id}`` in it stands for the name of the database.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, template: str) -> None:
        self.template = check_reference(template)

    @property
    def only(self) -> str | None:
        """The last part of the URL, where it names one database."""
        if _PLACEHOLDER in self.template:
            return None
        return urlsplit(self.template).path.rpartition("/")[2] or None

    def path(self, db_id: str) -> str | None:
        """The URL of a database; ``None`` where the id is no name."""
        if not is_name(db_id):
            return None
        return self.template.replace(_PLACEHOLDER, quote(db_id, safe=""))

    def expected(self, db_id: str) -> str | None:
        """The URL of a database; ``None`` where the id is no name."""
        return self.path(db_id)

    def describe(self) -> str:
        """The URL."""
        return self.template


class DatabaseFolder:
    """The databases below one folder. Looks at the disk once a name, then remembers.

    Args:
        root: The folder, or one database file that serves every ``db_id``.
        suffixes: What a database file's name may end in, best first.
        url: The URL of the one file, where it names more than that.
        folders: A database is a folder of such files; the root itself may be one.
    """

    def __init__(
        self,
        root: Path,
        suffixes: Sequence[str] = SUFFIXES,
        url: str = "",
        *,
        folders: bool = False,
    ) -> None:
        self.root = root
        self._folders = folders
        self._url = url
        self.suffixes = tuple(suffixes)
        self._paths: dict[str, str | None] = {}
        self._expected: dict[str, str | None] = {}
        self._stems: dict[str, set[str]] | None = None
        self._notes: list[str] = []

    @cached_property
    def only(self) -> str | None:
        """The name of the file, or of the one database in the folder."""
        if self._is_one:
            return self.root.stem or self.root.resolve().name
        names = [name for name in self.names() if self.path(name) is not None]
        return names[0] if len(names) == 1 else None

    @cached_property
    def _is_one(self) -> bool:
        """Whether the root is itself a database."""
        if self._folders:
            return bool(_database_files(self.root, self.suffixes))
        return self.root.is_file()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was odd about the names asked for so far."""
        return tuple(self._notes)

    def describe(self) -> str:
        """The folder."""
        return str(self.root)

    def path(self, db_id: str) -> str | None:
        """The file of a database, or None."""
        if db_id not in self._paths:
            self._paths[db_id] = self._find(db_id)
        return self._paths[db_id]

    def expected(self, db_id: str) -> str | None:
        """The file of a database, or the path where it should have been.

        ``None`` where the id is no name: such a path might lie anywhere.
        """
        if db_id not in self._expected:
            file = self.path(db_id)
            if file is None and is_name(db_id):
                inside = "" if self._folders else f"{db_id}{self.suffixes[0]}"
                file = str(self.root / db_id / inside)
            self._expected[db_id] = file
        return self._expected[db_id]

    def files_of(self, db_id: str) -> list[str]:
        """The database files in the folder that is named after a database."""
        return _database_files(self.root / db_id, self.suffixes)

    def suite(self, db_id: str) -> list[str]:
        """Every database file in the folder of a database, its own first; empty: none."""
        own = self.path(db_id)
        return [] if own is None else suite_of(own, db_id, self.suffixes)

    def names(self) -> list[str]:
        """The database ids that this folder seems to hold, sorted."""
        return sorted(name for names in self._listing().values() for name in names)

    def _find(self, db_id: str) -> str | None:
        if self._is_one:
            return self._url or str(self.root)
        if not is_name(db_id):
            return None
        file = self._exactly(db_id)
        if file is not None:
            return file
        others = self._listing().get(db_id.casefold(), set()) - {db_id}
        if len(others) != 1:
            return None
        (other,) = others
        file = self._exactly(other)
        if file is not None:
            self._notes.append(f"database {db_id!r} was found as {other!r}: the case differs")
        return file

    def _exactly(self, name: str) -> str | None:
        inside = self.files_of(name)
        if self._folders:
            return str(self.root / name) if inside else None
        by_name = {Path(file).name.casefold(): file for file in inside}
        for suffix in self.suffixes:
            own = by_name.get(f"{name}{suffix}".casefold())
            if own is not None:
                return own
        for suffix in self.suffixes:
            if (self.root / f"{name}{suffix}").is_file():
                return str(self.root / f"{name}{suffix}")
        if len(inside) == 1:
            return inside[0]
        named_as_file = name.lower().endswith(self.suffixes) and (self.root / name).is_file()
        return str(self.root / name) if named_as_file else None

    def _listing(self) -> dict[str, set[str]]:
        """The names of databases below the root, grouped where only the case differs."""
        if self._stems is None:
            self._stems = {}
            for child in self.root.iterdir() if self.root.is_dir() else ():
                if child.suffix in self.suffixes:
                    self._stems.setdefault(child.stem.casefold(), set()).add(child.stem)
                elif child.is_dir():
                    self._stems.setdefault(child.name.casefold(), set()).add(child.name)
        return self._stems


def is_name(db_id: str) -> bool:
    """Whether a database id can be the name of a file: no path, nothing odd, not too long."""
    if not db_id or db_id in (".", "..") or any(mark in db_id for mark in "/\\\0"):
        return False
    try:
        drive = os.name == "nt" and PureWindowsPath(db_id).drive
        return not drive and len(os.fsencode(db_id)) <= _LONGEST_NAME
    except UnicodeEncodeError:
        return False


def unknown_database(
    db_id: str, option: str, reference: str = "", suffixes: Sequence[str] = SUFFIXES
) -> str:
    """The message on a database id whose database is not there; empty: it may be there.

    The message is logged, so it spells the option neither as the command line nor as Python does.

    Args:
        db_id: The id.
        option: The option that says where the databases are.
        reference: Where the database was looked for; empty: nowhere.
        suffixes: What its file's name may end in.
    """
    where = f"Say where the databases are (option {option})"
    if not reference:
        if is_name(db_id):
            return f"no database is known for the database id {db_id!r}, and no folder. {where}"
        return (
            f"no database is known for the database id {_short(db_id)}, which is not a name: "
            f"expected one without a path, of at most {_LONGEST_NAME} bytes. A path belongs in "
            f"the field 'database': NAME=database. {where}"
        )
    file = file_of(reference)
    if file is None or os.path.lexists(file):
        return ""
    folder = DatabaseFolder(file.parents[file.parent.name == db_id], suffixes)
    if not folder.root.is_dir():
        return f"database {db_id!r} not found: there is no folder {folder.root}. {where}"
    inside = folder.files_of(db_id)
    if len(inside) > 1:
        return (
            f"database {db_id!r} is not determined: {file.parent} holds "
            f"{few_of(Path(each).name for each in inside)}, none of them called {file.name!r}. "
            f"Rename the right one. {where}"
        )
    files = f"{file} (or {', '.join(suffixes)})"
    expected = files if file.suffix in suffixes else f"the folder {file}"
    # How many databases are beside it may change from one run to the next.
    return (
        f"database {db_id!r} not found: expected {expected}."
        f"{near(db_id, folder.names())} Add the file or correct the database id. {where}"
    )


def suite_of(database: str, db_id: str, suffixes: Sequence[str] = SUFFIXES) -> list[str]:
    """The test suite that a database file belongs to, itself first.

    All database files of its folder, if the folder is named after the database; otherwise the
    folder holds other databases too, and the file stands alone.
    """
    folder = Path(database).parent
    if folder.name.casefold() != db_id.casefold():
        return [database]
    return [database, *(other for other in _database_files(folder, suffixes) if other != database)]


def find_databases(root: Path, names: Sequence[str], location: Location) -> Databases:
    """The databases of a benchmark: the given ones, or those of the first usual folder there is.

    Raises:
        UsageError: a folder is given and does not exist; a typing mistake there would otherwise
            leave every case without its database.
    """
    if location is None:
        location = DatabaseLocation()
    elif isinstance(location, Path):
        location = DatabaseLocation(str(location))
    if location.where is not None:
        return _databases_at(location.where, location)
    usual = next((name for name in names if (root / name).is_dir()), names[0])
    return DatabaseFolder(root / usual, location.suffixes, folders=location.folders)


def _databases_at(where: str, location: DatabaseLocation) -> Databases:
    folder = file_of(where)
    if folder is None:
        return ServerDatabases(where)
    if not folder.exists():
        beside = [each.name for each in folder.parent.iterdir()] if folder.parent.is_dir() else []
        raise UsageError(
            f"there is no file or folder {folder}.{near(folder.name, beside)} Say where the "
            "databases are: ",
            OptionName("databases", "PATH"),
        )
    url = where if attached_files(where) else ""
    if url and folder.is_dir():
        raise UsageError(f"{folder} is a folder; files are attached to one file")
    return DatabaseFolder(folder, location.suffixes, url, folders=location.folders)


def is_misnamed(folder: Databases, db_id: str) -> bool:
    """Whether an id is served by the one database for all, and is not its name."""
    only = folder.only
    if only is None or only.casefold() in (db_id.casefold(), Path(db_id).stem.casefold()):
        return False
    return folder.path(db_id) == folder.path(only)


def shared_note(file: str, folder: Databases, db_ids: Iterable[str]) -> str:
    """A note on cases that name other databases than the one that they run on; empty: none do."""
    others = [db_id for db_id in dict.fromkeys(db_ids) if is_misnamed(folder, db_id)]
    if not others:
        return ""
    return (
        f"{file} names {few_of(others)} as databases, and all cases run on {folder.describe()}. "
        f"For databases of their own give the folder that holds them (option databases)"
    )


def _short(name: str) -> str:
    return repr(name) if len(name) <= 60 else f"{name[:50]!r}... ({len(name)} characters)"


def _database_files(folder: Path, suffixes: Sequence[str]) -> list[str]:
    """The database files in a folder, sorted; hidden files are other programs' leftovers."""
    try:
        return sorted(
            str(child)
            for child in folder.iterdir()
            if child.suffix in suffixes and not child.name.startswith(".") and child.is_file()
        )
    except OSError:
        # One folder that is not there, or not to be read, is one database that is missing.
        return []
