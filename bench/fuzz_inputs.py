"""What the fuzzer and the attack on proofs begin with, and how texts and files are mutated."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from refute import DATA
from sqlverdict.load.benchmarks import demo

TOKEN = re.compile(r"\s+|\w+|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|.", re.DOTALL)
_WORDS = """
SELECT  FROM  WHERE  GROUP BY  HAVING  ORDER BY  LIMIT 1  OFFSET 1  DISTINCT  UNION
UNION ALL  EXCEPT  INTERSECT  WITH w AS (SELECT 1)  WITH RECURSIVE  IN  NOT  NULL
IS NULL  IS NOT  LIKE  GLOB  ESCAPE 'a'  BETWEEN 1 AND 2  CASE  CASE WHEN 1 THEN 2 END
CAST(1 AS TEXT)  COLLATE NOCASE  NATURAL JOIN  LEFT JOIN  CROSS JOIN  RIGHT JOIN
FULL JOIN  USING (id)  ON 1  EXISTS (SELECT 1)  *  ,  COUNT(*)  SUM(1)  MAX(1, 2)
GROUP_CONCAT(1)  ROW_NUMBER() OVER ()  FILTER  AS a  (  )  ()  ((  ))  ;  --  /*  */  '
"  `  [  ]  .  ?  :a  $  @x  1e999  -9223372036854775808  9223372036854775808  0x1F
x'00'  1.  .5  1_0  ||  ->>  <<  %  ==  <>  IS DISTINCT FROM  VALUES (1, 2)  PRAGMA x
DROP TABLE t  json_each('[1]')  random()  date('now')  zeroblob(9)  INDEXED BY x
WINDOW w AS ()
"""
WORDS = tuple(re.split(r" {2,}|\n", _WORDS.strip()))
ODD = (
    "\x00",
    "\x1b[31m",
    "\u202e",
    "\u2028",
    "\ufeff",
    "\ud800",
    "é",
    "\U0001d4b3",
    "\r",
    "\x7f",
    "\xa0",
)


@dataclass(frozen=True)
class Source:
    """A real pair of queries and its database."""

    gold: str
    prediction: str
    db_id: str
    database: Path


@cache
def demo_root() -> Path:
    """The demo's databases."""
    return demo.build_databases()


@cache
def demo_sources() -> tuple[Source, ...]:
    """The demo's pairs, of all systems."""
    results = []
    lines = (demo.DATA / "cases.jsonl").read_text("utf-8").splitlines()
    cases = {case["id"]: case for case in map(json.loads, lines)}
    for system in demo.systems():
        for line in demo.predictions_path(system).read_text("utf-8").splitlines():
            record = json.loads(line)
            case = cases[record["id"]]
            gold = case["gold"][0] if isinstance(case["gold"], list) else case["gold"]
            if gold and record.get("sql"):
                database = demo_root() / case["db_id"] / f"{case['db_id']}.sqlite"
                results.append(Source(gold, record["sql"], case["db_id"], database))
    return tuple(results)


@cache
def sources() -> tuple[Source, ...]:
    """Real pairs: of Spider and BIRD where the data are at hand, and of the demo."""
    items = list(demo_sources())
    for bench, golds, databases in (
        ("spider", "spider/dev_gold.sql", "spider/database"),
        ("bird", "bird/etm_gold.txt", "bird/databases"),
    ):
        for file in sorted((DATA / bench / "predictions" / "dev").glob("*.txt")):
            lines = (DATA / golds).read_text().splitlines()
            for line, sql in zip(lines, file.read_text().splitlines(), strict=False):
                gold, _, db_id = line.rpartition("\t")
                database = DATA / databases / db_id / f"{db_id}.sqlite"
                if gold and database.is_file() and database.stat().st_size < 2**22:
                    items.append(Source(gold, sql, db_id, database))
    return tuple(items)


# Texts


def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def _drop(parts: list[str], rng: Random, _other: list[str]) -> None:
    at = rng.randrange(len(parts))
    del parts[at : at + rng.randrange(1, 4)]


def _double(parts: list[str], rng: Random, _other: list[str]) -> None:
    at, size = rng.randrange(len(parts)), rng.randrange(1, 8)
    parts[at:at] = parts[at : at + size] * rng.choice((1, 1, 2, 30))


def _swap(parts: list[str], rng: Random, _other: list[str]) -> None:
    one, two = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[one], parts[two] = parts[two], parts[one]


def _word(parts: list[str], rng: Random, _other: list[str]) -> None:
    at = rng.randrange(len(parts) + 1)
    parts[at : at + rng.randrange(2)] = [f" {rng.choice(WORDS)} "]


def _splice(parts: list[str], rng: Random, other: list[str]) -> None:
    at, start = rng.randrange(len(parts) + 1), rng.randrange(len(other) + 1)
    parts[at : at + rng.randrange(6)] = other[start : start + rng.randrange(1, 12)]


def _bracket(parts: list[str], rng: Random, _other: list[str]) -> None:
    one, two = sorted((rng.randrange(len(parts)), rng.randrange(len(parts))))
    depth = rng.choice((1, 1, 2, 60, 400))
    parts.insert(two + 1, ")" * depth)
    parts.insert(one, "(" * depth)


def _wrap(parts: list[str], rng: Random, _other: list[str]) -> None:
    text = "".join(parts)
    form = rng.choice(
        (
            "SELECT * FROM ({})",
            "SELECT DISTINCT * FROM ({}) AS q",
            "WITH w AS ({}) SELECT * FROM w",
            "WITH w(a, b) AS ({}) SELECT b, a FROM w",
            "SELECT ({})",
            "SELECT count(*) FROM ({}) LIMIT 1",
            "{} UNION {}",
            "{} EXCEPT SELECT 1",
            "SELECT 1 WHERE 1 IN ({})",
            "SELECT 1 WHERE EXISTS ({}) ORDER BY 1",
        )
    )
    parts[:] = [form.replace("{}", text)]


def _chain(parts: list[str], rng: Random, _other: list[str]) -> None:
    parts.append(
        rng.choice((" AND 1", " OR 0", " + 1", " UNION SELECT 1", ", 1")) * rng.randrange(1, 900)
    )


def _odd(parts: list[str], rng: Random, _other: list[str]) -> None:
    parts.insert(rng.randrange(len(parts) + 1), rng.choice(ODD))


CHANGES: tuple[Callable[[list[str], Random, list[str]], None], ...] = (
    *(_drop, _double, _swap, _word, _word, _splice, _splice, _bracket, _wrap, _chain, _odd),
)


def mutated_text(text: str, other: str, rng: Random) -> str:
    """A query after some changes of its tokens, or of its bytes."""
    if rng.randrange(8) == 0:
        return mutated_bytes(text.encode("utf-8", "surrogatepass"), rng).decode("utf-8", "replace")
    parts, pieces = _tokens(text), _tokens(other)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        if not parts:
            break
        rng.choice(CHANGES)(parts, rng, pieces)
    return "".join(parts)[:200_000]


# Bytes and files


def mutated_bytes(data: bytes, rng: Random) -> bytes:
    """A file's content after some changes."""
    content = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(content) + 1)
        size = rng.choice((1, 2, 10, 200))
        match rng.randrange(7):
            case 0:
                if at < len(content):
                    content[at] ^= 1 << rng.randrange(8)
            case 1:
                del content[at : at + size]
            case 2:
                content[at:at] = rng.randbytes(size)
            case 3:
                content[at:at] = content[at : at + size] * rng.choice((1, 2, 50))
            case 4:
                content[at : at + size] = bytes([rng.choice(b"\x00\xff\"'{}[],:\\\n\t 0-")]) * size
            case 5:
                content[at:at] = rng.choice(
                    (b"null", b"1e999", b"[[", b"{}", b'"id":', b"\xef\xbb\xbf")
                )
            case _:
                if rng.randrange(3) == 0:
                    del content[at:]
    return bytes(content)


ODD_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        2.5,
        10**30,
        "",
        " ",
        "null",
        "../x",
        "/etc/passwd",
        "a" * 300,
        "\x1b[31m",
    ),
    *(
        [],
        {},
        [[]],
        {"a": []},
        ["SELECT 1", None],
        [1, 2],
        {"id": "1"},
        "\ud800",
        "\x00",
        "SELECT 1",
    ),
)


def mutated_value(value: Any, rng: Random) -> Any:
    """A JSON value after one change: a part is gone, doubled, or something else."""
    if isinstance(value, dict) and value and rng.randrange(8):
        key = rng.choice(list(value))
        changed = dict(value)
        match rng.randrange(6):
            case 0:
                del changed[key]
            case 1:
                changed[rng.choice(("", "id", "db_id", key.upper()))] = changed.pop(key)
            case _:
                changed[key] = mutated_value(value[key], rng)
        return changed
    if isinstance(value, list) and value and rng.randrange(8):
        at = rng.randrange(len(value))
        match rng.randrange(5):
            case 0:
                return [*value[:at], *value[at + 1 :]]
            case 1:
                return [*value, value[at]]
            case _:
                return [*value[:at], mutated_value(value[at], rng), *value[at + 1 :]]
    return rng.choice(ODD_VALUES)


TYPES = ("INTEGER", "INT", "TEXT", "REAL", "NUMERIC", "BLOB", "", "VARCHAR(9)", "FLOATING POINT")
TYPES += (
    "DATE",
    "BOOLEAN",
    "TEXT COLLATE NOCASE",
    "DECIMAL(3,1)",
    "ANY",
    "VARCHAR(9) COLLATE RTRIM",
)
NAMES = ("a", "b", "c", "id", "name", "order", "select", "a b", "é", "A", "x'y", 'q"r', "count")
VALUES = ("NULL", "0", "1", "-1", "2.5", "1e308", "9223372036854775807", "'a'", "'A'", "'1'", "''")
VALUES += ("x'00ff'", "'2020-02-30'", "'a' || char(0) || 'b'", "'é'", "9007199254740993")


def odd_schema(rng: Random) -> str:
    """Tables as nobody would make them: odd names and types, keys, checks, views, triggers."""
    statements = []
    tables = rng.sample(NAMES, rng.randrange(1, 4))
    for number, table in enumerate(tables):
        columns = rng.sample(NAMES, rng.randrange(1, 5))
        parts = []
        for column in columns:
            more = rng.choice(("", "", "", " NOT NULL", " UNIQUE", " DEFAULT 1", " PRIMARY KEY"))
            if more == " PRIMARY KEY" and any("PRIMARY" in part for part in parts):
                more = ""
            kind = rng.choice(TYPES)
            if rng.randrange(12) == 0:
                more = " GENERATED ALWAYS AS (1)"
            if number and rng.randrange(4) == 0:
                more += f" REFERENCES {_name(rng.choice(tables[:number]))}"
            parts.append(f"{_name(column)} {kind}{more}")
        if rng.randrange(5) == 0:
            parts.append(
                f"CHECK ({_name(rng.choice(columns))} {rng.choice(('> 0', 'IS NOT 1', 'LIKE 1'))})"
            )
        end = rng.choice(("", "", "", " WITHOUT ROWID", " STRICT"))
        statements.append(f"CREATE TABLE {_name(table)} ({', '.join(parts)}){end};")
        if rng.randrange(4) == 0:
            statements.append(f"CREATE VIEW {_name('v' + table)} AS SELECT * FROM {_name(table)};")
        if rng.randrange(4) == 0:
            unique = rng.choice(("", "UNIQUE "))
            statements.append(
                f"CREATE {unique}INDEX {_name('i' + table)} ON {_name(table)} "
                f"({_name(rng.choice(columns))}) WHERE {_name(columns[0])} > 0;"
            )
        for _ in range(rng.randrange(6)):
            cells = ", ".join(rng.choice(VALUES) for _ in columns)
            statements.append(f"INSERT INTO {_name(table)} VALUES ({cells});")
    return "\n".join(statements)


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def write_odd_database(path: Path, rng: Random) -> list[str]:
    """A database of an odd schema; what SQLite refuses is left out. Its queries."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in odd_schema(rng).splitlines():
            with suppress(sqlite3.Error):
                connection.execute(statement)
        connection.commit()
        names = connection.execute("SELECT name FROM sqlite_master WHERE type != 'index'")
        tables = []
        for (name,) in names.fetchall():
            # A view of a table that was refused cannot be asked for its columns.
            with suppress(sqlite3.Error):
                columns = connection.execute(f"PRAGMA table_info({_name(name)})").fetchall()
                tables.append((name, [column[1] for column in columns]))
    queries = ["SELECT 1"]
    for table, columns in tables:
        if columns:
            one, two = rng.choice(columns), rng.choice(columns)
            queries.append(f"SELECT {_name(one)} FROM {_name(table)}")
            queries.append(f"SELECT {_name(two)} FROM {_name(table)} WHERE {_name(one)} > 0")
            queries.append(
                f"SELECT count({_name(one)}), {_name(two)} FROM {_name(table)} GROUP BY 2"
            )
            queries.append(f"SELECT * FROM {_name(table)} ORDER BY {_name(one)} DESC LIMIT 1")
    return queries
