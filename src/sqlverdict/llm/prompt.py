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

The folder may also be a clone of a paper's repository, for the templates that
:attr:`PromptFolder.authors` can make of its files: their words are used, and not shipped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from sqlverdict.errors import UsageError
from sqlverdict.llm.neutral import MARK
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
_LINE_MARK = re.compile(rf"^{MARK.rstrip()} ?", re.MULTILINE)
_OURS_EVERYWHERE = ("again",)
"""Templates of ours that stand beside those of authors, who have none of the kind."""


@dataclass(frozen=True)
class Prompt:
    """A template and the purpose under which replies to it are stored.

    Attributes:
        name: Its name.
        version: Rises with every change of our words.
        purpose: Under which replies are stored.
        system: What the system says.
        user: What the user says.
        marked: Whether the lines of values keep the mark that says where they come from; a
            prompt of authors does not explain it.
        task: What stands between a schema and its demonstrations.
        shot: A demonstration, with the fields ``question`` and ``answer``; empty: ours.
    """

    name: str
    version: int
    purpose: str
    system: str
    user: str
    marked: bool = True
    task: str = ""
    shot: str = ""

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The prompt with its values; fields without a value are empty."""
        if not self.marked:
            values = {name: _LINE_MARK.sub("", value) for name, value in values.items()}
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
        author_files: The files of a clone that hold authors' prompts.
        authors: Makes their prompt of that name out of a clone; ``None``: they have none.
    """

    package: str
    fields: frozenset[str]
    author_files: tuple[str, ...] = ()
    authors: Callable[[str, Path], Prompt | None] | None = field(default=None, compare=False)

    def load(self, name: str, own: Path | None = None) -> Prompt:
        """The template of that name: the user's folder's, if it has one, else ours.

        Raises:
            UsageError: the template cannot be read, or is not one; or the folder is a clone of
                authors who have no such prompt.
        """
        if own is not None:
            if not own.is_dir():
                raise UsageError(f"{own} is not a folder of prompts; expected files like {name}.md")
            path = own / f"{name}.md"
            if path.is_file():
                return _own_prompt(name, path, self.fields)
            if self.author_parts(own) and name not in _OURS_EVERYWHERE:
                return _author_prompt(self, name, own, self.digest(own))
        return _built_in(self, name)

    def author_parts(self, folder: Path) -> list[Path]:
        """The files of authors' prompts that a folder has."""
        return [folder / name for name in self.author_files if (folder / name).is_file()]

    def digest(self, own: Path) -> str:
        """A folder's prompts in a few characters: other prompts, other replies.

        Raises:
            UsageError: it holds none.
        """
        paths = [*sorted(own.glob("*.md")), *self.author_parts(own)]
        ours = {f"{name}.md" for name in self.names()}
        if not any(path.name in ours or path.suffix != ".md" for path in paths):
            expected = f" or a clone with {self.author_files[0]}" if self.author_files else ""
            raise UsageError(
                f"{own} holds no prompts: expected files like {self.names()[-1]}.md{expected}"
            )
        digest = hashlib.sha256()
        for path in paths:
            digest.update(path.relative_to(own).as_posix().encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()[:12]

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


@lru_cache(maxsize=64)
def _author_prompt(folder: PromptFolder, name: str, clone: Path, digest: str) -> Prompt:
    """The authors' prompt; ``digest`` stands for the files, so that changed ones are read anew."""
    del digest
    assert folder.authors is not None, "a folder with authors' files knows how to read them"
    prompt = folder.authors(name, clone)
    if prompt is None:
        raise UsageError(
            f"the authors' files in {clone} have no prompt {name}. Put one of your own there, "
            f"{clone / name}.md, or leave out what asks for it"
        )
    for part in (prompt.system, prompt.user):
        _check_tags(part, str(clone), folder.fields)
    return prompt


def _own_prompt(name: str, path: Path, fields: frozenset[str]) -> Prompt:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the prompt {path} cannot be read as UTF-8 text: {error}") from error
    prompt = parse_prompt(name, text, str(path), fields)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    return replace(prompt, purpose=f"{prompt.purpose}+{digest}")


def author_prompt(
    name: str,
    system: str,
    user: str,
    *,
    marked: bool = False,
    task: str = "",
    shot: str = "",
) -> Prompt:
    """A prompt of authors, with a digest of its words in its purpose.

    Args:
        name: Which of our templates it stands for.
        system: What the system says.
        user: What the user says, with our fields where their placeholders were.
        marked: Whether values keep their marks.
        task: What stands between a schema and its demonstrations.
        shot: A demonstration.
    """
    words = "\x00".join((system, user, task, shot))
    digest = hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:12]
    purpose = f"{name}@1+{digest}"
    return Prompt(name, 1, purpose, system.strip(), user.strip(), marked, task, shot)


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
    for kind, name in _TAG.findall(text):
        if name not in fields:
            known = ", ".join(sorted(fields))
            raise UsageError(f"{where} uses the field {name!r}, which is unknown. Known: {known}")
        if kind in ("#", "^"):
            if name in open_sections:
                raise UsageError(f"{where} has a section {name!r} inside itself; end it first")
            open_sections.append(name)
        elif kind == "/" and (not open_sections or open_sections.pop() != name):
            raise UsageError(f"{where} ends a section {name!r} that is not the open one")
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
