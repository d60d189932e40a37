"""Is there a database for every case, whole, and nothing left over beside it?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from sqlverdict.audit.check import CHECKS, AuditFinding, Check, Severity
from sqlverdict.audit.data import AuditData, open_for_audit
from sqlverdict.errors import DatabaseError
from sqlverdict.files.other_engines import file_hint
from sqlverdict.files.references import file_of
from sqlverdict.files.sqlite import MAGIC, side_file
from sqlverdict.files.text import count, few_of
from sqlverdict.load.databases import SUFFIXES, suite_of

NAME = "database_files"
_ALIKE = 0.85
"""Names that are less alike than this are other databases, not a mistyped one."""
_RESTORE = "restore the file from the benchmark's archive"


@CHECKS.member
class DatabaseFiles(Check):
    """Missing, empty and corrupt files, leftovers of writers, test suites."""

    title = "database files that are missing or damaged"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Look at each file once."""
        homeless = [case.id for case in data.cases if case.database is None and case.golds]
        if homeless:
            message = (
                f"{count(len(homeless), 'case names', 'cases name')} no database "
                f"file (id {few_of(homeless)})"
            )
            hint = "say where the databases are (option databases)"
            yield AuditFinding(NAME, "error", data.benchmark.name, message, hint)
        for position, (database, cases) in enumerate(data.databases.items()):
            data.tell(NAME, position, len(data.databases))
            path, db_id = file_of(database), cases[0].db_id
            engine = data.runner.engine_for(database)
            is_kind = Path.is_dir if engine.folders else Path.is_file
            is_there = path is not None and is_kind(path)
            if path is None or (is_there and not engine.in_python):
                yield from _opened(database, db_id, len(cases), data)
            elif is_there:
                data.figures["databases"] += 1
                yield from _examine(path, db_id, data)
            else:
                data.figures["databases_missing"] += 1
                data.figures["cases_without_database"] += len(cases)
                results = all(case.gold_answers for case in cases)
                yield _missing(path, db_id, len(cases), "info" if results else "error")


def _opened(database: str, db_id: str, cases: int, data: AuditData) -> Iterator[AuditFinding]:
    """A database that only its engine can look into."""
    try:
        data.runner.engine_for(database).open(database, data.options.limits).close()
        data.figures["databases"] += 1
    except DatabaseError as error:
        data.figures["databases_missing"] += 1
        data.figures["cases_without_database"] += cases
        hint = "make it available, or correct the db_id or the URL (option databases)"
        detail = {"path": database, "cases": cases}
        yield AuditFinding(
            NAME, "error", db_id, f"{error}; {count(cases, 'case')} cannot run", hint, detail
        )


def _missing(path: Path, db_id: str, cases: int, severity: Severity) -> AuditFinding:
    root = path.parent.parent
    names = [child.stem for child in root.iterdir()] if root.is_dir() else []
    near = get_close_matches(db_id, names, n=1, cutoff=_ALIKE)
    known = f" There is {near[0]!r}." if near else ""
    message = f"there is no {path}; {count(cases, 'case')} cannot run.{known}"
    hint = "add the file, or correct the db_id or where databases are (option databases)"
    if severity == "info":
        hint = "predictions that are results need none; for queries, add the file"
    return AuditFinding(NAME, severity, db_id, message, hint, {"path": str(path), "cases": cases})


def _examine(path: Path, db_id: str, data: AuditData) -> Iterator[AuditFinding]:
    with path.open("rb") as stream:
        start = stream.read(len(MAGIC))
    if not start:
        hint = f"an empty file is made when a wrong path is opened; {_RESTORE}"
        yield AuditFinding(NAME, "error", db_id, f"{path} is empty (0 bytes)", hint)
        return
    if start != MAGIC:
        message = f"{path} is not a SQLite database: it begins with {start!r}"
        yield AuditFinding(NAME, "error", db_id, message, file_hint(start) or _RESTORE)
        return
    try:
        yield from _whole(path, db_id, data)
    except DatabaseError as error:
        yield AuditFinding(NAME, "error", db_id, str(error), _RESTORE)
    except sqlite3.Error as error:
        yield AuditFinding(NAME, "error", db_id, f"{path} cannot be read: {error}", _RESTORE)
    yield from _leftovers(path, db_id)
    suite = suite_of(str(path), db_id, SUFFIXES)
    if len(suite) > 1:
        data.figures["suites"] += 1
        message = f"a test suite of {len(suite)} database files; golds are examined on {path.name}"
        yield AuditFinding(NAME, "info", db_id, message, detail={"files": len(suite)})


def _whole(path: Path, db_id: str, data: AuditData) -> Iterator[AuditFinding]:
    with open_for_audit(path, data.options.limits.seconds) as (connection, budget):
        tables = connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE type IN ('table', 'view')"
        ).fetchone()[0]
        if not tables:
            hint = f"a wrong path may have made it; {_RESTORE}"
            yield AuditFinding(NAME, "error", db_id, f"{path} holds no tables", hint)
            return
        try:
            messages = [row[0] for row in connection.execute("PRAGMA quick_check(10)")]
        except sqlite3.OperationalError:
            if not budget.spent:
                raise
            message = f"not checked to the end within {data.options.limits.seconds:g} s"
            yield AuditFinding(
                NAME,
                "info",
                db_id,
                message,
                "raise the setting timeout to check all of it",
            )
            return
    wrong = [text for text in messages if text != "ok"]
    if wrong:
        damaged = [text for text in wrong if not _is_constraint(text)]
        severity: Severity = "error" if damaged else "warning"
        message = f"SQLite's quick_check of {path.name} says: {'; '.join(damaged or wrong)[:300]}"
        hint = _RESTORE if damaged else "the rows break what the schema declares"
        yield AuditFinding(NAME, severity, db_id, message, hint, {"messages": wrong})


def _is_constraint(text: str) -> bool:
    """Values that break a declaration are odd data, not a damaged file."""
    marks = ("NULL value in", "CHECK constraint failed", "non-unique entry", "TEXT value in")
    return any(mark in text for mark in (*marks, "NUMERIC value in", "non-INT value in"))


def _leftovers(path: Path, db_id: str) -> Iterator[AuditFinding]:
    for ending, what in (("-wal", "write-ahead log"), ("-journal", "rollback journal")):
        left = side_file(path, ending)
        if left.is_file() and left.stat().st_size:
            message = f"{left.name} is beside it: a {what} of {left.stat().st_size:,} bytes"
            hint = "a writer did not finish: open the file once with sqlite3 and close it"
            yield AuditFinding(NAME, "warning", db_id, message, hint)
