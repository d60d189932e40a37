"""TRL: a reward function, sync and async.

::

    from sqlverdict.rl import Rewarder
    from sqlverdict.rl.trl import SqlReward

    reward = SqlReward(Rewarder(databases="spider/database"))
    trainer = GRPOTrainer(model=..., reward_funcs=reward, train_dataset=dataset)

The dataset has the columns ``gold`` and ``db_id`` (or ``db``); other names can be given. An
unscored reply gets ``None``, which TRL leaves out. Outcomes are logged as columns and as shares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from sqlverdict.errors import UsageError
from sqlverdict.rl.options import read_row
from sqlverdict.rl.reward import Reward
from sqlverdict.rl.rewarder import Rewarder
from sqlverdict.rl.values import RewardOutcome

LogExtra = Callable[[str, list[Any]], None]
LogMetric = Callable[[str, float], None]


class SqlReward:
    """A reward function of TRL.

    Args:
        rewarder: What scores; ``threads`` of it work on a batch.
        gold: The column of the gold.
        db: The column of the database's file or URL.
        db_id: The column of the database's id.
    """

    __name__ = "sql_reward"

    def __init__(
        self, rewarder: Rewarder, *, gold: str = "gold", db: str = "db", db_id: str = "db_id"
    ) -> None:
        self.rewarder = rewarder
        self._gold, self._db, self._db_id = gold, db, db_id

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        completion_ids: Sequence[Any] | None = None,
        trainer_state: Any = None,
        log_extra: LogExtra | None = None,
        log_metric: LogMetric | None = None,
        **columns: Sequence[Any],
    ) -> list[float | None]:
        """The score of each completion; ``None``: unscored."""
        rewards = self.rewarder.batch(self._pairs(completions, columns))
        return _logged(rewards, log_extra, log_metric)

    def _pairs(
        self, completions: Sequence[Any], columns: dict[str, Sequence[Any]]
    ) -> list[dict[str, Any]]:
        if self._gold not in columns:
            raise UsageError(
                f"the dataset has no column {self._gold!r}; name that of the gold with gold="
            )
        names = (self._db, self._db_id, "answerable")
        used = {name: columns[name] for name in names if name in columns}
        return [
            {
                "prediction": completion if completion is not None else "",
                **read_row(
                    columns[self._gold][index],
                    {name: values[index] for name, values in used.items()},
                    db_key=self._db,
                    db_id_key=self._db_id,
                ),
            }
            for index, completion in enumerate(completions)
        ]


class AsyncSqlReward(SqlReward):
    """As :class:`SqlReward`, for TRL's event loop, beside other rewards that wait."""

    async def __call__(  # type: ignore[override]
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        completion_ids: Sequence[Any] | None = None,
        trainer_state: Any = None,
        log_extra: LogExtra | None = None,
        log_metric: LogMetric | None = None,
        **columns: Sequence[Any],
    ) -> list[float | None]:
        """The score of each completion; ``None``: unscored."""
        rewards = await self.rewarder.abatch(self._pairs(completions, columns))
        return _logged(rewards, log_extra, log_metric)


def _logged(
    rewards: Sequence[Reward], log_extra: LogExtra | None, log_metric: LogMetric | None
) -> list[float | None]:
    if log_extra is not None:
        for column in ("outcome", "reasons", "relation", "witnessed", "proved"):
            log_extra(f"sql_{column}", [reward.as_row()[column] for reward in rewards])
    if log_metric is not None and rewards:
        counts = Counter(reward.outcome for reward in rewards)
        # All outcomes, always: every process of a training must log the same names.
        for outcome in RewardOutcome:
            log_metric(f"sql/{outcome.value}", counts[outcome] / len(rewards))
    return [reward.score for reward in rewards]
