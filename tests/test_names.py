"""Names are plain words with one meaning, and each folder says what its files are.

The glossary (``docs/glossary.md``) lists the words. A name is the noun for the thing or the verb
for the action. A participle ("found", "said") says nothing about the thing it stands for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from source_trees import SOURCE, source_files, source_nodes, source_trees

PARTICIPLES = """
found said shown given held made kept told heard wanted chosen asked taken gone meant drawn spelt
mended weighed listed noted settled worked looked tried turned stated named counted refused moved
written
"""
METAPHORS = """
desk court crew arena ground dossier lessons machine homes hunt wishes beat crowd rival twin habit
world parrot place telling stranger strangers ladder book lesson wish heat
"""
FORBIDDEN = {*PARTICIPLES.split(), *METAPHORS.split()}
"""Participles that stand for a noun, and metaphors. Leading underscores do not matter."""

WITHIN = {*METAPHORS.split()} - {"place"}
"""What no part of a name is either; NULLs and ranks have a place."""
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""A part of a name in any case."""

_VERL = "verl calls the argument so"
ALLOWED: dict[str, str] = {
    "rl/verl.py:ground_truth": _VERL,
    "rl/verl.py:ground_truths": _VERL,
}
"""Exceptions, ``path:name`` with the reason."""

MEMBERS = {
    "abstain/benchmark/lints": "one file per lint",
    "abstain/benchmark/types": "one file per type of unanswerable question",
    "abstain/detectors": "one file per detector",
    "abstain/generators": "one file per generator",
    "audit/checks": "one file per check",
    "audit/repairs": "one file per way to find a better gold",
    "audit/suspicions": "one file per suspicion against a gold",
    "cli/commands/data": "one file per command",
    "cli/commands/labels": "one file per command",
    "cli/commands/lists": "one file per command",
    "cli/commands/pairs": "one file per command",
    "cli/commands/runs": "one file per command",
    "compare/presets": "one file per preset",
    "compare/relations": "one file per relation",
    "execute/engines": "one file per engine",
    "judge/judges": "one file per judge",
    "load/benchmarks": "one file per published benchmark",
    "load/own_files": "one file per format of users' own cases",
    "prove/profiles": "one file per profile",
    "prove/rules": "one file per rule",
    "refute/strategies": "one file per search strategy",
    "score/metrics": "one file per metric",
    "signs/answer_signs": "one file per sign",
    "signs/query_signs": "one file per sign",
}
"""Folders of a registry: the file is the member, so that a new member is one file."""

MOST_FILES = 20
"""In a folder of machinery; a folder of members has one file per member."""


def folder_of(path: str) -> str:
    """The folder of a file below the package; ``.`` for the package itself."""
    return Path(path).parent.as_posix()


DEFINING = {
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.arg, ast.Name, ast.Attribute),
    *(ast.alias, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping),
}


def definitions(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Every name that a module defines, with its line: not those that it only uses."""
    for node in nodes:
        if type(node) not in DEFINING:  # most nodes; a pattern takes far longer than this
            continue
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.arg():
                yield node.arg, node.lineno
            case ast.Name(ctx=ast.Store()):
                yield node.id, node.lineno
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr, node.lineno
            case ast.alias(asname=str(name)):
                yield name, node.lineno
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name, node.lineno
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name, node.lineno


def forbidden_names(path: str, nodes: Iterable[ast.AST]) -> list[str]:
    """The forbidden names of one file, each as ``path:line name``."""
    names = [*definitions(nodes), (Path(path).stem, 1)]
    return [
        f"{path}:{line} {name}"
        for name, line in sorted(names, key=lambda each: each[1])
        if is_forbidden(name) and f"{path}:{name}" not in ALLOWED
    ]


def is_forbidden(name: str) -> bool:
    """Whether a name is such a word, or has a metaphor in it; those of tests are sentences."""
    if name.startswith("test_"):
        return False
    parts = {word.lower() for word in WORD.findall(name)}
    return name.strip("_").lower() in FORBIDDEN or not WITHIN.isdisjoint(parts)


def test_a_metaphor_within_a_name_is_one_too() -> None:
    names = ("found", "_said", "VoteBook", "check_hostile_lessons", "_OF_THE_MACHINE", "heat")
    assert all(map(is_forbidden, names))
    assert not any(map(is_forbidden, ("workbook", "NullsPlace", "found_rows", "heating")))


def test_the_reader_of_names_sees_every_kind() -> None:
    tree = ast.parse(
        "import os as a\n"
        "class B:\n    c: int = 1\n"
        "def d(e, *f, g=1, **h):\n"
        "    e.i = [j for j in f]\n"
        "    with e as k:\n        (m := k)\n"
        "    try:\n        pass\n    except OSError as n:\n        pass\n"
        "    match e:\n        case [o, *p]:\n            pass\n"
        "        case {1: q, **r}:\n            pass\n"
        "    return used.attribute\n"
    )
    assert {name for name, _ in definitions(ast.walk(tree))} == set("aBcdefghijkmnopqr")


def test_no_name_is_a_participle_or_a_metaphor() -> None:
    wrong = [
        name for path, nodes in source_nodes().items() for name in forbidden_names(path, nodes)
    ]
    assert wrong == [], "name the thing by what it is, or the action by a verb"


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["bench", "docs", "examples", "tests"])
def test_no_name_beside_the_package_is_one(folder: str) -> None:
    root = SOURCE.parent.parent
    wrong = []
    for file in sorted((root / folder).rglob("*.py")):
        nodes = ast.walk(ast.parse(file.read_bytes()))
        wrong += forbidden_names(file.relative_to(root).as_posix(), nodes)
    assert wrong == [], "name the thing by what it is, or the action by a verb"


def test_exceptions_are_still_needed() -> None:
    paths = {each.partition(":")[0] for each in ALLOWED}
    names = {f"{path}:{name}" for path in paths for name, _ in definitions(source_nodes()[path])}
    assert set(ALLOWED) - names == set(), "no such name; take it out of ALLOWED"


def test_no_class_name_has_two_meanings() -> None:
    files: dict[str, list[str]] = {}
    for path, nodes in source_nodes().items():
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                files.setdefault(node.name.strip("_"), []).append(path)
    assert {name: paths for name, paths in files.items() if len(paths) > 1} == {}


INTERFACE = {
    "main": "what a program runs: ``sqlverdict``, and the script that EvalBench starts",
    "sql_correct": "each integration has the scorer of its framework under this name",
    "work": "what a process of its own does; ``execute/apart/process.py`` calls it by name",
}
"""Public functions that members of one kind have under one name, with the reason."""

ENGINE_PARTS = {
    "canonical": "the text that is sent",
    "connect": "opens a connection",
    "database_schema": "the schema of a database, by its reference",
    "drop_leftovers": "drops what killed processes left on a server",
    "drop_readers": "drops the users of a process",
    "excess_rights": "what a role may do beyond reading",
    "expression_text": "an expression of the engine's own parser as text, for people",
    "failure_of": "an error as a failure",
    "is_leaf": "of an expression of the engine's own parser: it is an argument of unknown value",
    "names_in": "the names in a text",
    "not_a_query": "why a text is not given to the engine",
    "orient_comparisons": "one order for the sides of comparisons, in the engine's own tree",
    "own_database": "a database of a run's own on a server",
    "read_schema": "the schema that an open connection sees",
    "reader_statements": "the statements that make a role that may only read",
    "risk_of": "of an expression of the engine's own parser: when it fails",
    "server_version": "the version of an open connection's server",
    "syntax_error": "what the engine's own parser holds against a text",
    "tells_mirrored_apart": "the engine may answer otherwise where the sides of a comparison change",
    "unify_arithmetic": "one form for products and quotients, in the engine's own words",
    "value_kind": "of an expression of the engine's own parser: its kind of value",
    "words_of": "the words in a text, those in strings too",
    "write_common_text": "a text of the engine's own syntax, written as common SQL",
}
"""What several engines have under one name, so that whoever knows one finds the others' parts.

No module imports those of two engines.
"""


def test_no_public_function_name_has_two_meanings() -> None:
    """A command's function is called as the command is."""
    places: dict[str, set[str]] = {}
    engines: dict[str, list[str]] = {}
    for path, tree in source_trees().items():
        if path.startswith("cli/commands/"):
            continue
        engine = re.match(r"execute/engines/\w+/", path)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
                is_part = engine is not None and node.name in ENGINE_PARTS
                places.setdefault(node.name, set()).add("an engine" if is_part else path)
                if is_part:
                    engines.setdefault(node.name, []).append(engine[0])
    shared = {name: sorted(where) for name, where in places.items() if len(where) > 1}
    new = {name: shared[name] for name in shared.keys() - INTERFACE.keys()}
    assert new == {}, "one function, or a name of its own for each"
    assert INTERFACE.keys() <= shared.keys()
    assert {name for name, own in engines.items() if len(own) > 1} == ENGINE_PARTS.keys()
    assert all(len(own) == len({*own}) for own in engines.values()), "two of one engine"


def entries(folder: str) -> set[str]:
    """What a map must list: the modules of a folder, and its packages with a slash."""
    root = SOURCE / folder
    modules = {path.stem for path in root.glob("*.py")} - {"__init__", "__main__"}
    return modules | {f"{path.parent.name}/" for path in root.glob("*/__init__.py")}


def map_of(folder: str) -> set[str]:
    """What the map of a folder lists: the names at the start of a line, in double backticks."""
    path = "__init__.py" if folder == "." else f"{folder}/__init__.py"
    lines = (ast.get_docstring(source_trees()[path]) or "").splitlines()
    heads = [re.match(r"(?:\* )?(?:``[\w/.]+``(?:, )?)+", line) for line in lines]
    names = [name for head in heads if head for name in re.findall(r"``([\w/.]+)``", head[0])]
    return {name.removesuffix(".py") for name in names}


def map_faults(folder: str) -> list[str]:
    """Files that the map of a folder misses, and lines without a file."""
    lines, files = map_of(folder), entries(folder)
    return [
        *(f"{folder}: no line for ``{name}``" for name in sorted(files - lines)),
        *(f"{folder}: no file for ``{name}``" for name in sorted(lines - files)),
    ]


MAPPED = sorted({folder_of(path) for path in source_files()} - set(MEMBERS))


def test_every_folder_lists_its_files() -> None:
    wrong = [each for folder in MAPPED for each in map_faults(folder)]
    assert wrong == [], (
        "write one line per file in the docstring of __init__.py: ``name``  what it is"
    )


def test_no_folder_is_crowded() -> None:
    sizes: dict[str, int] = {}
    for path in source_files():
        sizes[folder_of(path)] = sizes.get(folder_of(path), 0) + 1
    crowded = {f for f, size in sizes.items() if size > MOST_FILES and f not in MEMBERS}
    assert crowded == set(), f"split by idea; {MOST_FILES} files are allowed"
