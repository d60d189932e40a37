"""What a profile is: a set of rules, how they read queries, and what counts as the same.

The prover asks a profile to derive. The checker asks it how a query reads before the first rule,
and whether the last two trees are the same; it applies the rules itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.errors import UsageError
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.normalise import RuleSet
from sqlverdict.prove.rule import RULES
from sqlverdict.registry import Registry

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

    from sqlverdict.prove.proof import Derivation
    from sqlverdict.prove.reasoning.facts import Facts
    from sqlverdict.records import Contract, Query

DEFAULT_PROFILE = "sound"


@dataclass(frozen=True)
class ProofQuestion:
    """Two parsed queries, and all that may be assumed about their databases.

    Attributes:
        gold: The gold query.
        prediction: The predicted query.
        schema: The tables.
        facts: What holds in every legal database.
        contract: How the case wants its answers compared.
        without: Rules that are switched off.
    """

    gold: Query
    prediction: Query
    schema: Schema
    facts: frozenset[Fact]
    contract: Contract | None = None
    without: frozenset[str] = field(default_factory=frozenset)


class Profile(Protocol):
    """A way to derive; plain class attributes satisfy the properties."""

    @property
    def name(self) -> str:
        """The profile's name, which is its file's name."""
        ...

    @property
    def about(self) -> str:
        """What a derivation under this profile shows, in a sentence."""
        ...

    @property
    def drops_order(self) -> bool:
        """Whether the prediction's ORDER BY says nothing where the gold orders no rows."""
        ...

    def derive(self, question: ProofQuestion) -> Derivation:
        """A proof, or the record that none was found."""
        ...

    def read(
        self, query: Query, schema: Schema, facts: frozenset[Fact], reading: int = 0
    ) -> tuple[Expr, Facts]:
        """A parsed query as the rules see it first, and what they may ask about it.

        ``reading`` is the first way of reading that is tried, where a profile has several.

        Raises:
            Unsupported: the query is beyond the profile.
        """
        ...

    def objection(self, sql: str, tree: Expr, facts: Facts) -> str | None:
        """Why a query that could be read must not be reasoned about all the same."""
        ...

    def difference(
        self, gold: Expr, prediction: Expr, columns: tuple[int, ...], fixed_columns: bool
    ) -> str | None:
        """Why the last two trees do not show that the queries agree; ``None`` where they do.

        Args:
            gold: The gold's tree after the last step.
            prediction: The prediction's tree after the last step.
            columns: Which column of the prediction stands for which of the gold, as the proof
                claims; empty where it claims nothing.
            fixed_columns: Whether the order of columns counts.
        """
        ...

    def text(self, tree: Expr) -> str:
        """A tree as SQL, for people."""
        ...


PROFILES: Registry[Profile] = Registry(
    "profile", ("sqlverdict.prove.profiles", "sqlverdict.prove.etm_paper"), "sqlverdict.profiles"
)


@lru_cache(maxsize=64)
def rules_of(
    profile: str, without: frozenset[str] = frozenset(), dialect: str = DEFAULT_DIALECT
) -> RuleSet:
    """The rules of a profile that hold in a dialect, by name, less those that are switched off.

    Raises:
        UsageError: a rule to be switched off is not of this profile.
    """
    members = {name: rule for name, rule in RULES.items() if profile in rule.profiles}
    _require_members(without, members, profile)
    return RuleSet(
        tuple(
            rule
            for name, rule in members.items()
            if name not in without and dialect in rule.dialects
        )
    )


def _require_members(names: Iterable[str], members: Iterable[str], profile: str) -> None:
    unknown = sorted(set(names) - set(members))
    if unknown:
        raise UsageError(
            f"the profile {profile} has no rule {unknown[0]!r}; "
            f"`sqlverdict explain rules --profile {profile}` lists them"
        )
