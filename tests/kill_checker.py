"""The life of a checker's process that waits to be killed, as in kill_parts.py."""

from __future__ import annotations

from kill_parts import wait_in_cases
from sqlverdict.api import isolated


def work() -> None:
    """Wait where a text has the word; check pairs."""
    wait_in_cases()
    isolated.work()
