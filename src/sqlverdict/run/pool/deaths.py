"""Whose doing it is that a process ended which worked on a case.

A process that is ended from outside, as by an out-of-memory killer, says nothing about the case.
So a case whose process died is tried again alone, in turn with the gold in place of the
prediction. The prediction is blamed only where it dies each time and the gold never does, whatever
the gold's verdict is: a crash (SIGSEGV, an exit) counts from the second time on, a signal that
others send from the third. Where the gold dies too, or cannot be scored, the case stays unscored;
a gold that was ended from outside says nothing of a prediction that crashes by itself. Nothing of
this is final: another run may go better.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from sqlverdict.files.text import count
from sqlverdict.run.attempt import Blame

T = TypeVar("T")

_CRASHES = frozenset(
    number
    for name in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGSYS", "SIGTRAP")
    if (number := getattr(signal, name, None)) is not None
)
"""Signals by which a process ends through its own doing."""
_CRASHES_ENOUGH = 2
TURNS = 3
"""How often a prediction is tried alone."""


class Death(NamedTuple):
    """How a process ended before it had replied.

    Attributes:
        code: Its exit code; a signal has its number with a minus, as :mod:`subprocess` says it.
        key: The key of the query that it was running; ``None``: it ran none.
    """

    code: int | None
    key: bytes | None = None

    @property
    def is_crash(self) -> bool:
        """Whether the process ended through its own doing, and by nobody's signal."""
        return self.code is not None and (self.code >= 0 or -self.code in _CRASHES)

    def __str__(self) -> str:
        if self.code is None:
            return "vanished"
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        try:
            return f"was ended by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was ended by signal {-self.code}"


def inquire(
    try_prediction: Callable[[], T | Death],
    try_gold: Callable[[], bool | Death] | None,
    *,
    brief: bool = False,
) -> T | Blame:
    """Try a case again whose process died.

    Args:
        try_prediction: Works on the case, alone in a new process.
        try_gold: The same with the gold in place of the prediction; whether that is scored.
            ``None``: there is nothing of a prediction that could be to blame.
        brief: End where both were ended from outside once: something does so all the time.

    Returns:
        What the case came to, where its process lived; else who is to blame.
    """
    deaths: list[Death] = []
    golds: list[bool | Death] = []
    for turn in range(TURNS):
        outcome = try_prediction()
        if not isinstance(outcome, Death):
            return outcome
        deaths.append(outcome)
        crashes = all(death.is_crash for death in deaths)
        if len(deaths) >= _CRASHES_ENOUGH and crashes and _lives(golds, crashes):
            break
        if try_gold is not None and turn + 1 < TURNS:
            golds.append(try_gold())
        if brief and not crashes and all(map(_is_from_outside, golds)):
            break
    return _blame(deaths, golds)


def _is_from_outside(outcome: bool | Death) -> bool:
    return isinstance(outcome, Death) and not outcome.is_crash


def _lives(golds: Sequence[bool | Death], crashes: bool) -> bool:
    """Whether the gold is scored each time, but for ends from outside where that is no excuse."""
    outcomes = [each for each in golds if not (crashes and _is_from_outside(each))]
    return bool(outcomes) and all(each is True for each in outcomes)


def _blame(deaths: Sequence[Death], golds: Sequence[bool | Death]) -> Blame:
    gold_deaths = [each for each in golds if isinstance(each, Death)]
    why = f"its process {', '.join(dict.fromkeys(map(str, [*deaths, *gold_deaths])))}"
    why += f", {count(len(deaths), 'time')} alone"
    crashes = all(death.is_crash for death in deaths)
    if _lives(golds, crashes):
        if not gold_deaths:
            why += ", and never with the gold in its place"
        return Blame(True, why, _key_of(deaths), may_go_away=True)
    if gold_deaths:
        why += f", and {count(len(gold_deaths), 'time')} with the gold in its place"
    if crashes and not any(map(_is_from_outside, golds)):
        # The query that ends each process is the gold's, or a search of ours; or the gold is
        # scored with no prediction, and the rest of the case says why.
        return Blame(False, why, _key_of([*deaths, *gold_deaths]), may_go_away=True)
    return Blame(False, why, from_outside=True, may_go_away=True)


def _key_of(deaths: Sequence[Death]) -> bytes | None:
    """The query that ran at each of them."""
    keys = {death.key for death in deaths}
    return keys.pop() if len(keys) == 1 else None
