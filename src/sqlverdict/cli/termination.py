"""SIGTERM ends a command as Ctrl-C does, and is named: what is done is saved, and can go on.

Schedulers, containers and shutdowns send it. Without a handler a process ends at once and says
nothing. A second one does end it at once.
"""

from __future__ import annotations

import signal
import threading

CONTINUE = "Run the same command again to continue."
_received = False


def end_at_sigterm() -> None:
    """From now on SIGTERM interrupts the main thread; where it is ignored, it stays so."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


def is_terminated() -> bool:
    """Whether SIGTERM came."""
    return _received


def termination_text(message: str) -> str:
    """What is said at the end; ``message``: what the command itself says of it."""
    text = f"ended by SIGTERM: {message}" if message else "ended by SIGTERM"
    text = text.rstrip(".")
    return text if CONTINUE[1:-1] in text else f"{text}. {CONTINUE}"


def _interrupt(_signal: int, _frame: object) -> None:
    global _received
    _received = True
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise KeyboardInterrupt
