"""Copies of expressions, with a bound: a rule that writes an operand twice doubles it every time.

Twelve levels of ``CASE x WHEN`` or of ``SELECT a + a AS a FROM (...)`` are short texts, whose
normal forms have millions of nodes. Ten levels of ``(x) NOT BETWEEN 1 AND 2`` stay below that, and
have conditions of thousands of nodes, each with a table of truths. Whoever derives sets a budget;
whoever replays a derivation that was found needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.shape import nodes_in

MOST_COPIED = 20_000
"""So many nodes may be copied on the way to one normal form."""

MOST_TABULATED = 10_000
"""So many nodes may the conditions have, all together, for which a table of truths is made on the
way to one normal form: half a second. Of every seventh pair of Spider and BIRD none has 320."""

_left: ContextVar[list[int] | None] = ContextVar("copies_left", default=None)
_tabulated: ContextVar[list[int] | None] = ContextVar("tabulated_left", default=None)
_Node = TypeVar("_Node", bound=Expr)


class TooManySteps(Exception):
    """The budget of steps, of copies, or of conditions in tables is spent."""


@contextmanager
def bounded_copies() -> Iterator[None]:
    """Let :func:`counted_copy` copy so many nodes and no more, and tables have so many."""
    token, tables = _left.set([MOST_COPIED]), _tabulated.set([MOST_TABULATED])
    try:
        yield
    finally:
        _left.reset(token)
        _tabulated.reset(tables)


def count_tabulated(conditions: Iterable[Expr]) -> None:
    """The form of conditions is about to be made from their table of truths.

    Raises:
        TooManySteps: the budget of tables is spent.
    """
    budget = _tabulated.get()
    if budget is not None:
        budget[0] -= sum(1 for condition in conditions for _ in nodes_in(condition))
        if budget[0] < 0:
            raise TooManySteps(f"{MOST_TABULATED} nodes of conditions in tables of truths")


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
