"""RS(c), the reliability score: reward for right answers and right abstentions, c for harm.

RS(c) = (correct + abstained_unanswerable - c (wrong + answered_unanswerable)) / N, over the
scored items of a view; an answer that a person must decide is among the N and adds nothing, so
that RS(0) by ``verdict`` is the run's ``verdict``. c is any number, or ``N``: as much as there
are items in the evaluated subset, so that one mistake outweighs everything. Views: ANS holds the
answerable items alone; ANS+UnANS all of them; ANS+UnANS(25%) the answerable ones and a quarter of
the others, by weight or as a subset chosen by a seed. Holding back from everything (ABSTAIN-ALL)
scores the share of unanswerable items whatever c is.

Hand calculation: 239 correct, 226 held back, 62 wrong of 527 answerable items, 526 held back and
1 answered of 527 unanswerable ones. RS(0) = (239 + 526) / 1054 = 72.6 %, RS(10) = (765 - 10 * 63)
/ 1054 = 12.8 %, RS(N) = (765 - 1054 * 63) / 1054 = -6227.4 %.

Source: TrustSQL, section 4.4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Literal

from sqlverdict.errors import UsageError
from sqlverdict.score.reliability.outcomes import OutcomeTable
from sqlverdict.score.statistics.intervals import wilson

Penalty = float | Literal["N"]
PENALTIES: tuple[Penalty, ...] = (0.0, 10.0, "N")
"""The paper's three penalties."""

SHARE = 0.25
"""The paper's share of unanswerable items in its middle view."""


@dataclass(frozen=True)
class View:
    """Which items are evaluated, and with what weight the unanswerable ones.

    Attributes:
        name: How reports call it.
        weight: The weight of each unanswerable item: 0 leaves them out, 1 takes them whole.
    """

    name: str
    weight: float

    def size(self, table: OutcomeTable) -> float:
        """How many items are evaluated: the N of RS(N)."""
        return table.answerable + _whole(self.weight * table.unanswerable)

    def good(self, table: OutcomeTable) -> float:
        """Right answers and right abstentions."""
        return table.correct + _whole(self.weight * table.abstained_unanswerable)

    def harm(self, table: OutcomeTable) -> float:
        """Wrong answers and answers to unanswerable questions."""
        return table.wrong + _whole(self.weight * table.answered_unanswerable)


ANS = View("ANS", 0.0)
EVERYTHING = View("ANS+UnANS", 1.0)


def partly(share: float = SHARE) -> View:
    """The view with all answerable items and a share of the unanswerable ones, by weight.

    Raises:
        UsageError: the share is none.
    """
    if not 0 <= share <= 1:
        raise UsageError(f"a share of {share} unanswerable items; expected 0 to 1, such as 0.25")
    return View(f"ANS+UnANS({share * 100:g}%)", share)


def views(share: float = SHARE) -> tuple[View, ...]:
    """The paper's three views."""
    return ANS, partly(share), EVERYTHING


def parse_penalty(text: str) -> Penalty:
    """Read ``10`` or ``N``.

    Raises:
        UsageError: it is neither a number from 0 on nor N.
    """
    if text.strip().upper() == "N":
        return "N"
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UsageError(f"{text!r} is not a penalty; expected a number >= 0, or N")
    return value


def penalty_text(penalty: Penalty) -> str:
    """``0``, ``10``, ``2.5`` or ``N``."""
    return "N" if penalty == "N" else f"{penalty:g}"


def penalty_value(penalty: Penalty, items: float) -> float:
    """The penalty as a number; ``N`` is the number of items."""
    return items if penalty == "N" else penalty


def rs(table: OutcomeTable, penalty: Penalty, view: View = EVERYTHING) -> float | None:
    """RS(c) of a view; ``None`` where it holds no item.

    At most 1; at least -c where there is no other item, and at least -N for c = N.
    """
    size = view.size(table)
    if not size:
        return None
    cost = penalty_value(penalty, size)
    return (view.good(table) - _whole(cost * view.harm(table))) / size


def abstain_all(table: OutcomeTable, view: View = EVERYTHING) -> float | None:
    """What holding back from everything scores: the share of unanswerable items, for every c."""
    size = view.size(table)
    return _whole(view.weight * table.unanswerable) / size if size else None


def break_even(table: OutcomeTable, view: View = EVERYTHING) -> float | None:
    """The penalty at which the system no longer beats ABSTAIN-ALL.

    c* = (correct - w answered_unanswerable) / (wrong + w answered_unanswerable), with w the
    view's weight. Below it the system scores more than ABSTAIN-ALL, above it less. Infinite for
    a system that does no harm and answers something rightly; negative where holding back is
    better even at no penalty; ``None`` where the system scores the same for every penalty.
    """
    gain = table.correct - view.weight * table.answered_unanswerable
    harm = view.harm(table)
    if harm:
        return gain / harm
    return math.inf if gain else None


def sweep_penalty(
    table: OutcomeTable, penalties: Sequence[Penalty], view: View = EVERYTHING
) -> list[tuple[float, float]]:
    """``(c, RS(c))`` for each penalty; N stands at its number."""
    size = view.size(table)
    points = ((penalty_value(c, size), rs(table, c, view)) for c in penalties)
    return [(cost, score) for cost, score in points if score is not None]


def sweep_share(
    table: OutcomeTable, penalty: Penalty, shares: Sequence[float]
) -> list[tuple[float, float]]:
    """``(share, RS)`` if that share of all questions were unanswerable.

    The system keeps its rates on either kind; N is the number of all items.

    Raises:
        UsageError: a share is none, or there are no items of a kind that it asks for.
    """
    cost = penalty_value(penalty, table.total)
    points = []
    for share in shares:
        if not 0 <= share <= 1:
            raise UsageError(f"a share of {share} unanswerable questions; expected 0 to 1")
        if (share < 1 and not table.answerable) or (share > 0 and not table.unanswerable):
            raise UsageError(
                f"a share of {share:g} unanswerable questions was asked for, but there are "
                f"{table.answerable} answerable and {table.unanswerable} unanswerable ones"
            )
        score = 0.0
        if share < 1:
            score += (1 - share) * (table.correct - cost * table.wrong) / table.answerable
        if share > 0:
            good = table.abstained_unanswerable - cost * table.answered_unanswerable
            score += share * good / table.unanswerable
        points.append((share, score))
    return points


@dataclass(frozen=True)
class ShareEstimate:
    """A share with Wilson's interval; ``None`` where there is nothing to take a share of."""

    value: float | None
    low: float | None = None
    high: float | None = None


def rates(table: OutcomeTable) -> dict[str, ShareEstimate]:
    """The shares that need no penalty.

    ``accuracy`` is RS(0) on ANS, ``precision`` the share of answers that are right.
    """
    parts = {
        "over_refusal": (table.abstained_answerable, table.answerable),
        "detection": (table.abstained_unanswerable, table.unanswerable),
        "coverage": (table.answered, table.total),
        "accuracy": (table.correct, table.answerable),
        "precision": (table.correct, table.answered),
    }
    return {
        name: ShareEstimate(part / whole, *wilson(part, whole)) if whole else ShareEstimate(None)
        for name, (part, whole) in parts.items()
    }


def rank_of(item_id: str, seed: int) -> int:
    """Where an item stands in a seeded shuffle: a number that depends on nothing else."""
    key = seed.to_bytes(8, "little", signed=True)
    name = item_id.encode("utf-8", "backslashreplace")
    return int.from_bytes(blake2b(name, digest_size=8, key=key).digest(), "little")


def subset(
    table: OutcomeTable, abstained: Iterable[tuple[int, bool]], share: float = SHARE
) -> OutcomeTable:
    """The table with a subset of the unanswerable items, as an evaluation of it would give.

    Which items are taken depends on their ids and the seed, never on their order.

    Args:
        table: The whole table.
        abstained: Each scored unanswerable item's :func:`rank_of`, and whether the system held
            back.
        share: How many are taken, rounded to the nearest number of items.

    Raises:
        UsageError: the items are not those of the table.
    """
    ranked = sorted(abstained)
    held_back = sum(withheld for _, withheld in ranked)
    if (len(ranked), held_back) != (table.unanswerable, table.abstained_unanswerable):
        raise UsageError(
            f"{len(ranked)} unanswerable items, {held_back} of them held back, were given for a "
            f"table with {table.unanswerable} and {table.abstained_unanswerable}"
        )
    sample = [withheld for _, withheld in ranked[: math.floor(share * len(ranked) + 0.5)]]
    in_sample = sum(sample)
    return replace(
        table,
        abstained_unanswerable=in_sample,
        answered_unanswerable=len(sample) - in_sample,
    )


def _whole(value: float) -> float:
    """Whole numbers as such, so that scores of whole counts are exact up to one division."""
    return int(value) if float(value).is_integer() else value
