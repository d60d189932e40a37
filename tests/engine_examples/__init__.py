"""What the tests over all engines ask of each: a file an engine, named like it, with one record.

``sqlite``    files, searched in memory
``duckdb``    files, searched on a scratch database
``postgres``  a server
``mysql``     a server
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

Pair = tuple[str, str]
"""Two conditions, or two queries."""


@dataclass(frozen=True, kw_only=True)
class EngineExamples:
    """Databases of an engine, and texts in its own words.

    A new engine of this repository joins the tests by such a record. Where a field has nothing to
    hold, the engine's file says why.

    Attributes:
        database: A database that statements made, in a folder or on a server; it skips where there
            is no server or no driver.
        change: Changes a database that others have open.
        server: The URL of a database on a server on which more may be made; ``None`` for files.
        computed: How a computed column is kept: ``STORED`` or ``VIRTUAL``.
        more_columns: Columns of the engine's own types in a table of ``different``.
        cells: How the columns ``f`` and ``b`` of the suite's table of cells are declared, a number
            with a fraction and bytes, and how the bytes ``00ff`` are written.
        failing: Queries that fail, some with errors that look like those of a broken server.
        column_types: Types of columns; few of them have a maximum.
        harm: A statement that writes ``{file}``, or drops the table kept of ``{database}``.
        write_file: A statement that writes ``{file}``; empty where a witness runs in memory alone.
        revealing: Conditions that hold on the real database and not on those of a search.
        not_revealing: Conditions that look so, and are not.
        different: Conditions that a search must tell apart.
        different_queries: Queries that a search must tell apart.
        equal: Conditions that are equal.
        recent: A condition on the last seven days, with ``{}`` for its sign.
    """

    database: Callable[[Path, Sequence[str]], AbstractContextManager[str]]
    change: Callable[[str, Sequence[str]], None]
    server: Callable[[], AbstractContextManager[str | None]] = nullcontext
    computed: str = "STORED"
    more_columns: str = ""
    cells: tuple[str, str, str]
    failing: Sequence[str]
    column_types: Sequence[str]
    harm: str
    write_file: str
    revealing: Sequence[str]
    not_revealing: Sequence[str]
    different: Sequence[Pair]
    different_queries: Sequence[Pair]
    equal: Sequence[Pair]
    recent: str


def examples_of(engine: str) -> EngineExamples:
    """The record of an engine of this repository."""
    record = import_module(f"engine_examples.{engine}").EXAMPLES
    assert isinstance(record, EngineExamples)
    return record


def replaced_by(
    make: Callable[[Path, Sequence[str]], AbstractContextManager[str]],
) -> Callable[[str, Sequence[str]], None]:
    """How a database that is a file changes: another file takes its place."""

    def change(database: str, statements: Sequence[str]) -> None:
        path = Path(database)
        other = path.with_name("other")
        other.mkdir()
        with make(other, statements) as changed:
            Path(changed).replace(path)
        other.rmdir()

    return change
