"""Every strategy file faces the conformance suite; adding a strategy needs no new test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlverdict.errors import RegistryError
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.refute.make.instance_builder import InstanceBuilder, InstanceProfile
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.strategy import (
    STRATEGIES,
    Strategy,
    StrategyExample,
    rotation,
    strategy,
)
from sqlverdict.run.options import Options, SearchOptions
from sqlverdict.run.plan import plan_run
from sqlverdict.testing import check_strategy

EXAMPLE = StrategyExample("CREATE TABLE t (a INTEGER)", "SELECT a FROM t", "SELECT 1", 5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "member", [member for _, member in STRATEGIES.items()], ids=lambda m: m.name
)
def test_strategy(member: Strategy) -> None:
    check_strategy(member.name)


def test_no_two_strategies_share_a_turn() -> None:
    turns = [turn.profile.turn for turn in rotation()]
    assert turns == list(range(len(turns)))


@pytest.mark.parametrize("turn", [0, 1000])
def test_a_turn_that_is_taken_or_leaves_a_gap_breaks_the_promise(turn: int) -> None:
    last = rotation()[-1].strategy
    profiles = (*last.profiles[:-1], replace(last.profiles[-1], turn=turn))
    with pytest.raises(AssertionError, match="free"):
        check_strategy(replace(last, profiles=profiles))


def test_a_strategy_without_effect_breaks_its_promise() -> None:
    near = STRATEGIES.get("near_misses")
    easy = replace(near.example, prediction="SELECT status FROM task")
    with pytest.raises(AssertionError, match="without it"):
        check_strategy(replace(near, example=easy))


def test_an_example_that_no_instance_separates_breaks_the_promise() -> None:
    near = STRATEGIES.get("near_misses")
    equal = replace(near.example, prediction=near.example.gold + " AND 1 = 1")
    with pytest.raises(AssertionError, match="not separated"):
        check_strategy(replace(near, example=equal))


def test_a_search_without_any_strategy_tries_no_instance() -> None:
    schema = read_ddl(EXAMPLE.schema, "t")
    outcome = find_witness(EXAMPLE.gold, EXAMPLE.prediction, schema, without=STRATEGIES.names())
    assert not outcome.refuted
    assert outcome.instances_tried == 0


def test_a_strategy_is_named_after_its_file() -> None:
    def misnamed(_: InstanceBuilder) -> None:
        """Fill nothing."""

    with pytest.raises(RegistryError, match="misnamed"):
        strategy(profiles=[InstanceProfile("None.", turn=99)], example=EXAMPLE)(misnamed)


@pytest.mark.parametrize("turn", [None, 99])
def test_a_strategy_has_turns_or_replaces_others(turn: int | None) -> None:
    def test_strategies(builder: InstanceBuilder) -> None:
        """Fill nothing."""

    replaces = None if turn is None else (lambda *_: True)
    with pytest.raises(RegistryError, match="turn"):
        strategy(
            profiles=[InstanceProfile("None.", turn=turn)], example=EXAMPLE, replaces=replaces
        )(test_strategies)


def test_a_run_with_a_strategy_more_is_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy more moves the turns of the others: such a run is not resumed."""
    plan = plan_run(Options("ex", search=SearchOptions()))
    before = plan.describe(None)["strategies"]
    assert "near_misses" in before.split(", ")
    more = {**STRATEGIES._members, "of_a_plug_in": STRATEGIES.get("near_misses")}
    monkeypatch.setattr(STRATEGIES, "_members", more)
    assert plan.describe(None)["strategies"] != before
    assert "strategies" not in plan_run(Options("ex")).describe(None)
