"""The common type of values that stand beside each other; in SQLite their common affinity.

An integer beside a decimal, in a CASE or in NULLIF, becomes a decimal: 3 / 2 is 1, and 3.0 / 2 is
1.5. A decimal takes the digits of the one beside it, and MySQL counts them in a division. So a
value that loses its neighbour may be divided, compared or shown otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import is_truth_value
from sqlverdict.prove.reasoning.shape import column_name
from sqlverdict.prove.reasoning.stored import has_one_form

_PLAIN = ("integer", "real", "number", "text")
_DECIMAL = re.compile(r"(?:decimal|numeric|dec)\b", re.IGNORECASE)


def keeps_type(value: Expr, other: Expr, facts: Facts) -> bool:
    """Whether a value has the same type with another one beside it as alone; false: not known."""
    if not facts.record.typed or isinstance(other, exp.Null):
        return True
    kind, beside = facts.kind(value), facts.kind(other)
    if kind == "real" or (kind == beside and has_one_form(value, facts)):
        return True
    if beside == "integer":
        return kind == "number" or _DECIMAL.match(_declared(value, facts)) is not None
    if kind not in _PLAIN and isinstance(other, exp.Literal) and other.is_string:
        # A text in quotes takes the type of the other one.
        return True
    if is_truth_value(value) and is_truth_value(other):
        return True
    declared = _declared(value, facts)
    return declared != "" and declared == _declared(other, facts)


def _declared(node: Expr, facts: Facts) -> str:
    """The declared type of a table's column; "" for anything else."""
    if not isinstance(node, exp.Column):
        return ""
    label, name = column_name(node)
    table = facts.table(label)
    column = table.column(name) if table is not None else None
    return column.type.lower() if column is not None else ""


_WHOLE_AFFINITIES = frozenset({"INTEGER", "NUMERIC"})
"""They convert alike. REAL does not: a set operation of both shows 1 as 1.0, or 1.0 as 1."""


def compare_alike(outputs: Iterable[Expr], facts: Facts) -> bool:
    """Whether outputs in one place convert each other, and what they are compared with, alike."""
    return len({_class(output, facts) for output in outputs}) <= 1


def _class(output: Expr, facts: Facts) -> object:
    """What an output converts its neighbour to; a value of its own where that is not known."""
    while isinstance(output, exp.Column | exp.Collate):
        if isinstance(output, exp.Collate):
            output = output.this
            continue
        own = facts.affinity(output)
        inner = facts.projection(output)
        if own is not None or inner is None:
            return object() if own is None else "number" if own in _WHOLE_AFFINITIES else own
        output = inner
    if isinstance(output, exp.Subquery):
        return object()
    own = facts.affinity(output)
    return "number" if own in _WHOLE_AFFINITIES else own or "BLOB"
