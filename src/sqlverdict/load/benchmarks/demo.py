"""Reads the embedded demo: small databases of our own, questions, and three systems' answers.

Files, in ``demo_data``: ``<db_id>.sql`` (a database as SQL text), ``cases.jsonl``,
``predictions_<system>.jsonl``, ``database_description/<db_id>/<table>.csv`` (what columns mean).
``root`` and ``split`` are ignored. The databases are built from their SQL at first use, in the
given folder or else in the user's cache, below a name that is the digest of the texts: a changed
text is a new database. Each is built beside its place and moved there in one step, so several
processes may start at once. For DuckDB the databases are copied into DuckDB files and the golds are
translated; ``translated_prediction`` does that for predictions. A URL names databases on a server
that hold their content already, as ``sqlverdict demo --server`` makes them. Options: none.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.execute.engine import ENGINES, Engine, FileEngine, engine_of
from sqlverdict.files.atomic import replacing_path, write_at_once
from sqlverdict.files.references import file_of, is_server
from sqlverdict.files.store import cache_folder
from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark, SourceFile
from sqlverdict.load.databases import (
    SUFFIXES,
    DatabaseFolder,
    DatabaseLocation,
    Databases,
    Location,
    ServerDatabases,
)
from sqlverdict.load.descriptions import FOLDER
from sqlverdict.load.own_files.jsonl import JsonlCases
from sqlverdict.load.translate import TranslatedCases, copy_to_file

DATA = Path(__file__).with_name("demo_data")
_PREFIX = "predictions_"
STEPS = 20_000_000
"""The limit of one query: the demo contains endless ones on purpose."""
INSTANCES = 160
"""Databases tried for each match: enough for the demo, and quick."""


def systems() -> tuple[str, ...]:
    """The names of the systems whose predictions the demo holds, sorted."""
    return tuple(sorted(file.stem.removeprefix(_PREFIX) for file in DATA.glob(f"{_PREFIX}*.jsonl")))


def predictions_path(system: str) -> Path:
    """The file of a system's predictions.

    Raises:
        UsageError: the demo holds no such system.
    """
    if system not in systems():
        raise UsageError(f"the demo has no system {system!r}. Known: {', '.join(systems())}")
    return DATA / f"{_PREFIX}{system}.jsonl"


def build_databases(folder: Path | None = None, engine: Engine | None = None) -> Path:
    """Build the demo's databases, where they are not built yet.

    Args:
        folder: Where to; by default the user's cache.
        engine: Copy them into files of this engine, too.

    Returns:
        The folder that holds ``<db_id>/<db_id>.sqlite``, and beside it the file of the engine.

    Raises:
        BenchmarkError: a database cannot be built or written.
    """
    scripts = {file.stem: file.read_text("utf-8") for file in sorted(DATA.glob("*.sql"))}
    described = {
        file.relative_to(DATA / FOLDER): file.read_bytes()
        for file in sorted((DATA / FOLDER).glob("*/*.csv"))
    }
    texts = [*scripts.items(), *((path.as_posix(), data) for path, data in described.items())]
    digest = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]
    home = (folder if folder is not None else cache_folder() / "demo") / digest
    for db_id, script in scripts.items():
        target = home / db_id / f"{db_id}.sqlite"
        if not target.is_file():
            # The database comes last: where it is, all of its files are.
            for path, data in described.items():
                if path.parent.name == db_id:
                    _describe(home / db_id / FOLDER / path.name, data)
            _build(target, script)
        if isinstance(engine, FileEngine):
            copy = target.with_suffix(engine.suffixes[0])
            if not copy.is_file():
                copy_to_file(target, copy, engine)
    return home


def _describe(target: Path, data: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_at_once(target, data)
    except OSError as problem:
        raise _unwritable(target.parent, problem) from problem


def _unwritable(folder: Path, problem: OSError) -> BenchmarkError:
    return BenchmarkError(
        f"the demo cannot write {folder}: {problem.strerror}. "
        f"Set SQLVERDICT_CACHE to a file in a folder that can be written.",
        reason="failed",
    )


def _build(target: Path, script: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing_path(target) as part:
            part.write_bytes(b"")
            with closing(sqlite3.connect(part)) as database:
                database.executescript(script)
                database.commit()
    except OSError as problem:
        raise _unwritable(target.parent, problem) from problem
    except sqlite3.Error as problem:
        raise BenchmarkError(
            f"the demo's {target.stem}.sql does not run: {problem}", reason="failed"
        ) from problem


@BENCHMARKS.member
class DemoReader:
    """Reads the embedded demo."""

    def read(
        self,
        root: Path = DATA,  # noqa: ARG002 (the demo lies in this package)
        *,
        split: str = "dev",  # noqa: ARG002 (the demo has one split)
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read the demo; ``databases`` is where its databases are built."""
        unknown = [key for key in options if key != "difficulty"]
        if unknown:
            raise UsageError(f"the demo takes no option {unknown[0]!r}; remove it")
        path = DATA / "cases.jsonl"
        folder, dialect = _databases(databases)
        cases = JsonlCases(path, {}, folder)
        sources = tuple(SourceFile.of(file) for file in (path, *sorted(DATA.glob("*.sql"))))
        count = sum(1 for _ in cases)
        version = f"sha256 {sources[0].sha256[:12]}"
        if dialect == DEFAULT_DIALECT:
            return Benchmark("demo", version, cases, count, sources)
        translated = TranslatedCases(cases, dialect)
        return Benchmark("demo", f"{version}, for {dialect}", translated, count, sources)


def _databases(location: Location) -> tuple[Databases, str]:
    """The databases, built where they are files, and their dialect."""
    if not isinstance(location, DatabaseLocation):
        return DatabaseFolder(build_databases(location)), DEFAULT_DIALECT
    if location.where is not None and is_server(location.where):
        return ServerDatabases(location.where), ENGINES.get(engine_of(location.where)).dialect
    engine = ENGINES.get(engine_of(f"demo{location.suffixes[0]}"))
    folder = file_of(location.where) if location.where is not None else None
    home = build_databases(folder, engine)
    if isinstance(engine, FileEngine):
        return DatabaseFolder(home, engine.suffixes[:1]), engine.dialect
    return DatabaseFolder(home, SUFFIXES), DEFAULT_DIALECT
