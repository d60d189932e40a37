"""The cost limit: no call starts that could exceed it.

Before a call its worst case is put aside: the most tokens its prompt can have and the most its
reply may have. Afterwards the true cost takes the place of the worst case. Near the limit a
call therefore waits until the ones in flight have shown what they cost, and is refused only
when the money spent leaves no room for it. A server that ignores the token limit can still
overshoot, by that call.
"""

from __future__ import annotations

import threading


class CostBudget:
    """Dollars spent and put aside, shared by threads.

    Args:
        limit: The most that may be spent; ``None``: no limit.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._spent = 0.0
        self._aside = 0.0
        self._changed = threading.Condition()
        self._stopped = False

    @property
    def spent(self) -> float:
        """Dollars spent, or maybe spent, as far as prices are known."""
        with self._changed:
            return self._spent

    def reserve(self, worst: float) -> bool:
        """Put a call's worst case aside; false where the limit leaves no room for it."""
        with self._changed:
            while self.limit is not None and not self._stopped:
                # A rounding error is no reason to refuse the last call that fits.
                slack = self.limit * 1e-9
                if self._spent + worst > self.limit + slack:
                    return False
                if self._spent + self._aside + worst <= self.limit + slack:
                    break
                self._changed.wait()
            self._aside += worst
            return True

    def add(self, dollars: float) -> None:
        """Count what was spent elsewhere, by earlier commands; less than 0: it was not spent."""
        with self._changed:
            self._spent += dollars
            self._changed.notify_all()

    def settle(self, worst: float, paid: float) -> None:
        """The call is over: what was put aside for it goes, what it cost stays."""
        with self._changed:
            self._aside -= worst
            self._spent += paid
            self._changed.notify_all()

    def stop(self) -> None:
        """Wake whoever waits; nothing will be sent any more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
