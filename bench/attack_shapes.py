"""Pairs of shapes in which wrong proofs were found, over native tables with edge rows.

A frame (``attack_frames.tsv``) is two queries that look equal, with slots for values, constants and
conditions. A kind of values (numbers, texts, days, what may fail ...) fills the slots alike on both
sides; now and then one slot differs. So every rewriting meets every kind.

A list of pairs: ``python bench/attack_shapes.py postgres 20``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from sqlverdict.records import Cell

EVERYWHERE = ("sqlite", "duckdb", "postgres", "mysql")


@dataclass(frozen=True)
class Kind:
    """Values of one kind.

    Attributes:
        values: Expressions over the table t.
        constants: What they are compared with.
        own: More values, by dialect.
        dialects: Where it is legal.
    """

    values: tuple[str, ...]
    constants: tuple[str, ...]
    own: dict[str, tuple[str, ...]]
    dialects: tuple[str, ...] = EVERYWHERE


_CASTS = ("CAST(t.s AS INTEGER)", "CAST(t.s AS DATE)", "1 / t.k", "t.b * t.b")
KINDS: dict[str, Kind] = {
    "integers": Kind(
        ("t.k", "t.b", "t.b + 1", "t.b - t.k", "-t.b", "ABS(t.k)", "COALESCE(t.b, t.k)", "t.b + 0"),
        ("0", "1", "2147483647", "2147483648", "9007199254740993", "-1", "1.5", "NULL"),
        {
            "sqlite": ("-t.s", "t.s + 0", "t.b / 2", "t.b % 2", "CAST(t.r AS INTEGER)"),
            "duckdb": ("t.b // 2", "t.b % 2", "CAST(t.r AS BIGINT)"),
            "postgres": ("t.b / 2", "t.b % 2", "t.b::int", "t.r::bigint"),
            "mysql": ("t.b / 2", "t.b DIV 2", "t.b % 2", "CAST(t.k AS UNSIGNED)"),
        },
    ),
    "decimals": Kind(
        ("t.n", "t.n * 3", "t.n / 3", "t.n + t.b", "COALESCE(t.n, t.k)", "t.b * 1.0", "t.b / 2.0"),
        ("0.5", "12345678901234567890.01", "12345678901234567890", "9007199254740993.0", "1"),
        {
            "postgres": ("t.n::bigint", "ROUND(t.n, 1)", "t.n / t.k", "t.n::numeric(10,1)"),
            "duckdb": ("CAST(t.n AS BIGINT)", "ROUND(t.n, 1)", "CAST(t.n AS DECIMAL(22,1))"),
            "mysql": ("ROUND(t.n, 1)", "t.n DIV 1", "CAST(t.n AS DECIMAL(10,1))"),
            "sqlite": ("ROUND(t.n, 1)", "CAST(t.n AS INTEGER)", "CAST(t.n AS TEXT)"),
        },
    ),
    "floats": Kind(
        (
            "t.r",
            "t.f",
            "t.r + t.b",
            "t.r * 2",
            "COALESCE(t.b, t.r)",
            "NULLIF(t.b, t.r)",
            "t.r + t.n",
        ),
        ("0.1", "16777217", "9007199254740993", "9007199254740992", "0", "1e0", "-0.0"),
        {
            "postgres": ("t.f::float8", "t.r::real", "CASE WHEN t.k > 1 THEN t.b ELSE t.r END"),
            "duckdb": ("CASE WHEN t.k > 1 THEN t.b ELSE t.r END", "t.f + t.n", "t.r / t.k"),
            "mysql": ("CASE WHEN t.k > 1 THEN t.b ELSE t.f END", "t.f + 0", "t.f * t.n"),
            "sqlite": ("CASE WHEN t.k > 1 THEN t.b ELSE t.r END", "t.r / t.k", "CAST(t.b AS REAL)"),
        },
    ),
    "texts": Kind(
        ("t.s", "t.c", "LOWER(t.s)", "UPPER(t.c)", "COALESCE(t.s, t.c)", "TRIM(t.s)", "t.s"),
        ("'a'", "'A'", "'a '", "'ä'", "'a%'", "''", "'ss'", "'1'"),
        {
            "postgres": ("t.s || ' '", "t.c || 'x'", "t.c::text", "SUBSTRING(t.c, 1, 2)"),
            "duckdb": ("t.s || ' '", "t.c || 'x'", "SUBSTRING(t.s, 1, 1)", "t.s[1]"),
            "mysql": ("CONCAT(t.s, ' ')", "CONCAT(t.c, 'x')", "SUBSTRING(t.s, 1, 1)"),
            "sqlite": ("t.s || ' '", "t.c || 'x'", "SUBSTR(t.s, 1, 1)", "t.s || t.k"),
        },
    ),
    "days": Kind(
        ("t.d", "t.m", "COALESCE(t.d, t.e)", "t.e"),
        ("'2020-02-29'", "'2019-12-31'", "'2020-01-01'", "'9999-12-31'", "'0001-01-01'"),
        {
            "postgres": ("t.d + 1", "t.m::date", "t.d::timestamp", "DATE_TRUNC('month', t.m)"),
            "duckdb": ("t.d + 1", "CAST(t.m AS DATE)", "DATE_TRUNC('month', t.m)", "last_day(t.d)"),
            "mysql": ("DATE(t.m)", "DATE_ADD(t.d, INTERVAL 1 MONTH)", "LAST_DAY(t.d)"),
            "sqlite": ("DATE(t.m)", "DATE(t.d, '+1 month')", "SUBSTR(t.m, 1, 10)"),
        },
    ),
    "parts of days": Kind(
        (),
        ("2020", "2021", "1", "2", "12", "0", "9999"),
        {
            "postgres": (
                "EXTRACT(YEAR FROM t.d)",
                "EXTRACT(MONTH FROM t.m)",
                "DATE_PART('day', t.d)",
            ),
            "duckdb": ("EXTRACT(YEAR FROM t.d)", "MONTH(t.m)", "YEAR(t.m)", "t.d - t.e"),
            "mysql": ("YEAR(t.d)", "EXTRACT(YEAR FROM t.m)", "MONTH(t.m)", "DATEDIFF(t.d, t.e)"),
            "sqlite": (
                "CAST(STRFTIME('%Y', t.d) AS INTEGER)",
                "CAST(SUBSTR(t.d, 1, 4) AS INTEGER)",
            ),
        },
    ),
    "truths": Kind(
        ("t.o", "t.k > 1", "t.k = t.b", "NOT t.o", "t.s IS NULL"),
        ("TRUE", "FALSE", "NULL"),
        {"sqlite": ("t.k", "t.o IS TRUE"), "mysql": ("t.k", "t.o IS TRUE", "t.o + 1")},
    ),
    "what may fail": Kind(
        (),
        ("1", "0", "2"),
        {
            "postgres": (
                *_CASTS[:1],
                *_CASTS[2:],
                "t.n / t.k",
                "LN(t.n)",
                "MOD(t.b, t.k)",
                "SQRT(t.r)",
                *("t.d - t.e", "EXTRACT(DAY FROM t.m - t.e)", "EXTRACT(YEAR FROM AGE(t.m))"),
                *("CASE WHEN t.s LIKE t.s THEN 1 END", "t.k::smallint", "TO_CHAR(t.n, '9V9.9')"),
            ),
            "duckdb": (
                *(*_CASTS[:1], "t.b * t.b", "LN(t.r)", "SQRT(t.r)", "CAST(t.n AS INTEGER)"),
                *("MONTH(t.m - t.e)", "LENGTH(LEFT(t.s, t.b))", "CAST(t.k AS UINTEGER)"),
                *("list_sum(list_transform(t.l, lambda y: 1 // (y - 1)))", "t.b + 1 // 0"),
            ),
            "mysql": ("t.b * t.b", "EXP(t.k)", "t.b - t.k", "CAST(t.b AS UNSIGNED) - 1"),
            "sqlite": (
                "ABS(t.b)",
                "JSON_EXTRACT(t.s, '$.a')",
                "t.b * t.b",
                "SUBSTR(t.s, t.k, 1) + 0",
            ),
        },
    ),
    "parts of values": Kind(
        ("t.l", "t.l[1]", "t.x", "t.x.a", "t.j ->> 'a'", "len(t.l)", "t.l[-1]", "list_sort(t.l)"),
        ("1", "[1, 2]", "NULL", "'1'"),
        {},
        ("duckdb",),
    ),
    "parts of documents": Kind(
        (),
        ("'1'", "'a'", "NULL"),
        {
            "postgres": ("t.j ->> 'a'", "t.j -> 'a'", "t.l", "t.l[1]", "t.j #>> '{b,c}'"),
            "mysql": ("JSON_EXTRACT(t.j, '$.a')", "JSON_VALUE(t.j, '$.a')"),
            "sqlite": ("JSON_EXTRACT(t.j, '$.a')", "t.j ->> 'a'", "t.j -> '$.a'"),
        },
        ("postgres", "mysql", "sqlite"),
    ),
}

TABLES = """
CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER, b BIGINT, n {decimal}, r {double}, f {float},
  s {text}, c CHAR(4), d DATE, e DATE NOT NULL, m {moment}, o BOOLEAN{more});
CREATE TABLE u (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t(id), k INTEGER NOT NULL,
  b BIGINT, r {double}, s {text})
"""
_TYPES: dict[str, dict[str, str]] = {
    "sqlite": {"double": "REAL", "float": "FLOAT", "decimal": "NUMERIC", "more": ", j TEXT"},
    "postgres": {"double": "DOUBLE PRECISION", "more": ", j JSONB, l INTEGER[]"},
    "duckdb": {"more": ", j JSON, l INTEGER[], x [STRUCT(a INTEGER, b VARCHAR)]"},
    "mysql": {"float": "FLOAT", "moment": "DATETIME", "more": ", j JSON"},
}
_USUAL = {
    "double": "DOUBLE",
    "float": "REAL",
    "decimal": "DECIMAL(22,2)",
    "text": "VARCHAR(40)",
    "moment": "TIMESTAMP",
}


def tables_of(dialect: str) -> str:
    """The tables, as the dialect declares them."""
    return TABLES.format(**_USUAL | _TYPES[dialect])


_CELLS: dict[str, tuple[Cell, ...]] = {
    "INTEGER": (0, 1, 1, 2, 2, 3, -1, 2**31 - 1),
    "BIGINT": (0, 1, 2, -1, 2**31, 2**53, 2**53 + 1, 2**53 + 2, 5, 2**62),
    "DECIMAL": (
        "0.5",
        "1",
        "3",
        "-1",
        "12345678901234567890.01",
        "12345678901234567890.02",
        "0.33",
    ),
    "NUMERIC": (0.5, 1, 3, -1, 2**53 + 1, 0.33),
    "DOUBLE": (0.0, -0.0, 0.1, 1.0, 2.0, 2.5, 9007199254740992.0, 9007199254740994.0, 1e300, -1.0),
    "REAL": (0.0, 0.5, 1.0, 2.0, 16777216.0, 0.1, -1.0),
    "VARCHAR": (
        "",
        "a",
        "A",
        "a ",
        "ä",
        "Ä",
        "ß",
        "ss",
        "1",
        "0",
        "x",
        " a",
        "a%",
        "1.0",
        "é",
        "a\\",
    ),
    "CHAR": ("a", "A", "b", "ab", "1", "", "x"),
    "DATE": ("2020-02-29", "2020-01-31", "2019-12-31", "2020-01-01", "2020-12-31", "9999-12-31"),
    "TIMESTAMP": ("2020-01-01 00:00:00", "2019-12-31 23:59:59", "2020-02-29 12:00:00"),
    "BOOLEAN": (),
    "JSON": ('{"a": 1}', '{"a": "1"}', '{"a": null}', "{}", '{"b": {"c": 2}}', "null"),
    "TEXT": ('{"a": 1}', '{"a": "1"}', '{"a": null}', "{}", '{"b": {"c": 2}}'),
    "INTEGER[]": ("[]", "[1]", "[1, 2]", "[2, 1]", "[NULL]", "[NULL, 2]"),
    "STRUCT": ("{'a': 1, 'b': 'p'}", "{'a': NULL, 'b': 'p'}", "{'a': 2, 'b': NULL}"),
}
_OWN_CELLS: dict[tuple[str, str], tuple[Cell, ...]] = {
    ("postgres", "DATE"): ("infinity", "-infinity", "0044-03-15 BC"),
    ("postgres", "TIMESTAMP"): ("infinity", "-infinity", "0044-03-15 00:00:00 BC"),
    ("postgres", "DOUBLE"): ("NaN", "Infinity", "-Infinity"),
    ("postgres", "DECIMAL"): ("NaN",),
    **dict.fromkeys((("postgres", "BOOLEAN"), ("duckdb", "BOOLEAN")), (True, False)),
    **dict.fromkeys((("sqlite", "BOOLEAN"), ("mysql", "BOOLEAN")), (1, 0, 2)),
    ("duckdb", "DATE"): ("infinity", "-infinity", "0001-01-01"),
    ("duckdb", "TIMESTAMP"): ("infinity", "-infinity"),
    ("duckdb", "DOUBLE"): ("nan", "inf", "-inf"),
}


def cells_of(declared: str, dialect: str) -> Sequence[Cell]:
    """What a column of a type may hold."""
    name = declared.upper().partition("(")[0].split(" ")[0]
    name = {"FLOAT": "REAL", "JSONB": "JSON", "DATETIME": "TIMESTAMP"}.get(name, name)
    cells = _CELLS["DOUBLE" if (dialect, name) == ("sqlite", "REAL") else name]
    if name == "INTEGER[]" and dialect == "postgres":
        cells = tuple(str(cell).replace("[", "{").replace("]", "}") for cell in cells)
    return (*cells, *_OWN_CELLS.get((dialect, name), ()))


_CONDITIONS = (
    *("{v} = {x}", "{v} <> {x}", "{v} > {x}", "{v} <= {x}", "{v} IN ({x}, {y})", "{v} IS NULL"),
    *("{v} BETWEEN {x} AND {y}", "NOT ({v} < {x})", "{v} IS NOT NULL", "{v} = {w}", "t.k > 1"),
    *("EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id)", "t.id IN (SELECT u.t_id FROM u)", "t.o"),
)
_AGGREGATES = ("SUM", "MAX", "MIN", "AVG", "COUNT")
_JOINS = ("JOIN", "JOIN", "LEFT JOIN", "FULL JOIN")


@dataclass(frozen=True)
class ShapePair:
    """Two queries that look equal.

    Attributes:
        gold: A query.
        other: Another one.
        shapes: The family of its frame, and the kind of its values.
    """

    gold: str
    other: str
    shapes: tuple[str, str]


@cache
def _frames(dialect: str) -> dict[str, list[tuple[str, str]]]:
    """The frames that a dialect reads, by family."""
    lines = Path(__file__).with_name("attack_frames.tsv").read_text(encoding="utf-8").splitlines()
    families: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        if not line.startswith("#"):
            family, dialects, one, other = line.split("\t")
            if dialects == "all" or dialect in dialects.split():
                families.setdefault(family, []).append((one, other))
    return families


def make_pair(rng: Random, dialect: str, kinds: dict[str, Kind] = KINDS) -> ShapePair:
    """A pair of a random frame and a random kind."""
    families = _frames(dialect)
    family = rng.choice([name for name in families if name != "around"])
    name = rng.choice([name for name, each in kinds.items() if dialect in each.dialects])
    kind, frame = kinds[name], rng.choice(families[family])
    slots = _slots(kind, dialect, rng)
    others = dict(slots)
    if rng.randrange(6) == 0:
        # A near pair.
        slot = rng.choice([each for each in slots if f"{{{each}}}" in frame[1]] or list(slots))
        others[slot] = _slots(kind, dialect, rng)[slot]
    sides = [side.format(**filled) for side, filled in zip(frame, (slots, others), strict=True)]
    rng.shuffle(sides)
    if rng.randrange(5) == 0:
        around, _ = rng.choice(families["around"])
        sides = [around.replace("{}", side) for side in sides]
    return ShapePair(sides[0], sides[1], (family, name))


def _slots(kind: Kind, dialect: str, rng: Random) -> dict[str, str]:
    values = (*kind.values, *kind.own.get(dialect, ()))
    slots = {name: rng.choice(values) for name in ("v", "w")}
    slots |= {name: rng.choice(kind.constants) for name in ("x", "y")}
    slots |= {name: rng.choice(_CONDITIONS).format(**slots) for name in ("c", "d")}
    joins = [each for each in _JOINS if dialect != "mysql" or each != "FULL JOIN"]
    return slots | {"a": rng.choice(_AGGREGATES), "j": rng.choice(joins)}


if __name__ == "__main__":
    for number in range(int(sys.argv[2])):
        pair = make_pair(Random(number), sys.argv[1])
        sys.stdout.write(f"{pair.shapes}\n{pair.gold}\n{pair.other}\n\n")
