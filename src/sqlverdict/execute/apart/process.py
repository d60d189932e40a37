"""Processes of our own that are killed where they overrun their time: both ends of the pipe.

No handler ends one long step of an engine that runs in this process. What may take such a step is
done in another one. It ends with the process that started it, even in the middle of a step. No
signal, no fork and no main module are needed, so it works in daemonic processes and in notebooks.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread, Timer
from time import sleep
from typing import IO, Any

from sqlverdict.execute.engine import Limits

BROKEN = (OSError, EOFError, pickle.UnpicklingError)
"""What reading from a process raises that has ended."""
_LOOK_SECONDS = 1.0
_LAST_SECONDS = 10.0
"""A process that has closed its pipe is gone by then."""
_LOOKS = 1_000
_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in which systems count a process's memory."""
_HEADROOM = 1536 * 2**20


@dataclass(frozen=True)
class Unreadable:
    """A process cannot read what it was sent, and why."""

    why: str


class KillableProcess:
    """A process that gets requests and sends replies. Not for several threads at once.

    Args:
        module: The module whose function ``work`` is its life.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, module: str) -> None:
        code = f"import sys; sys.path[:] = sys.argv[1:]; from {module} import work; work()"
        command = [sys.executable, "-P", "-c", code, *filter(None, sys.path)]
        self._popen = subprocess.Popen(  # noqa: S603 - our own interpreter, and our own code
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._inherited = _most_memory()
        self._timer: Timer | None = None
        self.killed = False
        """Whether it was killed because its time was over."""
        self.end: Callable[[], Any] = weakref.finalize(self, _end, self._popen, os.getpid())

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    def send(self, content: bytes) -> None:
        """Send what was pickled.

        Raises:
            OSError: it has ended.
        """
        assert self._popen.stdin is not None
        write_message(self._popen.stdin, content)

    def receive(self) -> Any:
        """The next message; the time that was set before is over then.

        Raises:
            OSError, EOFError, pickle.UnpicklingError: it has ended.
        """
        assert self._popen.stdout is not None
        try:
            return pickle.load(self._popen.stdout)  # noqa: S301 - from our own code
        finally:
            self.stop_timer()

    def kill_after(self, seconds: float) -> None:
        """Kill it where no message comes within so many seconds."""
        self._timer = Timer(seconds, self._kill)
        self._timer.daemon = True
        self._timer.start()

    def wait(self) -> tuple[int, int]:
        """How it ended, as ``subprocess`` says it, and the most memory it had, 0 if unknown.

        Linux counts what this process had when it started that one: less than that tells nothing.
        """
        if sys.platform == "win32" or self._popen.returncode is not None:
            return self._popen.wait(), 0
        try:
            pid, status, usage = os.wait4(self._popen.pid, os.WNOHANG)
            for _ in range(_LOOKS):
                if pid:
                    break
                sleep(_LAST_SECONDS / _LOOKS)
                pid, status, usage = os.wait4(self._popen.pid, os.WNOHANG)
            else:
                self._popen.kill()
                pid, status, usage = os.wait4(self._popen.pid, 0)
        except ChildProcessError:
            # Whoever ignores SIGCHLD has no children to wait for.
            return self._popen.wait(), 0
        self._popen.returncode = os.waitstatus_to_exitcode(status)
        memory = usage.ru_maxrss * _UNIT
        return self._popen.returncode, memory if memory > self._inherited else 0

    def _kill(self) -> None:
        self.killed = True
        self._popen.kill()

    def stop_timer(self) -> None:
        """Let it take its time again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None


def _most_memory() -> int:
    """The most memory that this process has had; 0 where that is not known."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def _end(popen: subprocess.Popen[bytes], owner: int) -> None:
    """Kill a process; a fork of its owner only lets go of it."""
    for stream in (popen.stdin, popen.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    if os.getpid() == owner:
        popen.kill()
        popen.wait()
    else:
        # It is not ours to wait for.
        popen.returncode = 0


def write_message(stream: IO[bytes], content: bytes) -> None:
    """Write a message, and leave nothing in a buffer."""
    stream.write(content)
    stream.flush()


def reply(stream: IO[bytes], message: object) -> None:
    """Send a message to the other end."""
    write_message(stream, pickle.dumps(message))


def listen() -> tuple[SimpleQueue[Any], IO[bytes]]:
    """In the process: the requests that come, and where replies go."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "wb")
    # What a plug-in prints must not get between the replies.
    os.dup2(2, 1)
    requests: SimpleQueue[Any] = SimpleQueue()
    # Other threads listen and look: when the giver is gone, the process ends even in a long step.
    Thread(target=_listen, args=(requests, replies), daemon=True).start()
    Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    return requests, replies


def _listen(requests: SimpleQueue[Any], replies: IO[bytes]) -> None:
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))  # noqa: S301 - from our own code
    except BROKEN:
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - whatever a class does when it is read
        # The other end waits for a reply, and nobody would hear any more that it is gone.
        with suppress(OSError):
            reply(replies, Unreadable(f"{type(error).__name__}: {error}"))
        os._exit(1)


def _follow(parent: int) -> None:
    """End with the parent: its forks have a copy of the pipe, which then stays open."""
    while os.getppid() == parent:
        sleep(_LOOK_SECONDS)
    os._exit(0)


def mapped_bytes() -> int:
    """The size of this process's address space; 0 where that is not known."""
    if sys.platform != "linux":
        return 0
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def bound_memory(limits: Limits, *, mapped: int | None = None, headroom: int = _HEADROOM) -> None:
    """The last resort against an answer that does not fit: allocation fails, and is typed.

    Only Linux counts memory so that the limit can be kept.

    Args:
        limits: What one query may spend.
        mapped: What the process had before; what it has now, where it is not said.
        headroom: What it may take beyond the limits.
    """
    if sys.platform != "linux":
        return
    import resource

    before = mapped_bytes() if mapped is None else mapped
    most = before + limits.memory + 8 * limits.bytes + headroom
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
