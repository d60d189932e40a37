"""Files that somebody reads later are written in one step: half of one must not pass for a whole.

The functions of ``files/atomic.py`` write to another name and rename. What writes to a file by
itself is listed here, with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from source_trees import source_nodes

ALLOWED = {
    "files/atomic.py": "it is the way",
    "execute/engines/duckdb/workspace.py": "a copy in a temporary folder",
    "llm/batch/batches.py": "a new name; it counts once the store names it",
    "llm/batch/server.py": "downloaded again until the batch is noted as done",
    "run/pool/node_files.py": "a new folder that is renamed",
}
MODES = ("w", "wb", "w+b", "x", "xb")


def writes(name: str) -> Iterator[ast.Call]:
    """Calls of a file that write a whole file under its own name; a ``part`` is renamed later."""
    for node in source_nodes()[name]:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "part":
            continue
        modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        opens = node.func.attr == "open" and any(mode in MODES for mode in modes)
        copies = node.func.attr in ("copyfile", "copy", "copy2") and (
            isinstance(node.func.value, ast.Name) and node.func.value.id == "shutil"
        )
        if opens or copies or node.func.attr in ("write_text", "write_bytes"):
            yield node


def test_no_module_writes_a_file_under_its_own_name() -> None:
    results = [
        f"{name}:{call.lineno}"
        for name in source_nodes()
        if name not in ALLOWED and not name.startswith("testing/")
        for call in writes(name)
    ]
    assert results == [], f"use sqlverdict.files.atomic: {results}"


def test_the_list_of_exceptions_is_not_stale() -> None:
    for name in ALLOWED:
        assert list(writes(name)), name
