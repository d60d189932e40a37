"""Finds the questions, the predictions and the database in a folder, for ``sqlverdict init``.

The questions are in the file that has golds; beside several, in the one whose columns say so most
clearly. Other files whose ids are those of the questions are predictions. What can be meant in
several ways is not chosen: the message has a command for each.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sqlverdict.cli.options.shared import command_line
from sqlverdict.errors import (
    DataError,
    SqlverdictError,
    UnclearColumns,
    UsageError,
)
from sqlverdict.execute.engine import ENGINES, engine_of
from sqlverdict.files.text import few_of
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.load.columns.column_map import other_spellings
from sqlverdict.load.columns.guess import HEAD, GuessedColumns, guess_columns
from sqlverdict.load.columns.words import Role, role_of
from sqlverdict.load.databases import DatabaseFolder, DatabaseLocation, find_databases
from sqlverdict.load.own_files.jsonl import JsonlCases
from sqlverdict.load.predictions import load_trials
from sqlverdict.load.tables.cases import open_cases, read_own_file
from sqlverdict.load.tables.open_table import SUFFIXES, table_format

_TABLES = tuple(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
_QUESTIONS = (*_TABLES, ".jsonl")
_PREDICTIONS = (*_QUESTIONS, ".json")


@dataclass(frozen=True)
class OwnData:
    """What a folder holds.

    Attributes:
        cases: The file of questions; ``None``: there is none.
        predictions: The files of predictions, where the questions have none.
        databases: The database, or a folder of databases; ``None``: there is none, or the cases
            find theirs without a word.
        guess: What is known of the columns of the questions.
        problem: Why nothing can be evaluated yet; empty where nothing is missing.
    """

    cases: Path | None
    predictions: tuple[Path, ...]
    databases: str | None
    guess: GuessedColumns
    problem: str = ""


def find_own_data(folder: Path, cases: Path | None, databases: str | None) -> OwnData:
    """The data of a project.

    Args:
        folder: Where to look.
        cases: The file of questions, where the user names it.
        databases: The database or databases, where the user names them.

    Raises:
        UsageError: the questions or the database may be in several files, or the database that
            the user names is not there.
        DataError: the file of questions cannot be read.
    """
    if databases is not None:
        find_databases(folder, (), _location(databases))
    file = cases or _questions(folder)
    found_databases = databases or _database(folder, file)
    if file is None:
        return OwnData(None, (), found_databases, GuessedColumns(()), "no questions were found")
    try:
        guess = _columns(file)
    except UnclearColumns as unclear:
        return OwnData(file, (), found_databases, GuessedColumns(()), unclear.problem)
    benchmark, problem = _read(file, found_databases)
    predictions = _predictions(folder, file, benchmark) if not guess.has_prediction else ()
    if not problem and not guess.has_prediction and not predictions:
        problem = "no predictions were found"
    return OwnData(file, predictions, found_databases, guess, problem)


def _files(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    return sorted(
        file for file in folder.iterdir() if file.suffix.lower() in suffixes and file.is_file()
    )


def _questions(folder: Path) -> Path | None:
    files = _files(folder, _QUESTIONS)
    if len(files) < 2:
        return files[0] if files else None
    ranks = {file: _rank(file) for file in files}
    best = [file for file in files if ranks[file] and ranks[file] == max(ranks.values())]
    if len(best) == 1:
        return best[0]
    raise _unclear("questions", best or files, "--cases")


def _rank(file: Path) -> int:
    """How clearly a file is one of questions; 0: it has no gold."""
    try:
        guess = _columns(file)
    except DataError:
        return 0
    fields = {*other_spellings(guess.header, {}).values(), *guess.columns.values(), *guess.header}
    golds = [name for name, target in guess.columns.items() if target == "gold"]
    by_chance = any(role_of(name) is not Role.GOLD for name in golds)
    return guess.has_gold * (1 + ("question" in fields) + 2 * (not by_chance))


def _columns(file: Path) -> GuessedColumns:
    """What is known of the columns of a file, from its first rows.

    Raises:
        DataError: the file cannot be read, or is a file of records without a gold.
    """
    if table_format(file) is None:
        return JsonlCases(file, {}, DatabaseFolder(file.parent)).guess
    table = open_cases(file, {})
    rows = [row for _, row in islice(table.rows, HEAD)]
    table.rows.close()
    return guess_columns(table.header, rows, {}, other_spellings(table.header, {}))


def _database(folder: Path, cases: Path | None) -> str | None:
    engines = [engine for _, engine in ENGINES.items()]
    suffixes = {each for engine in engines if not engine.folders for each in engine.suffixes}
    inner = {each for engine in engines if engine.folders for each in engine.suffixes}
    files = _files(folder, tuple(suffixes))
    inside = folder.glob("[!.]*/*") if inner else ()
    files += sorted({file.parent for file in inside if file.suffix.lower() in inner})
    if len(files) == 1:
        return str(files[0])
    if not files or (cases is not None and not _read(cases, None)[1]):
        # Without --databases the cases find databases that lie beside them.
        return None
    raise _unclear("database", files, "--databases")


def _location(databases: str) -> DatabaseLocation:
    """Where the user says that the databases are."""
    return DatabaseLocation.of(databases, ENGINES.get(engine_of(databases)))


def _read(cases: Path, databases: str | None) -> tuple[Benchmark | None, str]:
    """The cases, and what is wrong with them."""
    try:
        location = None if databases is None else _location(databases)
        benchmark = read_own_file(cases, location, {})
        first = next(iter(benchmark.cases))
        if databases is None and (first.database is None or not Path(first.database).exists()):
            return benchmark, "no database was found"
    except SqlverdictError as error:
        return None, str(error)
    return benchmark, ""


def _predictions(folder: Path, cases: Path, benchmark: Benchmark | None) -> tuple[Path, ...]:
    """The other files that have a prediction for each case."""
    if benchmark is None:
        return ()
    try:
        ids = [case_id for case_id, _ in benchmark.case_names()]
    except DataError:
        return ()
    others = [file for file in _files(folder, _PREDICTIONS) if file.resolve() != cases.resolve()]
    sessions = benchmark.session_sizes()
    return tuple(file for file in others if _has_predictions(file, ids, sessions))


def _has_predictions(file: Path, ids: Sequence[str], sessions: Sequence[int]) -> bool:
    try:
        load_trials(file, ids, sessions=sessions)
    except SqlverdictError:
        return False
    return True


def _unclear(what: str, files: Sequence[Path], option: str) -> UsageError:
    lines = [f"{command_line()} {option} {shlex.quote(str(file))}" for file in files]
    names = few_of([file.name for file in files])
    return UsageError(
        "\n  ".join([f"the {what} may be in any of {names}. Copy the line that is right:", *lines])
    )
