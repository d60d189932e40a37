"""From the options of ``evaluate`` to a benchmark, systems and a stream of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from sqlverdict.errors import UsageError
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import count, listed
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, SourceFile
from sqlverdict.pipeline import System
from sqlverdict.records import Case, Prediction

_TABLES = (".csv", ".tsv", ".tab")


@dataclass(frozen=True)
class DataInputs:
    """What the user said about the data.

    Attributes:
        benchmark: A reader's name, with ``root`` and ``split``.
        root: The benchmark's folder or file.
        split: Which part of it.
        gold: A gold file, instead of a benchmark.
        cases: A file of cases, instead of a benchmark.
        databases: Where the databases lie.
        columns: The column map, from a name in the file to one of our fields.
        schema: A schema file or folder.
        limit: Only the first so many cases.
        only: Only the cases of these ids.
    """

    benchmark: str | None = None
    root: Path | None = None
    split: str = "dev"
    gold: Path | None = None
    cases: Path | None = None
    databases: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    schema: Path | None = None
    limit: int | None = None
    only: tuple[str, ...] = ()

    @property
    def selection(self) -> str:
        """Which cases are evaluated, where not all are."""
        parts = [f"first {self.limit}"] if self.limit is not None else []
        return "; ".join([*parts, "only " + ", ".join(self.only)] if self.only else parts)


def read_benchmark(given: DataInputs) -> Benchmark:
    """The benchmark that the options name, whole.

    Raises:
        UsageError: they name none, or several, or lack something.
    """
    options = dict(given.columns)
    named = [
        option
        for option, value in (
            ("--benchmark", given.benchmark),
            ("--gold", given.gold),
            ("--cases", given.cases),
        )
        if value is not None
    ]
    if len(named) != 1:
        found = f"found {' and '.join(named)}" if named else "found none of them"
        raise UsageError(
            f"say what to evaluate with one of --benchmark NAME --root DIR, --gold FILE "
            f"--databases DIR, or --cases FILE; {found}"
        )
    if given.gold is not None:
        return _read("goldfile", given.gold, given, options)
    if given.cases is not None:
        name = "csv" if given.cases.suffix.lower() in _TABLES else "jsonl"
        return _read(name, given.cases, given, options)
    assert given.benchmark is not None
    if given.root is None and given.benchmark != "demo":
        BENCHMARKS.get(given.benchmark)
        raise UsageError(f"--benchmark {given.benchmark} needs --root: the folder where it lies")
    return _read(given.benchmark, given.root or Path(), given, options)


def _read(name: str, root: Path, given: DataInputs, options: Mapping[str, str]) -> Benchmark:
    reader = BENCHMARKS.get(name)
    return reader.read(root, split=given.split, databases=given.databases, options=options)


def select(benchmark: Benchmark, given: DataInputs) -> Benchmark:
    """The benchmark cut to ``--limit`` and ``--only``, with the schema among its sources.

    Raises:
        UsageError: an id is unknown.
    """
    extra = extra_inputs(given)
    if given.only:
        known = dict.fromkeys(case.id for case in benchmark.cases)
        unknown = [case_id for case_id in given.only if case_id not in known]
        if unknown:
            raise UsageError(
                f"--only: no case has the id {listed(unknown)}. Ids are those of the benchmark, "
                f"such as {listed(known, 2)}"
            )
    count = benchmark.count
    cases: Iterable[Case] = benchmark.cases
    if given.selection:
        chosen = list(islice(_chosen(benchmark.cases, given), given.limit))
        cases, count = chosen, len(chosen)
    sources = (*benchmark.sources, *(SourceFile(name, digest) for name, digest in extra.items()))
    file = given.gold or given.cases
    name = file.name if file is not None else benchmark.name
    return replace(benchmark, name=name, cases=cases, count=count, sources=sources)


def _chosen(cases: Iterable[Case], given: DataInputs) -> Iterator[Case]:
    only = set(given.only)
    return (case for case in cases if not only or case.id in only)


def select_pairs(
    pairs: Iterable[tuple[Case, Prediction]], given: DataInputs
) -> Iterator[tuple[Case, Prediction]]:
    """As :func:`select`, for a stream.

    Raises:
        UsageError: an id was not seen.
    """
    if not given.only:
        return islice(pairs, given.limit)
    return islice(_only(pairs, set(given.only)), given.limit)


def _only(
    pairs: Iterable[tuple[Case, Prediction]], wanted: set[str]
) -> Iterator[tuple[Case, Prediction]]:
    for case, prediction in pairs:
        if case.id in wanted:
            wanted.discard(case.id)
            yield case, prediction
            if not wanted:
                return
    raise UsageError(f"--only: no case has the id {listed(sorted(wanted))}")


def extra_inputs(given: DataInputs) -> dict[str, str]:
    """What a manifest says about the run's inputs besides the benchmark's files."""
    extra = {}
    if given.schema is not None:
        extra["schema"] = _schema_digest(given.schema)
    if given.selection:
        extra["selection"] = given.selection
    if given.columns:
        extra["columns"] = ", ".join(f"{name}={target}" for name, target in given.columns.items())
    return extra


def _schema_digest(path: Path) -> str:
    """Check the schema and stand for it.

    Raises:
        SchemaError: it cannot be read.
    """
    from sqlverdict.parse.schemas.load import load_schemas

    schemas = load_schemas(path)
    if path.is_file():
        return sha256_file(path)
    return f"folder of {count(len(schemas), 'database')}"


def read_systems(
    files: Sequence[str],
    benchmark: Benchmark,
    *,
    out: Path | None,
    name: str | None,
    format: str | None,  # noqa: A002 (the word users know)
    allow_missing: bool,
) -> list[System]:
    """The systems of ``--predictions``, each paired with every case of the whole benchmark.

    Raises:
        UsageError: two systems have one name.
        PredictionError: a file does not fit the cases.
    """
    from sqlverdict.load.predictions import load_predictions

    named = [split_name(text) for text in files]
    if name is not None:
        if len(named) > 1:
            raise UsageError("--name names one system; with several write --predictions NAME=FILE")
        named = [(name, named[0][1])]
    names = [system for system, _ in named]
    twice = sorted({system for system in names if names.count(system) > 1})
    if twice:
        raise UsageError(
            f"two systems are called {twice[0]!r}: give them names, --predictions NAME=FILE"
        )
    cases = [(case.id, case.db_id) for case in benchmark.cases]
    ids, db_ids = [case_id for case_id, _ in cases], [db_id for _, db_id in cases]
    systems = []
    for system, file in named:
        found = load_predictions(
            file, ids, format=format, db_ids=db_ids, strict_ids=not allow_missing
        )
        systems.append(
            System(system, found, run_folder(system, out, len(named)), found.sha256, found.notes)
        )
    return systems


def run_folder(system: str, out: Path | None, systems: int) -> Path:
    """Where a run goes: ``--out`` itself for one system, a folder in it for each of several."""
    base = out if out is not None else Path("runs")
    return base if out is not None and systems == 1 else base / _safe(system)


def split_name(text: str) -> tuple[str, Path]:
    """``name=FILE`` or ``FILE``, which is named after its stem."""
    name, sign, file = text.partition("=")
    if sign and name and not Path(text).exists():
        return name, Path(file)
    return Path(text).stem, Path(text)


def _safe(name: str) -> str:
    """A system's name as a folder's name."""
    return "".join(c if c.isalnum() or c in "-_.+ " else "_" for c in name).strip(". ") or "system"


def column_options(pairs: Sequence[str]) -> dict[str, str]:
    """Read ``--column`` options.

    Raises:
        UsageError: one is not NAME=FIELD.
    """
    options = {}
    for text in pairs:
        key, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not key or not value:
            raise UsageError(
                f"--column {text!r}: expected NAME=FIELD, the file's column and our field, "
                f"such as sql=gold"
            )
        options[key] = value
    return options
