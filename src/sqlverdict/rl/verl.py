"""verl: ``compute_score``, single and batch, sync and async.

In the configuration of verl::

    reward.custom_reward_function.path=pkg://sqlverdict.rl.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.databases=spider/database

``ground_truth`` is the gold, several, or a mapping with ``gold``. ``extra_info`` names the database
(``db`` or ``db_id``). ``reward_kwargs`` are the arguments of
:class:`~sqlverdict.rl.rewarder.Rewarder`. verl takes numbers alone, so an unscored reply raises
unless ``unscored`` states a number; ``scored`` in the log tells these replies from others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from sqlverdict.rl.options import read_row, rewarder_for
from sqlverdict.rl.reward import Reward
from sqlverdict.rl.rewarder import Rewarder

Row = dict[str, float | str | bool | None]
_OF_VERL = ("reward_router_address", "reward_model_tokenizer")
"""What verl passes to every reward where it also runs a reward model."""


def compute_score(
    data_source: Any,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    **options: Any,
) -> Row:
    """The reward of one reply, with what verl logs beside it."""
    rewarder = _rewarder(options)
    return _row(rewarder.reward(prediction=solution_str, **read_row(ground_truth, extra_info)))


async def compute_score_async(
    data_source: Any,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    **options: Any,
) -> Row:
    """As :func:`compute_score`; the event loop goes on meanwhile."""
    rewarder = _rewarder(options)
    arguments = read_row(ground_truth, extra_info)
    return _row(await rewarder.areward(prediction=solution_str, **arguments))


def compute_score_batch(
    data_sources: Sequence[Any],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
    **options: Any,
) -> list[Row]:
    """The rewards of a batch, for the reward manager ``batch``."""
    rewarder = _rewarder(options)
    infos = [None] * len(solution_strs) if extra_infos is None else extra_infos
    pairs = [
        {"prediction": reply, **read_row(gold, info)}
        for reply, gold, info in zip(solution_strs, ground_truths, infos, strict=True)
    ]
    return [_row(reward) for reward in rewarder.batch(pairs)]


async def compute_score_batch_async(
    data_sources: Sequence[Any],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
    **options: Any,
) -> list[Row]:
    """As :func:`compute_score_batch`; the event loop goes on meanwhile."""
    return await asyncio.to_thread(
        compute_score_batch, data_sources, solution_strs, ground_truths, extra_infos, **options
    )


def _rewarder(options: Mapping[str, Any]) -> Rewarder:
    own = {name: value for name, value in options.items() if name not in _OF_VERL}
    return rewarder_for("verl", own)


def _row(reward: Reward) -> Row:
    return reward.as_row(timed=True)
