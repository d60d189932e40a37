"""Which cases a command works on: a benchmark or a file of cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import click

from sqlverdict.cli.options.fields import Heading, option, setting
from sqlverdict.cli.options.shared import (
    ANY_PATH,
    COLUMN,
    FILE,
    NAMES,
    OVERLAY_FILE,
    REFERENCE,
    SHARD,
    databases_option,
    limit_option,
    schema_option,
)
from sqlverdict.errors import UsageError, message_text
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, check_fits, engine_of
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import bounded, count, few_of
from sqlverdict.load.benchmark import (
    BENCHMARKS,
    Benchmark,
    ChangedCases,
    SourceFile,
    notes_for_part,
)
from sqlverdict.load.columns.column_map import join_maps
from sqlverdict.load.databases import DatabaseLocation, Databases, find_databases
from sqlverdict.load.overlays import OVERLAY, overlay_title, read_overlay, with_overlays
from sqlverdict.load.tables.cases import read_own_file
from sqlverdict.load.tables.excel import sheet_names
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Case, Prediction
from sqlverdict.runlog.manifest import was_noted
from sqlverdict.runlog.merge import Shard

T = TypeVar("T")


def overlay_option(*, is_setting: bool = True) -> Any:
    """The setting ``golds``; an option of ``evaluate``."""
    return option(
        "--golds",
        is_setting=is_setting,
        rare=True,
        multiple=True,
        type=OVERLAY_FILE,
        metavar="[NAME=]FILE",
        heading=Heading.DATA,
        help="Use these golds: a benchmark's JSON list or gold file, or corrections (JSONL, CSV). "
        "Repeatable.",
    )


def only_option(*, is_setting: bool = True) -> Any:
    """The setting ``only``; an option of ``evaluate``."""
    return option(
        "--only",
        is_setting=is_setting,
        rare=True,
        type=NAMES,
        default=(),
        metavar="ID,ID",
        heading=Heading.DATA,
        help="Only the cases with these ids.",
    )


def shard_option(*, is_setting: bool = True) -> Any:
    """The setting ``shard``; an option of ``evaluate``."""
    return option(
        "--shard",
        is_setting=is_setting,
        rare=True,
        type=SHARD,
        metavar="I/N",
        heading=Heading.DATA,
        help="Only the I-th of N equal parts."
        + ("" if is_setting else " --merge puts them together."),
    )


@dataclass(frozen=True, kw_only=True)
class DataArgs:
    """Where the cases are.

    Attributes:
        benchmark: A format's name, with ``root`` and ``split``.
        root: The benchmark's folder or file.
        split: Which part of it.
        cases: A file of cases, instead of a benchmark.
        sheet: The sheet of a workbook; empty: the one that has the columns.
        databases: Where the databases are: a folder, a file or a URL.
        engine: The engine that runs the queries; ``None``: by the kind of the databases.
        gold_databases: Where the golds run, if not on the same databases.
        columns: Pairs of a column of the file and the field to read it as.
        project: The project file, which was read before.
        overlays: Files of corrected golds, each with the name of its set.
    """

    HEADING: ClassVar[Heading] = Heading.DATA

    benchmark: str | None = option(
        "--benchmark", metavar="NAME", help="A format: spider, bird, trustsql, jsonl, csv, demo ..."
    )
    root: Path | None = option("--root", type=ANY_PATH, help="The benchmark's folder, or its file.")
    split: str = option("--split", default="dev", help="Which part of the benchmark.")
    cases: Path | None = option(
        "--cases",
        type=FILE,
        help="A file of cases: CSV, JSONL, Excel or Parquet, which may contain predictions, or a "
        "gold file with SQL<TAB>db_id on each line.",
    )
    sheet: str = option(
        "--sheet",
        rare=True,
        default="",
        metavar="NAME",
        help="The sheet of an Excel file. [default: the first that has the columns]",
    )
    databases: str | None = databases_option()
    engine: str | None = option(
        "--engine",
        rare=True,
        help="The engine that runs the queries. [default: by the kind of --databases]",
    )
    gold_databases: str | None = setting(
        "gold-databases",
        type=REFERENCE,
        metavar="PATH|URL",
        help="The same data on the engine that the golds are written for, if that is another one.",
    )
    columns: tuple[tuple[str, str], ...] = option(
        "--column",
        multiple=True,
        type=COLUMN,
        metavar="NAME=FIELD",
        help="Read a column of the cases or predictions as this field, such as Answer=prediction. "
        "Repeatable.",
    )

    project: Path | None = option(
        "--project",
        type=FILE,
        help="Options from this file (see sqlverdict init). [default: sqlverdict.toml, if there]",
    )
    overlays: tuple[tuple[str, Path], ...] = overlay_option()

    @property
    def engine_name(self) -> str:
        """The engine: the named one, or that of the databases.

        Raises:
            UsageError: there is no such engine, or it does not open such databases.
        """
        if self.engine is None:
            return DEFAULT_ENGINE if self.databases is None else engine_of(self.databases)
        ENGINES.get(self.engine)
        if self.databases is not None:
            check_fits(self.engine, self.databases)
        return self.engine

    @property
    def case_columns(self) -> dict[str, str]:
        """The column map for the cases."""
        return dict(self.columns)

    @property
    def case_sheet(self) -> str:
        """The named sheet, if the workbook of cases has it; else it is one of predictions."""
        if not self.sheet or self.cases is None:
            return ""
        return self.sheet if self.sheet in sheet_names(self.cases) else ""

    @property
    def prediction_map(self) -> dict[str, str]:
        """What the column map says about predictions."""
        return join_maps(dict(self.columns), {})

    @property
    def location(self) -> DatabaseLocation:
        """Where the databases are, and how their files are called."""
        return DatabaseLocation.of(self.databases, ENGINES.get(self.engine_name))


@dataclass(frozen=True, kw_only=True)
class CaseArgs(DataArgs):
    """Where the cases are, and which of them.

    Attributes:
        schema: A schema file or folder.
        limit: Only the first so many cases.
        only: Only the cases with these ids.
        shard: Only this part of the cases.
    """

    schema: Path | None = schema_option()
    limit: int | None = limit_option()
    only: tuple[str, ...] = only_option()
    shard: Shard | None = shard_option()

    @property
    def selection(self) -> str:
        """Which cases are evaluated, where not all are."""
        parts = [f"first {self.limit}"] if self.limit is not None else []
        if self.only:
            parts.append("only " + ", ".join(self.only))
        return "; ".join(parts if self.shard is None else [*parts, str(self.shard)])

    def part(self, items: Iterable[T]) -> Iterator[T]:
        """The items of the shard, among the first ``limit``."""
        for position, item in enumerate(islice(items, bounded(self.limit))):
            if self.shard is None or self.shard.has(position):
                yield item


def read_benchmark(
    data: DataArgs, others: Sequence[Path] = (), runs: Path | None = None
) -> Benchmark:
    """The benchmark that the options name, whole, with corrected golds.

    Args:
        data: The options.
        others: Other files that may be workbooks.
        runs: Where the runs go; what the notes of an earlier one say is not said again.

    Raises:
        UsageError: they name none, or several, or something is missing.
        DataError: corrected golds do not fit it.
    """
    _check_sheet(data, others)
    overlays = [read_overlay(name, path) for name, path in data.overlays]
    own = read_named(replace(data, sheet="") if _is_shared(data.cases, others) else data)
    benchmark = with_overlays(own, overlays)
    say_guess(message_text(benchmark.column_note), runs)
    return benchmark


def say_guess(note: str, runs: Path | None) -> None:
    """Print which columns were guessed, at once, unless a run in the folder says so already.

    It decides what is compared with what. An empty note: nothing was guessed.
    """
    if note and (runs is None or not was_noted(runs, note)):
        click.echo(f"note: {note}", err=True)


def _is_shared(cases: Path | None, others: Sequence[Path]) -> bool:
    """Whether the cases are in a workbook of predictions: a named sheet is then one of these."""
    return cases is not None and cases.resolve() in [each.resolve() for each in others]


def _check_sheet(data: DataArgs, others: Sequence[Path]) -> None:
    """Refuse a sheet that no file has.

    Raises:
        UsageError: it is one.
    """
    files = [*others, *([] if data.cases is None else [data.cases])]
    sheets = {file: sheet_names(file) for file in files} if data.sheet else {}
    if not data.sheet or any(data.sheet in names for names in sheets.values()):
        return
    workbooks = [f"{file} has {few_of(names, 12)}" for file, names in sheets.items() if names]
    raise UsageError(
        f"--sheet {data.sheet}: no Excel file here has a sheet {data.sheet!r}. "
        f"{'; '.join(workbooks) or 'There is none: leave it out'}"
    )


def read_named(data: DataArgs) -> Benchmark:
    """The benchmark that the options name, whole, with its own golds.

    Raises:
        UsageError: they name none, or several, or something is missing.
    """
    if (data.benchmark is None) == (data.cases is None):
        raise UsageError(
            f"name the cases with --cases FILE (your own CSV, JSONL, Excel or Parquet file, or a "
            f"gold file) or with --benchmark NAME --root DIR; found "
            f"{'neither' if data.cases is None else 'both'}"
        )
    if data.cases is not None:
        benchmark = read_own_file(data.cases, data.location, data.case_columns, data.case_sheet)
        return _with_gold_databases(benchmark, data.cases, data)
    assert data.benchmark is not None
    if data.root is None and data.benchmark != "demo":
        BENCHMARKS.get(data.benchmark)
        raise UsageError(f"--benchmark {data.benchmark} needs --root, the benchmark's folder")
    reader, root = BENCHMARKS.get(data.benchmark), data.root or Path()
    options = data.case_columns
    benchmark = reader.read(root, split=data.split, databases=data.location, options=options)
    return _with_gold_databases(benchmark, root, data)


def _with_gold_databases(benchmark: Benchmark, root: Path, data: DataArgs) -> Benchmark:
    """The benchmark, with the databases that the golds run on where they are others."""
    if data.gold_databases is None:
        return benchmark
    location = DatabaseLocation.of(data.gold_databases, ENGINES.get(engine_of(data.gold_databases)))
    golds = find_databases(root, (".",), location)
    cases = ChangedCases(benchmark.cases, partial(_with_gold_database, golds))
    return replace(benchmark, cases=cases)


def _with_gold_database(golds: Databases, case: Case) -> Case:
    """The case with the database that its gold runs on."""
    return replace(case, gold_database=golds.expected(case.db_id))


def select(benchmark: Benchmark, data: CaseArgs) -> Benchmark:
    """The benchmark cut to ``--limit`` and ``--only``, with the schema among its sources.

    Raises:
        UsageError: an id is unknown.
    """
    extra = extra_inputs(data)
    if data.only:
        known = dict.fromkeys(case_id for case_id, _ in benchmark.case_names())
        unknown = [case_id for case_id in data.only if case_id not in known]
        if unknown:
            raise UsageError(
                f"--only: no case has the id {few_of(unknown)}. Ids are those of the benchmark, "
                f"such as {few_of(known, 2)}"
            )
    size = benchmark.count
    cases: Iterable[Case] = benchmark.cases
    notes = benchmark.notes
    if data.selection:
        only = set(data.only)
        matching = (case for case in benchmark.cases if not only or case.id in only)
        cases = list(data.part(matching))
        size = len(cases)
        notes = notes_for_part(notes, cases)
    sources = (*benchmark.sources, *(SourceFile(name, digest) for name, digest in extra.items()))
    file = data.cases
    name = file.name if file is not None else benchmark.name
    name += overlay_title(name for name, _ in data.overlays)
    return replace(benchmark, name=name, cases=cases, count=size, sources=sources, notes=notes)


def select_pairs(
    pairs: Iterable[tuple[Case, Prediction]], data: CaseArgs
) -> Iterator[tuple[Case, Prediction]]:
    """As :func:`select`, for a stream.

    Raises:
        UsageError: an id did not occur.
    """
    if not data.only:
        return data.part(pairs)
    return data.part(_with_ids(pairs, set(data.only)))


def _with_ids(
    pairs: Iterable[tuple[Case, Prediction]], ids: set[str]
) -> Iterator[tuple[Case, Prediction]]:
    for case, prediction in pairs:
        if case.id in ids:
            ids.discard(case.id)
            yield case, prediction
            if not ids:
                return
    raise UsageError(f"--only: no case has the id {few_of(sorted(ids))}")


def extra_inputs(data: CaseArgs) -> dict[str, str]:
    """What a manifest says about the run's inputs besides the benchmark's files."""
    extra = {f"{OVERLAY} {name}": sha256_file(path) for name, path in data.overlays}
    if data.schema is not None:
        extra["schema"] = _schema_digest(data.schema)
    if data.selection:
        extra["selection"] = data.selection
    if data.sheet:
        extra["sheet"] = data.sheet
    if data.columns:
        extra["columns"] = ", ".join(f"{name}={target}" for name, target in data.columns)
    return extra


def _schema_digest(path: Path) -> str:
    """Check the schema, and return its digest.

    Raises:
        SchemaError: it cannot be read.
    """
    schemas = load_schemas(path)
    if path.is_file():
        return sha256_file(path)
    return f"folder of {count(len(schemas), 'database')}"
