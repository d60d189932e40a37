"""Draws that depend on the seed and on what is drawn, never on the order in which things come.

Everything that a benchmark's builder leaves to chance is decided by digests: the same things
and the same seed give the same draw on any machine, in any order, with anything else around.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def draw(seed: int, *what: str) -> int:
    """A number of 64 bits that looks like chance."""
    return int.from_bytes(_digest(seed, what)[:8], "big")


def id_digits(seed: int, *what: str) -> str:
    """Ten hexadecimal digits that stand for something, for ids."""
    return _digest(seed, what).hex()[:10]


def shuffled(
    things: Iterable[T], seed: int, *purpose: str, key: Callable[[T], str] = str
) -> list[T]:
    """The things in an order of chance, which the order they came in does not change.

    Args:
        things: What is put in order.
        seed: The seed.
        purpose: What the order is for; other purposes have other orders.
        key: What tells two things apart.
    """
    return sorted(things, key=lambda thing: (_digest(seed, (*purpose, key(thing))), key(thing)))


def _digest(seed: int, what: tuple[str, ...]) -> bytes:
    # JSON keeps ("ab", "c") and ("a", "bc") apart, and half surrogates, which UTF-8 refuses.
    return hashlib.sha256(json.dumps([seed, *what]).encode("ascii")).digest()
