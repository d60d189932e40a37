"""How many pieces the product consists of, and which.

Counted from the code itself: files and lines of the package and of the tests, record types,
commands and options, situations, imports inside functions, circles of imports, places outside
``execute/`` that name an engine, and public functions whose name stands in several modules. And,
by ``bench/task_way.py``, the files that a task goes through on its way to its line.

Run: ``python bench/size.py [--list names|circles|deferred|engines|records|small]``.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from pathlib import Path

import click

from sqlverdict.cli.main import sqlverdict
from sqlverdict.situations import Situation
from task_way import task_figures

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from pieces import commands, engine_names, record_types, shared_names, small_modules  # noqa: E402
from source_imports import KINDS, every_import, module_circles  # noqa: E402

_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def code_lines(path: Path) -> int:
    """The lines that hold code: no blank line, comment or docstring."""
    text = path.read_text("utf-8")
    docstrings = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(node, clean=False) is not None
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - docstrings)


def figures() -> dict[str, int]:
    """All counts, by name."""
    package, tests = ((ROOT / part).rglob("*.py") for part in ("src", "tests"))
    lines, test_lines = [[code_lines(path) for path in files] for files in (package, tests)]
    options = dict(commands())
    deferred = [each for each in every_import() if each.kind == "function"]
    return {
        "files": len(lines),
        "code lines": sum(lines),
        "test files": len(test_lines),
        "test code lines": sum(test_lines),
        "record types": len(record_types()),
        "commands": len(options),
        "commands of the first level": len(sqlverdict.list_commands(click.Context(sqlverdict))),
        "options": sum(options.values()),
        "options of evaluate": options["evaluate"],
        "situations": len(Situation),
        "own imports inside functions": len(deferred),
        "circles by imports at the top": len(module_circles(KINDS[:1])),
        "circles with imports inside functions": len(module_circles(KINDS[:2])),
        "circles with imports for types": len(module_circles(KINDS)),
        "engine names outside execute/": len(engine_names()),
        "public function names in several modules": len(shared_names()),
        "small modules with one importer": len(small_modules()),
        **task_figures(),
    }


LISTS = {
    "names": lambda: [f"{name}: {', '.join(sorted(where))}" for name, where in _names()],
    "circles": lambda: [" - ".join(names) for names in module_circles(KINDS)],
    "deferred": lambda: [str(each) for each in every_import() if each.kind == "function"],
    "engines": engine_names,
    "records": record_types,
    "small": small_modules,
}


def _names() -> list[tuple[str, set[str]]]:
    return list(shared_names().items())


def main() -> None:
    """Print the figures, or what one of them counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", choices=LISTS, help="print what is counted")
    kind = parser.parse_args().list
    if kind is not None:
        sys.stdout.writelines(f"{line}\n" for line in LISTS[kind]())
        return
    for name, value in figures().items():
        sys.stdout.write(f"{name:45} {value:>8}\n")


if __name__ == "__main__":
    main()
