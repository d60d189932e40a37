"""Every sign of one query, in a fixed order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.execute.session import Run
from sqlverdict.records import Failure, Query
from sqlverdict.signs.sign import SIGNS, STRENGTHS, Notice, Sign, Subject

if TYPE_CHECKING:
    from sqlverdict.parse.schema import Schema

FAILS = "fails"
"""The name of the notice that a query gives no answer; it needs no tree, so it is no member."""
LONGEST = 10_000
"""Longer queries are not looked at: a tree of that size takes longer than the query."""
MOST = 8
"""How many notices of one sign are kept."""


def select_signs(only: Collection[str] = ()) -> list[Sign]:
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
    distinct: list[Notice] = []
    for notice in sign.look(subject):
        if notice not in distinct:
            distinct.append(notice)
        if len(distinct) == MOST:
            break
    return distinct


def signs_of(subject: Subject, only: Collection[str] = ()) -> Iterator[Notice]:
    """What all signs find, or those of the names in ``only``."""
    for sign in select_signs(only):
        yield from notices(sign, subject)


def look_at(
    sql: str,
    schema: Schema,
    run: Run,
    question: str = "",
    knowledge: str = "",
    only: Collection[str] = (),
    dialect: str = DEFAULT_DIALECT,
) -> list[Notice]:
    """What speaks against a text of SQL: that it fails, or the signs of the query.

    Args:
        sql: The text.
        schema: The schema of the database.
        run: Runs a query on the database, guarded and within limits.
        question: What was asked, if that is known.
        knowledge: What was told beside the question.
        only: The names of the signs to look for; all, if empty.
        dialect: The dialect of the database's engine.
    """
    from sqlverdict.parse.qualified import with_plain_names
    from sqlverdict.parse.query import parse

    outcome = run(sql)
    if isinstance(outcome, Failure):
        if outcome.fault is not None or (only and FAILS not in only):
            return []
        detail = {"reason": outcome.reason.value}
        return [Notice(FAILS, f"the query gives no answer: {outcome.message}", detail)]
    query = with_plain_names(parse(sql, dialect), schema)
    if not isinstance(query, Query):
        return []
    subject = Subject(query, schema, run, question, knowledge, outcome)
    names = [name for name in only if name != FAILS]
    return list(signs_of(subject, names)) if names or not only else []
