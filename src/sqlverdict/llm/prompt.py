"""Prompts are Markdown files with a version; a user may replace any of them.

A template begins with its name and version, then has a system and a user part::

    ---
    name: flex_eq
    version: 1
    ---
    <!-- system -->
    You check queries ...
    <!-- user -->
    {{#question}}
    ## Question
    {{question}}
    {{/question}}

``{{name}}`` stands for a value, ``{{#name}} ... {{/name}}`` is kept where the value is not
empty, ``{{^name}} ... {{/name}}`` where it is. Values are put in last and never read for
tags again, so nothing a value holds can change the prompt. The version rises with every change of
the words and is part of the purpose (``flex_eq@1``) under which replies are stored. A user's folder
may replace our templates by files of the same name; a digest of their text becomes part of the
purpose, so that replies to another wording are never taken for replies to ours.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from sqlverdict.errors import UsageError
from sqlverdict.llm.request import Message

_HEADER = re.compile(
    r"\A\ufeff?---\nname: (?P<name>\w+)\nversion: (?P<version>[0-9]+)\n---\n"
    r"(?:\s*<!-- system -->\n(?P<system>.*?))?\s*<!-- user -->\n(?P<user>.*)\Z",
    re.DOTALL,
)
_TAG = re.compile(r"\{\{([#^/]?)(\w+)\}\}")
_SECTION = re.compile(r"\{\{([#^])(\w+)\}\}(.*?)\{\{/\2\}\}", re.DOTALL)
_OWN_LINE = re.compile(r"^[ \t]*(\{\{[#^/]\w+\}\})[ \t]*\n", re.MULTILINE)
_VALUE = re.compile(r"\{\{(\w+)\}\}")
_GAPS = re.compile(r"\n{3,}")


@dataclass(frozen=True)
class Prompt:
    """A template and the purpose under which replies to it are stored."""

    name: str
    version: int
    purpose: str
    system: str
    user: str

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The prompt with its values; fields without a value are empty."""
        user = Message("user", fill(self.user, values))
        if not self.system:
            return (user,)
        return (Message("system", fill(self.system, values)), user)


@dataclass(frozen=True)
class PromptFolder:
    """The templates of one part of the package.

    Attributes:
        package: The package that has them, in a folder ``prompts``.
        fields: What a template may name.
    """

    package: str
    fields: frozenset[str]

    def load(self, name: str, own: Path | None = None) -> Prompt:
        """The template of that name: the user's folder's, if it has one, else ours.

        Raises:
            UsageError: the template cannot be read, or is not one.
        """
        if own is not None:
            if not own.is_dir():
                raise UsageError(f"{own} is not a folder of prompts; expected files like {name}.md")
            path = own / f"{name}.md"
            if path.is_file():
                return _own_prompt(name, path, self.fields)
        return _built_in(self, name)

    def names(self) -> list[str]:
        """The names of our templates."""
        names = (path.name for path in self.files.iterdir())
        return sorted(name.removesuffix(".md") for name in names if name.endswith(".md"))

    @property
    def files(self) -> Traversable:
        """The folder."""
        return files(self.package) / "prompts"


@lru_cache(maxsize=64)
def _built_in(folder: PromptFolder, name: str) -> Prompt:
    text = (folder.files / f"{name}.md").read_text("utf-8")
    return parse_prompt(name, text, f"prompts/{name}.md", folder.fields)


def _own_prompt(name: str, path: Path, fields: frozenset[str]) -> Prompt:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the prompt {path} cannot be read as UTF-8 text: {error}") from error
    prompt = parse_prompt(name, text, str(path), fields)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    return replace(prompt, purpose=f"{prompt.purpose}+{digest}")


def parse_prompt(name: str, text: str, where: str, fields: frozenset[str]) -> Prompt:
    """Read a template's text.

    Args:
        name: What it must call itself.
        text: The text.
        where: Where it comes from, for messages.
        fields: What it may name.

    Raises:
        UsageError: it has no header or no user part, or uses an unknown field.
    """
    parts = _HEADER.match(text.replace("\r\n", "\n"))
    if parts is None:
        raise UsageError(
            f"{where} is not a prompt: it must begin with lines '---', 'name: {name}', "
            "'version: 1', '---' and have a line '<!-- user -->'"
        )
    if parts["name"] != name:
        raise UsageError(f"{where} calls itself {parts['name']!r}; write name: {name}")
    system, user = (parts["system"] or "").strip(), parts["user"].strip()
    for part in (system, user):
        _check_tags(part, where, fields)
    version = int(parts["version"])
    return Prompt(name, version, f"{name}@{version}", system, user)


def _check_tags(text: str, where: str, fields: frozenset[str]) -> None:
    open_sections: list[str] = []
    for kind, field in _TAG.findall(text):
        if field not in fields:
            known = ", ".join(sorted(fields))
            raise UsageError(f"{where} uses the field {field!r}, which is unknown. Known: {known}")
        if kind in ("#", "^"):
            if field in open_sections:
                raise UsageError(f"{where} has a section {field!r} inside itself; end it first")
            open_sections.append(field)
        elif kind == "/" and (not open_sections or open_sections.pop() != field):
            raise UsageError(f"{where} ends a section {field!r} that is not the open one")
    if open_sections:
        raise UsageError(f"{where} never ends the section {open_sections[-1]!r}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its values."""
    text = _sections(_OWN_LINE.sub(r"\1", template), values)
    text = _GAPS.sub("\n\n", text).strip()
    return _VALUE.sub(lambda tag: values.get(tag[1], ""), text)


def _sections(text: str, values: Mapping[str, str]) -> str:
    def keep(section: re.Match[str]) -> str:
        kind, name, content = section.groups()
        return _sections(content, values) if bool(values.get(name)) == (kind == "#") else ""

    return _SECTION.sub(keep, text)
