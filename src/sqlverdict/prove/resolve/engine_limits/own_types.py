"""Types that not every dialect has: what their values can do, and which texts spell them.

PostgreSQL compares no JSON, sorts no ``xid``, and has no MAX of a truth value: a query that asks
for one always fails there. DuckDB compares, sorts and has a MAX of everything. Both read a text in
quotes as a value of the type beside it, and fail for a text that is none. What is listed here was
asked of both engines; of a type that is not listed nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache

from sqlverdict.dialects import Dialect
from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.parse.tokens import fold, word_set

_PLAIN = word_set("number text collated boolean date time timestamp uuid literal null")
_ONE_FORM = word_set("boolean date uuid")
_CLOCKS = word_set("time timestamp")
"""Of which equal values are the same; clocks where they have the same digits."""
_UNKNOWN = word_set("other untyped computed opaque")
"""``other`` is a type that is not known; ``untyped`` a column whose schema has labels for types;
``computed`` the value of a call, and ``opaque`` one that may be of a type without order."""
_UNSORTED = frozenset({"other", "opaque"})
_WITHOUT_MAX = frozenset({"boolean", "uuid", *_UNSORTED})
_SORTED = frozenset(
    {
        *("bit", "bit varying", "bytea", "jsonb", "macaddr", "macaddr8", "tsquery", "tsvector"),
        *("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"),
        *("int4multirange", "int8multirange", "nummultirange", "datemultirange"),
        *("tsmultirange", "tstzmultirange", "cidr"),
    }
)
"""Types with an order and without MAX, or with one of another type: that of CIDR is an INET, which
is shown without ``/32``."""
_GREATEST = frozenset(
    {
        *("character", "name", "inet", "oid", "pg_lsn", "regclass", "regtype", "xid8"),
        *("timestamp with time zone", "time with time zone", "interval", "money"),
    }
)
"""Types with both."""
_IDENTICAL = frozenset(
    {
        *("bit", "bit varying", "bytea", "macaddr", "macaddr8", "name", "inet", "cidr", "oid"),
        *("pg_lsn", "xid8", "money", "timestamp with time zone"),
        *("int4range", "int8range", "daterange", "tsrange", "tstzrange"),
    }
)
"""Types of which equal values are one and the same; so are those of an enum."""
_NAMES = {
    **dict.fromkeys(("char", "bpchar"), "character"),
    "timestamptz": "timestamp with time zone",
    "timetz": "time with time zone",
    "varbit": "bit varying",
    **dict.fromkeys(("int", "int4"), "integer"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("float8", "double"), "double precision"),
    **dict.fromkeys(("varchar", "character varying"), "text"),
    "int2": "smallint",
    "int8": "bigint",
    "decimal": "numeric",
    "float4": "real",
    "timestamp": "timestamp without time zone",
    "time": "time without time zone",
}
_ELEMENTS = frozenset(
    {
        *("smallint", "integer", "bigint", "numeric", "real", "double precision", "text"),
        *("boolean", "date", "uuid", "timestamp without time zone", "time without time zone"),
    }
)
_SIZE = re.compile(r"\([\d, ]*\)")
_ENUM = re.compile(r"ENUM\((.*)\)")
_ENUM_KIND = "enum "
_LABELS = re.compile(r"'((?:[^']|'')*)'")

_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_HOURS = r"(?:2[0-3]|[01]?\d):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?"
_ZONE = r"(?:Z|[+-](?:0\d|1[0-4])(?::[0-5]\d)?)?"
_CLOCK = re.compile(rf"[ T]{_HOURS}{_ZONE}")
_UNITS = ("year", "month", "week", "day", "hour", "minute", "second")
_SPAN = re.compile("".join(rf"(?:-?\d{{1,4}} {unit}s?(?: |$))?" for unit in _UNITS))
_SPELLINGS = {
    "time": _HOURS,
    "time with time zone": _HOURS + _ZONE,
    "uuid": r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "bytea": r"[^\\]*",
    "jsonb": r'\{\}|\[\]|null|true|false|-?\d{1,9}|"[\w ]*"',
    **dict.fromkeys(("oid", "money"), r"\d{1,9}"),
    **dict.fromkeys(("character", "name", "untyped"), r"(?s:.*)"),
}
_NUMBERS = r"(?:-?\d{1,4}(?:, ?-?\d{1,4})*)?"
_TEXTS = r"(?:[a-zA-Z]\w*(?:,[a-zA-Z]\w*)*)?"


def column_type(table: Table, name: str, dialect: Dialect) -> str:
    """The kind of a column's values: one that all dialects have, or a type of the dialect's own."""
    column = table.column(name)
    if column is None:
        return "other"
    values = column_values(table, column, dialect.name)
    if values == "other" and dialect.typed_quotes:
        return own_type(table, column, dialect)
    return "number" if values in ("integer", "real", "number") else values


def exact_type(table: Table, name: str, dialect: Dialect) -> str | None:
    """The type of a column where equal values are the same; ``None`` for numbers and texts."""
    kind = column_type(table, name, dialect) if dialect.typed else "other"
    column = table.column(name)
    if kind in _CLOCKS and column is not None:
        # One may have fewer digits behind the point, and then another text.
        return f"{kind} {column.type}"
    return kind if kind in _ONE_FORM or (is_special(kind) and not has_forms(kind)) else None


def lasting(kind: str, dialect: Dialect) -> str:
    """The kind that the value of a query, a CASE or the like keeps, whatever stands beside it."""
    if kind == "null":
        return "text" if dialect.strict_types else kind
    return "text" if kind == "literal" and dialect.typed_quotes else kind


def own_type(table: Table, column: Column, dialect: Dialect) -> str:
    """The type of a column of kind ``other``, by its one name: types differ where the names do.

    An enum has the list of its labels for a name.
    """
    if (enum := _ENUM.fullmatch(column.type)) is not None:
        return f"{_ENUM_KIND}{enum.group(1)}"
    declared = " ".join(_SIZE.sub(" ", column.type.lower()).split())
    dimensions = declared.count("[]")
    plain = declared.replace("[]", "").strip()
    name = _NAMES.get(plain, plain) + "[]" * min(dimensions, 1)
    is_known = dialect.strict_types or name.endswith("[]") or name in _SORTED | _GREATEST
    if is_known and is_sorted(name, dialect):
        return name
    labels = next(_labels(table, column), None)
    if labels is not None:
        return labels
    # In a dialect that sorts all types the name still tells two of them apart.
    return "other" if dialect.strict_types else f"other {declared}"


def _labels(table: Table, column: Column) -> Iterator[str]:
    """The labels of an enum, from the CHECK that the reader of the schema writes for it."""
    start = f'"{column.name}" IN ('
    for check in table.checks:
        if fold(check).startswith(fold(start)) and check.endswith(")"):
            inner = check[len(start) : -1]
            if not re.sub(r"[\s,]", "", _LABELS.sub("", inner)):
                yield f"{_ENUM_KIND}{inner}"


def is_special(kind: str) -> bool:
    """Whether a kind is one of a dialect's own types, or not known."""
    return kind not in _PLAIN


def is_enum(kind: str) -> bool:
    """Whether a kind is one of labels in an order of their own."""
    return kind.startswith(_ENUM_KIND)


def may_differ(kind: str, dialect: Dialect) -> bool:
    """Whether two values of a kind can be equal and differ."""
    if kind == "literal":
        return not dialect.exact_texts
    return kind == "collated" or has_forms(kind)


def has_forms(kind: str) -> bool:
    """Whether equal values of a kind may be written in several ways, whatever its collation."""
    return is_special(kind) and kind not in _IDENTICAL and not is_enum(kind)


def is_sorted(kind: str, dialect: Dialect) -> bool:
    """Whether values of a kind can be compared, sorted and grouped."""
    if not dialect.strict_types or kind in _PLAIN | _UNKNOWN:
        return not dialect.strict_types or kind not in _UNSORTED
    element = kind.removesuffix("[]")
    if element != kind:
        return element in _ELEMENTS | _SORTED | _GREATEST
    return kind in _SORTED | _GREATEST or is_enum(kind)


def has_extremes(kind: str, dialect: Dialect) -> bool:
    """Whether values of a kind have MIN and MAX."""
    if not dialect.strict_types:
        return True
    return is_sorted(kind, dialect) and kind not in _WITHOUT_MAX | _SORTED


def has_patterns(kind: str, dialect: Dialect) -> bool:
    """Whether values of a kind can stand beside LIKE."""
    if kind in ("text", "collated", "literal", "untyped"):
        return True
    return kind in ("character", "name") if dialect.typed_quotes else kind == "other"


def spells(kind: str, texts: Iterable[str], dialect: Dialect) -> bool:
    """Whether all texts are sure to be values of a kind, as both engines write and read them."""
    return all(_spells(kind, text, dialect.nested_texts) for text in texts)


@lru_cache(maxsize=4_096)
def _spells(kind: str, text: str, nested: str) -> bool:
    if kind in ("date", "timestamp", "timestamp with time zone"):
        return _is_moment(text)
    if kind == "interval":
        return _is_span(text)
    if is_enum(kind):
        return text.replace("'", "''") in _LABELS.findall(kind)
    if kind.endswith("[]"):
        element = kind.removesuffix("[]")
        inner = {"integer": _NUMBERS, "bigint": _NUMBERS, "smallint": _NUMBERS, "text": _TEXTS}
        if element not in inner or (nested == "brackets" and element == "text"):
            return False
        opening, closing = (r"\{", r"\}") if nested == "braces" else (r"\[", r"\]")
        return re.fullmatch(opening + inner[element] + closing, text, re.ASCII) is not None
    pattern = _SPELLINGS.get(kind)
    return pattern is not None and re.fullmatch(pattern, text, re.ASCII) is not None


def _is_moment(text: str) -> bool:
    day = _DAY.match(text) if text.isascii() else None
    if day is None or not (day.end() == len(text) or _CLOCK.fullmatch(text, day.end())):
        return False
    try:
        date(*map(int, day.groups()))
    except ValueError:
        return False
    return True


def _is_span(text: str) -> bool:
    """Whether a text is a span of time, each unit once, from the longest to the shortest."""
    if not text.isascii():
        return False
    if re.fullmatch(_HOURS, text):
        return True
    return bool(text) and not text.endswith(" ") and _SPAN.fullmatch(text) is not None
