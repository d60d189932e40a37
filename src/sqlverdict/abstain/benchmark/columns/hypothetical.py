"""Columns that do not exist: what they are called, and what they would hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlverdict.abstain.benchmark.words import plural, words
from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.tokens import fold, word_set

ColumnKind = Literal["number", "text", "date"]

_NUMBERS = ("INT", "REAL", "NUM", "FLOA", "DOUB", "DEC")
_DATES = word_set("date time day year month birthdate birthday")
_KEYS = word_set("id code key")
_JOINTS = (" of ", " at ", " from ", " on ")
_AMOUNT = "number of "


@dataclass(frozen=True)
class Hypothetical:
    """A column that does not exist: how people say it, its kind, and what it was made from."""

    name: str
    kind: ColumnKind
    origin: str = ""

    @property
    def plural(self) -> str:
        """Several of them: "shoe sizes", "countries of origin"; a number of siblings stays one."""
        if self.name.startswith(_AMOUNT):
            return self.name
        joint = next((joint for joint in _JOINTS if joint in self.name), "")
        noun, _, rest = self.name.partition(joint) if joint else (self.name, "", "")
        *before, last = noun.split()
        return " ".join([*before, plural(last)]) + (joint + rest if joint else "")


def kind_of(column: Column) -> ColumnKind:
    """What a column holds, by its declared type and its name. A year is a date: it has no sum."""
    if _DATES & set(words(column.name)):
        return "date"
    declared = column.type.upper()
    return "number" if any(word in declared for word in _NUMBERS) else "text"


def is_key(table: Table, column: Column) -> bool:
    """Whether a column stands for a row rather than saying something about it."""
    name = fold(column.name)
    pointing = {fold(own) for key in table.foreign_keys for own in key.columns}
    keys = {fold(own) for own in table.primary_key}
    return name in pointing | keys or bool(_KEYS & set(words(column.name)))
