"""The values worth trying for each column: what the queries name, and what lies beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from math import ceil, floor, inf, isfinite

from sqlverdict.parse.facts import column_affinity
from sqlverdict.parse.schema import Column, ColumnRef, Table, is_strict, stored_type
from sqlverdict.parse.schemas.column_types import LOOSE, collation
from sqlverdict.records import Cell
from sqlverdict.refute.make.computed_pools import computed_pools, pools_of_days
from sqlverdict.refute.make.own_pools import own_pools
from sqlverdict.refute.make.pool import PLAIN_TEXTS, Kind, ValuePool
from sqlverdict.refute.make.times import (
    CLOCKS,
    DATE,
    DAYS,
    FAR_DAYS,
    ODD_CLOCKS,
    ODD_DAYS,
    SHORTEST_MONTH,
    dates_around,
    days_apart,
    is_dated,
    written_like,
)
from sqlverdict.refute.read.derived_values import is_like, of_length
from sqlverdict.refute.read.json_paths import documents
from sqlverdict.refute.read.reading import Hint, QueryReading

_NUMBERS = (int, float)

_PLAIN: dict[Kind, tuple[Cell, ...]] = {
    "INTEGER": (1, 2, 3, 4),
    "NUMERIC": (1, 2, 3, 4),
    "REAL": (1.0, 2.5, 3.0, 0.5),
    "TEXT": PLAIN_TEXTS,
    "BLOB": (1, 2, "a", "b"),
    "BYTES": (b"a", b"b", b"c", b"d"),
}
_ODD: dict[Kind, tuple[Cell, ...]] = {
    "INTEGER": (0, -1, 7, 10),
    "NUMERIC": (0, -1, 1.5, 10),
    "REAL": (0.0, -1.0, 7.0625, 10.0),
    "TEXT": ("", "A", "10", "9", " Ab cd"),
    "BLOB": (0, ""),
    "BYTES": (b"", b"A", b"\x00"),
}
CASES: tuple[Cell, ...] = ("a", "A", "b", "B")
"""Texts for a column that takes capitals and small letters for the same."""
_LOOSE_TEXTS: tuple[Cell, ...] = ("a ", "A ", "á", "b ")
"""More of them, where spaces at the end and accents do not count either."""
_NUMBER_TEXTS: tuple[Cell, ...] = ("1", "2", "10", "9")
"""Numbers in a column of texts."""
_WRITTEN_ODD: tuple[Cell, ...] = ("", "a", "1.5", "-1")
_FAR = 40
"""How many times a constant the far value is, for quotients and products."""
_INEXACT: tuple[Cell, ...] = (2**53 + 1, 2**53)
_DOCUMENTS = 8
"""How many documents are likely to meet what queries ask of them."""
_LEAST, _GREATEST = -(2**63), 2**63 - 1
"""The integers that SQLite stores."""
_BEFORE_KEYS = 90
"""New keys are counted from 101: the first of them is 11 beside the value that it replaces."""
_GAP = 10
"""Values that are made up come so far behind the last: no neighbour of a constant is so far."""
_SMALL_STEP = 0.125
"""The neighbour of a fraction; a power of two, which sums keep exact."""
_LONG_STEP = 3
"""So many steps off is a second value on the same side: two rows of the first would tie."""


def takes(kind: Kind, value: Cell) -> bool:
    """Whether a column of that kind holds such a value in an orderly database."""
    if isinstance(value, int) and not _LEAST <= value <= _GREATEST:
        return False
    if kind == "INTEGER":
        return value is None or isinstance(value, int)
    if kind == "REAL":
        return value is None or isinstance(value, _NUMBERS)
    if kind == "BYTES":
        return value is None or isinstance(value, bytes)
    return True


def bare_pool(table: Table, column: Column, nullable: bool) -> ValuePool:
    """The values for a column that no query compares with anything."""
    kind: Kind = column_affinity(stored_type(table, column))
    if kind == "BLOB" and column.type and is_strict(table.sql) and column.type.upper() != "ANY":
        kind = "BYTES"
    plain, odd = _PLAIN[kind], _ODD[kind]
    # A column without a type is as its name says; one that is declared BLOB holds bytes.
    if kind in ("TEXT", "NUMERIC") or (kind == "BLOB" and not column.type):
        if (column.type or "").strip().upper() == "TIME":
            plain, odd = CLOCKS, ODD_CLOCKS
        elif is_dated(column):
            plain, odd = DAYS, ODD_DAYS
    by = collation(table.sql, column.name) if kind == "TEXT" else ""
    if by in ("NOCASE", LOOSE):
        plain = CASES
    if by == LOOSE:
        odd = (*_LOOSE_TEXTS, *odd)
    return ValuePool(kind, (), (), plain, odd, nullable)


def make_pools(
    bare: Mapping[ColumnRef, ValuePool], reading: QueryReading
) -> dict[ColumnRef, ValuePool]:
    """The pools of all columns, with the values that the queries give a hint of.

    Args:
        bare: The pools before a query is read.
        reading: What the queries look at.
    """
    pools = dict(bare)
    for column_ref in reading.numbers:
        if bare[column_ref].plain is _PLAIN["TEXT"]:
            pools[column_ref] = replace(bare[column_ref], plain=_NUMBER_TEXTS, odd=_WRITTEN_ODD)
        elif bare[column_ref].kind == "REAL":
            pools[column_ref] = replace(bare[column_ref], extreme=(inf,))
    for column_ref in reading.floats:
        if bare[column_ref].kind == "INTEGER":
            pools[column_ref] = replace(bare[column_ref], extreme=_INEXACT)
    pools |= pools_of_days(pools, reading)
    hints: dict[ColumnRef, list[Hint]] = {}
    for hint in (*reading.hints, *reading.own.hints):
        hints.setdefault(hint.column_ref, []).append(hint)
    lengths: dict[ColumnRef, set[int]] = {}
    for column_ref, length in reading.lengths:
        lengths.setdefault(column_ref, set()).add(length)
    for column_ref in {**hints, **lengths}:
        pools[column_ref] = hinted(
            pools[column_ref], hints.get(column_ref, ()), lengths.get(column_ref, ())
        )
    pools |= own_pools(pools, reading.own)
    for column_ref, paths in reading.documents.items():
        texts = documents(paths)
        pools[column_ref] = replace(
            pools[column_ref],
            good=texts[:_DOCUMENTS],
            near=texts[_DOCUMENTS:],
            plain=texts,
            odd=texts,
        )
    return pools | computed_pools(pools, reading)


def hinted(pool: ValuePool, hints: Iterable[Hint], lengths: Collection[int] = ()) -> ValuePool:
    """A pool with the values that comparisons of its column give a hint of."""
    good: list[Cell] = []
    near: list[Cell] = []
    filled = False
    about = [*hints]
    for hint in about:
        if hint.value is None:
            near.append(None)
            filled |= hint.operator == "!="
            continue
        fitting, beside = _around(hint, pool.kind)
        if hint.mixed:
            # Two dates may be a number of years apart; neither of them is that number.
            number = _number(hint.value)
            if pool.plain is not DAYS or number is None:
                near += [*fitting, *beside]
            elif abs(number) < FAR_DAYS:
                near += days_apart(int(number))
            if number is not None and pool.kind in ("INTEGER", "REAL"):
                # A quotient or a product needs values far from each other.
                near += [1, ceil(number * _FAR) if isfinite(number * _FAR) else 0]
            continue
        good += fitting
        near += beside
    likes = [hint.value for hint in about if hint.operator == "like" and hint.value is not None]
    if len(likes) > 1:
        # One text that may meet two patterns.
        both = [
            "".join(str(p).replace("%", " ") for p in (one, two)).strip()
            for one, two in pairwise(likes)
        ]
        good += both
        near += [f"{text}x" for text in both]
    if pool.kind in ("REAL", "NUMERIC"):
        near += _between([_number(hint.value) for hint in about if not hint.mixed])
    if lengths and pool.kind in ("TEXT", "BLOB", "NUMERIC"):
        good += of_length([*good, *near], lengths)
    if filled and not good:
        good = [*pool.plain]
    if pool.plain in (_PLAIN["TEXT"], _PLAIN["BLOB"], DAYS):
        # Who compares a column with 1:54.455 knows how its values are written.
        texts = [alike for hint in about if hint.direct for alike in written_like(hint.value)]
        pool = replace(pool, plain=tuple(dict.fromkeys(texts)) or pool.plain)

    def legal(values: list[Cell]) -> tuple[Cell, ...]:
        may = (v for v in values if (pool.nullable or v is not None) and fits(v))
        return tuple(dict.fromkeys(may))

    # Who compares a column of numbers with a word knows that it holds words.
    words = any(
        hint.direct and isinstance(hint.value, str) and _number(hint.value) is None
        for hint in about
    )

    def fits(value: Cell) -> bool:
        return takes(pool.kind, value) or (words and isinstance(value, str))

    return replace(pool, good=legal(good), near=legal(near))


def another(value: Cell, pool: ValuePool, number: int, side: int) -> Cell:
    """A value that no row has yet; where queries compare the column, one that may pass too."""
    if isinstance(value, bytes):
        return value + str(number).encode()
    if isinstance(value, _NUMBERS):
        beyond = value + side * (number - _BEFORE_KEYS)
        return beyond if pool.good and takes(pool.kind, beyond) else number
    text = str(value)
    dated = DATE.fullmatch(text)
    if dated:
        return f"{dated[1]}-{dated[2]}-{number % SHORTEST_MONTH + 1:02}{dated[4]}"
    if text.isdecimal():
        return str(int(text) + number)
    return f"{text}{number}" if pool.good else f"k{number}"


def nth(values: Sequence[Cell], number: int, *, closed: bool = False) -> Cell:
    """One of the values; where they do not suffice, one like the last, or the first again."""
    if number < len(values) or closed:
        return values[number % len(values)]
    value = values[-1]
    if isinstance(value, bytes):
        return value + str(number).encode()
    if isinstance(value, _NUMBERS):
        beyond = value + _GAP + number
        return beyond if takes("NUMERIC", beyond) else number
    text = str(value)
    dated = DATE.fullmatch(text)
    if dated:
        return f"{int(dated[1]) - number:04}-{dated[2]}-{dated[3]}{dated[4]}"
    return str(int(text) + _GAP + number) if text.isdecimal() else f"{text}{number}"


def _around(hint: Hint, kind: Kind) -> tuple[list[Cell], list[Cell]]:
    """Values that satisfy a comparison, and values beside the border."""
    value, operator = hint.value, hint.operator
    assert value is not None
    if isinstance(value, bytes):
        return [value], [value[:-1], value + b"x", b""]
    if kind == "BYTES":
        return [str(value).encode()], [f"{value}x".encode()]
    if operator == "unlike":
        matching, near = _matching(str(value), "%_")
        others = (text for text in (*near, *_PLAIN["TEXT"]) if not is_like(str(text), str(value)))
        return [*others], [*matching, *near]
    if operator in ("like", "glob"):
        return _matching(str(value), "*?" if operator == "glob" else "%_")
    number = _number(value)
    if kind in ("INTEGER", "REAL"):
        if kind == "INTEGER" and isinstance(number, float) and isfinite(number):
            # Whole numbers on both sides of it, or itself if it is one.
            below, above = (
                _numbers(floor(number), operator, kind),
                _numbers(ceil(number), operator, kind),
            )
            return [*below[0], *above[0]], [*below[1], *above[1]]
        if number is not None:
            return _numbers(number, operator, kind)
    text = str(value)
    dated = dates_around(text, hint.direct)
    if dated is not None:
        within, before, after = dated
        order = {">": after, ">=": within + after, "<": before, "<=": within + before}
        fitting: list[Cell] = [*order.get(operator, within)]
        # Text that only looks like a date tells date functions from text functions.
        odd = [] if hint.direct else [text, f"{text}-99-99"]
        return fitting, [*within, *before, *after, *odd]
    if number is not None and kind == "NUMERIC":
        return _numbers(number, operator, kind)
    if number is not None:
        fitting, beside = _numbers(number, operator, kind)
        return [text, *map(str, fitting)], [*map(str, beside), text, text + "1", "0" + text]
    fitting = [text]
    if not hint.direct and not text.isalnum():
        # A mark by which a text is cut into parts.
        fitting = [text, f"1{text}2"]
    elif operator in (">", ">="):
        fitting = [text + "z", text]
    elif operator in ("<", "<="):
        fitting = [text[:-1] or "", text]
    elif operator == "!=":
        fitting = [text + "x"]
    return fitting, [text, text.swapcase(), f"{text} ", text + "x", text[:-1], "x" + text]


def _numbers(number: float, operator: str, kind: Kind) -> tuple[list[Cell], list[Cell]]:
    step = _step(number)
    order: dict[str, list[Cell]] = {
        ">": [number + step, number + _LONG_STEP * step],
        ">=": [number, number + step, number + _LONG_STEP * step],
        "<": [number - step, number - _LONG_STEP * step],
        "<=": [number, number - step, number - _LONG_STEP * step],
        "!=": [number + step, number - step],
    }
    beside: list[Cell] = [number - step, number, number + step, -number - step]
    if kind in ("REAL", "NUMERIC"):
        # The first has more digits than people round to.
        beside += [number + step / 8, number - step / 2]
    return order.get(operator, [number]), beside


def _between(numbers: Iterable[float | None]) -> list[Cell]:
    """Fractions between constants that are closer than what lies beside each."""
    known = sorted({each for each in numbers if each is not None and isfinite(each)})
    return [
        float((Decimal(str(low)) + Decimal(str(high))) / 2)
        for low, high in pairwise(known)
        if high - low <= _step(low) / 8
    ]


def _step(number: float) -> float:
    return _SMALL_STEP if isinstance(number, float) and abs(number) < 1 else 1


def _matching(pattern: str, wild: str) -> tuple[list[Cell], list[Cell]]:
    """Texts that match a LIKE or GLOB pattern, and near misses."""
    many, one = wild[0], wild[1]
    short = pattern.replace(many, "").replace(one, "x")
    long = pattern.replace(many, "zz").replace(one, "y")
    core = pattern.replace(many, "").replace(one, "")
    near: list[Cell] = [f"q{short}", f"{short}q", core[:-1], short.swapcase(), f"q{short}q", ""]
    return [short, long], near


def _number(value: Cell) -> float | int | None:
    """The number that a value is, or is written as; a whole one only where the engine has it."""
    if not isinstance(value, int | float | str):
        return None
    try:
        whole = int(value) if not isinstance(value, float) else None
    except ValueError:
        whole = None
    if whole is not None and takes("INTEGER", whole):
        return whole
    try:
        return float(value)
    except ValueError:
        return None
    except OverflowError:
        return inf if isinstance(value, int) and value > 0 else -inf
