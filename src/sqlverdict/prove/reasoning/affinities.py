"""Whether SQLite compares what stands in one place of several queries alike: affinities."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts

_NUMBERS = frozenset({"INTEGER", "REAL", "NUMERIC"})


def compare_alike(outputs: Iterable[Expr], facts: Facts) -> bool:
    """Whether outputs that stand in one place convert what they are compared with alike."""
    return len({_class(output, facts) for output in outputs}) <= 1


def _class(output: Expr, facts: Facts) -> object:
    """What an output converts its neighbour to; a value of its own where that is not known."""
    while isinstance(output, exp.Column):
        own = facts.affinity(output)
        inner = facts.projection(output)
        if own is not None or inner is None:
            return object() if own is None else "number" if own in _NUMBERS else own
        output = inner
    if isinstance(output, exp.Subquery):
        return object()
    own = facts.affinity(output)
    return "number" if own in _NUMBERS else own or "BLOB"
