"""Policies: what each situation amounts to, without a judge and with one.

The decisions are columns of the table in :mod:`sqlverdict.situations`. How probable it is that
people call an answer right follows from its situation (:mod:`sqlverdict.confidence`), whatever the
policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlverdict.situations import Decision, Situation


@dataclass(frozen=True)
class Policy:
    """What each situation amounts to.

    Attributes:
        name: The policy's name in options and manifests.
        about: What it is for, in a sentence.
        table: The decision for every situation, without a judge.
        asks: The situations about which a judge is asked, where there is one.
    """

    name: str
    about: str
    table: Mapping[Situation, Decision]
    asks: frozenset[Situation]

    def decide(self, situation: Situation, *, judged: bool = False) -> Decision:
        """What a situation amounts to; ``judged``: there is a judge to ask."""
        return "ask" if judged and situation in self.asks else self.table[situation]


RESULTS, STRICT, INTENT = (
    Policy(
        name,
        about,
        {situation: situation.row.decisions[column] for situation in Situation},
        frozenset(situation for situation in Situation if name in situation.row.asks),
    )
    for column, (name, about) in enumerate(
        {
            "results": "the benchmark's own comparison: results alone",
            "strict": "as FLEX's experts judge: a match by luck is wrong",
            "intent": "whether the answer serves the question",
        }.items()
    )
)

POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in (RESULTS, STRICT, INTENT)}
"""The policies by name."""
