"""Errors carry options by name: each is an option of a command, and no message spells one itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import click

from source_trees import source_files, source_nodes
from sqlverdict import errors
from sqlverdict.api.spelling import argument_text
from sqlverdict.cli.command import HeadedCommand
from sqlverdict.cli.main import sqlverdict as main
from sqlverdict.errors import OptionName

OPTION = re.compile(r"(?<![\w-])--[a-z]")
CLASSES = {name for name, value in vars(errors).items() if isinstance(value, type)}
BOTH = ("from Python: ", "sqlverdict ")
"""Texts that name a whole command, or the spellings of both doors."""
OTHER_PROGRAMS = ("pip install ",)
OWN_OPTIONS = {
    "errors.py",
    "integrations/pytest_plugin.py",
    "runlog/missing_metric.py",
}
"""Modules that spell options, write a whole command, or have another program's options."""


def own_nodes() -> Iterator[tuple[str, list[ast.AST]]]:
    """The files outside the command line, with their nodes."""
    return (each for each in source_nodes().items() if not each[0].startswith("cli/"))


@cache
def calls() -> list[tuple[str, str, ast.Call]]:
    """Options and errors that are made outside the command line: name, where and call."""
    return [
        (node.func.id, f"{file}:{node.lineno}", node)
        for file, nodes in own_nodes()
        for node in nodes
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


def constants(nodes: list[ast.AST]) -> Iterator[ast.Constant]:
    """The constants of a module that are no documentation."""
    documents = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and id(node) not in documents:
            yield node


def test_no_note_hint_or_report_spells_an_option_for_one_door_alone() -> None:
    wrong = [
        f"{file}:{text.lineno}: {text.value}"
        for file, nodes in own_nodes()
        if file not in OWN_OPTIONS
        for text in constants(nodes)
        if isinstance(text.value, str)
        and OPTION.search(text.value)
        and not any(words in text.value for words in (*BOTH, *OTHER_PROGRAMS))
    ]
    assert not wrong


def test_no_text_has_an_option_in_the_spelling_of_the_command_line() -> None:
    """An ``OptionName`` is a part of an error; as text it would be that of one door."""
    wrong = [
        f"{file}:{node.lineno}"
        for file, nodes in own_nodes()
        if "OptionName" in source_files()[file].read_text("utf-8")
        for node in nodes
        if isinstance(node, ast.FormattedValue | ast.Call)
        if isinstance(node, ast.FormattedValue) or ast.unparse(node.func) == "str"
        if any(
            isinstance(call, ast.Call) and ast.unparse(call.func) in ("OptionName", "column_option")
            for call in ast.walk(node)
        )
    ]
    assert not wrong
