"""What a benchmark is: cases that can be read again and again, and where they came from.

A reader is one file in ``load/benchmarks``, ``<name>.py``, with one class decorated by
``@BENCHMARKS.member``; its docstring says which files it expects and what it does with
oddities.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from sqlverdict.errors import Part, UnclearColumns
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.references import file_of
from sqlverdict.files.text import count, few_of
from sqlverdict.load.databases import Databases, Location
from sqlverdict.load.turns import session_sizes
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Prediction
from sqlverdict.registry import Registry

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})

CaseName = tuple[str, str]
"""The id of a case and that of its database."""


@dataclass(frozen=True)
class SourceFile:
    """A file that was read, as a manifest names it."""

    path: str
    sha256: str

    @classmethod
    def of(cls, path: Path) -> SourceFile:
        """The source record of a file."""
        return cls(str(path), sha256_file(path))


@dataclass(frozen=True)
class Benchmark:
    """Cases and where they came from.

    Attributes:
        name: The reader's name.
        version: Which revision was read, in words: the split and a digest.
        cases: The cases; may be iterated again and again, and may be larger than memory.
        count: How many cases there are, where that is known without reading them.
        sources: The files that were read.
        notes: What a user should know: files or databases that are missing, and so on.
        predictions: Predictions by case id, where the benchmark's own files hold them.
        schemas: Schemas of databases that are missing, by database id, where the benchmark's
            own files say them.
        preset: The comparison of the benchmark's own script; empty where it has none.
        column_note: Which columns of a user's file were taken for what by their names and cells.
        sessions: How many turns each conversation has, in the order of the cases; empty: the
            cases are no conversations, or it is not known before they are read.

    Examples:
        >>> from sqlverdict.load.benchmarks.demo import DATA
        >>> benchmark = sv.BENCHMARKS.get("demo").read(DATA)
        >>> benchmark.name, benchmark.count
        ('demo', 90)
    """

    name: str
    version: str
    cases: Iterable[Case] = field(repr=False)
    count: int | None = None
    sources: tuple[SourceFile, ...] = ()
    notes: tuple[str, ...] = ()
    predictions: Mapping[str, Prediction] | None = field(default=None, repr=False)
    schemas: Mapping[str, Schema] = field(default_factory=dict, repr=False)
    preset: str = ""
    column_note: tuple[Part, ...] = ()
    sessions: tuple[int, ...] = ()

    def case_names(self) -> list[CaseName]:
        """The id of every case and that of its database."""
        if isinstance(self.cases, NamedCases):
            return self.cases.names()
        return [(case.id, case.db_id) for case in self.cases]

    def session_sizes(self) -> tuple[int, ...]:
        """How many turns each conversation has; a user's own cases are read for it."""
        if self.sessions or isinstance(self.cases, NamedCases):
            return self.sessions
        return session_sizes(self.cases)


@runtime_checkable
class NamedCases(Protocol):
    """Cases whose names are known before all of each is, such as its difficulty."""

    def names(self) -> list[CaseName]:
        """The id of every case and that of its database, in the order of the cases."""
        ...


@runtime_checkable
class PairedCases(Protocol):
    """Cases of a user's own file, whose records may carry their predictions."""

    lacks: tuple[str, ...]
    """The columns of the user's map that the file does not have."""

    @property
    def named_columns(self) -> tuple[str, Sequence[str]]:
        """The file, and the names of its columns."""
        ...

    @property
    def carries_predictions(self) -> bool:
        """Whether they do, by the header or the first record."""
        ...

    def no_predictions(self, problem: str) -> UnclearColumns:
        """The error where they do not, and no predictions are given either."""
        ...

    def pairs(self) -> Iterator[tuple[Case, Prediction]]:
        """Each case with its prediction, one at a time."""
        ...


@dataclass(frozen=True)
class ChangedCases:
    """Cases with a change to each, their predictions beside them where they carry some.

    They may be iterated as often as the cases.
    """

    cases: Iterable[Case]
    change: Callable[[Case], Case]

    def __iter__(self) -> Iterator[Case]:
        return map(self.change, self.cases)

    @property
    def lacks(self) -> tuple[str, ...]:
        """The columns of the user's map that the cases do not have."""
        return self.cases.lacks if isinstance(self.cases, PairedCases) else ()

    @property
    def named_columns(self) -> tuple[str, Sequence[str]]:
        """The file of the cases, and the names of its columns."""
        if isinstance(self.cases, PairedCases):
            return self.cases.named_columns
        return "the cases", ()

    @property
    def carries_predictions(self) -> bool:
        """Whether the cases carry their predictions."""
        return isinstance(self.cases, PairedCases) and self.cases.carries_predictions

    def no_predictions(self, problem: str) -> UnclearColumns:
        """The error where they do not."""
        assert isinstance(self.cases, PairedCases), "only such cases carry predictions"
        return self.cases.no_predictions(problem)

    def pairs(self) -> Iterator[tuple[Case, Prediction]]:
        """Each case with its prediction."""
        assert isinstance(self.cases, PairedCases), "only such cases carry predictions"
        for case, prediction in self.cases.pairs():
            yield self.change(case), prediction


class BenchmarkReader(Protocol):
    """Reads the benchmarks of one format."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark.

        Args:
            root: The benchmark's folder, or its file where the format is one file.
            split: Which part of it.
            databases: Where the databases lie, if not at the format's usual place.
            options: The format's own settings; its module says which there are.

        Raises:
            BenchmarkError: the files are missing or not what they should be.
            UsageError: there is no such option.
        """
        ...


class OneFileReader(ABC):
    """A reader of benchmarks that are one file; a file has one split."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",  # noqa: ARG002 (one file has one split)
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`BenchmarkReader`."""
        return self.read_file(root, databases, options)

    @abstractmethod
    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the benchmark's file; the arguments are those of :class:`BenchmarkReader`."""


BENCHMARKS: Registry[BenchmarkReader] = Registry(
    "benchmark",
    ("sqlverdict.load.benchmarks", "sqlverdict.load.own_files"),
    "sqlverdict.benchmarks",
)
"""The readers of benchmarks, by name: ``BENCHMARKS.get("spider")``."""


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
