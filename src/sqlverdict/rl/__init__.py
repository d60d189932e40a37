"""Rewards for training: a declared table of values over the scorer, and adapters to trainers.

``rewarder``    the reward of one reply, or of many: any thread, any process, any event loop
``values``      outcomes, and what each of them is worth
``reward``      one reward with its outcome and evidence
``options``     rewarders by their options, one a process; golds and databases of a trainer's row
``verl``        verl: ``compute_score``, single and batch, sync and async
``trl``         TRL: a reward function, sync and async
``verifiers``   verifiers: a reward of a trace, and of a rubric
``skyrl``       SkyRL: ``compute_score_single``
``slime``       slime: ``reward_func(args, sample)``
``nemo_gym``    NeMo Gym: ``POST /verify``, as an ASGI app and as a server
"""

from __future__ import annotations

from sqlverdict.rl.reward import Reward
from sqlverdict.rl.rewarder import Rewarder
from sqlverdict.rl.values import RewardOutcome, RewardValues

__all__ = ["Reward", "RewardOutcome", "RewardValues", "Rewarder"]
