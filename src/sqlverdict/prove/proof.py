"""What a proof is made of: steps by rules, and the word that none was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlverdict.records import Reason

Side = Literal["gold", "prediction"]
Trust = Literal["proved", "tested", "heuristic"]
TRUSTS: tuple[Trust, ...] = ("proved", "tested", "heuristic")
"""Strongest first."""

Path = tuple[tuple[str, int], ...]
"""The way from the root to a node: an argument's name, and a place in it (-1: no list)."""


@dataclass(frozen=True)
class Step:
    """One application of a rule, enough to do it again.

    Attributes:
        side: Which of the two queries is rewritten.
        rule: The rule's name.
        path: The node it is applied to.
        facts: What the schema says that makes it hold, in words.
    """

    side: Side
    rule: str
    path: Path
    facts: tuple[str, ...] = ()

    def __str__(self) -> str:
        because = f" because {' and '.join(self.facts)}" if self.facts else ""
        return f"equal by {self.rule}{because}"


@dataclass(frozen=True)
class Proof:
    """A derivation: both queries are rewritten, step by step, to one and the same form.

    Attributes:
        gold_sql: The gold query.
        prediction_sql: The predicted query.
        profile: The set of rules that was used.
        steps: The steps, those of the gold first.
        trust: The trust in the weakest rule that was used.
        form: The common form, as text for people.
        columns: ``columns[i]`` is the prediction's column that stands for gold column ``i``.
    """

    gold_sql: str
    prediction_sql: str
    profile: str
    steps: tuple[Step, ...] = ()
    trust: Trust = "proved"
    form: str = ""
    columns: tuple[int, ...] = ()

    @property
    def proved(self) -> bool:
        """Always: this is what a proof shows."""
        return True

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that were used, each once, in order of first use."""
        return tuple(dict.fromkeys(step.rule for step in self.steps))


@dataclass(frozen=True)
class NotProved:
    """No derivation was found. Never "different".

    Attributes:
        message: Why, in words.
        reason: Set where a query could not be read, or is beyond the prover.
        gold_form: What the gold was rewritten to, where it got that far.
        prediction_form: What the prediction was rewritten to.
        rules: The rules that fired on either side.
    """

    message: str
    reason: Reason | None = None
    gold_form: str = ""
    prediction_form: str = ""
    rules: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Never."""
        return False


Derivation = Proof | NotProved


def weakest(trusts: Sequence[Trust]) -> Trust:
    """A derivation is as strong as its weakest rule."""
    return max(trusts, key=TRUSTS.index, default="proved")
