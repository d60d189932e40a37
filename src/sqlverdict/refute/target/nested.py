"""Lists and structures as texts, for engines that read such a text as a value of the type.

What stands in one depends on the cell that was made for the column: equal cells give equal values.
Lists are short, and their elements few, so that queries find one at a place and miss one at the
next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlverdict.records import Cell

_LISTS = frozenset({"ARRAY", "LIST"})
_LONGEST = 4
_MISSING = 7
"""Of so many values one is NULL."""
_NUMBERS = frozenset(
    {"TINYINT", "SMALLINT", "INT", "BIGINT", "HUGEINT", "INT128", "DOUBLE", "FLOAT", "DECIMAL"}
)
_WORDS = ("a", "b", "A", "ab")


def nested_fit(type_: str, dialect: str) -> Callable[[Cell], Cell] | None:
    """How a cell becomes the text of a list or a structure; ``None`` for types without a form."""
    try:
        declared = exp.DataType.build(type_, dialect=dialect)
    except (SqlglotError, ValueError, AttributeError):
        return None
    if _text(declared, _choices("")) is None:
        return None
    return lambda cell: None if cell is None else _text(declared, _choices(str(cell)))


def _choices(cell: str) -> Iterator[int]:
    """Numbers without an end, the same for equal cells."""
    while True:
        cell = blake2b(cell.encode(), digest_size=8).hexdigest()
        yield from bytes.fromhex(cell)


def _text(declared: exp.Expr, choices: Iterator[int]) -> str | None:
    """A value of a type; ``None`` where there is no text for it."""
    name = str(declared.this.value)
    if name in _LISTS and len(declared.expressions) == 1 and not declared.args.get("values"):
        length = next(choices) % _LONGEST
        parts = [_part(declared.expressions[0], choices) for _ in range(max(length, 1))]
        return None if None in parts else f"[{', '.join(map(str, parts[:length]))}]"
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
    if name == "DATE":
        return f"2020-01-0{next(choices) % _LONGEST + 1}"
    return _WORDS[next(choices) % len(_WORDS)] if name in ("TEXT", "VARCHAR") else None


def _part(declared: exp.Expr, choices: Iterator[int]) -> str | None:
    """A value inside another one, which may be NULL."""
    text = _text(declared, choices)
    return "NULL" if text is not None and next(choices) % _MISSING == 0 else text
