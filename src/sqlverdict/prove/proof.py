"""What a proof is made of: steps by rules, and the record that no proof was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.records import Reason

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

Side = Literal["gold", "prediction"]
Trust = Literal["proved", "tested", "heuristic"]
TRUSTS: tuple[Trust, ...] = ("proved", "tested", "heuristic")
"""Strongest first."""

Path = tuple[tuple[str, int], ...]
"""The way from the root to a node: an argument's name, and an index in it (-1: no list)."""


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
        unchecked: The facts, in words, that could not be checked on the real data.
        left_out: The facts, in words, that the real data break and the proof does without.
        open_choices: What both queries leave to the engine, in words: they agree up to that.
        dialect: The dialect of both queries.
        reading: The first way in which both were read (``resolve/query.py``).
    """

    gold_sql: str
    prediction_sql: str
    profile: str
    steps: tuple[Step, ...] = ()
    trust: Trust = "proved"
    form: str = ""
    columns: tuple[int, ...] = ()
    unchecked: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    open_choices: tuple[str, ...] = ()
    dialect: str = DEFAULT_DIALECT
    reading: int = 0

    @property
    def proved(self) -> bool:
        """True; it is False for :class:`NotProved`."""
        return True

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that the steps use, in words, each once, in order of first use."""
        return tuple(dict.fromkeys(fact for step in self.steps for fact in step.facts))

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that were used, each once, in order of first use."""
        return tuple(dict.fromkeys(step.rule for step in self.steps))


@dataclass(frozen=True)
class NormalForm:
    """What rules make of a query; many derivations share it.

    Attributes:
        tree: The form, frozen.
        steps: How the query became it, as if it were the gold.
        key: What two forms share that the profile takes for the same.
        write: Makes text of the tree, where somebody asks for it: that takes time.
        places: Where the query evaluates what may fail.
        bases: The base table of each label in the tree that has one.
        reading: How the query was read (``resolve/query.py``).
    """

    tree: Expr
    steps: tuple[Step, ...]
    key: str
    write: Callable[[Expr], str]
    bases: dict[str, str] = field(default_factory=dict)
    places: frozenset[str] = frozenset()
    reading: int = 0

    @cached_property
    def text(self) -> str:
        """The form as SQL, for people."""
        return self.write(self.tree)


@dataclass(frozen=True)
class NotProved:
    """No derivation was found. Never "different".

    Attributes:
        message: Why, in words.
        reason: Set where a query could not be read, or is beyond the prover.
        forms: What the gold and the prediction were rewritten to, where it got that far.
        rules: The rules that fired on either side.
        declared: A proof under the declared schema, where the real data break it.
        broken: The facts that the real data break, in words, each with an example.
    """

    message: str
    reason: Reason | None = None
    forms: tuple[NormalForm, NormalForm] | None = field(default=None, repr=False, compare=False)
    rules: tuple[str, ...] = ()
    declared: Proof | None = None
    broken: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """False; it is True for a :class:`Proof`."""
        return False

    @property
    def gold_form(self) -> str:
        """What the gold was rewritten to, as text; empty where it did not get that far."""
        return self._form_text(0)

    @property
    def prediction_form(self) -> str:
        """What the prediction was rewritten to, as text."""
        return self._form_text(1)

    def _form_text(self, number: int) -> str:
        if self.forms is None:
            return ""
        try:
            return self.forms[number].text
        except RecursionError:
            return "(nested too deeply to be written)"


Derivation = Proof | NotProved


def weakest(trusts: Sequence[Trust]) -> Trust:
    """A derivation is as strong as its weakest rule."""
    return max(trusts, key=TRUSTS.index, default="proved")
