"""A judge says that the gold is wrong, or holds a prediction right whose result is another.

Shown by: a judge's category ``incorrect_ground_truth_query`` or a flag that speaks of the gold; or
an opinion that a prediction answers the question though the results differ.

Weight: 0.7 where the judge blames the gold, 0.35 where it only holds the prediction right and no
relation between the results explains that, 0.15 more for each further system.

Misleads where the judge does: it sees the gold and tends to trust it, and may be talked into the
prediction's reading of an ambiguous question.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport, SystemAnswer
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.audit.suspicions.systems_agree import same_values
from sqlverdict.compare.tag_labels import DIFFERENCES
from sqlverdict.evidence import Judged

NAME = "judge_disputes"
BLAMED = 0.7
HELD_RIGHT = 0.35
EACH = 0.15
MOST = 0.9
WRONG_GOLD = DIFFERENCES[2]


@SUSPICIONS.member
class JudgeDisputes:
    """Golds that a judge disputes."""

    title = "a judge calls the gold wrong, or another result right"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """The opinions against the gold, together."""
        blamed = [
            (entry, opinion)
            for entry in report.answers
            for opinion in entry.opinions()
            if _blames(opinion)
        ]
        right = [
            (entry, opinion)
            for entry in report.answers
            for opinion in entry.opinions()
            if opinion.correct and _unexplained(entry)
        ]
        against = blamed or right
        if not against:
            return
        systems = tuple(dict.fromkeys(entry.system for entry, _ in against))
        weight = (BLAMED if blamed else HELD_RIGHT) + EACH * (len(systems) - 1)
        what = "calls the gold wrong" if blamed else "calls another result right"
        judges = ", ".join(dict.fromkeys(opinion.by for _, opinion in against))
        words = next((text for _, opinion in against if (text := _words(opinion))), "")
        message = f"the judge {judges} {what} ({', '.join(systems)})"
        yield Suspicion(
            NAME,
            round(min(MOST, weight), 3),
            f"{message}: {words}" if words else message,
            systems,
            {"explanation": words, "blamed": bool(blamed)},
        )


def _blames(opinion: Judged) -> bool:
    return WRONG_GOLD in opinion.categories or any("gold" in flag for flag in opinion.flags)


def _unexplained(entry: SystemAnswer) -> bool:
    return entry.right is False and not same_values(entry)


def _words(opinion: Judged) -> str:
    text = opinion.category_notes.get(WRONG_GOLD) or opinion.explanation
    flat = " ".join(text.split())
    return flat if len(flat) <= 300 else flat[:299] + "…"
