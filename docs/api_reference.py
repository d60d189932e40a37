"""The reference of the Python API, from signatures and docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
import typing
from collections.abc import Iterator
from enum import EnumMeta
from types import ModuleType
from typing import Any

from docstrings import as_markdown

MODULES = ("sqlverdict", "sqlverdict.rl", "sqlverdict.integrations", "sqlverdict.testing")
SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example):$", re.MULTILINE)
ENTRY = re.compile(r"    (\*{0,2}\w+): (.*)")
WIDTH = 88
LONGEST_DEFAULT = 80
SHOP = """\
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL);
INSERT INTO item VALUES (1, 'pen', 1.5), (2, 'pad', 2.5), (3, 'ink', 4.0);"""
"""The database of the examples."""


def public_names(module: ModuleType) -> list[str]:
    """The public names of a module; those of integrations are its files."""
    if module.__name__ == "sqlverdict.integrations":
        lines = re.findall(r"^``(\w+)``", module.__doc__ or "", re.MULTILINE)
        return [name for name in lines if name != "common"]
    return list(module.__all__)


def reference() -> Iterator[str]:
    """The sections of the page."""
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        yield f"## `{module_name}`"
        if module_name == "sqlverdict.integrations":
            yield "Each is a module; [integrations.md](integrations.md) has an example of each."
        for name in sorted(public_names(module), key=str.lower):
            if module_name == "sqlverdict.integrations":
                yield from _integration(name)
            else:
                yield from member(name, getattr(module, name))


def _integration(name: str) -> Iterator[str]:
    """The functions and classes that one integration has for its users."""
    module = importlib.import_module(f"sqlverdict.integrations.{name}")
    yield f"### `{name}`"
    yield as_markdown((module.__doc__ or "").partition("\n\n")[0])
    for inner, value in vars(module).items():
        ours = getattr(value, "__module__", "") == module.__name__
        if ours and not inner.startswith("_") and callable(value):
            yield _code(signature(inner, value))
            yield docstring(value)


def member(name: str, value: Any) -> Iterator[str]:
    """One public name."""
    yield f"### `{name}`"
    if isinstance(value, EnumMeta):
        yield docstring(value)
        yield ", ".join(f"`{each.value}`" for each in value)
        return
    if not callable(value) or typing.get_args(value):
        parts = ", ".join(f"`{part.__name__}`" for part in typing.get_args(value))
        yield f"One of {parts}." if parts else docstring(type(value))
        return
    yield _code(signature(name, value))
    yield docstring(value)
    if inspect.isclass(value):
        for inner, method in _methods(value):
            yield f"#### `{name}.{inner}`"
            if not isinstance(method, property):
                yield _code(signature(inner, method))
            yield docstring(method)


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class of ours has."""
    for name, value in inspect.getmembers(kind):
        base = next((each for each in kind.__mro__ if name in vars(each)), None)
        ours = base is not None and base.__module__.startswith("sqlverdict")
        shown = name == "__call__" or not name.startswith("_")
        if ours and shown and (inspect.isfunction(value) or isinstance(value, property)):
            yield name, value


def signature(name: str, value: Any) -> str:
    """A call, with a line for each argument where it is long."""
    try:
        found = inspect.signature(value)
    except ValueError:
        return name
    arguments = [
        each.replace(default=...) if len(str(each.default)) > LONGEST_DEFAULT else each
        for each in found.parameters.values()
        if each.name not in ("self", "_keep")
    ]
    whole = found.replace(parameters=arguments)
    if inspect.isclass(value):
        whole = whole.replace(return_annotation=inspect.Signature.empty)
    text = name + _plain(str(whole))
    if len(text) <= WIDTH:
        return text
    lines, before = [], None
    for each in arguments:
        if each.kind is each.KEYWORD_ONLY and before not in (
            each.KEYWORD_ONLY,
            each.VAR_POSITIONAL,
        ):
            lines.append("    *,")
        lines.append(f"    {_plain(str(each))},")
        before = each.kind
    _, _, returns = _plain(str(whole)).rpartition(" -> ") if "->" in str(whole) else ("", "", "")
    return "\n".join([f"{name}(", *lines, f") -> {returns}" if returns else ")"])


def _plain(text: str) -> str:
    """Annotations without quotes and modules; defaults that a factory makes as dots."""
    text = text.replace("Ellipsis", "...")
    text = re.sub(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>", "...", text)
    text = re.sub(r": '([^']*)'", r": \1", text)
    text = re.sub(r": \"([^\"]*)\"", r": \1", text)
    text = re.sub(r"-> '([^']*)'", r"-> \1", text)
    return re.sub(r"\b(?:sqlverdict|typing|collections|pathlib)(?:\.\w+)*\.(?=[A-Z])", "", text)


def docstring(value: Any) -> str:
    """A docstring with its sections as lists, and its example as a block of code."""
    head, *parts = SECTION.split(inspect.getdoc(value) or "")
    blocks = [as_markdown(head.strip())]
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        if title == "Example":
            blocks.append(f"```python\n{inspect.cleandoc(body)}\n```")
            continue
        entries = "\n".join(_entries(body.strip("\n").splitlines()))
        blocks.append(f"**{title}**\n\n{entries}")
    return "\n\n".join(block for block in blocks if block)


def _entries(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if match := ENTRY.match(line):
            yield as_markdown(f"- ``{match[1]}``: {match[2]}")
        elif line.strip():
            yield as_markdown(f"x {line.strip()}").replace("x ", "  ", 1)


def _code(text: str) -> str:
    return f"```text\n{text}\n```"
