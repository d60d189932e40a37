"""Columns whose values are stored ones, which a fact speaks about."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import source_label


def holds_no_nul(column: Expr, facts: Facts) -> bool:
    """Whether no text of a column has a NUL character, or the engine's LIKE reads on behind it.

    A legal database has none in a column declared TEXT; an expression can make one.
    """
    if facts.record.typed:
        return True
    inner: Expr | None = column
    while isinstance(inner, exp.Column) and source_label(inner) not in facts.bases:
        inner = facts.projection(inner)
    return isinstance(inner, exp.Column)
