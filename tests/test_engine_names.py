"""Outside ``execute/`` nothing knows an engine or a dialect by its name: it asks the record.

The records are ``sqlverdict/dialects.py`` and the attributes of ``execute/engine.py``'s ``Engine``.
What belongs to one engine alone stands in its folder, and nobody else imports it.
"""

from __future__ import annotations

import ast
from pathlib import Path

from source_imports import MODULES, every_import
from source_trees import source_nodes
from sqlverdict.dialects import DIALECTS
from sqlverdict.execute.engine import ENGINES

NAMES = {
    *DIALECTS,
    *(name for name, engine in ENGINES.items()),
    *(scheme for _, engine in ENGINES.items() for scheme in engine.schemes),
}
BUILT_IN = {
    name for name, engine in ENGINES.items() if type(engine).__module__.startswith("sqlverdict.")
}
FOLDER = "execute.engines"
RECORDS = "dialects.py"
DEFAULTS = {"DEFAULT_DIALECT", "DEFAULT_ENGINE"}

NAMES_ALLOWED = {
    "compare/defog_rules.py": "the published script treats two engines by name",
    "files/references.py": "where a password belongs, said before an engine is loaded",
    "judge/replies/zones.py": "words behind the fences of code in replies",
    "load/benchmarks/beaver.py": "the files name the engine",
    "load/benchmarks/bird_mini_dev.py": "the files name the engine",
    "load/benchmarks/evalbench.py": "the files name the engine",
    "parse/schema.py": "where a schema was read from, as files of schemas say it",
    "parse/schemas/sqlite.py": "where a schema was read from, as files of schemas say it",
}
"""Files that hold a name, with the reason."""

COMPARISONS_ALLOWED = {
    "api/inputs.py": "whether the option was left at its default",
    "cli/commands/runs/demo.py": "whether the demo's queries, which are SQLite's, are translated",
    "load/benchmarks/demo.py": "whether the demo's queries, which are SQLite's, are translated",
}
"""Files that compare a name with a default, with the reason."""

PARTS_ALLOWED: dict[tuple[str, str], str] = {}
"""Who imports a part of an engine whose folder it does not stand in, what, and the reason."""


def outside() -> dict[str, list[ast.AST]]:
    return {
        path: nodes
        for path, nodes in source_nodes().items()
        if not path.startswith("execute/") and path != RECORDS
    }


def test_no_text_is_the_name_of_an_engine() -> None:
    places = {
        path: [f"{path}:{node.lineno}" for node in nodes if _is_name(node)]
        for path, nodes in outside().items()
    }
    assert {path for path, lines in places.items() if lines} == set(NAMES_ALLOWED), places


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in NAMES


def test_no_default_stands_for_a_comparison_of_names() -> None:
    places = {
        path
        for path, nodes in outside().items()
        for node in nodes
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
        if isinstance(side, ast.Name) and side.id in DEFAULTS
    }
    assert places == set(COMPARISONS_ALLOWED)


def test_the_page_of_engines_shows_all_that_is_asked_for() -> None:
    """What some engines have is a protocol, whose methods stand there with what fails without."""
    parts = [
        node
        for path, nodes in source_nodes().items()
        if path.startswith("execute/")
        for node in nodes
        if isinstance(node, ast.ClassDef)
        and "runtime_checkable" in map(ast.unparse, node.decorator_list)
    ]
    methods = [
        each.name for part in parts for each in part.body if isinstance(each, ast.FunctionDef)
    ]
    page = (Path(__file__).parents[1] / "docs" / "engines.md").read_text("utf-8")
    assert len(methods) > 10
    assert [name for name in methods if f"`{name}`" not in page] == []


def engine_in(module: str) -> str:
    """The engine to whose folder a module belongs; empty: to none."""
    folder = f"{FOLDER}."
    return module.removeprefix(folder).split(".")[0] if module.startswith(folder) else ""


def test_nobody_imports_the_parts_of_an_engine() -> None:
    """Neither a module outside of ``execute/``, nor the machinery in it, nor another engine."""
    assert {engine_in(module) for module in MODULES} - {""} == BUILT_IN
    imported = {
        (each.by, each.of)
        for each in every_import()
        if engine_in(each.of) not in ("", engine_in(each.by))
    }
    assert imported == PARTS_ALLOWED.keys()


def test_no_text_names_the_folder_of_an_engine() -> None:
    """The registry of engines alone finds them, by their names."""
    texts = {
        path
        for path, nodes in source_nodes().items()
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and any(f"{FOLDER}.{name}" in node.value for name in BUILT_IN)
    }
    assert texts == set()
