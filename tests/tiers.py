"""How much a test with a sample tries: some by default, everything in ``make thorough``."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("SQLVERDICT_TESTS") == "thorough"
QUICK = os.environ.get("SQLVERDICT_TESTS") == "quick"


def sampled(default: int, thorough: int) -> int:
    """A step width, a count or a size: the default, or that of ``make thorough``.

    Mark tests that use it ``sampled``: ``make thorough`` selects them by that.
    """
    return thorough if THOROUGH else default
