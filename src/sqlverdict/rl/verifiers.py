"""verifiers: a reward of a trace, and of a rubric.

::

    import verifiers.v1 as vf
    from sqlverdict.rl import Rewarder
    from sqlverdict.rl.verifiers import trace_reward

    rewarder = Rewarder(databases="spider/database", unscored="raise")

    class SqlTask(vf.Task[SqlData]):
        sql = vf.reward(trace_reward(rewarder))

The data of a task have the fields ``gold`` and ``db_id`` (or ``db``). verifiers has no word for
unscored; a reward that raises gives the rollout an error, and a number is a number.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sqlverdict.rl.options import MISSING, number, read_row, refuse_none
from sqlverdict.rl.rewarder import Rewarder


def trace_reward(
    rewarder: Rewarder, *, gold: str = "gold", db: str = "db", db_id: str = "db_id"
) -> Callable[[Any, Any], Awaitable[float]]:
    """A method for a task: ``async def sql_reward(self, trace) -> float``.

    Args:
        rewarder: What scores.
        gold: The field of the task's data that holds the gold.
        db: The field with the database's file or URL.
        db_id: The field with the database's id.
    """
    refuse_none("verifiers", rewarder)

    async def sql_reward(self: Any, trace: Any) -> float:
        data = getattr(self, "data", self)
        row = {name: getattr(data, name, None) for name in (db, db_id, "answerable")}
        arguments = read_row(getattr(data, gold, MISSING), row, db_key=db, db_id_key=db_id)
        return number(await rewarder.areward(prediction=trace.last_reply, **arguments))

    return sql_reward


def rubric_reward(
    rewarder: Rewarder, *, gold: str = "gold", db: str = "db", db_id: str = "db_id"
) -> Callable[..., Awaitable[float]]:
    """A function for a rubric: ``async def sql_reward(completion, answer, info, state) -> float``.

    ``answer`` is the gold, unless ``info`` has one; ``info`` names the database.
    """
    refuse_none("verifiers", rewarder)

    async def sql_reward(
        completion: Any,
        answer: Any = None,
        info: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> float:
        row = dict(info or {})
        arguments = read_row(row.get(gold, answer), row, db_key=db, db_id_key=db_id)
        return number(await rewarder.areward(prediction=completion, **arguments))

    return sql_reward
