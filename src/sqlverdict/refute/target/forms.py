"""Values of types whose texts have one form: addresses, bits, ranges, points, identifiers.

A text of the form stays as it is. Of every other cell one is made, the same for equal cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from struct import pack

from sqlverdict.dialects import dialect_of
from sqlverdict.records import Cell

ValueForm = tuple[str, Callable[[int], Cell]]
"""What a text of a type looks like, and a value for a number."""

_TYPE = re.compile(r"\s*\"?([A-Za-z_][A-Za-z_0-9 ]*?)\"?\s*(?:\(\s*(\d+)[^)]*\))?\s*")
_BIT_TYPES = frozenset({"bit", "bit varying", "varbit"})
_BYTE = 256
_RANGE = r"empty|[\[(][^,]*,[^,]*[\])]"
_MULTIRANGE = rf"\{{(?:(?:{_RANGE}),?)*\}}"
_FIRST = date(2024, 1, 1)
_DAYS = 27


def _address(n: int) -> str:
    """One of three networks, two of which are parts of a larger one."""
    network = ("10.0", "10.1", "192.168")[n % 3]
    return f"{network}.{n // _BYTE % _BYTE}.{n % _BYTE}"


def _six(n: int) -> str:
    return f"2001:db8::{n:x}"


def _either(n: int) -> str:
    return _six(n) if n % 4 == 0 else _address(n)


def _mac(n: int) -> str:
    return f"08:00:2b:01:{n // _BYTE % _BYTE:02x}:{n % _BYTE:02x}"


def _numbers(n: int) -> str:
    return f"[{n % 9},{n % 9 + 3})"


def _days(n: int) -> str:
    return f"[{_FIRST + timedelta(n % _DAYS)},2024-02-01)"


def _well_known_binary(n: int) -> bytes:
    """A point as a server of binary geometries stores it."""
    return pack("<IBIdd", 0, 1, 1, float(n), 1.0)


_HEX_PAIR = r"[0-9A-Fa-f]{2}"
_FORMS: dict[str, ValueForm] = {
    "inet": (r"\d+(?:\.\d+){3}(?:/\d+)?|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*(?:/\d+)?", _either),
    "inet4": (r"\d+(?:\.\d+){3}", _address),
    "inet6": (r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*", _six),
    "cidr": (r"[0-9A-Fa-f:.]+/\d+", lambda n: f"10.{n % _BYTE}.0.0/16"),
    "macaddr": (rf"{_HEX_PAIR}(?::{_HEX_PAIR}){{5}}", _mac),
    "macaddr8": (rf"{_HEX_PAIR}(?::{_HEX_PAIR}){{7}}", lambda n: f"{_mac(n)}:00:01"),
    **dict.fromkeys(("int4range", "int8range", "numrange"), (_RANGE, _numbers)),
    **dict.fromkeys(("daterange", "tsrange", "tstzrange"), (_RANGE, _days)),
    **dict.fromkeys(
        ("int4multirange", "int8multirange", "nummultirange"),
        (_MULTIRANGE, lambda n: f"{{{_numbers(n)}}}"),
    ),
    **dict.fromkeys(
        ("datemultirange", "tsmultirange", "tstzmultirange"),
        (_MULTIRANGE, lambda n: f"{{{_days(n)}}}"),
    ),
    "year": (r"19\d\d|20\d\d|21[0-4]\d", lambda n: 2000 + n % 100),
    "oid": (r"\d+", str),
    "pg_lsn": (r"[0-9A-Fa-f]+/[0-9A-Fa-f]+", lambda n: f"16/{n:X}"),
    "hstore": (r".*=>.*", lambda n: f"a=>{n}"),
    "ltree": (r"\w+(?:\.\w+)*", lambda n: f"a.n{n}"),
    "xml": (r"<.*>", lambda n: f"<a>{n}</a>"),
    "point": (r"\(.*,.*\)", lambda n: f"({n},1)"),
    "line": (r"\{.*\}", lambda n: f"{{{n},1,1}}"),
    "lseg": (r"\[.*\]", lambda n: f"[({n},1),(0,0)]"),
    "box": (r"\(.*\),\(.*\)", lambda n: f"({n},2),(0,0)"),
    "path": (r"[\[(].*[\])]", lambda n: f"[({n},1),(0,0)]"),
    "polygon": (r"\(.*\)", lambda n: f"(({n},1),(0,0),(1,0))"),
    "circle": (r"<.*>", lambda n: f"<({n},1),1>"),
    "geometry": (r"[A-Z]+ ?\(.*\)", lambda n: f"POINT({n} 1)"),
    "geography": (r"[A-Z]+ ?\(.*\)", lambda n: f"POINT({n % 90} 1)"),
}
_ELEMENTS: dict[Callable[[int], Cell], re.Pattern[str]] = {
    _numbers: re.compile(r"-?\d+(?:\.\d+)?"),
    _days: re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?"),
}
"""What ranges are made of."""
_IN_BYTES = frozenset({"point", "geometry"})
"""Types whose values some servers take as bytes."""


def fit_to_form(type_: str, dialect: str) -> Callable[[Cell], Cell] | None:
    """How a cell becomes a value of a type that has one form; ``None`` for other types."""
    match = _TYPE.fullmatch(type_)
    if match is None:
        return None
    name = match[1].lower()
    has_texts = dialect_of(dialect).typed_quotes
    if name in _BIT_TYPES and has_texts:
        size = int(match[2]) if match[2] else None
        return lambda cell: _bits(cell, size, is_whole=name == "bit")
    if name in _IN_BYTES and not has_texts:
        return lambda cell: None if cell is None else _well_known_binary(number_for(cell))
    form = _FORMS.get(name)
    if form is None:
        return None
    pattern, make = re.compile(form[0], re.DOTALL), form[1]
    element = _ELEMENTS.get(make)

    def fit(cell: Cell) -> Cell:
        if cell is None or pattern.fullmatch(str(cell)):
            return cell
        if element is not None and element.fullmatch(str(cell)):
            # What a query looks for in a range.
            return f"[{cell!s},{cell!s}]"
        return make(number_for(cell))

    return fit


def _bits(cell: Cell, size: int | None, *, is_whole: bool) -> Cell:
    """A text of bits, so many where the type has a size, or at most so many."""
    if cell is None:
        return None
    text = str(cell) if re.fullmatch(r"[01]+", str(cell)) else f"{number_for(cell) % _BYTE:08b}"
    if size is None:
        return text
    return text[:size].ljust(size, "0") if is_whole else text[:size]


def number_for(cell: Cell) -> int:
    """A number that stands for a cell; those of ``a``, ``b``, ``c`` are neighbours."""
    return sum(str(cell).encode())
