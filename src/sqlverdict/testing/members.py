"""The member that a conformance suite checks."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from sqlverdict.errors import UsageError
from sqlverdict.registry import Registry

T = TypeVar("T")


def member_of(registry: Registry[T], value: Any, attribute: str = "name") -> T:
    """A member by its name, as itself, or as the function or class that its file registers.

    Args:
        registry: The members of its kind.
        value: What the suite was called with.
        attribute: What every member of the kind has.

    Raises:
        UnknownMember: there is no member of that name.
        UsageError: it is none of these.
    """
    if isinstance(value, str):
        return registry.get(value)
    if isinstance(value, type) or inspect.isfunction(value):
        name = value.__module__.rpartition(".")[2]
        if registry.has(name) and registry.home(name) == value.__module__:
            return registry.get(name)
    elif hasattr(value, attribute):
        member: T = value
        return member
    raise UsageError(
        f"{value!r} is no {registry.kind}. Give its name, such as {registry.names()[0]!r}, the "
        f"{registry.kind} itself, or the function or class that its file registers."
    )
