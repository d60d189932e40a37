"""What a search strategy is, and how strategy files register.

A strategy is one file in ``refute/strategies``: a docstring that is its document, the numbers it
uses with their reasons, a pair of queries that it separates, and one function of the file's name
that fills an instance. The strategies take turns: instance ``n`` is made by the strategy whose turn
is ``n`` modulo the length of the rotation. A strategy may instead replace the one whose turn it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sqlverdict.errors import RegistryError
from sqlverdict.refute.make.instance_builder import InstanceProfile
from sqlverdict.registry import Registry, sections_of

if TYPE_CHECKING:
    from sqlverdict.refute.make.instance_builder import InstanceBuilder
    from sqlverdict.refute.make.plan import InstancePlan

SECTIONS = ("Makes", "Separates", "Example", "Costs")

Fill = Callable[["InstanceBuilder"], None]
"""Adds the rows of one instance. References get their parents afterwards."""

Replaces = Callable[["InstancePlan", int, int], bool]
"""Whether a strategy makes an instance instead of the one whose turn it is.

The arguments are the plan for the pair of queries, the number of the instance, and the length of
the rotation.
"""


@dataclass(frozen=True)
class StrategyExample:
    """A pair that the search separates with the strategy and not without it.

    Attributes:
        schema: CREATE TABLE statements.
        gold: One query.
        prediction: The other.
        instances: How many instances the search may try, with and without the strategy.
        seed: The seed of the search.
    """

    schema: str
    gold: str
    prediction: str
    instances: int
    seed: int = 0


@dataclass(frozen=True)
class Strategy:
    """A strategy as its file declares it."""

    name: str
    fill: Fill
    profiles: tuple[InstanceProfile, ...]
    example: StrategyExample
    document: str
    replaces: Replaces | None = None
    exact: bool = False

    @property
    def title(self) -> str:
        """The first line of its document."""
        return self.document.split("\n", 1)[0].strip()

    @cached_property
    def sections(self) -> dict[str, str]:
        """The document's text by heading; a missing heading is absent."""
        return sections_of(self.document, SECTIONS)


STRATEGIES: Registry[Strategy] = Registry(
    "strategy", "sqlverdict.refute.strategies", "sqlverdict.strategies"
)


def strategy(
    *,
    profiles: Iterable[InstanceProfile],
    example: StrategyExample,
    replaces: Replaces | None = None,
    exact: bool = False,
) -> Callable[[Fill], Fill]:
    """Register the decorated function as the one strategy of its file.

    Args:
        profiles: The numbers of each turn that the strategy takes. A strategy that replaces others
            has one profile without a turn.
        example: A pair of queries that shows what the strategy is good for.
        replaces: When it makes an instance instead of the strategy whose turn it is.
        exact: Whether the values that the strategy sets are kept in every row: none is varied, no
            reference becomes NULL, and keys that forbid a row are renewed.
    """

    def register(fill: Fill) -> Fill:
        module = fill.__module__
        name = module.rpartition(".")[2]
        if fill.__name__ != name:
            raise RegistryError(f"{name}.py must define {name}(), not {fill.__name__}()")
        declared = tuple(profiles)
        if (replaces is None) == any(profile.turn is None for profile in declared):
            raise RegistryError(f"{name}: give each profile a turn, or give 'replaces' and none")
        document = sys.modules[module].__doc__ or ""
        member = Strategy(name, fill, declared, example, document, replaces, exact)
        STRATEGIES.register(member, name, module)
        return fill

    return register


class Turn(NamedTuple):
    """One position in the rotation."""

    strategy: Strategy
    profile: InstanceProfile


@lru_cache(maxsize=1)
def rotation() -> tuple[Turn, ...]:
    """The turns of all strategies in order."""
    turns = [
        (profile.turn, name, Turn(member, profile))
        for name, member in STRATEGIES.items()
        for profile in member.profiles
        if profile.turn is not None
    ]
    return tuple(turn for _, _, turn in sorted(turns, key=lambda entry: entry[:2]))


@lru_cache(maxsize=1)
def _replacements() -> tuple[tuple[Replaces, Turn], ...]:
    return tuple(
        (member.replaces, Turn(member, member.profiles[0]))
        for _, member in STRATEGIES.items()
        if member.replaces is not None
    )


def turn_of(plan: InstancePlan, number: int) -> Turn:
    """The strategy that makes an instance, and the numbers that it uses."""
    turns = rotation()
    for replaces, turn in _replacements():
        if replaces(plan, number, len(turns)):
            return turn
    return turns[number % len(turns)]
