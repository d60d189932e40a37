"""What every search strategy promises: its own example is found with it and missed without it."""

from __future__ import annotations

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.strategy import SECTIONS, STRATEGIES, Strategy, rotation
from sqlverdict.refute.witness import Refutation, SearchBudget
from sqlverdict.testing.members import member_of

SEEDS = 12
"""With how many seeds the search is repeated: one seed alone may be luck."""
ADVANTAGE = 3
"""In how many more of them the pair must be separated with the strategy than without it."""


def check_strategy(strategy: str | Strategy) -> None:
    """Check that a strategy, given by its name or itself, keeps its promises.

    Raises:
        AssertionError: it breaks one; the message says which.
    """
    strategy = member_of(STRATEGIES, strategy)
    name, example = strategy.name, strategy.example
    assert strategy.title.endswith("."), f"{name}: the document starts with a sentence"
    missing = [section for section in SECTIONS if not strategy.sections.get(section)]
    assert not missing, f"{name}: the document lacks {', '.join(missing)}"
    assert all(profile.why.endswith(".") for profile in strategy.profiles), (
        f"{name}: each profile says in sentences why its numbers are what they are"
    )
    _check_turns(strategy)
    witness = _search(strategy, example.seed, with_it=True)
    assert witness.refuted, f"{name}: its example is not separated by {example.instances} instances"
    assert _search(strategy, example.seed, with_it=True) == witness, (
        f"{name}: the same search gives another witness"
    )
    without = _search(strategy, example.seed, with_it=False)
    assert not without.refuted, f"{name}: its example is separated without it"
    with_it = sum(_search(strategy, seed, with_it=True).refuted for seed in range(SEEDS))
    without_it = sum(_search(strategy, seed, with_it=False).refuted for seed in range(SEEDS))
    assert with_it - without_it >= ADVANTAGE, (
        f"{name}: {with_it} of {SEEDS} seeds separate its example with it and {without_it} without "
        f"it; expected a difference of {ADVANTAGE} at least"
    )


def _check_turns(strategy: Strategy) -> None:
    """Each turn of the rotation has one strategy, and no turn is left out."""
    others = {turn.profile.turn for turn in rotation() if turn.strategy.name != strategy.name}
    own = [profile.turn for profile in strategy.profiles if profile.turn is not None]
    free = [turn for turn in range(len(others) + len(own)) if turn not in others]
    assert sorted(own) == free[: len(own)], (
        f"{strategy.name}: has the turns {sorted(own)}; expected {free[: len(own)]}, which are "
        "free (docs/strategies.md lists the others)"
    )


def _search(strategy: Strategy, seed: int, *, with_it: bool) -> Refutation:
    example = strategy.example
    # Queries that look alike get fewer instances; an example states how many it needs.
    budget = SearchBudget(instances=example.instances, alike=1, seed=seed)
    return find_witness(
        example.gold,
        example.prediction,
        read_ddl(example.schema, strategy.name),
        budget=budget,
        without=() if with_it else (strategy.name,),
    )
