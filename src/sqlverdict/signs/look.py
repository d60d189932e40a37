"""Every sign of one query, in a fixed order."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlverdict.signs.sign import SIGNS, STRENGTHS, Notice, Sign, Subject

LONGEST = 10_000
"""Longer queries are not looked at: a tree of that size takes longer than the query."""
MOST = 8
"""How many notices of one sign are kept."""


def chosen(only: Collection[str] = ()) -> list[Sign]:
    """The signs of these names, or all of them; the strong ones first, each half by name.

    Raises:
        UnknownMember: there is no sign of that name.
    """
    signs = [SIGNS.get(name) for name in only] if only else [each for _, each in SIGNS.items()]
    return sorted(signs, key=lambda each: (STRENGTHS.index(each.strength), each.name))


def notices(sign: Sign, subject: Subject) -> list[Notice]:
    """What one sign finds; nothing where it does not apply."""
    if len(subject.query.sql) > LONGEST or (sign.needs_answer and subject.answer is None):
        return []
    found: list[Notice] = []
    for notice in sign.look(subject):
        if notice not in found:
            found.append(notice)
        if len(found) == MOST:
            break
    return found


def signs_of(subject: Subject, only: Collection[str] = ()) -> Iterator[Notice]:
    """What all signs find, or those of the names in ``only``."""
    for sign in chosen(only):
        yield from notices(sign, subject)
