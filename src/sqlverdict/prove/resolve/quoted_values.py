"""For which values a text in quotes stands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlglot import exp

from sqlverdict.dialects import Dialect
from sqlverdict.prove.resolve.common_sql import COMPARISONS

_COMPARED = ("IN", "BETWEEN", *(kind.__name__.lower() for kind in COMPARISONS))
_CHOICES = ("COALESCE", "CASE", "IF")


def takes_quotes(dialect: Dialect, kind: str, where: str, quoted: Sequence[exp.Literal]) -> bool:
    """Whether texts in quotes stand for values of a kind.

    Args:
        dialect: The dialect.
        kind: The kind of the values beside them.
        where: The comparison or the choice in which they meet.
        quoted: The texts.
    """
    if kind == "text":
        return True
    if kind == "collated":
        # The column's collation goes before that of a text in quotes.
        return where in _COMPARED or where in _CHOICES
    if dialect.typed_quotes:
        return kind not in ("number", "boolean")
    if kind == "date" and where in _COMPARED and quoted:
        # A day that is written as it is shown is the same whether days or their texts are compared.
        return all(map(_is_day, quoted))
    # What becomes of other types depends on the place.
    return kind == "other" and where in _COMPARED


def _is_day(literal: exp.Literal) -> bool:
    """Whether a text in quotes is a day as it is shown."""
    text = str(literal.this)
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
