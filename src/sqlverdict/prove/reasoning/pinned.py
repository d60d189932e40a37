"""Columns that WHERE makes equal to one constant."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    column_name,
    conditions,
    labels,
    source_label,
    whole_number,
)

_MOST = 2**53


def pinned_columns(select: exp.Select, facts: Facts) -> dict[ColumnName, Expr]:
    """The columns of the query's own sources that have one value, with this value."""
    own = set(labels(select))
    pinned: dict[ColumnName, Expr] = {}
    for condition in conditions(select):
        if not isinstance(condition, exp.EQ):
            continue
        for column, value in (
            (condition.this, condition.expression),
            (condition.expression, condition.this),
        ):
            if not isinstance(column, exp.Column) or source_label(column) not in own:
                continue
            number = whole_number(value)
            is_text = isinstance(value, exp.Literal) and bool(value.is_string)
            kind = "integer" if number is not None and abs(number) < _MOST else "text"
            if (number is not None or is_text) and facts.kind(column) == kind:
                pinned.setdefault(column_name(column), value)
    return pinned
