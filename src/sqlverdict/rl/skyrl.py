"""SkyRL: ``compute_score_single``, which an environment of SkyRL calls at the end of an episode.

::

    from skyrl_gym.envs.sql import env
    from sqlverdict.rl.skyrl import compute_score_single

    env.compute_score_single = compute_score_single

The answer stands in ``<solution>``, as SkyRL's prompt asks. What a reply without it is worth is the
value of ``no_sql``.
"""

from __future__ import annotations

from typing import Any

from sqlverdict.api.arguments import Reference
from sqlverdict.rl.options import number, plain, rewarder_for

_OPTIONS: dict[str, Any] = {"tag": "solution"}


def compute_score_single(
    completion: Any,
    reference: Any,
    db_file: Reference,
    *,
    answerable: bool | None = None,
    **options: Any,
) -> float:
    """The reward of one episode; ``options`` are the arguments of a rewarder.

    Raises:
        Unscorable: the gold fails, and ``unscored`` states no number.
    """
    rewarder = rewarder_for("SkyRL", _OPTIONS | options)
    return number(rewarder.reward(plain(reference), completion, db_file, answerable=answerable))
