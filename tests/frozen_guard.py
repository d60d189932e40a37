"""What a frozen tree cannot refuse where sqlglot is not compiled, refused in some tests.

Its nodes have attributes. Whoever assigns one changes the tree that others read, and only a
``__setattr__`` sees it, which would make every proof take longer (``parse/frozen.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import isfunction

from sqlglot import exp

from sqlverdict.parse.frozen import FrozenTreeError, is_frozen

COMPILED = not isfunction(exp.Expression.copy)
"""Whether the extra ``fast`` is installed; its nodes refuse assignments by themselves."""


@contextmanager
def refused_assignments() -> Iterator[None]:
    """Every assignment to a node of a frozen tree raises, but of its hash."""
    if not COMPILED:
        exp.Expression.__setattr__ = assign  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        if not COMPILED:
            del exp.Expression.__setattr__


def assign(self: exp.Expr, name: str, value: object) -> None:
    # A node that is being made has no parts yet.
    if name != "_hash" and hasattr(self, "args") and is_frozen(self):
        raise FrozenTreeError(f"{name} of a {self.key} of a shared tree is set; take a copy")
    object.__setattr__(self, name, value)
