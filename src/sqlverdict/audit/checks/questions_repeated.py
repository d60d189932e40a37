"""Does one question stand twice, and do its golds agree?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, wording_key
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Answer, Case

NAME = "questions_repeated"


@CHECKS.member
class QuestionsRepeated(Check):
    """The same question on the same database, with the same or other golds."""

    title = "questions that occur more than once"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Group the questions of each database, with the knowledge that goes with them."""
        groups: dict[tuple[str, str, str], list[Case]] = {}
        for case in data.cases:
            if case.question.strip():
                key = (case.db_id, wording_key(case.full_question), wording_key(case.knowledge))
                groups.setdefault(key, []).append(case)
        for cases in groups.values():
            for later in cases[1:]:
                yield from _pair(data, cases[0], later)


def _pair(data: AuditData, first: Case, later: Case) -> Iterator[AuditFinding]:
    data.figures["questions_repeated"] += 1
    subject = f"case {later.id}"
    same = f"the question of case {first.id!r} again ({first.question_line[:60]!r})"
    detail = {"cases": [first.id, later.id]}
    if first.answerable != later.answerable:
        hint = "one of them calls it answerable, the other not: correct one"
        yield AuditFinding(NAME, "warning", subject, same, hint, detail)
        return
    if {normalised(sql) for sql in first.golds} == {normalised(sql) for sql in later.golds}:
        hint = "the same item counts twice in every score"
        yield AuditFinding(NAME, "info", subject, f"{same}, with the same gold", hint, detail)
        return
    agree = _agree(data, first, later)
    detail_golds = {**detail, "golds": [list(first.golds), list(later.golds)]}
    if agree:
        hint = "the same item counts twice in every score"
        message = f"{same}, with another gold that gives the same answer"
        yield AuditFinding(NAME, "info", subject, message, hint, detail_golds)
        return
    data.figures["questions_repeated_golds_differ"] += 1
    how = "another answer" if agree is False else "another gold"
    hint = "one prediction cannot be right for both: give each case both golds, or correct one"
    yield AuditFinding(NAME, "warning", subject, f"{same}, with {how}", hint, detail_golds)


def _agree(data: AuditData, first: Case, later: Case) -> bool | None:
    """Whether some gold of one answers as some gold of the other; ``None``: nothing ran."""
    if first.database is None or not first.golds or not later.golds:
        return None
    run = partial(data.runner.run, first.database)
    compared = None
    for one in first.golds:
        for other in later.golds:
            here, there = run(one), run(other)
            if isinstance(here, Answer) and isinstance(there, Answer):
                pair = QueryPair(one, other, probe=run)
                compared = False
                if PRESETS.get(DEFAULT_PRESET).compare(here, there, pair).equal is not False:
                    return True
    return compared
