"""What the model of wrong golds looks at: a few numbers about one gold, each with its words.

A feature is 0 where nothing was found, and ``None`` where it could not be looked at; the model then
takes the mean of its labels. Names are those of ``gold_model.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from sqlverdict.audit.gold_report import GoldReport, SystemAnswer
from sqlverdict.audit.suspicion import Suspicion
from sqlverdict.audit.suspicions.gold_distinct import distinct_against
from sqlverdict.audit.suspicions.systems_agree import same_answers, same_values
from sqlverdict.report.one_run.case import relation_kinds


@dataclass(frozen=True)
class Feature:
    """One number about a gold.

    Attributes:
        name: Its name in the model.
        value: The number; ``None``: it could not be looked at.
        words: What it says about this gold.
    """

    name: str
    value: float | None
    words: str


def gold_features(report: GoldReport, raised: Sequence[Suspicion]) -> tuple[Feature, ...]:
    """All features of a gold, in a fixed order.

    Args:
        report: The gold with what systems said to it.
        raised: All suspicions against it.
    """
    by_name = {suspicion.name: suspicion for suspicion in raised}
    return (
        *_systems(report),
        _signs(by_name),
        _distinct(report),
        *_reported(by_name),
    )


def _systems(report: GoldReport) -> list[Feature]:
    compared = [entry for entry in report.answers if entry.right is not None]
    wrong = [entry for entry in compared if not entry.right]
    total = len(compared)
    if not total:
        words = "no system's result was compared with the gold's"
        return [Feature(name, None, words) for name in ("mismatch", "agreement", "same_values")]
    # Half a system on either side: one of one says less than ten of ten.
    odds = log((len(wrong) + 0.5) / (total - len(wrong) + 0.5))
    ran = [entry for entry in wrong if entry.runs]
    alike = [entry for entry in ran if same_values(entry)]
    others = [entry for entry in ran if not same_values(entry)]
    group = max(map(len, same_answers(others)), default=0)
    group = group if group > 1 else 0
    return [
        Feature("mismatch", odds, f"{len(wrong)} of {total} systems do not match the gold"),
        Feature("agreement", group / total if total > 1 else None, _agreement(group, total)),
        Feature(
            "same_values",
            len(alike) / total,
            f"{len(alike)} of {total} systems give the gold's values in another form"
            f"{_kinds(alike)}",
        ),
    ]


def _kinds(entries: Sequence[SystemAnswer]) -> str:
    """The relations between these answers and the gold's, by name."""
    kinds = sorted({kind for entry in entries for kind in relation_kinds(entry.result)})
    return f" ({', '.join(kinds)})" if kinds else ""


def _agreement(group: int, total: int) -> str:
    if total < 2:
        return "one system cannot agree with another"
    if not group:
        return "no two systems agree on another answer"
    return f"{group} of {total} systems agree on another answer"


def _signs(by_name: Mapping[str, Suspicion]) -> Feature:
    signs = by_name.get("gold_signs")
    names = list(signs.detail.get("counted", ())) if signs is not None else []
    if "gold_nothing" in by_name:
        names.append("empty_answer")
    words = f"the gold shows {', '.join(names)}" if names else "the gold shows no sign that counts"
    return Feature("gold_signs", float(bool(names)), words)


def _distinct(report: GoldReport) -> Feature:
    against, of = distinct_against(report)
    words = f"{len(against)} of {of} systems that differ write DISTINCT, the gold does not"
    return Feature("distinct_against", len(against) / of if of else 0.0, words)


def _reported(by_name: Mapping[str, Suspicion]) -> list[Feature]:
    """What no label set has: the coefficients of these are assumed."""
    fails, judge = by_name.get("gold_fails"), by_name.get("judge_disputes")
    limit = fails is not None and bool(fails.detail.get("limit"))
    blamed = judge is not None and bool(judge.detail.get("blamed"))
    return [
        Feature("gold_fails", float(fails is not None and not limit), "the gold fails"),
        Feature("gold_limit", float(limit), "the gold reaches a limit"),
        Feature("gold_self", float("gold_self" in by_name), "the gold does not match itself"),
        Feature("judge_blames", float(blamed), "a judge calls the gold wrong"),
        Feature(
            "judge_holds_right",
            float(judge is not None and not blamed),
            "a judge calls another result right",
        ),
    ]
