"""How often Python looks for garbage in cycles while pairs are examined: seldom.

Parsed queries are many objects, each in a cycle with its parent, and most of them are remembered:
to look through them again and again takes 5 % of the time of a batch of rewards.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

THRESHOLDS = (100_000, 50, 100)
"""So many new objects, and so many younger collections, before a collection. Rows are many and
never in a cycle: to look through them is time lost."""

_lock = Lock()
_batches = 0
_before = THRESHOLDS


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Collect seldom, in all threads; what was set before holds again when the last batch ends.

    A collector that is off, or set to be as rare, stays as it is. What the caller sets meanwhile
    stays, too.
    """
    global _batches, _before
    with _lock:
        _batches += 1
        now = gc.get_threshold()
        if _batches == 1 and 0 < now[0] < THRESHOLDS[0]:
            _before = now
            gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        with _lock:
            _batches -= 1
            if not _batches and gc.get_threshold() == THRESHOLDS:
                gc.set_threshold(*_before)
                _before = THRESHOLDS
