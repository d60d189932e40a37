"""Values for what queries ask in the words of their engine: letters, rounding, lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell
from sqlverdict.refute.make.pool import ValuePool
from sqlverdict.refute.make.times import (
    CALENDAR,
    CLOCK_CHANGES,
    DATE,
    DAYS,
    anniversaries,
    in_format,
)
from sqlverdict.refute.read.calls import Call
from sqlverdict.refute.read.own_words import OwnWords

_WORDS: tuple[Cell, ...] = ("ab", "AB")
_MOST_WORDS = 4
"""So many texts of a column are written with other capitals."""
_MOST_WIDE = 12
"""So many texts of a column are written with a letter of two bytes."""
_PARTS = (0.6, 0.5, 0.4)
"""Parts of the last digit that is left: above its half, the half, and below it."""
_EDGES: tuple[Cell, ...] = (" a", "a ", " a b ", "ab cD", "Abcdefgh", "aab", "12", "a1", "1.5")
"""Texts on which functions part: spaces around, several words, capitals, many letters, digits."""
_BELOW_ZERO: tuple[Cell, ...] = (-1, -3)
"""Odd numbers that are cut off towards zero, or rounded down."""
_FRACTIONS = ("REAL", "NUMERIC")
_NO_WIDER = 100.0
"""Values beside larger constants than this are not rounded ones."""


def own_pools(pools: Mapping[ColumnRef, ValuePool], own: OwnWords) -> dict[ColumnRef, ValuePool]:
    """The pools that get more values.

    Args:
        pools: The pools with the values that constants give a hint of.
        own: What the queries ask for.
    """
    changed: dict[ColumnRef, ValuePool] = {}

    def more(column_ref: ColumnRef, values: Iterator[Cell]) -> None:
        pool = changed.get(column_ref, pools[column_ref])
        changed[column_ref] = replace(pool, near=tuple(dict.fromkeys((*pool.near, *values))))

    for column_ref in own.folded:
        if not pools[column_ref].closed:
            more(column_ref, _other_capitals(pools[column_ref].good or _WORDS))
    for column_ref, digits in sorted({(column, digits) for column, _, digits in own.rounded}):
        pool = pools[column_ref]
        is_number = isinstance(pool.plain[0], int | float)
        if is_number and pool.kind in _FRACTIONS and not pool.closed:
            more(column_ref, _around_digit(pool.good, digits))
    for column_ref in own.in_bytes:
        pool = pools[column_ref]
        if pool.kind == "TEXT" and not pool.closed:
            more(column_ref, _wide_letters(pool.good))
    zoned = {column_ref for column_ref, words, _ in own.calls if "AtTimeZone" in words}
    for column_ref, texts in _called(own.calls).items():
        pool = pools[column_ref]
        if pool.closed:
            continue
        if any(day in pool.plain for day in DAYS):
            more(column_ref, chain(CALENDAR, *map(anniversaries, texts)))
            if column_ref in zoned:
                more(column_ref, iter(CLOCK_CHANGES))
        elif pool.kind == "TEXT":
            texts_of_calls = (*map(_repeated, texts), *map(in_format, texts))
            more(column_ref, chain(_EDGES, *texts_of_calls, _fractions(pool.good)))
        elif pool.kind == "INTEGER":
            more(column_ref, iter(_BELOW_ZERO))
    for column_ref, elements in own.lists.items():
        good, near = _lists(elements)
        whole = [v for v in pools[column_ref].good if str(v).startswith(("[", "{"))]
        changed[column_ref] = replace(pools[column_ref], good=(*whole, *good), near=near)
    return changed


def _called(calls: Iterable[Call]) -> dict[ColumnRef, list[str]]:
    """The columns on which functions are called, and the texts that these are given."""
    texts_of: dict[ColumnRef, list[str]] = {}
    for column_ref, _, texts in sorted(calls):
        known = texts_of.setdefault(column_ref, [])
        known += [text for text in texts if text not in known]
    return texts_of


def _repeated(text: str) -> Iterator[str]:
    """Texts in which a text stands several times: around, between, one behind the other."""
    yield from (f"{text}1{text}", f"1{text}2{text}3", f"{text}{text}1")


def _fractions(values: Sequence[Cell]) -> Iterator[str]:
    """Texts of numbers that are rounded down and up."""
    wholes = [each for each in values if isinstance(each, str) and each.isdecimal()]
    yield from (f"{each}.{digit}" for each in wholes[:_MOST_WORDS] for digit in (4, 6))


def _other_capitals(values: Sequence[Cell]) -> Iterator[Cell]:
    """Texts with a capital at the beginning, and with capitals but for the beginning."""
    words = [v for v in values if isinstance(v, str) and sum(map(str.isalpha, v)) > 1]
    for word in words[:_MOST_WORDS]:
        title = word[:1].upper() + word[1:].lower()
        yield from (title, title.swapcase())


def _wide_letters(values: Sequence[Cell]) -> Iterator[Cell]:
    """Texts as long in letters, and longer in bytes."""
    words = [each for each in values if isinstance(each, str) and each][:_MOST_WIDE]
    yield from (word[:-1] + "é" for word in dict.fromkeys((*words, "a", "ab")))


def _around_digit(values: Sequence[Cell], digits: int) -> Iterator[Cell]:
    """Numbers that are rounded up, rounded down, and cut off to different ones."""
    unit = 10.0**-digits
    numbers = [v for v in values if isinstance(v, int | float) and abs(v) <= _NO_WIDER]
    for number in dict.fromkeys((1, 2, *numbers[:2])):
        beside = [round(number + part * unit, max(digits, 0) + 2) for part in _PARTS]
        yield from (*beside, -beside[0], -beside[1])


def _lists(elements: Sequence[Cell]) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Lists as JSON texts: with an element at each place, and without it."""
    good: list[list[Cell]] = []
    near: list[list[Cell]] = [[], [None], list(elements)]
    for element in elements:
        others = [each for each in elements if each != element]
        other = others[0] if others else _other_element(element)
        good += [[element], [other, element], [element, other]]
        near += [[other], [element, element], [None, element]]
    good_texts, near_texts = (
        tuple(dict.fromkeys(json.dumps(each, ensure_ascii=False) for each in lists))
        for lists in (good, near)
    )
    return good_texts, near_texts


def _other_element(element: Cell) -> Cell:
    if isinstance(element, int | float):
        return element + 1
    text = str(element)
    return None if DATE.fullmatch(text) else f"{text}x"
