"""A question that stands on one database more than once, with the same golds, is kept once."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.abstain.benchmark.words import same_wording
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Case


def drop_duplicates(cases: Sequence[Case]) -> tuple[list[Case], int]:
    """The cases without repetitions, and how many those were.

    Of cases with the same database, question, knowledge and golds the one with the smallest id
    stays. Where golds differ all stay: which of them is right cannot be told here, and the lint
    ``duplicate_questions`` names them.
    """
    first: dict[tuple[object, ...], str] = {}
    for case in sorted(cases, key=lambda case: case.id):
        first.setdefault(_key(case), case.id)
    rest = [case for case in cases if first[_key(case)] == case.id]
    return rest, len(cases) - len(rest)


def _key(case: Case) -> tuple[object, ...]:
    wording = same_wording(case.question) or case.id
    golds = frozenset(map(normalised, case.golds))
    return case.db_id, wording, same_wording(case.knowledge), case.answerable, golds
