"""Objects of an engine in a warm process of its own, which is killed where a call overruns.

The process is started when it is first needed, serves all sessions of this process, and stays for
the next. A busy one is not waited for: another thread gets another process. A call that had to be
killed is a time-out. A process that ends by itself is tried once more: one that an error inside
the engine ends again is beyond its memory; one that was killed from outside is the fault of no
query.

An engine joins by what it gives to :class:`Remote`: how its object is made in the other process.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from threading import Lock
from typing import Any

from sqlverdict.error_reasons import DatabaseReason
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.apart.process import (
    BROKEN,
    KillableProcess,
    Unreadable,
    bound_memory,
    listen,
    mapped_bytes,
    reply,
)
from sqlverdict.execute.attempt import TOO_LARGE, unavailable
from sqlverdict.execute.engine import Limits
from sqlverdict.records import Failure, Reason

_GRACE = 0.3
"""Seconds in which an engine may still stop by itself."""
_CLOSING = 5.0
_START = 300.0
"""Seconds in which a process must have started: a guard against hangs."""
_TRIES = 2
_WARM = 2
"""So many idle processes are kept."""
_OPEN_AT_ONCE = 32
"""So many objects a process keeps."""
_HEADROOM = 512 * 2**20
_WORN = 256 * 2**20
"""A process that has grown by so much more than the engine's heap is not used again."""
_KILLED = getattr(signal, "SIGKILL", signal.SIGTERM)
_OUTSIDE = frozenset({_KILLED, signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", 1)})
"""Signals that nothing inside an engine sends."""
_READY = "ready"
"""Sent when an object was made, before it is called."""
_numbers = count()

Make = Callable[[], Any]


@dataclass(frozen=True)
class _Call:
    """What a process is to do."""

    number: int
    make: Make
    limits: Limits
    method: str
    """Empty: close it."""
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class _Done:
    """The outcome of a call."""

    value: Any
    error: str = ""
    """Why the object could not be made."""
    reason: DatabaseReason = "failed"
    """The same, for a program."""
    worn: bool = False


class Remote:
    """An object in another process. Not for several threads at once.

    Args:
        make: Makes the object, in any process, as often as one has to be replaced. It can be
            pickled, and raises ``DatabaseError`` where it cannot.
        limits: What one query may spend; its memory is also that of the process.
    """

    def __init__(self, make: Make, limits: Limits) -> None:
        self._make = make
        self._limits = limits
        self._number = next(_numbers)
        self.reason: DatabaseReason = "failed"
        """Why the object could not be made when that was tried last."""

    def call(self, method: str, *arguments: Any, seconds: float) -> Any:
        """What a method of the object returns; a failure where its process had to end."""
        call = _Call(self._number, self._make, self._limits, method, arguments)
        request = pickle.dumps(call)
        in_new = False
        for left in reversed(range(_TRIES)):
            try:
                process = _EngineProcess() if in_new else _pool.take(self._number)
            except BROKEN as error:
                return unavailable(f"the engine's own process does not start ({error})")
            is_new = process.is_new
            done = process.ask(self._number, request, seconds)
            if isinstance(done, _Done) and left and not is_new and _is_short(done.value):
                # What earlier calls left in the process may be why: a new one decides.
                process.end()
                in_new = True
                continue
            if isinstance(done, _Done):
                if done.error:
                    # It may not have been made.
                    process.objects.pop(self._number, None)
                    self.reason = done.reason
                _pool.give_back(process, keep=not done.worn)
                return done.value if not done.error else unavailable(done.error)
            if process.killed:
                process.end()
                text = f"stopped after {seconds:g} s by ending its process"
                return Failure(Reason.EXECUTION_TIMEOUT, text, seconds=seconds, repeatable=False)
            failure = self._death(*process.wait())
            process.end()
            if not left:
                return failure
            # Another idle one may have died with it: only a new one says whether the call is why.
            in_new = True
        raise AssertionError("a call is tried at least once")

    def close(self) -> None:
        """Close the object, where a process has it."""
        call = _Call(self._number, self._make, self._limits, "", ())
        for process in _pool.with_object(self._number):
            done = process.ask(self._number, pickle.dumps(call), _CLOSING)
            if isinstance(done, _Done):
                process.objects.pop(self._number, None)
                _pool.give_back(process)
            else:
                process.end()

    def _death(self, code: int, memory: int) -> Failure:
        """What the end of a process says about the call."""
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        if -code in _OUTSIDE and memory <= self._limits.memory:
            return unavailable(f"the engine's own process was ended from outside ({how})")
        text = f"the engine's own process ended while running it ({how})"
        return Failure(Reason.MEMORY_LIMIT, text, repeatable=False)


def _is_short(value: Any) -> bool:
    return isinstance(value, Failure) and value.reason is Reason.MEMORY_LIMIT


class _EngineProcess(KillableProcess):
    """One process, and which objects it has."""

    def __init__(self) -> None:
        super().__init__(__name__)
        self.objects: OrderedDict[int, None] = OrderedDict()
        self.is_new = True
        """Whether it has done nothing yet."""
        try:
            # What it takes to start is not the query's time.
            self.kill_after(_START)
            self.receive()
        except BaseException:
            # Whatever it was, Ctrl-C included, it is raised on; no process stays behind.
            self.end()
            raise

    def ask(self, number: int, request: bytes, seconds: float) -> _Done | None:
        """The outcome of a call; ``None`` where the process ended."""
        new = number not in self.objects
        self.is_new = False
        self._note(number)
        try:
            self.kill_after(_START if new else seconds + _GRACE)
            self.send(request)
            done = self.receive()
            if done == _READY:
                # What it takes to open a database is not the query's time.
                self.kill_after(seconds + _GRACE)
                done = self.receive()
        except (*BROKEN, ValueError):
            # A pipe that was closed, at the end of the interpreter, is a ValueError.
            self.stop_timer()
            return None
        except BaseException:
            # Ctrl-C: the reply that is still to come would be taken for that of another call.
            self.stop_timer()
            self.end()
            raise
        if isinstance(done, Unreadable):
            self.end()
            return _Done(None, f"its process cannot read a call ({done.why})", worn=True)
        assert isinstance(done, _Done)
        return done

    def _note(self, number: int) -> None:
        """The process has this object now, and not the oldest one if it has too many."""
        self.objects[number] = None
        self.objects.move_to_end(number)
        if len(self.objects) > _OPEN_AT_ONCE:
            self.objects.popitem(last=False)


class _ProcessPool:
    """The idle processes of this process; those of a fork are its parent's."""

    def __init__(self) -> None:
        self.forget()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        self._lock = Lock()
        self._idle: list[_EngineProcess] = []

    def take(self, number: int) -> _EngineProcess:
        """A process, one that has the object if there is one.

        Raises:
            OSError, EOFError, pickle.UnpicklingError: none can be started.
        """
        with self._lock:
            for process in self._idle:
                if number in process.objects:
                    self._idle.remove(process)
                    return process
            if self._idle:
                return self._idle.pop()
        return _EngineProcess()

    def with_object(self, number: int) -> list[_EngineProcess]:
        """The idle processes that have an object; they are the caller's now."""
        with self._lock:
            users = [process for process in self._idle if number in process.objects]
            self._idle = [process for process in self._idle if process not in users]
        return users

    def give_back(self, process: _EngineProcess, *, keep: bool = True) -> None:
        """Keep a process for other calls, unless its time ran out while it replied."""
        with self._lock:
            if keep and not process.killed and len(self._idle) < _WARM:
                self._idle.append(process)
                return
        process.end()


_pool = _ProcessPool()


def work() -> None:
    """What the process does: reads calls and sends their outcomes, until the other end closes."""
    requests, replies = listen()
    objects = _Objects(lambda: reply(replies, _READY))
    reply(replies, _READY)
    while True:
        call: _Call = requests.get()
        done = objects.answer(call)
        worn = mapped_bytes() > objects.mapped + call.limits.memory + _WORN
        try:
            reply(replies, replace(done, worn=worn))
        except MemoryError:
            reply(replies, _Done(TOO_LARGE, worn=True))


class _Objects:
    """The objects of a process, the one that was used last at the end."""

    def __init__(self, is_ready: Callable[[], None]) -> None:
        self._objects: OrderedDict[int, Any] = OrderedDict()
        self._is_ready = is_ready
        self.mapped = mapped_bytes()
        """What the process has for itself: its modules, and objects before they did anything."""
        self._after_last = self.mapped
        """What it had after the last call: the modules of a new object come with its call."""

    def answer(self, call: _Call) -> _Done:
        done = self._answer(call)
        self._after_last = mapped_bytes()
        return done

    def _answer(self, call: _Call) -> _Done:
        try:
            if not call.method:
                member = self._objects.pop(call.number, None)
                return _Done(None if member is None else member.close())
            member = self._object(call)
            bound_memory(call.limits, mapped=self.mapped, headroom=_HEADROOM)
            return _Done(getattr(member, call.method)(*call.arguments))
        except MemoryError:
            return _Done(TOO_LARGE)
        except Exception as error:  # noqa: BLE001 - the border: whoever asked must get a reply
            known = isinstance(error, DatabaseError | OSError)
            text = str(error) if known else f"{type(error).__name__}: {error}"
            return _Done(None, text, error.reason if isinstance(error, DatabaseError) else "failed")

    def _object(self, call: _Call) -> Any:
        if call.number not in self._objects:
            self._objects[call.number] = call.make()
            self.mapped += max(0, mapped_bytes() - self._after_last)
            if len(self._objects) > _OPEN_AT_ONCE:
                _, oldest = self._objects.popitem(last=False)
                oldest.close()
            self._is_ready()
        self._objects.move_to_end(call.number)
        return self._objects[call.number]
