"""The cases of a table, and the predictions in its rows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from sqlverdict.errors import (
    BenchmarkError,
    OptionName,
    Part,
    UnclearColumns,
    UsageError,
    column_option,
    message_text,
)
from sqlverdict.files.text import UTF8_BOM
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, SourceFile
from sqlverdict.load.columns.column_map import (
    LEAVE_OUT,
    Names,
    absent_from,
    check_case_columns,
    column_map,
    mapped_names,
    other_spellings,
    rename,
    texts_of,
    unused_note,
)
from sqlverdict.load.columns.database_names import database_names
from sqlverdict.load.columns.guess import HEAD, guess_columns
from sqlverdict.load.columns.ids import ROW_NUMBERS
from sqlverdict.load.columns.words import Role, role_of
from sqlverdict.load.databases import Databases, Location, find_databases, shared_note
from sqlverdict.load.fields import (
    CASE_ALIASES,
    ID_KEYS,
    case_from,
    prediction_from,
)
from sqlverdict.load.tables.open_table import open_table, table_format
from sqlverdict.load.tables.table import TableFile, TableSpot, cells_as_fields
from sqlverdict.load.turns import TurnReader
from sqlverdict.records import Case, Prediction

_SQLITE = b"SQLite format 3\0"
_START = 4_096
_PER_NAME = 8
"""What a column that the user names counts, against all that is guessed."""
_MOST_IDS = 2
"""So many columns are named that may hold the ids."""
_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
_QUERY = re.compile(
    rb"(?:/\*.*?\*/|[\s(])*(?:select|with|values)\b(?!\s*[\t,;|])", re.IGNORECASE | re.DOTALL
)
"""A file that starts so has no header: it is a gold file, a query a line."""


class TableCases:
    """The cases of a table, read anew at each iteration.

    Args:
        path: The file.
        columns: The user's column map, checked.
        databases: Where the databases are.
        sheet: The sheet of a workbook; empty: the one that has the columns.

    Raises:
        BenchmarkError: the table cannot be read, or has no column of gold queries.
        UsageError: the column map names a column that the table does not have.
    """

    def __init__(
        self, path: Path, columns: Mapping[str, str], databases: Databases, sheet: str = ""
    ) -> None:
        self.path = path
        self.databases = databases
        table = open_cases(path, columns, sheet)
        head = [row for _, row in islice(table.rows, HEAD)]
        table.rows.close()
        self.header = table.header
        self.spot = table.spot
        spellings = other_spellings(table.header, columns)
        self.lacks = tuple(absent_from(table.header, mapped_names(columns)))
        check_case_columns(columns, self.lacks, self.named_columns)
        self.guess = guess_columns(table.header, head, columns, spellings)
        spellings |= database_names(head, columns, spellings, databases, path.parent)
        self.columns = {**columns, **spellings, **self.guess.columns}
        self.fields = rename(dict.fromkeys(table.header), self.columns, str(path)).keys()
        if not self.guess.has_gold:
            raise self.guess.missing(f"{self.named_columns[0]} has no gold queries.")
        db_ids = texts_of("db_id", head, self.columns)
        self.notes = (*table.notes, *self._notes(spellings, db_ids))

    @property
    def carries_predictions(self) -> bool:
        """Whether the table has a column of predictions."""
        return self.guess.has_prediction or "abstained" in self.fields

    def no_predictions(self, problem: str) -> UnclearColumns:
        """The error where the table has no predictions and none are given."""
        return self.guess.missing(problem)

    def __iter__(self) -> Iterator[Case]:
        for case, _, _ in self._records():
            yield case

    def pairs(self) -> Iterator[tuple[Case, Prediction]]:
        """Each case with the prediction in its row.

        Raises:
            PredictionError: a prediction cannot be read.
        """
        for case, record, where in self._records():
            yield case, prediction_from(record, case.id, where)

    def _records(self) -> Iterator[tuple[Case, dict[str, Any], str]]:
        lines: dict[str, str] = {}
        turns = TurnReader()
        rows = open_table(self.path, BenchmarkError, spot=self.spot).rows
        for number, (line, row) in enumerate(rows, 1):
            where = f"{self.path}, {line}"
            record = cells_as_fields(row, self.columns, where, BenchmarkError)
            if "id" not in self.fields:
                record["id"] = str(number)
            case = case_from(record, where, self.databases, self.path.parent)
            first = lines.setdefault(case.id, line)
            if first != line:
                raise BenchmarkError(
                    f"{self.path}: id {case.id!r} appears on {first} and again on {line}. "
                    f"Expected each id once; rename or remove one of them.",
                    *self._other_id(),
                    reason="repeated",
                )
            yield turns.with_turn(case, record, where), record, where
        if not lines:
            raise BenchmarkError(
                f"{self.path} has a header but no rows. Expected cases.", reason="empty"
            )

    @property
    def named_columns(self) -> Names:
        """The file and the sheet of a workbook, and the names of the columns."""
        sheet = f", sheet {self.spot.sheet!r}," if self.spot.sheet else ""
        return f"{self.path}{sheet}", self.header

    def _other_id(self) -> tuple[Part, ...]:
        """What to do where the column taken for ids holds none; empty if it is called ``id``."""
        names = [name for name in self.header if self.columns.get(name, name) in ID_KEYS]
        if not names or names[0] == "id":
            return ()
        off = column_option(names[0], LEAVE_OUT)
        return (f" If {names[0]!r} is not an id, number the rows: ", off)

    def _id_hint(self) -> str:
        """Which columns may hold the ids; empty where none may."""
        names = self.guess.may_be_ids[:_MOST_IDS]
        maps = [(name, shlex.quote(f"{name}=id")) for name in names]
        return "".join(f"; the option column {text} reads {name!r}" for name, text in maps)

    def _notes(self, spellings: Mapping[str, str], db_ids: Sequence[str]) -> Iterator[str]:
        name = self.path.name
        if column_note := self.guess.sentence(name):
            yield message_text(column_note)
        read = ", ".join(
            f"{theirs!r} as {CASE_ALIASES.get(ours, ours)}"
            for theirs, ours in spellings.items()
            if theirs not in self.guess.columns
        )
        if read:
            yield f"{name}: read {read}"
        if "id" not in self.fields:
            yield f"{name} has no id column: {ROW_NUMBERS}{self._id_hint()}"
        if unused := unused_note(name, self.fields, self.guess.queries):
            yield unused
        if shared := shared_note(name, self.databases, db_ids):
            yield shared
        if self.fields.isdisjoint({"db_id", "database"}) and self.databases.only is not None:
            yield f"{name} names no database: every case is on {self.databases.only}"


def own_format(path: Path) -> str:
    """The reader of a user's own file of cases, by the file's name, else by how it begins.

    Raises:
        UsageError: the file is a database.
    """
    start = b""
    if path.is_file():
        with path.open("rb") as stream:
            start = stream.read(_START)
            if start.startswith(_SQLITE):
                raise UsageError(
                    f"{path} is a SQLite database, not a file of questions: give it with ",
                    OptionName("databases", str(path)),
                    ", and the questions with ",
                    OptionName("cases", "FILE"),
                )
    start = start.removeprefix(UTF8_BOM).lstrip()
    query = _QUERY.match(start) is not None
    if path.suffix.lower() == ".sql" or (query and (table_format(path) is None or b"\t" in start)):
        return "goldfile"
    is_json = path.suffix.lower() in _JSON_SUFFIXES or not start
    is_json = is_json or start.startswith((b"{", b"["))
    return table_format(path) or ("jsonl" if is_json else "csv")


def open_cases(path: Path, columns: Mapping[str, str], sheet: str = "") -> TableFile:
    """The table of cases in a file: in a workbook the sheet that has the columns.

    Args:
        path: The file.
        columns: The user's column map.
        sheet: The sheet that the user names.

    Raises:
        BenchmarkError: the table cannot be read.
    """
    fit = partial(_case_fit, columns)
    return open_table(path, BenchmarkError, fit=fit, spot=TableSpot(sheet) if sheet else None)


def _case_fit(
    columns: Mapping[str, str], header: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> int:
    """How clearly a table is one of cases: it has a gold, and questions, or queries at least."""
    if not rows:
        return 0
    in_map = _PER_NAME * sum(name in header for name in columns)
    spellings = other_spellings(header, columns)
    try:
        guess = guess_columns(header, rows, columns, spellings)
    except UnclearColumns:
        return in_map + 1
    if not guess.has_gold:
        return in_map + bool(guess.queries)
    known = {**columns, **spellings, **guess.columns}
    golds = [name for name, target in guess.columns.items() if target == "gold"]
    is_clear = all(role_of(name) is Role.GOLD for name in golds)
    has_questions = "question" in {known.get(name, name) for name in header}
    return in_map + 2 + has_questions + 2 * is_clear


def read_own_file(
    path: Path, databases: Location, columns: Mapping[str, str], sheet: str = ""
) -> Benchmark:
    """A user's own file of cases as a benchmark.

    Args:
        path: The file.
        databases: Where the databases are.
        columns: The user's column map.
        sheet: The sheet of a workbook that the user names.

    Raises:
        BenchmarkError: the file cannot be read.
        UsageError: the column map is wrong, or a sheet is named and the file is no workbook.
    """
    name = own_format(path)
    if not sheet:
        return BENCHMARKS.get(name).read(path, databases=databases, options=columns)
    if name != "excel":
        raise UsageError(
            OptionName("sheet", sheet), f": {path} is no Excel file and has no sheets; leave it out"
        )
    return table_benchmark(name, path, databases, columns, sheet)


def table_benchmark(
    name: str, file: Path, databases: Location, options: Mapping[str, str], sheet: str = ""
) -> Benchmark:
    """A table of cases as a benchmark; the arguments are those of its reader, and a sheet.

    Raises:
        BenchmarkError: the table cannot be read.
        UsageError: the column map is wrong.
    """
    columns = column_map(options)
    folder = find_databases(file.parent, ("databases", "database", "."), databases)
    cases = TableCases(file, columns, folder, sheet)
    source = SourceFile.of(file)
    version = f"sha256 {source.sha256[:12]}"
    column_note = cases.guess.sentence(file.name)
    return Benchmark(
        name, version, cases, sources=(source,), notes=cases.notes, column_note=column_note
    )
