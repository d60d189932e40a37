"""slime: ``async def reward_func(args, sample, **kwargs)``, for one sample or a group of them.

In a module of your own, named by ``--custom-rm-path``::

    from sqlverdict.rl import Rewarder
    from sqlverdict.rl.slime import sample_reward

    reward_func = sample_reward(Rewarder(databases="spider/database", unscored=0.0))

``sample.label`` is the gold; ``sample.metadata`` names the database (``db`` or ``db_id``) and gets
the outcome. An unscored sample has ``remove_sample`` set: it stays out of the loss.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from sqlverdict.rl.options import number, read_row, refuse_none
from sqlverdict.rl.reward import Reward
from sqlverdict.rl.rewarder import Rewarder


def sample_reward(
    rewarder: Rewarder, *, db: str = "db", db_id: str = "db_id"
) -> Callable[..., Awaitable[Any]]:
    """A reward function of slime.

    Args:
        rewarder: What scores; its policy for unscored samples is a number, or ``"raise"``.
        db: The entry of the metadata with the database's file or URL.
        db_id: The entry with the database's id.
    """
    refuse_none("slime", rewarder)

    async def reward_func(args: Any, sample: Any, **others: Any) -> float | list[float]:
        samples = sample if isinstance(sample, list) else [sample]
        pairs = [
            {
                "prediction": each.response,
                **read_row(each.label, each.metadata, db_key=db, db_id_key=db_id),
            }
            for each in samples
        ]
        rewards = await rewarder.abatch(pairs)
        scores = [_note(each, reward) for each, reward in zip(samples, rewards, strict=True)]
        return scores if isinstance(sample, list) else scores[0]

    return reward_func


def _note(sample: Any, reward: Reward) -> float:
    sample.metadata = {**(sample.metadata or {}), "sqlverdict": reward.as_row()}
    if not reward.scored:
        sample.remove_sample = True
    return number(reward)
