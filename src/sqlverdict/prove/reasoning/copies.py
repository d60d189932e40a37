"""Copies of expressions, with a bound: a rule that writes an operand twice doubles it every time.

Twelve levels of ``CASE x WHEN`` or of ``SELECT a + a AS a FROM (...)`` are short texts, whose
normal forms have millions of nodes. Whoever derives sets a budget; whoever replays a derivation
that was found needs none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from sqlglot import exp
from sqlglot.expressions import Expr

MOST_COPIED = 20_000
"""So many nodes may be copied on the way to one normal form."""

_left: ContextVar[list[int] | None] = ContextVar("copies_left", default=None)
_Node = TypeVar("_Node", bound=Expr)


class TooManySteps(Exception):
    """The budget of steps, or of copies, is spent."""


@contextmanager
def bounded_copies() -> Iterator[None]:
    """Let :func:`counted_copy` copy so many nodes and no more."""
    token = _left.set([MOST_COPIED])
    try:
        yield
    finally:
        _left.reset(token)


def counted_copy(node: _Node) -> _Node:
    """A copy of an expression that may be large.

    Raises:
        TooManySteps: the budget of copies is spent.
    """
    budget = _left.get()
    if budget is not None:
        # A column is one node, as in the text.
        budget[0] -= 1 if isinstance(node, exp.Column) else sum(1 for _ in node.walk())
        if budget[0] < 0:
            raise TooManySteps(f"{MOST_COPIED} copies of parts of the query")
    return node.copy()
