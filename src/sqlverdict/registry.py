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
from importlib.metadata import EntryPoint, entry_points
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
        shape: The protocol that a plug-in is held to when it is loaded; ``None``: none.
        on_join: What else is done with each member as it joins.
    """

    def __init__(
        self,
        kind: str,
        packages: str | Sequence[str],
        group: str,
        shape: type | None = None,
        on_join: Callable[[T], None] | None = None,
    ) -> None:
        self.kind = kind
        self._on_join = on_join
        self.shape = shape
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
        if self._on_join is not None:
            self._on_join(member)
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
            raise UnknownMember(self.kind, name, self.names(), self.group)
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
            member = self._load_plugin(point)
            if self._modules.get(point.name) == point.module:
                continue  # the module has registered its member itself, as built-ins do
            self.register(member, point.name, point.value)
        self._complete = True

    def _load_plugin(self, point: EntryPoint) -> Any:
        """The member of an entry point.

        Raises:
            RegistryError: it cannot be loaded, or is no member of this kind.
        """
        where = f"the {self.kind} {point.name!r} of the plug-in {point.value}"
        try:
            loaded = point.load()
            member = loaded() if isinstance(loaded, type) else loaded
        except RegistryError:
            raise
        except (Exception, SystemExit) as error:
            raise RegistryError(
                f"{where} cannot be loaded ({type(error).__name__}: {error}). Mend or uninstall "
                "its package"
            ) from error
        faults = [] if self.shape is None else shape_faults(member, self.shape)
        if faults:
            if self.shape not in type(member).__mro__:
                base = f"{self.shape.__module__}.{self.shape.__qualname__}" if self.shape else ""
                faults.insert(0, f"it does not inherit from {base}, which has the defaults")
            raise RegistryError(
                f"{where} is no {self.kind}: {'; '.join(faults)}. Fix or uninstall its package"
            )
        return member


_TYPES = {"str": str, "int": int, "bool": bool, "tuple": tuple, "frozenset": frozenset}


def shape_faults(member: object, shape: type) -> list[str]:
    """What a member lacks of a protocol, or has of another type, in words."""
    faults = []
    for name, part in vars(shape).items():
        if name.startswith("_") or not (isinstance(part, property) or inspect.isfunction(part)):
            continue
        try:
            value = getattr(member, name)
        except Exception as error:  # noqa: BLE001 - whatever a plug-in raises, it does not have it
            faults.append(f"it has no {name} ({type(error).__name__}: {error})")
            continue
        if inspect.isfunction(part):
            if not callable(value):
                faults.append(f"its {name} is not a method")
            continue
        returns = str(inspect.get_annotations(part.fget).get("return", "")) if part.fget else ""
        expected = _TYPES.get(returns.partition("[")[0])
        if expected is not None and not isinstance(value, expected):
            faults.append(f"its {name} is {value!r}, and not {returns}")
    return faults


def sections_of(document: str, headings: Sequence[str]) -> dict[str, str]:
    """The text of a member's document by heading; a missing heading is absent."""
    text = inspect.cleandoc(document)
    parts = re.split(rf"^({'|'.join(headings)})\n", text, flags=re.MULTILINE)
    return {
        name: inspect.cleandoc(f"\n{body}")
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }
