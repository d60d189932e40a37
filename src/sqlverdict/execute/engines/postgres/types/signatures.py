"""Types, casts, operators and functions of PostgreSQL, from its own catalogue.

``signatures.txt`` is written by ``bench/postgres_signatures.py`` and is the same for all versions:
what a version does not have is found out when a query runs, and what a newer one adds is not known.
A type goes by its name in the catalogue; an array is ``int4[]``, and an enum has its labels behind
its name: ``enum mood 'sad', 'ok'``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Final

from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.tokens import fold

FILE: Final = "signatures.txt"
UNTYPED: Final = "unknown"
"""The type of a text in quotes, and of NULL, that takes that of what stands beside it."""
NOT_KNOWN: Final = "?"
"""A type that is not known."""
ENUM: Final = "enum "
"""How the name of an enum begins."""

Signature = tuple[tuple[str, ...], str]
"""What is taken, and what is given. ``...`` behind the last type: as many as there are."""

_SIZE: Final = re.compile(r"\([\d, ]*\)")
_SHORT_FLOAT: Final = re.compile(r"float ?\((?:\d|1\d|2[0-4])\)")
_ALIASES: Final = {
    **dict.fromkeys(("int", "serial", "serial4"), "int4"),
    **dict.fromkeys(("smallserial", "serial2"), "int2"),
    **dict.fromkeys(("bigserial", "serial8"), "int8"),
    **dict.fromkeys(("decimal", "dec"), "numeric"),
    **dict.fromkeys(("char", "nchar", "national character"), "bpchar"),
    **dict.fromkeys(("char varying", "nvarchar", "national character varying"), "varchar"),
    "float": "float8",
}
"""Other words for types in a declaration."""


class SignatureTable:
    """The lines of the file.

    Attributes:
        categories: The category of each type.
        preferred: The types that are preferred in theirs.
        equal: The types whose values can be grouped.
        sorted: The types whose values can be sorted.
        casts: How one type becomes another: ``i`` by itself, ``a`` where it is stored, ``e`` by a
            cast.
        operators: What each operator takes.
        functions: What each function takes.
    """

    def __init__(self, text: str) -> None:
        self.categories: dict[str, str] = {UNTYPED: "X"}
        self.preferred: set[str] = set()
        self.equal: set[str] = set()
        self.sorted: set[str] = set()
        self.casts: dict[tuple[str, str], str] = {}
        self.operators: dict[str, list[Signature]] = {}
        self.functions: dict[str, list[Signature]] = {}
        self.declared: dict[str, str] = dict(_ALIASES)
        for line in text.splitlines():
            kind, *words = line.split(" ")
            match kind:
                case "type":
                    self._add_type(words[0], words[1], words[2], " ".join(words[3:]))
                case "cast":
                    self.casts[words[0], words[1]] = words[2]
                case "operator" | "function":
                    known = self.operators if kind == "operator" else self.functions
                    known.setdefault(words[0], []).append((tuple(words[1:-2]), words[-1]))

    def _add_type(self, name: str, category: str, compared: str, title: str) -> None:
        self.categories[name] = category[0]
        if category[0] == "P":
            return
        self.declared |= {name: name, title: name}
        if category[1:]:
            self.preferred.add(name)
        if "=" in compared:
            self.equal.add(name)
        if "<" in compared:
            self.sorted.add(name)


@lru_cache(maxsize=1)
def catalogue() -> SignatureTable:
    """The catalogue, read once."""
    return SignatureTable(files(__package__).joinpath(FILE).read_text("utf-8"))


def category(name: str) -> str:
    """The category of a type: N for numbers, S for texts, D for days, and so on."""
    if name.endswith("[]"):
        return "A"
    return "E" if name.startswith(ENUM) else catalogue().categories.get(name, "U")


def can_compare(name: str, *, sort: bool) -> bool:
    """Whether values of a type can be grouped, or sorted."""
    known, element = catalogue(), name.removesuffix("[]")
    return element.startswith(ENUM) or element in (known.sorted if sort else known.equal)


@lru_cache(maxsize=512)
def column_types(table: Table) -> Mapping[str, str]:
    """The types of a table's columns, by their folded names."""
    return {fold(column.name): _column_type(table, column) for column in table.columns}


def _column_type(table: Table, column: Column) -> str:
    declared = " ".join(column.type.lower().partition(" collate ")[0].split())
    if _SHORT_FLOAT.fullmatch(declared):
        return "float4"
    plain = " ".join(_SIZE.sub(" ", declared).split())
    element = plain.replace("[]", "").strip()
    name = catalogue().declared.get(element)
    if name is not None:
        return name + "[]" * ("[]" in plain)
    # The reader of a schema writes the labels of an enum so.
    start = f'"{column.name}" IN ('
    labels = next((each for each in table.checks if fold(each).startswith(fold(start))), None)
    if labels is None or "[]" in plain:
        return NOT_KNOWN
    return f"{ENUM}{plain} {labels[len(start) : -1]}"
