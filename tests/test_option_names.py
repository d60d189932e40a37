"""Errors carry options by name: each is an option of a command, and no message spells one itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

import sqlverdict
from sqlverdict import errors
from sqlverdict.api.spelling import argument_text
from sqlverdict.cli.command import HeadedCommand
from sqlverdict.cli.main import sqlverdict as main
from sqlverdict.errors import OptionName

ROOT = Path(sqlverdict.__file__).parent
OPTION = re.compile(r"(?<![\w`'-])--[a-z]")
CLASSES = {name for name, value in vars(errors).items() if isinstance(value, type)}
BOTH = ("from Python: ", "sqlverdict ")
"""Texts that name a whole command, or the spellings of both doors."""
OWN_OPTIONS = {"integrations/pytest_plugin.py"}
"""Modules with options of another program's command line."""


@cache
def calls() -> list[tuple[str, str, ast.Call]]:
    """Options and errors that are made outside the command line: name, where and call."""
    return [
        (node.func.id, f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", node)
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] != "cli" and "Error" in (text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in CLASSES
    ]


def command_options(command: click.Command = main) -> Iterator[str]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            member = command.get_command(context, name)
            assert member is not None
            yield from command_options(member)
    settings = command.settings.values() if isinstance(command, HeadedCommand) else ()
    for parameter in (*command.params, *settings):
        yield from (*parameter.opts, *parameter.secondary_opts)


def test_each_option_that_an_error_names_is_one_of_a_command() -> None:
    known = set(command_options())
    names = {
        call.args[0].value: where
        for name, where, call in calls()
        if name == "OptionName"
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }
    assert len(names) > 25
    unknown = {
        where: name for name, where in names.items() if OptionName(name).words[0] not in known
    }
    assert not unknown
    for name in names:
        assert "--" not in argument_text(OptionName(name, "VALUE"), ("options",))


def test_no_error_spells_an_option_itself() -> None:
    wrong = [
        f"{where}: {text.value}"
        for _, where, call in calls()
        if where.partition(":")[0] not in OWN_OPTIONS
        for text in ast.walk(call)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
        if OPTION.search(text.value) and not any(words in text.value for words in BOTH)
    ]
    assert not wrong
