"""What was spent for one run folder, over all commands: one file of lines that only grows.

A call's worst case is on the disk before the call is sent, and what it came to afterwards. A
process that is killed between the two leaves a call that may have been charged for. A cached
reply costs nothing: what it cost when it was paid for counts as saved, unless this account paid.

Every line is one of these, sealed with a checksum:

=================================================  ===========================================
``{"start": ID, "address": A, "worst": USD}``      a call is about to be sent; with ``"batch":
                                                   true`` it waits in a batch
``{"end": ID, "outcome": O, "cost": USD}``         it is over: ``paid``, ``maybe`` or ``free``
``{"cached": A, "cost": USD}``                     a reply was at hand
=================================================  ===========================================
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal

import msgspec

from sqlverdict.errors import DataError
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.sealed import AppendFile, is_intact, seal_line

SPENDING = "spending.jsonl"
"""The name of a run folder's account."""
CallOutcome = Literal["paid", "maybe", "free"]


@dataclass(frozen=True)
class Spending:
    """What language models cost a run folder, in US dollars, over all its commands.

    Attributes:
        spent: For replies, by the server's count of tokens.
        maybe: At most, for calls that a server may have charged for: no reply came, or it did not
            say how many tokens it took.
        saved: What cached replies cost when they were paid for, by somebody else's run.
        calls: Calls that were paid for.
        maybe_calls: Calls that may have been.
        cached: Cached replies that this folder did not pay for.
        unpriced: Calls and cached replies of models without a price: their cost is not known.
    """

    spent: float = 0.0
    maybe: float = 0.0
    saved: float = 0.0
    calls: int = 0
    maybe_calls: int = 0
    cached: int = 0
    unpriced: int = 0

    @property
    def at_most(self) -> float:
        """What may have been spent; a cost limit counts this."""
        return self.spent + self.maybe


@dataclass(frozen=True)
class _OpenCall:
    id: str
    worst: float | None
    batch: bool


class Account:
    """The account of one run folder. Threads may share it; one process at a time writes to it.

    Args:
        path: The file; it is made by the first line. ``None``: the account is only in memory.

    Raises:
        DataError: the file was changed after it was written.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.changed = False
        """Whether this process added a line."""
        self._lock = threading.RLock()
        self._file: AppendFile | None = None
        self._total = Spending()
        self._open: dict[str, list[_OpenCall]] = {}
        self._addresses: dict[str, str] = {}
        self._under_way: set[str] = set()
        """Calls that this process has sent itself, not in a batch; whoever did so ends them."""
        self._seen: set[str] = set()
        for line in _lines(path):
            self._count(line)

    @property
    def spending(self) -> Spending:
        """What was spent so far; a call that is under way counts at its worst."""
        with self._lock:
            total = self._total
            for calls in self._open.values():
                for call in calls:
                    total = _maybe(total, call.worst)
            return total

    def start(self, address: str, worst: float | None, *, batch: bool = False) -> str:
        """Note a call before it is sent.

        Args:
            address: The request's content address.
            worst: The most that it can cost; ``None``: the model has no price.
            batch: Whether it waits in a batch.

        Returns:
            What :meth:`end` wants.

        Raises:
            OSError: the line cannot be written: the call must not be sent.
        """
        call = token_hex(8)
        more = {"batch": True} if batch else {}
        with self._lock:
            self._write({"start": call, "address": address[:32], "worst": worst, **more})
            if not batch:
                self._under_way.add(call)
        return call

    def end(self, call: str, outcome: CallOutcome, cost: float | None = None) -> None:
        """Note what a call came to.

        Args:
            call: What :meth:`start` returned.
            outcome: ``paid`` for ``cost``; ``maybe``: it may have been charged for; ``free``.
            cost: Dollars; ``None``: the model has no price.

        Raises:
            OSError: the line cannot be written; the call counts at its worst.
        """
        with self._lock:
            self._write({"end": call, "outcome": outcome, "cost": cost})
            self._under_way.discard(call)

    def use_cached(self, address: str, cost: float | None) -> float:
        """Note a reply that was at hand.

        A call for it that was under way when its process was killed, or that waited in a batch,
        was paid for: this is its reply. A call that another thread has under way is not.

        Returns:
            By how many dollars less may have been spent than was thought.

        Raises:
            OSError: the line cannot be written.
        """
        short = address[:32]
        with self._lock:
            calls = self._open.get(short, ())
            first = next((call for call in calls if call.id not in self._under_way), None)
            if first is not None and cost is None and first.worst is not None:
                # The server counted no tokens: it was paid for, at most at its worst.
                self.end(first.id, "maybe")
                return 0.0
            if first is not None:
                self.end(first.id, "paid", cost)
                return (first.worst or 0.0) - (cost or 0.0)
            if short not in self._seen:
                self._write({"cached": short, "cost": cost}, lasting=False)
            return 0.0

    def release(self, address: str, *, ended: bool) -> float:
        """A request is asked anew: no batch that it waited in brought its reply.

        Args:
            address: The request's content address.
            ended: Whether its batch is known to have ended without a reply to it; else it may
                have been charged for.

        Returns:
            By how many dollars less may have been spent than was thought.
        """
        with self._lock:
            calls = [call for call in self._open.get(address[:32], ()) if call.batch]
            for call in calls:
                self.end(call.id, "free" if ended else "maybe")
        return sum(call.worst or 0.0 for call in calls) if ended else 0.0

    def close(self) -> None:
        """Let go of the file; another line opens it again."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _write(self, line: Mapping[str, Any], *, lasting: bool = True) -> None:
        with self._lock:
            if self.path is not None:
                if self._file is None:
                    self._file = AppendFile(self.path)
                self._file.append(seal_line(msgspec.json.encode(line)), lasting=lasting)
            self.changed = True
            self._count(line)

    def _count(self, line: Mapping[str, Any]) -> None:
        match line:
            case {"start": str(call), "address": str(address), "worst": worst}:
                opened = _OpenCall(call, worst, bool(line.get("batch")))
                self._open.setdefault(address, []).append(opened)
                self._addresses[call] = address
                self._seen.add(address)
            case {"end": str(call), "outcome": outcome, "cost": cost}:
                self._end(call, outcome, cost)
            case {"cached": str(address), "cost": cost}:
                self._seen.add(address)
                total = self._total
                self._total = replace(
                    total,
                    saved=total.saved + (cost or 0.0),
                    cached=total.cached + 1,
                    unpriced=total.unpriced + (cost is None),
                )

    def _end(self, call: str, outcome: str, cost: float | None) -> None:
        address = self._addresses.pop(call, "")
        calls = self._open.get(address, [])
        worst = next((each.worst for each in calls if each.id == call), None)
        others = [each for each in calls if each.id != call]
        if others:
            self._open[address] = others
        else:
            self._open.pop(address, None)
        total = self._total
        if outcome == "paid":
            self._total = replace(
                total,
                spent=total.spent + (cost or 0.0),
                calls=total.calls + 1,
                unpriced=total.unpriced + (cost is None),
            )
        elif outcome == "maybe":
            self._total = _maybe(total, worst)


def _maybe(total: Spending, worst: float | None) -> Spending:
    return replace(
        total,
        maybe=total.maybe + (worst or 0.0),
        maybe_calls=total.maybe_calls + 1,
        unpriced=total.unpriced + (worst is None),
    )


def _lines(path: Path | None) -> list[dict[str, Any]]:
    """The lines of an account; a last one that was not written to its end never counted."""
    try:
        content = path.read_bytes() if path is not None else b""
    except FileNotFoundError:
        return []
    lines = content.split(b"\n")[:-1]
    for number, line in enumerate(lines, 1):
        if not is_intact(line):
            raise DataError(
                f"{path}, line {number} was changed after it was written: its checksum does not "
                "fit. It says what was spent: restore it, or remove the file to begin at 0",
                reason="changed",
            )
    return [msgspec.json.decode(line) for line in lines]


def merge_accounts(paths: Iterable[Path], target: Path) -> None:
    """Add what other accounts say to an account; what it says already is not added again.

    Raises:
        DataError: a file was changed after it was written.
        OSError: the account cannot be written.
    """
    lines: dict[bytes, None] = {}
    for path in (target, *paths):
        if path.exists():
            _lines(path)
            content = path.read_bytes()
            lines.update(dict.fromkeys(content[: content.rfind(b"\n") + 1].splitlines()))
    if lines:
        write_at_once(target, b"".join(line + b"\n" for line in lines))


def read_spending(path: Path) -> Spending | None:
    """What an account says; ``None`` where there is none.

    Raises:
        DataError: the file was changed after it was written.
    """
    return Account(path).spending if path.exists() else None
