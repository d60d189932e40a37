"""Further kinds of values for the attack's frames: columns of the types that each engine has alone.

The frames are those of ``attack_shapes.py``, over its table t with a column of each type more.

A list of pairs: ``python bench/attack_types.py postgres 20``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from attack_shapes import Kind, ShapePair, cells_of, make_pair, tables_of
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.schema import Column, Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Cell


@dataclass(frozen=True)
class TypedColumn:
    """A column, what it may hold, and how queries use it.

    Attributes:
        type: Its declared type.
        cells: What it may hold.
        constants: What it is compared with.
        values: Expressions over it, beside the column itself.
    """

    type: str
    cells: tuple[Cell, ...]
    constants: tuple[str, ...]
    values: tuple[str, ...] = ()


_TIMES = ("10:11:12", "00:00:00", "23:59:59", "10:11:12.5")
_UUIDS = ("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000")
_UUID_TEXTS = tuple(f"'{each}'" for each in (*_UUIDS, _UUIDS[0].upper()))
_SPANS = ("1 day", "24:00:00", "30 days", "1 mon", "00:00:00", "-1 day", "1 year", "360 days")
_SPAN_TEXTS = ("'1 day'", "'24 hours'", "INTERVAL '30 days'", "INTERVAL '1 month'", "'0 days'")
_ZONED = ("2020-01-01 00:00:00+00", "2020-01-01 01:00:00+01", "2019-12-31 23:00:00-02")
_ZONED_TEXTS = ("'2020-01-01'", "'2020-01-01 00:00:00+01'", "TIMESTAMP '2020-01-01 00:00:00'")
_NUMBERS: tuple[Cell, ...] = (0, 1, 2, 3, 1)
_MOODS = ("b", "a", "B1")
_MOOD_TEXTS = ("'a'", "'b'", "'B1'", "'A'", "'z'", "''", "1")
_MOST = "18446744073709551615"
_LONG: tuple[Cell, ...] = ("0", "1", "170141183460469231731687303715884105727", "-1", "2")

COLUMNS: dict[str, dict[str, TypedColumn]] = {
    "postgres": {
        "tz": TypedColumn("TIMESTAMPTZ", (*_ZONED, "infinity"), _ZONED_TEXTS, ("t.tz::date",)),
        "iv": TypedColumn("INTERVAL", _SPANS, _SPAN_TEXTS, ("-t.iv", "t.iv * 2", "t.m + t.iv")),
        "ti": TypedColumn("TIME", (*_TIMES, "24:00:00"), ("'10:11:12'", "'24:00'", "'00:00'")),
        "zt": TypedColumn("TIMETZ", ("10:00+00", "11:00+01", "12:00+02"), ("'10:00+00'",)),
        "uu": TypedColumn("UUID", _UUIDS, _UUID_TEXTS, ("t.uu::text",)),
        "mo": TypedColumn("MONEY", ("1.50", "0", "-2"), ("'1.5'", "'$1.50'", "1.5"), ("t.mo * 2",)),
        "bt": TypedColumn("BIT(3)", ("101", "000", "111"), ("B'101'", "'101'", "'000'")),
        "ip": TypedColumn("INET", ("10.0.0.1", "10.0.0.1/8", "::1"), ("'10.0.0.1'", "'::1'")),
        "na": TypedColumn("NUMERIC", ("1", "1.0", "1.00", "NaN", "0"), ("1", "1.0", "'NaN'")),
        "sm": TypedColumn("SMALLINT", _NUMBERS, ("1", "1.5", "70000"), ("t.sm + 1", "t.sm / 2")),
        "by": TypedColumn("BYTEA", ("\\x01", "\\x", "\\x6162"), ("'\\x01'", "'ab'", "''")),
        "ra": TypedColumn("INT4RANGE", ("[1,3)", "empty", "[1,2]"), ("'[1,2]'", "'empty'")),
        "vc": TypedColumn("VARCHAR(3)", ("a", "a ", "A", ""), ("'a'", "'a '", "'abcd'")),
        "js": TypedColumn("JSON", ('{"a":1}', '{"a": 1}'), ("'{}'",), ("t.js ->> 'a'",)),
        "ar": TypedColumn("TEXT[]", ("{}", "{a,b}", "{NULL}"), ("'{}'", "'{a,b}'"), ("t.ar[1]",)),
    },
    "mysql": {
        "en": TypedColumn("ENUM('b','a','B1')", _MOODS, _MOOD_TEXTS, ("t.en + 0",)),
        "se": TypedColumn("SET('x','y','a')", ("x", "x,y", "a", ""), ("'x'", "'y,x'", "3", "''")),
        "ye": TypedColumn("YEAR", (2020, 1999, 1901), ("2020", "'2020'", "20", "99", "'99'")),
        "ti": TypedColumn("TIME", ("10:11:12", "-01:00:00", "100:00:00"), ("'10:11:12'", "101112")),
        "bi": TypedColumn("BIT(3)", (5, 0, 7), ("5", "b'101'", "'5'"), ("t.bi + 0",)),
        "ts": TypedColumn("TIMESTAMP NULL", ("2020-01-01 00:00:00",), ("'2020-01-01'", "20200101")),
        "bn": TypedColumn("BINARY(3)", ("a", "A", "a "), ("'a'", "'a\\0\\0'", "'A'")),
        "vb": TypedColumn("VARBINARY(5)", ("a", "A", "a ", ""), ("'a'", "'a '", "'A'")),
        "un": TypedColumn("INT UNSIGNED", _NUMBERS, ("1", "-1", "'1'"), ("t.un - 1", "t.un - t.k")),
        "tn": TypedColumn("TINYINT(1)", (0, 1, 2), ("TRUE", "FALSE", "2", "1"), ("NOT t.tn",)),
        "dm": TypedColumn("DATETIME(3)", ("2020-01-01 00:00:00.500",), ("'2020-01-01'",)),
        "ub": TypedColumn("BIGINT UNSIGNED", (0, 1, 2**63, 2**64 - 1), ("1", _MOST)),
    },
    "duckdb": {
        "tz": TypedColumn("TIMESTAMPTZ", _ZONED, _ZONED_TEXTS, ("CAST(t.tz AS DATE)",)),
        "iv": TypedColumn("INTERVAL", _SPANS, _SPAN_TEXTS, ("-t.iv", "t.iv * 2", "t.m + t.iv")),
        "ti": TypedColumn("TIME", _TIMES, ("'10:11:12'", "'00:00:00'")),
        "uu": TypedColumn("UUID", _UUIDS, _UUID_TEXTS, ("CAST(t.uu AS VARCHAR)",)),
        "en": TypedColumn("ENUM('b', 'a', 'B1')", _MOODS, _MOOD_TEXTS, ("CAST(t.en AS VARCHAR)",)),
        "hu": TypedColumn("HUGEINT", _LONG, ("1", "1.5", str(_LONG[2]))),
        "ub": TypedColumn("UBIGINT", (0, 1, 2**64 - 1), ("1", "-1", _MOST)),
        "ns": TypedColumn("TIMESTAMP_NS", ("2020-01-01 00:00:00.000000001",), ("'2020-01-01'",)),
        "bl": TypedColumn("BLOB", ("a", "A", ""), ("'a'", "'\\x61'", "''")),
        "bt": TypedColumn("BIT", ("101", "0101"), ("'101'",)),
        "de": TypedColumn("DECIMAL(38, 10)", ("1", "0.3333333333"), ("1", "0.3333333333", "1e0")),
        "ut": TypedColumn("UTINYINT", _NUMBERS, ("1", "-1", "300"), ("t.ut - 1", "t.ut + 1")),
        "cn": TypedColumn("VARCHAR COLLATE NOCASE", ("a", "A", "a ", "b"), ("'a'", "'A'", "'B'")),
        "ar": TypedColumn("INTEGER[2]", ("[1, 2]", "[NULL, 1]"), ("[1, 2]",), ("t.ar[1]",)),
    },
    "sqlite": {
        "nc": TypedColumn("TEXT COLLATE NOCASE", ("a", "A", "b", "a "), ("'a'", "'A'", "'B'")),
        "rt": TypedColumn("TEXT COLLATE RTRIM", ("a", "a ", "A"), ("'a'", "'a '")),
        "an": TypedColumn("", (1, "1", 1.0, b"1", "a"), ("1", "'1'", "1.0", "x'31'")),
        "bl": TypedColumn("BLOB", (1, "1", b"1", b""), ("x'31'", "'1'", "1", "x''")),
        "de": TypedColumn("DECIMAL(5,2)", (1, 1.5, "1.50", 2), ("1", "'1'", "1.5", "'1.50'")),
        "bo": TypedColumn("BOOL", (0, 1, 2), ("TRUE", "1", "'1'"), ("NOT t.bo", "t.bo IS TRUE")),
        "dt": TypedColumn("DATETIME", ("2020-01-01", "2020-01-01 00:00:00"), ("'2020-01-01'",)),
        "fp": TypedColumn("FLOATING POINT", (1, 1.5, 2, 1.0), ("1", "1.5", "'1'"), ("t.fp / 2",)),
        "st": TypedColumn("STRING", (1, "1", "a", 1.5), ("1", "'1'", "'a'"), ("t.st || ''",)),
    },
}


@cache
def kinds_of(dialect: str) -> dict[str, Kind]:
    """A kind for each column, and one for each pair of neighbours, which are compared."""
    columns = COLUMNS[dialect]
    kinds: dict[str, Kind] = {}
    names = list(columns)
    for name, following in zip(names, [*names[1:], names[0]], strict=True):
        column = columns[name]
        values = (f"t.{name}", f"t.{name}", *column.values)
        kinds[name] = Kind(values, column.constants, {}, (dialect,))
        mixed = (f"t.{name}", f"t.{following}", "t.s", "t.k")
        kinds[f"{name} {following}"] = Kind(mixed, column.constants, {}, (dialect,))
    return kinds


@cache
def schema_of(dialect: str) -> Schema:
    """The tables of the shapes, with a column of each type more."""
    tables, columns = tables_of(dialect), COLUMNS[dialect]
    if dialect == DEFAULT_DIALECT:
        # A column's collation stands in the text of its table.
        more = ", ".join(f"{name} {column.type}" for name, column in columns.items())
        return read_ddl(tables.replace(");", f", {more});", 1), "types")
    schema = read_ddl(tables, "types")
    added = tuple(Column(name, column.type) for name, column in columns.items())
    table, *others = schema.tables
    return replace(schema, tables=(replace(table, columns=(*table.columns, *added)), *others))


def typed_cells(declared: str, dialect: str) -> Sequence[Cell]:
    """What a column of a type may hold."""
    for column in COLUMNS[dialect].values():
        if column.type.partition(" COLLATE")[0] == declared.partition(" COLLATE")[0]:
            return column.cells
    return cells_of(declared, dialect)


def make_typed_pair(rng: Random, dialect: str) -> ShapePair:
    """A pair of a random frame and a random column."""
    return make_pair(rng, dialect, kinds_of(dialect))


if __name__ == "__main__":
    for number in range(int(sys.argv[2])):
        pair = make_typed_pair(Random(number), sys.argv[1])
        sys.stdout.write(f"{pair.shapes}\n{pair.gold}\n{pair.other}\n\n")
