"""A question with two readings, and how names and values are written in SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sqlverdict.dialects import dialect_of

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Ambiguity:
    """A question that two queries answer, each in its own way.

    Attributes:
        question: The question.
        queries: The two readings.
        table: The table it is about.
        between: What it may mean, in words: "date arrived or date departed".
    """

    question: str
    queries: tuple[str, str]
    table: str
    between: str


@lru_cache(maxsize=8)
def _keywords(dialect: str) -> frozenset[str]:
    """The words that mean something in a dialect, in capitals."""
    from sqlglot import Dialect

    phrases = Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
    return frozenset(word for phrase in phrases for word in phrase.split())


@dataclass(frozen=True)
class SqlText:
    """Writes names and values in a dialect."""

    dialect: str

    def name(self, name: str) -> str:
        """A table's or column's name, quoted where it has to be."""
        from sqlglot import exp

        plain = (
            _PLAIN.fullmatch(name)
            and name.upper() not in _keywords(self.dialect)
            and (dialect_of(self.dialect).names_case == "folded" or name.islower())
        )
        return exp.to_identifier(name, quoted=not plain).sql(dialect=self.dialect)

    def value(self, value: str) -> str:
        """A text as a literal."""
        from sqlglot import exp

        return exp.Literal.string(value).sql(dialect=self.dialect)

    def column(self, table: str, column: str) -> str:
        """A column with its table."""
        return f"{self.name(table)}.{self.name(column)}"
