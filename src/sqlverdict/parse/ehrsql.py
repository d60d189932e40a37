"""What EHRSQL's queries leave to the evaluation: the present time and normal ranges.

EHRSQL's questions are asked on the last day of the year 2100, and its queries say
``current_time`` or ``'now'`` for it; normal ranges of vital signs are names such as
``heart_rate_lower``. Its evaluation puts values in their place before a query runs. Without
that a query answers for the day on which it runs, or not at all.
"""

from __future__ import annotations

import re

from sqlverdict.parse.tokens import pieces

CLOCK = "2100-12-31 23:59:00"
"""The present, as EHRSQL's questions mean it."""

VITAL_RANGES = {
    "temperature": (35.5, 38.1),
    "sao2": (95.0, 100.0),
    "heart_rate": (60.0, 100.0),
    "respiration": (12.0, 18.0),
    "systolic_bp": (90.0, 120.0),
    "diastolic_bp": (60.0, 90.0),
    "mean_bp": (60.0, 110.0),
}
"""The normal range of each vital sign, as published with the benchmark."""

_BOUNDS = {
    f"{sign}_{end}": str(bound)
    for sign, ends in VITAL_RANGES.items()
    for end, bound in zip(("lower", "upper"), ends, strict=True)
}
_OPEN = re.compile(r"current_time|'now'|%[yj]|_(?:lower|upper)\b", re.IGNORECASE)


def fill_in(sql: str) -> str:
    """The query with the present time and the ranges put in; others come back as they are.

    Models that write in lower case say ``%y`` and ``%j``, which SQLite does not know; these
    become ``%Y`` and ``%J``, in every string, as EHRSQL's evaluation does.

    >>> fill_in("SELECT strftime('%j', current_time) WHERE v > heart_rate_lower")
    "SELECT strftime('%J', '2100-12-31 23:59:00') WHERE v > 60.0"
    """
    if not _OPEN.search(sql):
        return sql
    return "".join(map(_fill_in_piece, pieces(sql)))


def _fill_in_piece(piece: str) -> str:
    word = piece.lower()
    if word in ("current_time", "'now'"):
        return f"'{CLOCK}'"
    if piece.startswith("'"):
        return piece.replace("%y", "%Y").replace("%j", "%J")
    return _BOUNDS.get(word, piece)
