"""Trees that cannot be changed: every caller of ``parse`` gets the same one.

sqlglot's nodes are mutable, and the compiled parser (the extra ``fast``) allows neither a subclass
of a node nor a patch of its methods. What can be put in a node is another container: the mapping of
its parts, its lists of parts, and the comments and metadata that it has become ones that refuse a
change.
``set``, ``append``, ``replace``, ``pop``, ``transform(copy=False)`` and a write to ``args`` raise
:class:`FrozenTreeError` where they stand, in any node, and leave the tree as it was.

``tree.copy()`` and ``tree.sql()`` copy what is frozen into a tree of their own, which can be
changed. What no container can refuse is an assignment to an attribute of a node: ``parent``,
``arg_key``, ``index``, ``type``, ``comments``, ``_meta``. ``pop_comments``, a comment that is put
before others, and the first comment or metadata of a node are such assignments. An empty container
in every node would refuse the last two, and make each copy of a tree take half as long again. So a
node of a shared tree must not become a part of another tree; copy it first. The tests run with a
guard that refuses all of this, too.
"""

from __future__ import annotations

from collections.abc import ItemsView
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_ATOMS = frozenset({str, int, float, bool, type(None)})


class FrozenTreeError(TypeError):
    """Code tried to change a tree that others read; it should change a copy."""


def _refuse(*_: object, **__: object) -> NoReturn:
    raise FrozenTreeError("other readers share this tree; change a copy of it: tree.copy()")


class FrozenList(list[Any]):
    """Parts of a node, in order, or its comments."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return [_deep_copy(value, memo) for value in self]

    def __reduce__(self) -> tuple[type[list[Any]], tuple[list[Any]]]:
        return list, ([*self],)


class FrozenDict(dict[str, Any]):
    """The parts of a node without lists by name, or its metadata."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    pop = popitem = setdefault = update = clear = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return {name: _deep_copy(value, memo) for name, value in super().items()}

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, ({**self},)


class FrozenLists(FrozenDict):
    """The parts of a node of which some are lists.

    Where sqlglot copies, writes or hashes a node, it asks for ``items()`` or ``args[name]`` and
    knows plain lists only: it gets copies. ``get`` and ``values``, which most readers use, do not
    pay for this.
    """

    __slots__ = ()

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        """The parts, with plain lists."""
        return {
            name: [*value] if type(value) is FrozenList else value
            for name, value in super().items()
        }.items()

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        return [*value] if type(value) is FrozenList else value


def freeze(tree: Expr) -> list[Expr]:
    """Make a tree, from its root, one that refuses every change.

    Args:
        tree: The tree; a node in which it stands stays as it is.

    Returns:
        Its nodes, level by level.
    """
    from sqlglot.expressions import Expr

    nodes = [tree]
    for node in nodes:
        parts = node.args
        lists = {}
        if not node.is_primitive:
            for name, value in parts.items():
                if isinstance(value, Expr):
                    nodes.append(value)
                elif type(value) is list:
                    lists[name] = FrozenList(value)
                    nodes += [each for each in value if isinstance(each, Expr)]
        node.args = FrozenLists(parts | lists) if lists else FrozenDict(parts)
        if node.comments:
            node.comments = FrozenList(node.comments)
        if node._meta:
            node._meta = FrozenDict(node._meta)
    return nodes


def is_frozen(node: Expr) -> bool:
    """Whether a node refuses changes."""
    return isinstance(node.args, FrozenDict)


def _deep_copy(value: Any, memo: dict[int, Any]) -> Any:
    return value if type(value) in _ATOMS else deepcopy(value, memo)
