"""What the product consists of: record types, commands, options, names, places."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

import click

from source_imports import MODULES, every_import, module_name
from source_trees import source_files, source_nodes, source_trees
from sqlverdict.cli.main import sqlverdict
from sqlverdict.execute.engine import ENGINES

RECORD_BASES = {"Struct", "NamedTuple", "TypedDict", "Protocol", "Enum", "StrEnum", "IntEnum"}
SMALL = 60
"""Lines of a module that may belong into its only importer."""


def record_types() -> list[str]:
    """The classes that are made of fields, and protocols; those that inherit from one, too."""
    classes = [
        (f"{module_name(path)}.{node.name}", node)
        for path, nodes in source_nodes().items()
        for node in nodes
        if isinstance(node, ast.ClassDef)
    ]
    records = {node.name for _, node in classes if _is_record(node)}
    while more := {node.name for _, node in classes if _inherits(node, records)} - records:
        records |= more
    return [name for name, node in classes if node.name in records]


def _is_record(node: ast.ClassDef) -> bool:
    decorators = {_last_name(each) for each in node.decorator_list}
    return "dataclass" in decorators or bool(RECORD_BASES & {_last_name(e) for e in node.bases})


def _inherits(node: ast.ClassDef, names: set[str]) -> bool:
    """Whether a class inherits from one of ours; those of other packages have a dot."""
    return not names.isdisjoint(ast.unparse(each).partition("[")[0] for each in node.bases)


def _last_name(node: ast.expr) -> str:
    inner = node.func if isinstance(node, ast.Call) else node
    inner = inner.value if isinstance(inner, ast.Subscript) else inner
    return inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")


def commands(command: click.Command = sqlverdict, name: str = "") -> Iterator[tuple[str, int]]:
    """Each command that can be run, and the number of its options."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            inner = command.get_command(context, each)
            assert inner is not None
            yield from commands(inner, f"{name} {each}".strip())
    else:
        yield name, sum(isinstance(each, click.Option) for each in command.params)


def shared_names() -> dict[str, set[str]]:
    """Public functions of one name in several modules. Commands have the name of their command."""
    places: dict[str, set[str]] = defaultdict(set)
    for path, tree in source_trees().items():
        if path.startswith("cli/commands/"):
            continue
        for node in tree.body:
            function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if function and not node.name.startswith("_"):
                places[node.name].add(module_name(path))
    return {name: modules for name, modules in sorted(places.items()) if len(modules) > 1}


def engine_names() -> list[str]:
    """Places outside ``execute/`` whose code holds the name of an engine as a text."""
    names = {*ENGINES.names(), *(ENGINES.get(name).dialect for name in ENGINES.names())}
    return [
        f"{path}:{node.lineno} {node.value}"
        for path, nodes in source_nodes().items()
        if not path.startswith("execute/")
        for node in nodes
        if isinstance(node, ast.Constant) and node.value in names
    ]


def small_modules() -> list[str]:
    """Short modules that one module alone imports; members of a registry are files by rule."""
    users: dict[str, set[str]] = defaultdict(set)
    for each in every_import():
        users[each.of].add(each.by)
    lengths = {
        module: len(source_files()[path].read_text("utf-8").splitlines())
        for module, path in MODULES.items()
        if not path.endswith("__init__.py") and len(users[module]) == 1 and not _is_member(path)
    }
    return [
        f"{module} ({length} lines) is imported by {next(iter(users[module]))}"
        for module, length in lengths.items()
        if length < SMALL
    ]


def _is_member(path: str) -> bool:
    """Whether a file registers a member."""
    return any(
        isinstance(node, ast.ClassDef | ast.FunctionDef)
        and "member" in {_last_name(each) for each in node.decorator_list}
        for node in source_trees()[path].body
    )
