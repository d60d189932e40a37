"""What a frozen tree cannot refuse by itself, refused while the tests run.

A frozen tree refuses every change of its parts. Its nodes have attributes, too: one that becomes a
part of another tree gets another parent, and its type and its comments can be set. The methods of
sqlglot that do so raise in the tests. The compiled parser calls its own methods past the guard.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqlverdict.parse.frozen import FrozenTreeError, is_frozen

_set_parent = exp.Expression._set_parent
_pop_comments = exp.Expression.pop_comments
_add_comments = exp.Expression.add_comments
_meta = exp.Expression.meta
_type = exp.Expression.type


def guard_shared_trees() -> None:
    """Refuse, from now on, what makes a node of a frozen tree another one."""
    exp.Expression._set_parent = set_parent  # type: ignore[method-assign]
    exp.Expression.pop_comments = pop_comments  # type: ignore[method-assign]
    exp.Expression.add_comments = add_comments  # type: ignore[method-assign]
    exp.Expression.type = property(_type.fget, set_type)  # type: ignore[assignment,attr-defined]
    exp.Expression.meta = property(meta)  # type: ignore[assignment]


def set_parent(self: exp.Expression, key: str, value: object, index: int | None = None) -> None:
    for each in value if isinstance(value, list) else (value,):
        if isinstance(each, exp.Expr):
            require_own(each, "becomes a part of another tree")
    _set_parent(self, key, value, index)


def pop_comments(self: exp.Expression) -> list[str]:
    require_own(self, "loses its comments")
    return _pop_comments(self)


def add_comments(self: exp.Expression, *args: Any, **options: Any) -> None:
    require_own(self, "gets comments")
    _add_comments(self, *args, **options)


def set_type(self: exp.Expression, type_: Any) -> None:
    require_own(self, "gets a type")
    _type.fset(self, type_)  # type: ignore[attr-defined]


def meta(self: exp.Expression) -> dict[str, Any]:
    if self._meta is None:
        require_own(self, "gets metadata")
    return _meta.fget(self)  # type: ignore[attr-defined,no-any-return]


def require_own(node: exp.Expr, change: str) -> None:
    """Raise where a node belongs to a shared tree."""
    if is_frozen(node):
        raise FrozenTreeError(f"a {node.key} of a shared tree {change}; take a copy: node.copy()")
