"""Do the rows keep what the schema declares, and can their text be read?"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, TimeLeft, lenient, open_for_audit, table_names
from sqlverdict.errors import DatabaseError
from sqlverdict.files.references import file_of
from sqlverdict.files.sqlite import quote_name
from sqlverdict.files.text import count as count_of
from sqlverdict.files.text import few_of

NAME = "database_content"
_BATCH = 10_000
_MOST_ORPHANS = 100_000


@CHECKS.member
class DatabaseContent(Check):
    """Foreign keys without parents, text that is not UTF-8, tables without rows."""

    title = "what is odd about the rows of the databases"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Look into each file once."""
        for index, (database, cases) in enumerate(data.databases.items()):
            data.tell(NAME, index, len(data.databases))
            path, db_id = file_of(database), cases[0].db_id
            engine = data.runner.engine_for(database)
            if path is None or not path.is_file() or not engine.in_python:
                continue
            seconds = data.options.limits.seconds
            try:
                with open_for_audit(path, seconds) as (connection, budget):
                    yield from _examine(connection, budget, db_id, data)
                    spent = budget.spent
            except (DatabaseError, sqlite3.Error):
                # What cannot be opened is the finding of database_files.
                continue
            if spent:
                message = f"not all rows could be read within {seconds:g} s"
                yield AuditFinding(
                    NAME,
                    "info",
                    db_id,
                    message,
                    "raise the setting timeout to read them all",
                )


def _examine(
    connection: sqlite3.Connection, budget: TimeLeft, db_id: str, data: AuditData
) -> Iterator[AuditFinding]:
    connection.text_factory = lenient
    encoding = connection.execute("PRAGMA encoding").fetchone()[0]
    if encoding != "UTF-8":
        yield AuditFinding(NAME, "info", db_id, f"the file's encoding is {encoding}")
    tables = table_names(connection)
    for step in (_empty_tables, _orphans, _undecodable):
        try:
            yield from step(connection, tables, db_id, data)
        except sqlite3.Error:
            if budget.spent:
                return


def _empty_tables(
    connection: sqlite3.Connection, tables: list[str], db_id: str, data: AuditData
) -> Iterator[AuditFinding]:
    empty = [
        table
        for table in tables
        if connection.execute(f"SELECT 1 FROM {quote_name(table)} LIMIT 1").fetchone()  # noqa: S608
        is None
    ]
    data.figures["tables_without_rows"] += len(empty)
    if empty:
        message = f"{len(empty)} of {count_of(len(tables), 'table')} without rows: {few_of(empty)}"
        hint = "queries over them match any wrong query that returns nothing as well"
        yield AuditFinding(NAME, "info", db_id, message, hint, {"tables": empty})


def _orphans(
    connection: sqlite3.Connection, tables: list[str], db_id: str, data: AuditData
) -> Iterator[AuditFinding]:
    orphans: Counter[str] = Counter()
    misfits: list[str] = []
    for table in tables:
        try:
            rows = connection.execute(f"PRAGMA foreign_key_check({quote_name(table)})")
            for _, _, parent, _ in rows:
                orphans[f"{table} -> {parent}"] += 1
                if orphans.total() >= _MOST_ORPHANS:
                    break
        except sqlite3.OperationalError as error:
            if "foreign key mismatch" not in str(error):
                raise
            misfits.append(str(error).removeprefix("foreign key mismatch - "))
    data.figures["foreign_key_violations"] += orphans.total()
    if orphans:
        pairs = ", ".join(f"{pair} ({count:,})" for pair, count in orphans.most_common(4))
        more = "at least " if orphans.total() >= _MOST_ORPHANS else ""
        message = (
            f"{more}{count_of(orphans.total(), 'row breaks', 'rows break')} a foreign key: {pairs}"
        )
        hint = "joins lose these rows; what assumes the keys (proofs, witnesses) may not hold here"
        yield AuditFinding(NAME, "warning", db_id, message, hint, {"violations": dict(orphans)})
    if misfits:
        message = (
            f"{count_of(len(misfits), 'foreign key does', 'foreign keys do')} not "
            f"name a key of the parent table: {misfits[0]}"
        )
        hint = "the declaration cannot be checked and promises nothing"
        yield AuditFinding(NAME, "info", db_id, message, hint, {"declarations": misfits})


def _undecodable(
    connection: sqlite3.Connection, tables: list[str], db_id: str, data: AuditData
) -> Iterator[AuditFinding]:
    bad: dict[str, int] = {}
    for table in tables:
        connection.text_factory = str
        rows = connection.execute(f"SELECT * FROM {quote_name(table)}")  # noqa: S608 (quoted)
        try:
            while rows.fetchmany(_BATCH):
                pass
        except sqlite3.OperationalError as error:
            if "Could not decode" not in str(error):
                raise
            connection.text_factory = _marked
            rows = connection.execute(f"SELECT * FROM {quote_name(table)}")  # noqa: S608 (quoted)
            bad[table] = sum(cell is _BAD for row in rows for cell in row)
    connection.text_factory = lenient
    data.figures["cells_not_utf8"] += sum(bad.values())
    if bad:
        counts = ", ".join(f"{table} ({count:,})" for table, count in bad.items())
        message = f"{count_of(sum(bad.values()), 'text is', 'texts are')} not UTF-8: {counts}"
        hint = "many scripts crash on them; here odd bytes are kept as \\xNN on both sides"
        yield AuditFinding(NAME, "warning", db_id, message, hint, {"tables": bad})


_BAD = object()


def _marked(raw: bytes) -> object:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return _BAD
    return None
