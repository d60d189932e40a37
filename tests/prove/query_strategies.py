"""Random queries for property tests: hypothesis hands in choices that it can shrink.

A list of them: ``python tests/prove/query_strategies.py 20``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from query_idioms import idiom
from query_maker import DDL, Maker

__all__ = ["DDL", "RANDOMS", "make_query"]

RANDOMS = st.randoms(use_true_random=False) | st.integers(0, 2**40).map(Random)
"""Choices that hypothesis can shrink, and plain ones, which make larger queries."""


def make_query(rng: Random) -> str:
    """One random query over the schema."""
    maker = Maker(rng, size=rng.randrange(1, 4))
    return idiom(maker) if maker.chance(30) else maker.top()


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        sys.stdout.write(make_query(Random(number)) + "\n")
