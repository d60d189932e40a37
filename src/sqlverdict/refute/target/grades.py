"""How ordinary the rows of an instance are, where the queries may have no words in SQLite."""

from __future__ import annotations

from typing import Final

from sqlverdict.refute.data.grade import SEVERITY, Grader
from sqlverdict.refute.shrink import Content, Cost
from sqlverdict.refute.witness import Grade, Instance

ORDINARY: Final[Cost] = (0, 0)


def ungraded(instance: Instance) -> tuple[Grade, tuple[str, ...]]:
    """The grade of rows that nothing is known about."""
    return ("ungraded" if instance.size else "needs_empty_table"), ()


def severity(grader: Grader | None, rows: Content) -> Cost:
    """How far rows are from ordinary."""
    if grader is None:
        return ORDINARY if any(rows.values()) else (SEVERITY["needs_empty_table"], 0)
    grade, broken = grader.grade(Instance(grader.schema, rows))
    return SEVERITY[grade], len(broken)
