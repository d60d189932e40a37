"""How often queries reach the near misses that a table of rewards can pay.

A value for a near miss is worth having where wrong answers of a model that understands much reach
it, and dangerous where queries reach it that leave a part of the question out: a policy then
learns to leave it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

import sqlglot
from sqlglot import exp

from sqlverdict.records import Case
from sqlverdict.rl import Rewarder, RewardOutcome

NEAR_MISSES = (
    *(RewardOutcome.EXTRA_COLUMNS, RewardOutcome.ORDER_ONLY, RewardOutcome.MISSING_COLUMNS),
    *(RewardOutcome.ROW_SUBSET, RewardOutcome.ROW_SUPERSET, RewardOutcome.ROUNDING),
)
_RIGHT = (RewardOutcome.RIGHT, RewardOutcome.EMPTY_MATCH)


def shares_of_near_misses(
    cases: Sequence[Case], cells: Mapping[str, Sequence[str]]
) -> dict[str, tuple[float, ...]]:
    """The shares of right answers and of each near miss, by who wrote the queries."""
    shares = {}
    with closing(Rewarder()) as rewarder:
        for who, queries in cells.items():
            pairs = [
                (case.golds[0], query, case.database)
                for case, query in zip(cases, queries, strict=True)
            ]
            figures = Counter(reward.outcome for reward in rewarder.batch(pairs))
            right = sum(figures[outcome] for outcome in _RIGHT)
            counts = (right, *(figures[outcome] for outcome in NEAR_MISSES))
            shares[who] = tuple(count / len(cases) for count in counts)
    return shares


def partial_queries(cases: Sequence[Case]) -> dict[str, list[str]]:
    """The golds, each with one part left out or a row alone."""
    return {who: [change(case.golds[0]) for case in cases] for who, change in _CHANGES.items()}


def _without(*parts: str) -> Callable[[str], str]:
    def change(gold: str) -> str:
        query = sqlglot.parse_one(gold, read="sqlite")
        for select in query.find_all(exp.Query):
            for part in parts:
                select.set(part, None)
        return query.sql("sqlite")

    return change


def _first_column(gold: str) -> str:
    query = sqlglot.parse_one(gold, read="sqlite")
    for select in query.find_all(exp.Select):
        select.set("expressions", select.expressions[:1])
    return query.sql("sqlite")


_CHANGES: dict[str, Callable[[str], str]] = {
    "gold without WHERE": _without("where"),
    "gold without HAVING and LIMIT": _without("having", "limit"),
    "gold without ORDER BY": _without("order"),
    "gold, no WHERE, HAVING, ORDER, LIMIT": _without("where", "having", "order", "limit"),
    "gold, first column": _first_column,
    "gold, one row": lambda gold: f"SELECT * FROM ({gold.rstrip('; ')}) LIMIT 1",
}
