"""Who imports whom in the package: at the top, inside functions, and for types alone."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Literal

from source_trees import source_files, source_trees

Kind = Literal["top", "function", "typing"]
KINDS: tuple[Kind, ...] = ("top", "function", "typing")
_PLACES = {"top": "at the top", "function": "inside a function", "typing": "for types"}


@dataclass(frozen=True)
class Import:
    """One import of our own package."""

    by: str
    of: str
    line: int
    kind: Kind

    def __str__(self) -> str:
        return f"{self.by}:{self.line} imports {self.of} {_PLACES[self.kind]}"


def module_name(path: str) -> str:
    """``prove/check.py`` as ``prove.check``; the front door is ``""``."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in source_files()}


def imports(module: str, tree: ast.Module) -> Iterator[Import]:
    """Our own modules that a module imports."""

    def walk(statements: list[ast.stmt], kind: Kind) -> Iterator[Import]:
        for statement in statements:
            for name in _imported(module, statement):
                yield Import(module or "__init__", name, statement.lineno, kind)
            yield from walk_into(statement, kind)

    def walk_into(statement: ast.stmt, kind: Kind) -> Iterator[Import]:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and kind == "top":
            kind = "function"
        for part, block in _blocks(statement):
            types = part == "body" and isinstance(statement, ast.If) and _is_for_types(statement)
            yield from walk(block, "typing" if types else kind)

    return walk(tree.body, "top")


def _is_for_types(statement: ast.If) -> bool:
    return "TYPE_CHECKING" in ast.unparse(statement.test)


def _blocks(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The blocks inside a statement. An expression holds no import: nobody looks there."""
    for part in ("body", "orelse", "finalbody"):
        yield part, getattr(statement, part, [])
    for clause in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield "body", clause.body


def _imported(module: str, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.startswith("sqlverdict."):
                yield alias.name.removeprefix("sqlverdict.")
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"{module}: relative import; write the full name"
        base = f"{node.module}."
        if not base.startswith("sqlverdict."):
            return
        for alias in node.names:
            full = (base + alias.name).removeprefix("sqlverdict.")
            if full in MODULES:
                yield full
            elif base != "sqlverdict.":
                yield base.removeprefix("sqlverdict.").rstrip(".")
            else:
                assert alias.name == "__version__", f"{module} imports {alias.name} from the door"


@cache
def every_import() -> tuple[Import, ...]:
    """All imports of the package's own modules."""
    trees = {module_name(path): tree for path, tree in source_trees().items()}
    return tuple(each for name, tree in trees.items() for each in imports(name, tree))


def circle(edges: Iterator[tuple[str, str]]) -> list[str]:
    """One circle of these edges; empty where there is none."""
    graph: dict[str, set[str]] = {}
    for by, of in edges:
        if by != of:
            graph.setdefault(by, set()).add(of)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def module_circles(kinds: Collection[Kind]) -> list[list[str]]:
    """Circles of modules by imports of these kinds; each is found once its last edge is cut."""
    edges = {(each.by, each.of) for each in every_import() if each.kind in kinds}
    circles = []
    while names := circle(iter(sorted(edges))):
        circles.append(names)
        # ``CycleError`` names each node before the one that imports it.
        edges -= {(by, of) for of, by in pairwise(names)}
    return circles
