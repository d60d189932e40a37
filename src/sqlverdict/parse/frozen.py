"""Trees that cannot be changed: every caller of ``parse`` gets the same one.

sqlglot's nodes are mutable. What a node of a shared tree consists of is put into containers that
refuse a change: the mapping of its parts, its lists of parts, its comments and its metadata. The
methods by which sqlglot makes a node another one ask first (:func:`guard_nodes`).

What raises :class:`FrozenTreeError` where it stands, in any node, and leaves the tree as it was:

* ``set``, ``append``, ``set_kwargs``, ``replace``, ``pop``, ``transform(copy=False)``;
* a write to ``args``, or to a list in it: ``args["this"] = x``, ``args["expressions"][0] = x``,
  ``del expressions[0]``, ``expressions.append(x)``;
* to make it a part of another tree: ``exp.Not(this=node)``, ``other.set("this", node)``;
* ``type = x``, ``add_comments``, ``pop_comments``, ``update_positions``, a write to ``meta``.

What is a copy, which is the caller's own: ``tree.copy()``, ``deepcopy`` and ``pickle`` of a tree;
the lists in ``args.items()`` and under the names that an iteration over ``args`` gives, because
sqlglot copies, writes and hashes a node by these and knows plain lists only. ``get``, ``values``
and ``args["expressions"]`` give the frozen list itself.

What cannot be caught is an assignment to an attribute: ``node.args = x``, ``parent``, ``arg_key``,
``index``, ``comments``, ``_type``, ``_meta``. Only a ``__setattr__`` would see it, which Python
then calls for each assignment that makes a node, eight or more: proofs took a third more time.
Some tests run with one (``tests/frozen_guard.py``). ``_hash`` alone is written where a tree is only
read: ``hash`` and ``==`` remember it there, and a refused ``set`` or ``append`` forgets it.

With the compiled parser (the extra ``fast``) it is the other way round: its own code writes to
nodes past a ``__setattr__``, and calls its methods past what stands in for them. There all
assignments by other code raise, at no cost. ``exp.Not(this=node)`` and builders that were told not
to copy (``exp.not_(node, copy=False)``) are not seen; ``set``, ``append`` and ``replace`` with a
shared node raise where other code calls them.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator
from copy import deepcopy
from functools import cache, wraps
from inspect import isfunction
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from sqlglot.expressions import Expr, Expression

T = TypeVar("T")

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


_NO_COMMENTS, _NO_METADATA = FrozenList(), FrozenDict()


class _PlainName(str):
    """A name of a part under which a list is a plain one."""

    __slots__ = ()


class FrozenLists(FrozenDict):
    """The parts of a node of which some are lists.

    Where sqlglot copies or writes a node, it asks for ``items()``; where it hashes one, for
    ``args[name]`` by the names of an iteration. It knows plain lists only: it gets copies. ``get``
    and ``values``, which most readers use, do not pay for this.
    """

    __slots__ = ()

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        """The parts, with plain lists."""
        return {
            name: [*value] if type(value) is FrozenList else value
            for name, value in super().items()
        }.items()

    def __iter__(self) -> Iterator[str]:
        return map(_PlainName, super().__iter__())

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        return [*value] if type(name) is _PlainName and type(value) is FrozenList else value


def freeze(tree: Expr) -> list[Expr]:
    """Make a tree, from its root, one that refuses every change.

    Args:
        tree: The tree; a node in which it stands stays as it is.

    Returns:
        Its nodes, level by level.
    """
    from sqlglot.expressions import Expr

    guard_nodes()
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
        if isinstance(parts, FrozenDict):
            continue
        if node.comments is not None:
            node.comments = FrozenList(node.comments) if node.comments else _NO_COMMENTS
        if node._meta is not None:
            node._meta = FrozenDict(node._meta)
        # Last: from here on the node refuses an assignment, where one is seen.
        node.args = FrozenLists(parts | lists) if lists else FrozenDict(parts)
    return nodes


def is_frozen(node: Expr) -> bool:
    """Whether a node refuses changes."""
    return isinstance(node.args, FrozenDict)


@cache
def guard_nodes() -> None:
    """Let sqlglot's own methods refuse to make a node of a frozen tree another one.

    They do as ever for nodes that are not frozen. :func:`freeze` calls this first.
    """
    from sqlglot.expressions import Expression

    for name in ("add_comments", "pop_comments"):
        setattr(Expression, name, _of_own_node(getattr(Expression, name)))
    Expression.meta = property(_metadata)  # type: ignore[assignment]
    if isfunction(Expression._set_parent):
        _guard_plain_nodes(Expression)
    else:
        _guard_compiled_nodes(Expression)


def _guard_plain_nodes(nodes: type[Expression]) -> None:
    from sqlglot.expressions import Expr

    set_parent, type_ = nodes._set_parent, nodes.__dict__["type"]

    @wraps(set_parent)
    def own_parts(self: Expression, arg_key: str, value: object, index: int | None = None) -> None:
        # Every node that is made comes here with each of its parts.
        if isinstance(value, Expr):
            if type(value.args) is not dict and is_frozen(value):
                _refuse()
        elif type(value) is list:
            for each in value:
                if isinstance(each, Expr) and type(each.args) is not dict and is_frozen(each):
                    _refuse()
        set_parent(self, arg_key, value, index)

    nodes._set_parent = own_parts  # type: ignore[method-assign]
    nodes.type = type_.setter(_of_own_node(type_.fset))  # type: ignore[method-assign]


def _guard_compiled_nodes(nodes: type[Expression]) -> None:
    def assign(self: Expr, name: str, value: object) -> None:
        if name != "_hash" and is_frozen(self):
            _refuse()
        object.__setattr__(self, name, value)

    nodes.update_positions = _of_own_node(nodes.update_positions)  # type: ignore[method-assign]
    # Each copy of a node calls ``__init__``: to guard it, too, took proofs 6 % more time.
    for name in ("set", "append", "replace"):
        setattr(nodes, name, _of_own_parts(getattr(nodes, name)))
    nodes.__setattr__ = assign  # type: ignore[method-assign,assignment]


def _metadata(node: Expr) -> dict[str, Any]:
    """What sqlglot's ``meta`` gives; but the metadata of a frozen node that has none stays none."""
    metadata = node._meta
    if metadata is None:
        if is_frozen(node):
            return _NO_METADATA
        metadata = node._meta = {}
    return metadata


def _of_own_node(method: Callable[..., T]) -> Callable[..., T]:
    """A method that changes its node, for nodes that may be changed."""

    @wraps(method)
    def guarded(self: Expr, *values: Any, **options: Any) -> T:
        _require_own((self,))
        return method(self, *values, **options)

    return guarded


def _of_own_parts(method: Callable[..., T]) -> Callable[..., T]:
    """A method that makes what it gets a part of its node, for what is no part of a frozen tree."""

    @wraps(method)
    def guarded(self: Expr, *values: Any, **options: Any) -> T:
        for value in (*values, *options.values()):
            _require_own(value if isinstance(value, list) else (value,))
        return method(self, *values, **options)

    return guarded


def _require_own(values: Iterable[object]) -> None:
    for value in values:
        if isinstance(getattr(value, "args", None), FrozenDict):
            _refuse()


def _deep_copy(value: Any, memo: dict[int, Any]) -> Any:
    return value if type(value) in _ATOMS else deepcopy(value, memo)
