"""What tests ask of MySQL and MariaDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine_examples import EngineExamples
from mysql_parts import execute, server_database


@contextmanager
def _database(_folder: Path, statements: Sequence[str]) -> Iterator[str]:
    with server_database(*statements) as url:
        yield url


def _change(database: str, statements: Sequence[str]) -> None:
    execute(database.rpartition("/")[2], *statements)


EXAMPLES = EngineExamples(
    database=_database,
    change=_change,
    server=server_database,
    cells=("DOUBLE", "BLOB", "x'00ff'"),
    failing=(
        "SELECT extractvalue(1, '~')",
        "SELECT extractvalue(1, concat('~', (SELECT max(a) FROM t)))",
        "SELECT updatexml(1, '~', 1)",
        "SELECT json_extract('[', '$')",
        "SELECT st_geomfromtext('x')",
        "SELECT exp(1000)",
        "SELECT a FROM t WHERE b REGEXP '('",
        "SELECT load_file('/nowhere')",
        "SELECT a FROM t FOR UPDATE",
        "SELECT repeat('x', 1000000000)",
        "SELECT * FROM t PROCEDURE analyse()",
    ),
    column_types=("JSON", "BLOB", "DATE", "BIT(3)", "BOOLEAN", "DECIMAL(5, 2)", "TEXT"),
    revealing=("DATABASE() IS NOT NULL", "SCHEMA () IS NOT NULL", "`database`() IS NOT NULL"),
    not_revealing=(
        "name <> 'database()'",
        "name <> (SELECT max(x.`schema`) FROM (SELECT 'a' AS `schema`) AS x)",
    ),
    different=[
        ("ROUND(n, 1) = 1.5", "TRUNCATE(n, 1) = 1.5"),
        ("CAST(n AS SIGNED) = 2", "FLOOR(n) = 2"),
        ("LENGTH(code) > 3", "CHAR_LENGTH(code) > 3"),
        ("code REGEXP '^[nm]'", "code LIKE 'n%'"),
        ("code REGEXP '^(n|m)'", "code LIKE 'n%'"),
        ("TIME(seen) BETWEEN '09:00:00' AND '17:00:00'", "HOUR(seen) BETWEEN 9 AND 17"),
        ("CAST(code AS SIGNED) > 1", "CAST(code AS DECIMAL(10, 2)) > 1"),
        ("JSON_CONTAINS(code, '1', '$.a')", "JSON_VALUE(code, '$.a') = '1'"),
        ("JSON_CONTAINS(code, '\"x\"', '$.a')", "JSON_VALUE(code, '$.a[0]') = 'x'"),
        ("JSON_SEARCH(code, 'one', 'x') IS NOT NULL", "JSON_VALUE(code, '$.a') = 'x'"),
    ],
    different_queries=[
        ("SELECT id, ROUND(n, 1) FROM item", "SELECT id, TRUNCATE(n, 1) FROM item"),
        ("SELECT id DIV 2 FROM item", "SELECT FLOOR(id / 2) FROM item"),
    ],
    equal=[
        ("HOUR(seen) = 9", "TIME(seen) >= '09:00:00' AND TIME(seen) < '10:00:00'"),
        ("code = 'x'", "code IN ('X')"),
    ],
    recent="sold {} CURDATE() - INTERVAL 7 DAY",
    harm="DROP TABLE {database}.kept",
    write_file="SELECT 1 INTO OUTFILE '{file}'",
)
