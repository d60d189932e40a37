"""Shares by kind of question, laid out as TrustSQL's tables 8 to 12: a row per system.

Tables 8, 10 and 11 take answerable items by hardness (seen and unseen SQL templates apart, where
the benchmark tells them): how many were not held back, answered correctly, not answered wrongly.
Tables 9 and 12 take unanswerable items by type: how many were held back. What a row says depends
on what the run is of: a detector before f alone gives tables 8 and 9, a generator alone table
10, a whole composition tables 11 and 12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlverdict.report.reliability.figures import Reliability
from sqlverdict.report.terminal.tables import TextTable, percent, table
from sqlverdict.score.reliability.items import type_order
from sqlverdict.score.reliability.outcomes import OutcomeTable

_SHARES: Mapping[str, tuple[str, Callable[[OutcomeTable], int]]] = {
    "not_held_back": (
        "not held back (table 8)",
        lambda one: one.answerable - one.abstained_answerable,
    ),
    "correct": ("answered correctly (table 10)", lambda one: one.correct),
    "not_wrong": ("not answered wrongly (table 11)", lambda one: one.answerable - one.wrong),
}


def by_hardness(reliability: Reliability) -> dict[str, dict[str, Any]]:
    """For each level the number of items and the shares of them; nothing scored has none."""
    return {
        key: {"items": one.answerable}
        | {name: _share(part(one), one.answerable) for name, (_, part) in _SHARES.items()}
        for key, one in _parts(reliability, "difficulty").items()
    }


def by_type(reliability: Reliability) -> dict[str, dict[str, Any]]:
    """For each type of unanswerable question the number of items and the share held back."""
    return {
        key: {
            "items": one.unanswerable,
            "held_back": _share(one.abstained_unanswerable, one.unanswerable),
        }
        for key, one in _parts(reliability, "unanswerable_type").items()
    }


def hardness_table(systems: Sequence[Reliability]) -> TextTable:
    """Answerable items of some systems on one benchmark, by hardness."""
    shares = {one.system: by_hardness(one) for one in systems}
    columns = list(dict.fromkeys(key for kinds in shares.values() for key in kinds))
    rows = [
        [system, label, *(percent(kinds.get(key, {}).get(name)) for key in columns)]
        for system, kinds in shares.items()
        for name, (label, _) in _SHARES.items()
        if columns
    ]
    title = "Answerable items by hardness, as TrustSQL's tables 8, 10 and 11"
    return table(("system", "share", *_headers(columns, shares)), rows, title, left=(0, 1))


def type_table(systems: Sequence[Reliability]) -> TextTable:
    """Unanswerable items of some systems on one benchmark, by type."""
    shares = {one.system: by_type(one) for one in systems}
    columns = sorted({key for kinds in shares.values() for key in kinds}, key=type_order)
    rows = [
        [system, *(percent(kinds.get(key, {}).get("held_back")) for key in columns)]
        for system, kinds in shares.items()
        if columns
    ]
    title = "Unanswerable items held back, by type, as TrustSQL's tables 9 and 12"
    return table(("system", *_headers(columns, shares)), rows, title)


def _headers(columns: Sequence[str], shares: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Each kind with its number of items, where all systems have as many scored."""
    headers = []
    for key in columns:
        sizes = {kinds[key]["items"] for kinds in shares.values() if key in kinds}
        headers.append(f"{key} ({sizes.pop():,})" if len(sizes) == 1 else key)
    return headers


def _parts(reliability: Reliability, by: str) -> dict[str, OutcomeTable]:
    return {part.key: part.table for part in reliability.slices if part.by == by}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
