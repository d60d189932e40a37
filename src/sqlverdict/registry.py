"""Finds one-file members in folders of this package and in entry points.

A member is a module that defines one object under its own name: ``score/metrics/ex.py`` defines
the metric ``ex``. Built-ins and plug-ins come through the same door; two members of one
name are an error, never a silent override.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from sqlverdict.errors import RegistryError, UnknownMember

T = TypeVar("T")


class Registry(Generic[T]):
    """The members of one kind, found when asked for.

    Args:
        kind: What a member is, in the singular: "metric", "engine" ...
        packages: The folder of the built-ins, as a dotted name; or several, where members of
            one kind are kept apart. A name is used once in all of them.
        group: The entry-point group of the plug-ins.
    """

    def __init__(self, kind: str, packages: str | Sequence[str], group: str) -> None:
        self.kind = kind
        self.packages = (packages,) if isinstance(packages, str) else tuple(packages)
        self.group = group
        self._members: dict[str, T] = {}
        self._modules: dict[str, str] = {}
        self._complete = False

    def register(self, member: T, name: str, home: str) -> T:
        """Add a member under its name; ``home`` is the module that defines it."""
        if self._modules.get(name, home) != home:
            raise RegistryError(
                f"two {self.kind}s are called {name!r}: one in {self._modules[name]}, "
                f"one in {home}. Rename one of them."
            )
        self._members[name] = member
        self._modules[name] = home
        return member

    def member(self, cls: Callable[[], T]) -> Callable[[], T]:
        """Class decorator: the class in ``<name>.py`` is the member ``<name>``."""
        home = cls.__module__
        self.register(cls(), home.rpartition(".")[2], home)
        return cls

    def get(self, name: str) -> T:
        """The member of that name.

        Raises:
            UnknownMember: there is none; the message lists what there is.
        """
        if name in self._members:
            return self._members[name]
        self._load_builtin(name)
        if name not in self._members:
            self._load_all()
        if name not in self._members:
            raise UnknownMember(self._unknown(name))
        return self._members[name]

    def has(self, name: str) -> bool:
        """Whether there is a member of that name."""
        try:
            self.get(name)
        except UnknownMember:
            return False
        return True

    def names(self) -> list[str]:
        """Every member's name, sorted."""
        self._load_all()
        return sorted(self._members)

    def items(self) -> Iterator[tuple[str, T]]:
        """Every member with its name, sorted by name."""
        for name in self.names():
            yield name, self._members[name]

    def home(self, name: str) -> str:
        """The module that defines the member."""
        self.get(name)
        return self._modules[name]

    def _unknown(self, name: str) -> str:
        known = self.names()
        near = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return (
            f"there is no {self.kind} called {name!r}.{hint} Known: {', '.join(known)}. A package "
            f"can add others (entry point {self.group})"
        )

    def _load_builtin(self, name: str) -> None:
        if not name.isidentifier():
            return
        # Every folder is looked into: two files of one name are a clash, found at once.
        for package in self.packages:
            module = f"{package}.{name}"
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as missing:
                if missing.name != module:
                    raise

    def _load_all(self) -> None:
        if self._complete:
            return
        for package in self.packages:
            folder = importlib.import_module(package).__path__
            for module in sorted(pkgutil.iter_modules(folder), key=lambda m: m.name):
                importlib.import_module(f"{package}.{module.name}")
        for point in sorted(entry_points(group=self.group), key=lambda p: p.name):
            loaded: Any = point.load()
            if self._modules.get(point.name) == point.module:
                continue  # the module has registered its member itself, as built-ins do
            member = loaded() if isinstance(loaded, type) else loaded
            self.register(member, point.name, point.value)
        self._complete = True


def sections_of(document: str, headings: Sequence[str]) -> dict[str, str]:
    """The text of a member's document by heading; a missing heading is absent."""
    text = inspect.cleandoc(document)
    parts = re.split(rf"^({'|'.join(headings)})\n", text, flags=re.MULTILINE)
    return {
        name: inspect.cleandoc(f"\n{body}")
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }
