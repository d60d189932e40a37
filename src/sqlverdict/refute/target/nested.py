"""Lists, structures and intervals as texts, for engines that read such a text as a value.

What stands in one depends on the cell that was made for the column: equal cells give equal values.
Lists are short, and their elements few.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from uuid import UUID

from sqlglot import exp

from sqlverdict.dialects import dialect_of
from sqlverdict.records import Cell
from sqlverdict.refute.target.lite import type_tree

_LISTS = frozenset({"ARRAY", "LIST"})
_SHAPES: tuple[tuple[int | None, ...], ...] = (
    *((1,), (1, 2), (2, 1), (), (2,), (1, 1), (0, 1, 3), (3, None)),
)
"""Lists, by the numbers of their elements: one is found at a number and missed at the next."""
_LONGEST = 4
_MISSING = 7
"""Of so many values one is NULL."""
_NUMBERS = frozenset(
    {"TINYINT", "SMALLINT", "INT", "BIGINT", "HUGEINT", "INT128", "DOUBLE", "FLOAT", "DECIMAL"}
)
_DATED = frozenset({"DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "DATETIME"})
_WORDS = ("A", "a", "b", "ab")
_NESTED = _LISTS | {"STRUCT", "MAP"}
_SAMPLES: dict[str, tuple[Cell, ...]] = {
    **dict.fromkeys(_NUMBERS, (1, 2)),
    **dict.fromkeys(("TEXT", "VARCHAR"), ("a", "b")),
}
"""Some values of plain types."""
_BRACED = re.compile(r"\{.*\}", re.DOTALL)
"""A list as a query writes it."""
_SPAN = re.compile(r"(?:\s*[+-]?\d+ (?:year|month|day|hour|minute|second)s?)+")
_SPANS = (
    *("36 hours", "1 month", "0 days", "-1 day", "1 hour", "30 days", "1 year", "1 day"),
    "23 hours",
)
"""Of these 30 days and a month are equal, and move a date by different numbers of days."""


def nested_fit(type_: str, dialect: str) -> Callable[[Cell], Cell] | None:
    """How a cell becomes the text of a list or a structure; ``None`` for types without a form."""
    declared = type_tree(type_, dialect)
    style = dialect_of(dialect).nested_texts
    if declared is None or (style == "braces" and not _is_list_of_plain_values(declared)):
        return None
    if style == "none" or _text(declared, _choices("")) is None:
        return None

    def fit(cell: Cell) -> Cell:
        if style == "braces" and isinstance(cell, str) and _BRACED.fullmatch(cell):
            return cell
        parts = _parts(cell)
        if isinstance(parts, list) and _name(declared) in _LISTS:
            return _list_text(parts, style)
        if isinstance(parts, dict) and _name(declared) in ("MAP", "STRUCT"):
            return _map_text(parts) if _name(declared) == "MAP" else _part_text(parts)
        text = None if cell is None else _text(declared, _choices(str(cell)))
        return f"{{{text[1:-1]}}}" if text is not None and style == "braces" else text

    return fit


def has_parts(type_: str, dialect: str) -> bool:
    """Whether values of a type are made of others: a list, a structure, a map."""
    declared = type_tree(type_, dialect)
    return declared is not None and _name(declared) in _NESTED


def key_and_values(type_: str, dialect: str) -> tuple[Sequence[Cell], Sequence[Cell]] | None:
    """Some keys and some values of a map of plain values; ``None`` for other types."""
    declared = type_tree(type_, dialect)
    if declared is None or _name(declared) != "MAP" or len(declared.expressions) != 2:
        return None
    keys, values = (_SAMPLES.get(_name(part)) for part in declared.expressions)
    return None if keys is None or values is None else (keys, values)


def is_list_of_values(type_: str, dialect: str) -> bool:
    """Whether a type is that of a list of plain values."""
    declared = type_tree(type_, dialect)
    return declared is not None and _is_list_of_plain_values(declared)


def _name(declared: exp.Expr) -> str:
    return str(declared.this.value) if isinstance(declared.this, exp.DType) else ""


def _parts(cell: Cell) -> list[Cell] | dict[str, Cell] | None:
    """What stands in a value that was made for a query; ``None`` where the cell is no such text."""
    if not isinstance(cell, str) or not cell.startswith(("[", "{")):
        return None
    try:
        parts = json.loads(cell)
    except ValueError:
        return None
    return parts if isinstance(parts, list | dict) else None


def _list_text(elements: list[Cell], style: str) -> str:
    """A list as the engine reads it."""
    if style == "braces":
        parts = [
            "NULL" if each is None else json.dumps(str(each), ensure_ascii=False)
            for each in elements
        ]
        return f"{{{', '.join(parts)}}}"
    return f"[{', '.join(map(_part_text, elements))}]"


def _map_text(entries: dict[str, Cell]) -> str:
    """A map as the engine reads it."""
    return "{" + ", ".join(f"{_part_text(k)}={_part_text(v)}" for k, v in entries.items()) + "}"


def _part_text(part: object) -> str:
    if part is None:
        return "NULL"
    if isinstance(part, list):
        return f"[{', '.join(map(_part_text, part))}]"
    if isinstance(part, dict):
        return "{" + ", ".join(f"{_part_text(k)}: {_part_text(v)}" for k, v in part.items()) + "}"
    if not isinstance(part, str):
        return str(part)
    return "'" + part.replace("\\", "\\\\").replace("'", "\\'") + "'"


def span_fit(cell: Cell) -> Cell:
    """A cell as the text of an interval, the same for equal cells."""
    if isinstance(cell, str) and _SPAN.fullmatch(cell):
        return cell
    return None if cell is None else _SPANS[next(_choices(str(cell))) % len(_SPANS)]


def _is_list_of_plain_values(declared: exp.Expr) -> bool:
    return (
        _name(declared) in _LISTS
        and len(declared.expressions) == 1
        and _name(declared.expressions[0]) not in (*_LISTS, "STRUCT")
    )


def _choices(cell: str) -> Iterator[int]:
    """Numbers without an end, the same for equal cells.

    The first ones of ``a``, ``b``, ``c`` are neighbours: cells that are often made differ.
    """
    yield sum(cell.encode())
    while True:
        cell = blake2b(cell.encode(), digest_size=8).hexdigest()
        yield from bytes.fromhex(cell)


def _text(declared: exp.Expr, choices: Iterator[int]) -> str | None:
    """A value of a type; ``None`` where there is no text for it."""
    name = _name(declared)
    if name in _LISTS and len(declared.expressions) == 1:
        shape = _SHAPES[next(choices) % len(_SHAPES)]
        for size in declared.args.get("values") or ():
            # Where the dialect keeps it, each list has so many elements.
            shape = tuple(shape[at % len(shape)] if shape else None for at in range(int(size.name)))
        parts = [
            "NULL" if number is None else _text(declared.expressions[0], chain((number,), choices))
            for number in shape
        ]
        return None if None in parts else f"[{', '.join(map(str, parts))}]"
    if name == "MAP" and len(declared.expressions) == 2:
        key, value = (_text(part, choices) for part in declared.expressions)
        return None if key is None or value is None else f"{{{key}={value}}}"
    if name == "STRUCT":
        fields = []
        for field in declared.expressions:
            inner = _part(field.args["kind"], choices) if isinstance(field, exp.ColumnDef) else None
            if inner is None:
                return None
            fields.append(f"'{field.name}': {inner}")
        return "{" + ", ".join(fields) + "}"
    if name in _NUMBERS:
        return str(next(choices) % _LONGEST)
    if name == "BOOLEAN":
        return ("true", "false")[next(choices) % 2]
    if name in _DATED:
        return f"2020-01-0{next(choices) % _LONGEST + 1}"
    if name == "UUID":
        return str(UUID(int=next(choices)))
    if name == "ENUM" and declared.expressions:
        return str(declared.expressions[next(choices) % len(declared.expressions)].name)
    return _WORDS[next(choices) % len(_WORDS)] if name in ("TEXT", "VARCHAR") else None


def _part(declared: exp.Expr, choices: Iterator[int]) -> str | None:
    """A value inside another one, which may be NULL."""
    text = _text(declared, choices)
    return "NULL" if text is not None and next(choices) % _MISSING == 0 else text
