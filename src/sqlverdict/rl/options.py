"""Rewarders by their options, one a process; golds and databases of a trainer's row.

Trainers name a function and its options in a configuration file, and call it in many processes
and threads. The function is at the top of a module, so that it can be pickled; the rewarder
behind it is made where it is first called.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from sqlverdict.api.arguments import read_cell, read_truth
from sqlverdict.errors import UsageError
from sqlverdict.rl.reward import Reward
from sqlverdict.rl.rewarder import Rewarder

MISSING: Any = object()
"""Stands for the gold of a row that has no field for it."""

_rewarders: dict[tuple[object, ...], Rewarder] = {}
_lock = threading.Lock()


def _unlock() -> None:
    """A fork copies a lock that another thread has, and nobody would ever open the copy."""
    global _lock
    _lock = threading.Lock()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_unlock)


def rewarder_for(trainer: str, options: Mapping[str, Any]) -> Rewarder:
    """The rewarder of this process with these options, for a trainer that takes numbers alone.

    Args:
        trainer: Who asks, for messages.
        options: The arguments of :class:`Rewarder`; ``unscored`` is ``"raise"`` by default.

    Raises:
        UsageError: an option is unknown, or unscored replies would get ``None``.
    """
    settings = {"unscored": "raise", **options}
    key = _frozen(settings)
    with _lock:
        rewarder = _rewarders.get(key)
        if rewarder is None:
            try:
                rewarder = Rewarder(**settings)
            except TypeError as error:
                raise UsageError(
                    f"{trainer}: an option of the reward is unknown: {error}"
                ) from None
            refuse_none(trainer, rewarder)
            _rewarders[key] = rewarder
    return rewarder


def refuse_none(trainer: str, rewarder: Rewarder) -> None:
    """Refuse a policy of ``None`` where a trainer would stop at it, or count it as 0.

    Raises:
        UsageError: it is the rewarder's policy.
    """
    if rewarder.unscored == "none":
        raise UsageError(
            f"{trainer} has no word for unscored: set unscored to 'raise', or to the number that "
            f"a reply gets whose gold fails"
        )


def number(reward: Reward) -> float:
    """The score, for a trainer that takes numbers alone; its policy was checked before."""
    if reward.score is None:
        raise AssertionError("an unscored reward without a policy")
    return reward.score


def read_row(
    gold: Any,
    row: Mapping[str, Any] | None,
    *,
    db_key: str = "db",
    db_id_key: str = "db_id",
) -> dict[str, Any]:
    """The gold and the database of a trainer's row, as arguments of a reward.

    Args:
        gold: The gold, several, or a mapping that holds the gold and may name the database;
            ``MISSING`` where the row has no such field.
        row: What else the row holds.
        db_key: The name of the database's file or URL.
        db_id_key: The name of the database's id.

    Raises:
        UsageError: the row's ``answerable`` is neither true nor false.
    """
    names: dict[str, Any] = dict(row or {})
    if isinstance(gold, Mapping):
        names |= gold
        gold = gold.get("gold", MISSING)
    arguments: dict[str, Any] = {"gold": plain(gold)}
    answerable = read_truth(names.get("answerable"), "answerable")
    if gold is MISSING:
        # A null says that there is no answer; a row without the field says nothing.
        arguments["gold"] = None
        answerable = True if answerable is None else answerable
    if answerable is not None:
        arguments["answerable"] = answerable
    # Rows come from tables, where an empty cell may be NaN.
    db, db_id, question = (read_cell(names.get(key)) for key in (db_key, db_id_key, "question"))
    # A row may hold both: the file says more than the id.
    if db is not None:
        arguments["db"] = db
    elif db_id is not None:
        arguments["db_id"] = str(db_id)
    if isinstance(question, str):
        arguments["question"] = question
    return arguments


def plain(value: Any) -> Any:
    """A value without the array that a table format put around it."""
    to_list = getattr(value, "tolist", None)
    return to_list() if callable(to_list) else value


def _frozen(value: Any) -> tuple[object, ...]:
    """A key for options, which may be nested."""
    if isinstance(value, Mapping):
        return ("mapping", *sorted((str(name), _frozen(each)) for name, each in value.items()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ("sequence", *map(_frozen, value))
    return (type(value).__name__, repr(value))
