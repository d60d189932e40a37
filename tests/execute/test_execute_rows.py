"""Rows that are written into a query give the answers that a table with these rows gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from random import Random
from typing import NamedTuple
from unicodedata import combining, normalize

import pytest
from postgres_parts import execute as postgres_execute

from mysql_parts import execute as mysql_execute
from mysql_parts import server_database
from servers import fresh_postgres, postgres_server
from sqlverdict.execute.engine import ENGINES, Limits, ScratchEngine
from sqlverdict.records import Answer, Cell, Failure, Outcome, Row
from tiers import sampled

pytestmark = pytest.mark.slow  # servers

PATIENT = Limits(seconds=600)
WHOLE = (0, 1, -1, 2, 10, 100)
NUMBERS = (0, 1.5, -1.5, 2, 10, 99.99)
TEXTS = ("a", "A", "b", "", "a ", "10", "9", "ä", "é", "e", "ß", "ss", "B", "it's", 'q"\\')
DAYS = ("2020-01-31", "2020-02-29", "1999-12-31")
MOMENTS = ("2020-01-31 10:00:00", "2020-02-29 23:59:59", "1999-12-31 00:00:00")
TIMES = ("10:00:00", "23:59:59", "00:00:00")


class Kind(NamedTuple):
    """A type of columns with values that it takes."""

    type: str
    cells: tuple[Cell, ...]


POSTGRES_KINDS = (
    *(Kind(type_, WHOLE) for type_ in ("smallint", "integer", "bigint")),
    *(Kind(type_, NUMBERS) for type_ in ("numeric", "numeric(8,1)", "real", "double precision")),
    Kind("text", TEXTS),
    Kind('text COLLATE "C"', TEXTS),
    Kind('character varying(8) COLLATE "en-x-icu"', TEXTS),
    Kind('text COLLATE "POSIX"', TEXTS),
    Kind("character varying(8)", TEXTS),
    Kind("character(4)", TEXTS),
    Kind("boolean", (0, 1)),
    Kind("date", DAYS),
    Kind("timestamp without time zone", MOMENTS),
    Kind("timestamp with time zone", MOMENTS),
    Kind("time without time zone", TIMES),
    Kind("interval", ("1 day", "24:00:00", "1 month", "30 days")),
    Kind("bytea", (b"", b"a", b"\x00\xff")),
    Kind("json", ('{"a": 1}', "[1, 2]", '"x"', "null")),
    Kind("jsonb", ('{"a": 1,"b":null}', "[1, 2]", '"x"', "null")),
    Kind("integer[]", ("{}", "{1,2}", "{NULL,3}")),
    Kind("text[]", ('{"a,b",c}', "{}")),
    Kind("uuid", ("00000000-0000-0000-0000-000000000001", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")),
    Kind("bit(3)", ("101", "000")),
    Kind("inet", ("10.0.0.1", "10.0.0.0/8")),
    Kind("mood", ("sad", "ok", "glad")),
    Kind("money", ("1.5", "10")),
)
MYSQL_KINDS = (
    *(Kind(type_, WHOLE) for type_ in ("tinyint", "smallint", "mediumint", "int", "bigint")),
    *(Kind(f"{type_} unsigned", (0, 1, 2, 10, 100)) for type_ in ("tinyint", "int", "bigint")),
    *(Kind(type_, NUMBERS) for type_ in ("decimal(8,1)", "decimal(10,4)", "float", "double")),
    Kind("varchar(8)", TEXTS),
    Kind("text", TEXTS),
    Kind("char(4)", TEXTS),
    *(
        Kind(f"varchar(8) CHARACTER SET utf8mb4 COLLATE {rule}", TEXTS)
        for rule in ("utf8mb4_bin", "utf8mb4_unicode_ci", "utf8mb4_general_ci", "utf8mb4_nopad_bin")
    ),
    Kind("varchar(8) CHARACTER SET latin1", TEXTS),
    Kind("longtext CHARACTER SET latin1 COLLATE latin1_bin", TEXTS),
    Kind("boolean", (0, 1)),
    Kind("date", DAYS),
    Kind("datetime", MOMENTS),
    Kind("datetime(3)", (*MOMENTS, "2020-01-31 10:00:00.125")),
    Kind("timestamp NULL", MOMENTS[:2]),
    Kind("time", (*TIMES, "-01:00:00", "100:00:00")),
    Kind("year", (1999, 2020)),
    Kind("bit(1)", (0, 1)),
    Kind("bit(6)", (0, 1, 33)),
    Kind("binary(3)", (b"", b"a", b"\x00z", b"A")),
    Kind("varbinary(8)", (b"", b"a", b"\x00z", b"A")),
    Kind("blob", (b"", b"a", b"\x00z", b"A")),
    Kind("json", ('{"a": 1}', "[1, 2]", '"x"', "null")),
    Kind("int(5) zerofill", (0, 1, 10)),
)
KINDS = {"postgres": POSTGRES_KINDS, "mysql": MYSQL_KINDS}
QUERIES = (
    "SELECT * FROM t",
    "SELECT id, x FROM t ORDER BY x, id",
    "SELECT id, x FROM t ORDER BY x DESC, id",
    "SELECT x, count(*) FROM t GROUP BY x ORDER BY x",
    "SELECT DISTINCT x FROM t ORDER BY x",
    "SELECT min(x), max(x) FROM t",
    "SELECT sum(x), avg(x) FROM t",
    "SELECT a.id, b.id FROM t AS a JOIN t AS b ON a.x = b.x ORDER BY 1, 2",
    "SELECT a.id, b.id FROM t AS a JOIN t AS b ON a.x < b.x ORDER BY 1, 2",
    "SELECT a.id, b.id FROM t AS a JOIN u AS b ON a.x = b.x ORDER BY 1, 2",
    "SELECT id FROM t WHERE x = 'a' ORDER BY id",
    "SELECT id FROM t WHERE x = 'A ' ORDER BY id",
    "SELECT id FROM t WHERE x > '10' ORDER BY id",
    "SELECT id FROM t WHERE x > 5 ORDER BY id",
    "SELECT id FROM t WHERE x = 1 ORDER BY id",
    "SELECT id FROM t WHERE x LIKE 'a%' ORDER BY id",
    "SELECT id FROM t WHERE x IN ('a', 'E', '2020-01-31') ORDER BY id",
    "SELECT id FROM t WHERE x >= '2020-01-31' ORDER BY id",
    "SELECT id, x + 1 FROM t ORDER BY id",
    "SELECT id, x / 3 FROM t ORDER BY id",
    "SELECT id, -x FROM t ORDER BY id",
    "SELECT id, concat(x, '|') FROM t ORDER BY id",
    "SELECT id, upper(x), length(x) FROM t ORDER BY id",
    "SELECT id FROM t WHERE x ORDER BY id",
    "SELECT id FROM t WHERE NOT x ORDER BY id",
    "SELECT id, CASE WHEN x IS NULL THEN 1 ELSE 0 END FROM t ORDER BY id",
    "SELECT id, coalesce(x, (SELECT max(x) FROM t)) FROM t ORDER BY id",
    "SELECT x FROM t UNION SELECT x FROM u ORDER BY 1",
    "SELECT x FROM t UNION ALL SELECT x FROM u ORDER BY 1",
    "SELECT x FROM t INTERSECT SELECT x FROM u ORDER BY 1",
    "SELECT id FROM t WHERE x IN (SELECT x FROM u) ORDER BY id",
    "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.x = t.x) ORDER BY id",
    "WITH w AS (SELECT x FROM t) SELECT x FROM w ORDER BY x",
    "WITH t AS (SELECT id, x FROM t WHERE id > 1) SELECT id, x FROM t ORDER BY id",
    "WITH v AS (SELECT x FROM t), t AS (SELECT x FROM v) SELECT x FROM t ORDER BY x",
    "WITH RECURSIVE n AS (SELECT 1 AS k UNION ALL SELECT k + 1 FROM n WHERE k < 3) "
    "SELECT k, x FROM n JOIN t ON t.id = n.k ORDER BY k",
    "SELECT * FROM (WITH t AS (SELECT id FROM t) SELECT id FROM t) AS s ORDER BY id",
    "(SELECT id FROM t ORDER BY id LIMIT 1) UNION ALL (SELECT id FROM u ORDER BY id DESC LIMIT 1)",
    "SELECT id, (SELECT count(*) FROM u WHERE u.x <= t.x) FROM t ORDER BY id",
    "SELECT t.id, u.id FROM t LEFT JOIN u ON u.x = t.x ORDER BY 1, 2",
    "SELECT t.id, u.id FROM t RIGHT JOIN u ON u.x = t.x ORDER BY 1, 2",
    "SELECT id, row_number() OVER (ORDER BY x, id) FROM t ORDER BY id",
    "SELECT id, x FROM t GROUP BY id ORDER BY id",
    "SELECT t.id, t.x, count(*) FROM t LEFT JOIN u ON u.x = t.x GROUP BY t.id ORDER BY t.id",
    "SELECT t.id AS k, x FROM t GROUP BY k ORDER BY k",
)


TABLE = re.compile(r"\b[tu]\b")


@contextmanager
def database(engine: str, *statements: str) -> Iterator[str]:
    """A database that the statements fill."""
    if engine == "mysql":
        with server_database(*statements) as url:
            yield url
        return
    with postgres_server() as server, fresh_postgres(server) as url:
        if statements:
            postgres_execute(url, *statements)
        yield url


def literal(cell: Cell, engine: str) -> str:
    """A cell as a statement holds it."""
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        return f"x'{cell.hex()}'" if engine == "mysql" else f"'\\x{cell.hex()}'"
    if not isinstance(cell, str):
        return str(cell)
    text = cell.replace("\\", "\\\\") if engine == "mysql" else cell
    return "'" + text.replace("'", "''") + "'"


def fill(url: str, engine: str, rows: Mapping[str, Sequence[Row]]) -> None:
    """Make rows the content of real tables."""
    statements = []
    for name, own in rows.items():
        statements.append(f"DELETE FROM {name}")
        for row in own:
            cells = ", ".join(
                # A boolean takes no number.
                f"'{cell}'"
                if engine == "postgres" and isinstance(cell, int)
                else literal(cell, engine)
                for cell in row
            )
            statements.append(f"INSERT INTO {name} VALUES ({cells})")
    if engine == "mysql":
        mysql_execute(url.rpartition("/")[2], *statements)
    else:
        postgres_execute(url, *statements)


def same(first: Outcome, second: Outcome, *, folds: bool = False) -> bool:
    """Whether two outcomes are the same, whatever the words of a failure.

    ``folds``: which of equal texts is chosen, and the order of equal ones, do not count.
    """
    if isinstance(first, Answer) and isinstance(second, Answer):
        rows = [folded(each.rows) if folds else each.rows for each in (first, second)]
        kinds = [[list(map(type, row)) for row in each] for each in rows]
        return (first.columns, rows[0], kinds[0]) == (second.columns, rows[1], kinds[1])
    return type(first) is type(second)


def folded(rows: list[Row]) -> list[Row]:
    """Rows in one order, with texts that are the same where a collation takes them for equal."""
    folds = [tuple(map(fold, row)) for row in rows]
    return sorted(folds, key=repr)


def fold(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    letters = normalize("NFD", cell.casefold()).rstrip(" ")
    return "".join(letter for letter in letters if not combining(letter))


AMBIGUOUS = re.compile(r"SELECT x|DISTINCT x|GROUP BY x|(min|max)\(x\)|UNION|INTERSECT")
"""Queries in which a server may choose among texts that are equal to it."""
UNGROUPED = {"SELECT id, x FROM t GROUP BY id ORDER BY id", QUERIES[-1], QUERIES[-2]}
"""Queries that need a key, over a column by which nobody can group."""


@pytest.mark.sampled
@pytest.mark.parametrize("engine", ["postgres", "mysql"])
def test_every_type_answers_as_in_a_table(engine: str) -> None:
    member = ENGINES.get(engine)
    assert isinstance(member, ScratchEngine)
    random = Random(7)
    statements = ["CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad')"] if engine == "postgres" else []
    for number, kind in enumerate(KINDS[engine]):
        columns = f"(id int PRIMARY KEY, x {kind.type})"
        statements += [f"CREATE TABLE {name}{number} {columns}" for name in ("t", "u")]
    with (
        database(engine, *statements) as url,
        closing(member.scratch(member.schema(url), PATIENT, url)) as scratch,
    ):
        for number, kind in enumerate(KINDS[engine]):
            beyond = UNGROUPED if kind.type == "json" and engine == "postgres" else set()
            for size in (0, 1, 5):
                rows = {
                    f"{name}{number}": [
                        (at + 1, random.choice((None, *kind.cells, *kind.cells)))
                        for at in range(size)
                    ]
                    for name in ("t", "u")
                }
                # By default an empty table and one of one row are tried with every second type.
                if size < 5 and (number + size) % sampled(2, 1):
                    continue
                fill(url, engine, rows)
                assert scratch.load(rows), (kind, rows)
                with closing(member.open(url, PATIENT)) as real:
                    for sql in QUERIES:
                        text = TABLE.sub(rf"\g<0>{number}", sql)
                        answer = scratch.run(text)
                        if sql in beyond:
                            # Not even without rows: nothing is ever searched with it.
                            assert isinstance(answer, Failure)
                            continue
                        expected = real.run(text)
                        folds = AMBIGUOUS.search(sql) is not None
                        wrong = (kind, rows, text, expected, answer)
                        assert same(expected, answer, folds=folds), wrong
