"""The fenced blocks of the docs, and how they are run.

A block with a title is a file, ``sh`` and ``python`` blocks are run. ``<!-- exit code N -->`` before a
block announces a failure, ``<!-- not run: REASON -->`` says why a block is not run, and
``<!-- whole output -->`` that a ``text`` block leaves out no line.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import click
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict

ROOT = Path(__file__).resolve().parent.parent
_BLOCK = re.compile(
    r"(?:^<!-- (?:exit code (?P<code>\d+)|not run: (?P<reason>[^\n]+?)|(?P<whole>whole output)) -->\n)?"
    r'^(?P<fence>`{3,})(?P<kind>\w*)(?: title="(?P<title>[^"]+)")?[^\n]*\n(?P<body>.*?)^(?P=fence)$',
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    kind: str
    body: str
    title: str = ""
    exit_code: int = 0
    not_run: str = ""
    whole: bool = False

    def commands(self) -> Iterator[list[str]]:
        """The words of each command of an ``sh`` block; ``*`` is what files there are by then."""
        for line in self.body.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                yield [name for word in words for name in _expanded(word)]


def _expanded(word: str) -> list[str]:
    names = sorted(map(str, Path().glob(word))) if "*" in word and "/" in word else []
    return names or [word]


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, by its path."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        title, code = match["title"] or "", int(match["code"] or 0)
        reason, whole = match["reason"] or "", match["whole"] is not None
        yield Block(page, match["kind"], match["body"], title, code, reason, whole)


def run_commands(block: Block) -> str:
    """Run the commands of a block; what they print."""
    printed = []
    for program, *args in block.commands():
        assert program == "sqlverdict", f"{block.page}: {program}"
        done = CliRunner().invoke(sqlverdict, args)
        assert done.exit_code == block.exit_code, f"{block.page}: {args}\n{done.output}"
        printed.append(done.output)
    return "".join(printed)


def run_python(block: Block, names: dict[str, Any]) -> None:
    """Run a block of Python, which may await."""
    code = compile(block.body, block.page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = FunctionType(code, names)()
    if inspect.iscoroutine(result):
        asyncio.run(result)


def check_text(block: Block, printed: str) -> None:
    """Each line of a ``text`` block stands in what was printed, or is all that was."""
    if block.whole:
        assert _lines(block.body) == _lines(printed), block.page
        return
    lines = {" ".join(line.split()) for line in printed.splitlines()}
    for line in block.body.splitlines():
        words = " ".join(line.split())
        assert any(each.startswith(words) for each in lines), f"{block.page}: {line}\n{printed}"


def _lines(text: str) -> list[str]:
    """The lines with text, whatever the versions of the programs are."""
    versions = re.sub(r"\b(sqlite|sqlverdict) \d[\w.]*", r"\1 N", text)
    return [" ".join(line.split()) for line in versions.splitlines() if line.strip()]


def check_options(args: list[str]) -> None:
    """A command exists and has the options that it is called with; nothing is run."""
    group: click.Command = sqlverdict
    context = click.Context(group, info_name="sqlverdict")
    while isinstance(group, click.Group):
        name, *args = args
        command = group.get_command(context, name)
        assert command is not None, name
        context, group = click.Context(command, parent=context, info_name=name), command
    group.make_parser(context).parse_args(args=args[args[:1] == ["..."] :])
