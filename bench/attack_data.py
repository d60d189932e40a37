"""Real databases with broken keys, and whether a witness is legal."""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from random import Random

from refute import DATA
from sqlverdict.parse.query import parse
from sqlverdict.records import Query, Row
from sqlverdict.refute.witness import Witness
from sqlverdict.refute.witness_files import replay, write

BROKEN_DATABASES = (
    *("concert_singer", "pets_1", "car_1", "flight_2", "employee_hire_evaluation", "world_1"),
    *("cre_Doc_Template_Mgt", "course_teach", "student_transcripts_tracking", "tvshow"),
    *("dog_kennels", "museum_visit", "battle_death", "network_1", "orchestra", "poker_player"),
    *("voter_1", "singer"),
)


@cache
def published_pairs(db_id: str) -> list[tuple[str, str]]:
    """Golds and published predictions of one database of Spider dev."""
    results = []
    lines = (DATA / "spider" / "dev_gold.sql").read_text().splitlines()
    for file in sorted((DATA / "spider" / "predictions" / "dev").glob("*.txt")):
        for line, sql in zip(lines, file.read_text().splitlines(), strict=False):
            gold, _, name = line.rpartition("\t")
            if name == db_id:
                results.append((gold, sql))
    return sorted(set(results))


def restored(db_id: str, folder: Path) -> Path:
    """A copy of a real database that may be written to."""
    original = DATA / "spider" / "database" / db_id / f"{db_id}.sqlite"
    copy = folder / f"{db_id}.sqlite"
    shutil.copyfile(original, copy)
    return copy


def break_keys(database: Path, rng: Random) -> int:
    """Break what the schema declares, as real data do: how many places."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        tables = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql NOT NULL"
        ).fetchall()
        count = 0
        for name, _ in tables:
            for key in connection.execute(f'PRAGMA foreign_key_list("{name}")').fetchall():
                if rng.randrange(2):
                    count += _orphan(connection, name, str(key[2]), str(key[3]), rng)
        for name, sql in tables:
            if rng.randrange(3) == 0:
                count += _nulls(connection, name, sql)
    return count


def _orphan(
    connection: sqlite3.Connection, table: str, parent: str, column: str, rng: Random
) -> int:
    """Rows that refer to nothing, or a parent that is gone."""
    with suppress(sqlite3.Error):
        if rng.randrange(2):
            odd = rng.choice(("-7", "'nowhere'", "99999"))
            changed = connection.execute(
                f'UPDATE "{table}" SET "{column}" = {odd} WHERE rowid IN '
                f'(SELECT rowid FROM "{table}" LIMIT 2)'
            )
        else:
            changed = connection.execute(
                f'DELETE FROM "{parent}" WHERE rowid IN (SELECT rowid FROM "{parent}" LIMIT 2)'
            )
        return max(changed.rowcount, 0)
    return 0


def _nulls(connection: sqlite3.Connection, table: str, sql: str) -> int:
    """NULL in columns that are declared NOT NULL: rows from before the declaration."""
    columns = [
        column[1]
        for column in connection.execute(f'PRAGMA table_info("{table}")')
        if not column[3] and not column[5]
    ]
    if not columns:
        return 0
    first_column = columns[0]
    with suppress(sqlite3.Error):
        changed = connection.execute(
            f'UPDATE "{table}" SET "{first_column}" = NULL WHERE rowid IN '
            f'(SELECT rowid FROM "{table}" LIMIT 2)'
        ).rowcount
        declared = _with_not_null(sql, first_column)
        if changed > 0 and declared is not None:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(
                "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?",
                (declared, table),
            )
            connection.execute("PRAGMA writable_schema = OFF")
            return changed
    return 0


def _with_not_null(sql: str, column: str) -> str | None:
    """The statement with NOT NULL behind a column's type; ``None`` where it is not found."""
    outcome = re.search(
        rf"""([(,]\s*["`\[]?{re.escape(column)}["`\]]?\s+\w+(?:\s*\([\d, ]*\))?)(?=\s*[,)])""", sql
    )
    if outcome is None:
        return None
    return f"{sql[: outcome.end()]} NOT NULL{sql[outcome.end() :]}"


def illegal(witness: Witness) -> Iterator[str]:
    """What is wrong with a witness: broken constraints, or answers that are not as claimed."""
    with tempfile.TemporaryDirectory(prefix="witness-") as home:
        script, database = write(witness, Path(home), "w")
        with closing(sqlite3.connect(database)) as connection:
            for table in witness.instance.rows:
                # A reference to columns that are no key cannot be checked, nor kept.
                with suppress(sqlite3.OperationalError):
                    for row in connection.execute(f'PRAGMA foreign_key_check("{table}")'):
                        yield f"a row without its parent: {row}"
            checked = connection.execute("PRAGMA integrity_check").fetchall()
            if checked != [("ok",)]:
                yield f"integrity: {checked}"
        for path in (script, database):
            again = replay(path)
            if witness.kind == "different" and not again.differ:
                yield f"{path.suffix} does not differ when it is replayed"
        if witness.kind == "different":
            yield from _other_orders(witness, database)


def _other_orders(witness: Witness, database: Path) -> Iterator[str]:
    """The two answers differ whatever order rows are read in."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA reverse_unordered_selects = ON")
        answers: list[list[Row]] = []
        for sql in (witness.gold_sql, witness.prediction_sql):
            try:
                answers.append(connection.execute(sql).fetchall())
            except sqlite3.Error:
                # A query that fails, or a text that the engine must mend: replay saw to it.
                return
    gold, prediction = (_is_ordered(sql) for sql in (witness.gold_sql, witness.prediction_sql))
    if gold and not prediction:
        # Its order is open, and the witness shows one that is not the gold's.
        return
    same = Counter(map(repr, answers[0])) == Counter(map(repr, answers[1]))
    if same and (not gold or answers[0] == answers[1]):
        yield f"both answer {answers[0]} when rows are read in another order"


def _is_ordered(sql: str) -> bool:
    query = parse(sql)
    return isinstance(query, Query) and query.tree.args.get("order") is not None
