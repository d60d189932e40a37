"""How a column's values are stored and written: numbers or texts, dates, times, upper case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlverdict.files.sqlite import quote_name
from sqlverdict.records import Row
from sqlverdict.refute.data.mine.kind import FEW_ROWS, ColumnRegularity, Regularity
from sqlverdict.refute.data.mine.sample import Values

StoredAs = Literal["number", "text"]
_KEPT_AS: dict[StoredAs, tuple[type, ...]] = {"number": (int, float), "text": (str,)}


@dataclass(frozen=True)
class StorageKind(ColumnRegularity):
    """The column holds only numbers, or only texts, NULL apart; SQLite would store anything."""

    kind: StoredAs

    def __str__(self) -> str:
        return f"{self._name} holds only {self.kind}s"

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is of that kind, or NULL."""
        return cells[0] is None or isinstance(cells[0], _KEPT_AS[self.kind])

    def violation(self) -> str:
        """It is of another kind."""
        kinds = "'text'" if self.kind == "text" else "'integer', 'real'"
        return f"typeof({quote_name(self.column)}) NOT IN ('null', {kinds})"


Form = Literal[
    "whole number", "date", "date and time", "digits and signs", "upper case", "lower case"
]
_DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
_CLOCK = "[0-9][0-9]:[0-9][0-9]"
_SIGNS = "0-9 :./,+$%#()-"
# Each form: what a text must match, and the SQL condition that it does not.
_FORMS: dict[Form, tuple[re.Pattern[str], str]] = {
    "date": (re.compile(_DATE), f"{{0}} NOT GLOB '{_DATE}'"),
    "date and time": (
        re.compile(rf"{_DATE}[ T]{_CLOCK}.*", re.DOTALL),
        f"{{0}} NOT GLOB '{_DATE}[ T]{_CLOCK}*'",
    ),
    "whole number": (
        re.compile(r"-?[0-9]+"),
        "(ltrim({0}, '-') = '' OR ltrim({0}, '-') GLOB '*[^0-9]*' OR {0} GLOB '--*')",
    ),
    # Times, days in other orders, codes: "1:54.455" and "3/7/2020" hold no letter.
    "digits and signs": (
        re.compile(rf"(?=.*[0-9])[{_SIGNS}]*"),
        f"({{0}} GLOB '*[^{_SIGNS}]*' OR {{0}} NOT GLOB '*[0-9]*')",
    ),
    "upper case": (re.compile(r"[^a-z]*"), "{0} GLOB '*[a-z]*'"),
    "lower case": (re.compile(r"[^A-Z]*"), "{0} GLOB '*[A-Z]*'"),
}
_LONGEST = 64
"""Longer texts are prose and have no form."""
_LETTER = re.compile("[A-Za-z]")


@dataclass(frozen=True)
class TextForm(ColumnRegularity):
    """All the column's texts are written in one form."""

    form: Form

    def __str__(self) -> str:
        article = "in" if self.form.endswith(("case", "signs")) else "as a"
        return f"{self._name} is written {article} {self.form}"

    def keeps(self, cells: Row) -> bool:
        """Whether the text has the form; other cells have none."""
        cell = cells[0]
        return not isinstance(cell, str) or _FORMS[self.form][0].fullmatch(cell) is not None

    def violation(self) -> str:
        """It is a text of another form."""
        column = quote_name(self.column)
        return f"typeof({column}) = 'text' AND {_FORMS[self.form][1].format(column)}"


def mine_forms(values: Values) -> Iterator[Regularity]:
    """The first form that all the texts have; letters must be there for a case to show."""
    texts = [text for text in values.counts if isinstance(text, str)]
    # Long texts are prose, and SQLite would take its time over them.
    short = max(map(len, texts), default=0) <= _LONGEST
    with_letters = sum(_LETTER.search(text) is not None for text in texts)
    for form, (pattern, _) in _FORMS.items():
        if form.endswith("case") and (with_letters < FEW_ROWS or not short):
            continue
        if all(pattern.fullmatch(text) for text in texts):
            yield TextForm(*values.column_ref, form=form)
            return
