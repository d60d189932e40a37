"""Prompts out of the Python files of a paper's authors, which are read and never run.

Authors keep their prompts in code: texts with a name, templates with ``{names}``, f-strings, and
functions that put them together. :class:`PromptSource` follows such lines: texts, f-strings, ``+``,
``.format``, ``.strip``, a choice by a name, ``=`` and ``+=``. It knows nothing else, so a file can
do nothing here but say words. A line that it does not know leaves its name unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Formatter
from typing import TypeAlias

from sqlverdict.errors import UsageError

Value: TypeAlias = str | bool | dict[str, str]
LARGEST = 1_000_000


class _UnknownError(Exception):
    """An expression that is not followed."""


class PromptSource:
    """The texts of one Python file.

    Args:
        path: The file.

    Raises:
        UsageError: it cannot be read, or is no Python.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._visited: set[str] = set()
        try:
            data = path.read_bytes()
            if len(data) > LARGEST:
                raise UsageError(f"{path} has {len(data):,} bytes; prompts have fewer")
            self._tree = ast.parse(data)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise UsageError(
                f"the authors' prompts {path} cannot be read as Python: {error}. Expected a clone "
                f"of their repository"
            ) from error

    def text(self, name: str) -> str:
        """The first text that the file gives this name.

        Raises:
            UsageError: there is none.
        """
        value = self._text_of(name)
        if isinstance(value, str):
            return value
        raise UsageError(f"{self.path} has no text {name}. Expected a clone of the authors' files")

    def follow(self, function: str, names: Mapping[str, Value], result: str) -> str:
        """The text that a function gives a name, line by line.

        Args:
            function: The function, or ``Class.function``.
            names: What its names stand for; no line of the function changes them. ``self.x`` is
                known as ``x``.
            result: The name whose text is wanted.

        Raises:
            UsageError: there is no such function, its lines make no such text, or a template has a
                placeholder that it does not fill.
        """
        local = dict(names)
        self._lines(self._function(function).body, local, frozenset(names))
        value = local.get(result)
        if isinstance(value, str) and result not in names:
            return value
        raise UsageError(
            f"{self.path}: the lines of {function} make no text {result}. Expected a clone of the "
            f"authors' files"
        )

    def pattern(self, names: Mapping[str, str]) -> str:
        """The first f-string with exactly these names, and what they stand for in their place.

        Raises:
            UsageError: there is none.
        """
        for node in ast.walk(self._tree):
            if isinstance(node, ast.JoinedStr):
                used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                if used == set(names):
                    return str(self._value(node, names))
        placeholders = ", ".join(f"{{{name}}}" for name in names)
        raise UsageError(
            f"{self.path} has no text with the placeholders {placeholders} and no others"
        )

    def _function(self, name: str) -> ast.FunctionDef:
        inside, _, last = name.rpartition(".")
        trees: Iterable[ast.AST] = [self._tree]
        if inside:
            every = ast.walk(self._tree)
            trees = [
                node for node in every if isinstance(node, ast.ClassDef) and node.name == inside
            ]
        for tree in trees:
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and node.name == last:
                    return node
        raise UsageError(
            f"{self.path} has no function {name}; expected a clone of the authors' files"
        )

    def _lines(
        self, lines: Iterable[ast.stmt], local: dict[str, Value], fixed: frozenset[str]
    ) -> None:
        for line in lines:
            try:
                match line:
                    case ast.Assign(targets=[ast.Name(id=name)]) if name not in fixed:
                        local.pop(name, None)
                        local[name] = self._value(line.value, local)
                    case ast.AugAssign(target=ast.Name(id=name), op=ast.Add()) if name not in fixed:
                        before = local.pop(name, None)
                        local[name] = _sum(before, self._value(line.value, local))
                    case ast.If():
                        branch = line.body if self._value(line.test, local) else line.orelse
                        self._lines(branch, local, fixed)
            except _UnknownError:
                continue

    def _text_of(self, name: str) -> Value | None:
        """The first value of a name in the file that can be followed."""
        if name in self._visited:  # a circle
            return None
        self._visited.add(name)
        try:
            for node in ast.walk(self._tree):
                match node:
                    case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
                        try:
                            return self._value(node.value, {})
                        except _UnknownError:
                            continue
            return None
        finally:
            self._visited.remove(name)

    def _value(self, node: ast.expr, names: Mapping[str, Value]) -> Value:
        match node:
            case ast.Constant(value=str() | bool() as value):
                return value
            case ast.Name(id=name):
                return self._known(name, names)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self._known(name, names)
            case ast.JoinedStr(values=parts):
                return "".join(self._text(part, names) for part in parts)
            case ast.FormattedValue(value=inner, format_spec=None):
                return self._text(inner, names)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._text(left, names) + self._text(right, names)
            case ast.IfExp(test=test, body=yes, orelse=no):
                return self._value(yes if self._value(test, names) else no, names)
            case ast.BoolOp(op=ast.Or(), values=[first, second]):
                return self._value(first, names) or self._value(second, names)
            case ast.Dict(keys=keys, values=values) if None not in keys:
                pairs = zip(keys, values, strict=True)
                return {self._text(k, names): self._text(v, names) for k, v in pairs if k}
            case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[], keywords=[]):
                return self._text(inner, names).strip()
            case ast.Call(func=ast.Attribute(value=inner, attr="format"), args=[]):
                return self._filled(self._text(inner, names), node.keywords, names)
        raise _UnknownError

    def _known(self, name: str, names: Mapping[str, Value]) -> Value:
        value = names[name] if name in names else self._text_of(name)
        if value is None:
            raise _UnknownError
        return value

    def _text(self, node: ast.expr, names: Mapping[str, Value]) -> str:
        value = self._value(node, names)
        if not isinstance(value, str):
            raise _UnknownError
        return value

    def _filled(
        self, template: str, arguments: Iterable[ast.keyword], names: Mapping[str, Value]
    ) -> str:
        values: dict[str, str] = {}
        for argument in arguments:
            value = self._value(argument.value, names)
            if argument.arg is not None and isinstance(value, str):
                values[argument.arg] = value
            elif argument.arg is None and isinstance(value, dict):
                values |= value
            else:
                raise _UnknownError
        return fill_placeholders(template, values, str(self.path))


def fill_placeholders(template: str, values: Mapping[str, str], where: str) -> str:
    """A template of ``str.format`` with its values; a placeholder is a plain name.

    Raises:
        UsageError: it has another placeholder, or a brace of its own.
    """
    known = ", ".join(f"{{{name}}}" for name in values)
    parts = []
    try:
        for text, name, form, conversion in Formatter().parse(template):
            parts.append(text)
            if name is None:
                continue
            if name not in values or form or conversion:
                raise UsageError(
                    f"{where} uses the placeholder {{{name}}}, which is unknown. Known: {known}"
                )
            parts.append(values[name])
    except ValueError as error:
        raise UsageError(f"{where} has a template that cannot be read: {error}") from error
    return "".join(parts)


def check_fields(text: str, fields: Iterable[str], where: Path) -> str:
    """The text, which holds all of these fields of ours.

    Raises:
        UsageError: it does not, so the authors' template has no placeholder for one.
    """
    missing = [name for name in fields if f"{{{{{name}}}}}" not in text]
    if missing:
        raise UsageError(
            f"{where}: a template has no placeholder for {' and '.join(missing)}. Expected the "
            f"authors' files as they are"
        )
    return text


def _sum(before: Value | None, added: Value) -> str:
    if isinstance(before, str) and isinstance(added, str):
        return before + added
    raise _UnknownError
