"""The syntax trees of the package, parsed once and only where a test needs them."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "sqlverdict"


@cache
def source_files() -> dict[str, Path]:
    """Every file of the package by its path below it: ``prove/check.py``."""
    return {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}


@contextmanager
def kept_for_ever() -> Iterator[None]:
    """What is made here stays: the garbage collector would look at half a million nodes often."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@cache
def source_trees() -> dict[str, ast.Module]:
    """The tree of every file, by its path."""
    with kept_for_ever():
        return {name: ast.parse(path.read_bytes(), name) for name, path in source_files().items()}


@cache
def source_nodes() -> dict[str, list[ast.AST]]:
    """All nodes of every file: a walk over a tree takes longer than to read a list."""
    with kept_for_ever():
        return {name: list(ast.walk(tree)) for name, tree in source_trees().items()}
