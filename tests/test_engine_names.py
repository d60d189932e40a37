"""Outside ``execute/`` nothing knows an engine or a dialect by its name: it asks the record.

The records are ``sqlverdict/dialects.py`` and the attributes of ``execute/engine.py``'s ``Engine``.
"""

from __future__ import annotations

import ast

from source_trees import source_nodes
from sqlverdict.dialects import DIALECTS
from sqlverdict.execute.engine import ENGINES

NAMES = {
    *DIALECTS,
    *(name for name, engine in ENGINES.items()),
    *(scheme for _, engine in ENGINES.items() for scheme in engine.schemes),
}
RECORDS = "dialects.py"
DEFAULTS = {"DEFAULT_DIALECT", "DEFAULT_ENGINE"}

NAMES_ALLOWED = {
    "compare/defog_rules.py": "the published script treats two engines by name",
    "files/references.py": "where a password belongs, said before an engine is loaded",
    "judge/briefs/context.py": "a word of the prompts",
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
