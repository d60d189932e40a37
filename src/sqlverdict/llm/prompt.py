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
tags again, so nothing a value holds can change the prompt. ``Settings.prompts`` names a
folder whose files replace ours of the same name; a mark of their text becomes part of the
purpose, so that replies to another wording are never taken for replies to ours.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from sqlverdict.errors import UsageError
from sqlverdict.llm.request import Message
from sqlverdict.parse.tokens import word_set

FIELDS = word_set(
    "schema question knowledge gold prediction gold_table prediction_table witness relations notes "
    "gold_facts prediction_facts facts sizes columns asked prior left_out "
    "equal differ open criteria structured sqlite dialect attempt attempts earlier"
)
"""What a template may name."""

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
    """A template and the address under which replies to it are kept."""

    name: str
    purpose: str
    system: str
    user: str

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The prompt with its values; fields without a value are empty."""
        user = Message("user", fill(self.user, values))
        if not self.system:
            return (user,)
        return (Message("system", fill(self.system, values)), user)


def load_prompt(name: str, folder: Path | None = None) -> Prompt:
    """The template of that name: the folder's, if it has one, else ours.

    Raises:
        UsageError: the template cannot be read, or is not one.
    """
    if folder is not None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is no folder of prompts; expected files like {name}.md")
        path = folder / f"{name}.md"
        if path.is_file():
            return _own_prompt(name, path)
    return _built_in(name)


@lru_cache(maxsize=64)
def _built_in(name: str) -> Prompt:
    text = (files("sqlverdict.judge") / "prompts" / f"{name}.md").read_text("utf-8")
    return parse_prompt(name, text, f"prompts/{name}.md")


def _own_prompt(name: str, path: Path) -> Prompt:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as failed:
        raise UsageError(f"the prompt {path} cannot be read as UTF-8 text: {failed}") from failed
    found = parse_prompt(name, text, str(path))
    mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    return Prompt(found.name, f"{found.purpose}+{mark}", found.system, found.user)


def parse_prompt(name: str, text: str, where: str) -> Prompt:
    """Read a template's text.

    Raises:
        UsageError: it has no header or no user part, or uses an unknown field.
    """
    found = _HEADER.match(text.replace("\r\n", "\n"))
    if found is None:
        raise UsageError(
            f"{where} is no prompt: it must begin with lines '---', 'name: {name}', "
            "'version: 1', '---' and have a line '<!-- user -->'"
        )
    if found["name"] != name:
        raise UsageError(f"{where} calls itself {found['name']!r}; write name: {name}")
    system, user = (found["system"] or "").strip(), found["user"].strip()
    for part in (system, user):
        _check_tags(part, where)
    return Prompt(name, f"{name}@{int(found['version'])}", system, user)


def _check_tags(text: str, where: str) -> None:
    open_sections: list[str] = []
    for kind, field in _TAG.findall(text):
        if field not in FIELDS:
            known = ", ".join(sorted(FIELDS))
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
    return _VALUE.sub(lambda found: values.get(found[1], ""), text)


def _sections(text: str, values: Mapping[str, str]) -> str:
    def keep(found: re.Match[str]) -> str:
        wanted = found[1] == "#"
        return _sections(found[3], values) if bool(values.get(found[2])) == wanted else ""

    return _SECTION.sub(keep, text)
