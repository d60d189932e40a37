"""What systems answer, where it is not what the gold answers.

Candidates: a query of each group of systems that give the same query or the same answer. Of a
group's queries it is one of the most that are proved equal to each other; of those the shortest,
without its comments.

Misleads where systems share a habit. A group of one is a candidate too, behind the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlverdict.audit.edits import without_comments
from sqlverdict.audit.gold_report import SystemAnswer
from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject
from sqlverdict.audit.suspicions.systems_agree import same_answers
from sqlverdict.files.text import count

NAME = "system_answers"


@REPAIRS.member
class SystemAnswers:
    """The answers that systems agree on."""

    title = "the query of systems that agree"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """A query of each group, the largest group first."""
        groups = same_answers([each for each in gold.answers if each.answer is not None])
        for group in sorted(groups, key=len, reverse=True):
            proved = max(_classes(group, gold), key=len)
            queries = [each.result.prediction or "" for each in proved]
            texts = [without_comments(sql, gold.dialect) for sql in queries]
            yield CandidateGold(
                min(texts, key=lambda text: (len(text), text)),
                NAME,
                f"the query of {count(len(group), 'system', 'systems with one answer')}",
                tuple(each.system for each in group),
                tuple(each.system for each in proved),
            )


def _classes(group: Sequence[SystemAnswer], gold: RepairSubject) -> list[list[SystemAnswer]]:
    """The systems of a group by queries that are proved equal."""
    classes: list[list[SystemAnswer]] = []
    for entry in group:
        for known in classes:
            first = known[0]
            if first.query == entry.query or gold.are_equal(
                first.result.prediction or "", entry.result.prediction or ""
            ):
                known.append(entry)
                break
        else:
            classes.append([entry])
    return classes
