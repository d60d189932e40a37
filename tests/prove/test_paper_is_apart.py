"""The ETM paper's profile is one folder: nothing else needs it."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "sqlverdict"
FOLDER = "sqlverdict.prove.etm_paper"
REGISTRIES = {"prove/profile.py", "prove/rule.py"}
USE = """
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.profile import PROFILES
from sqlverdict.prove.prover import prove
from sqlverdict.prove.rule import RULES

schema = read_ddl("CREATE TABLE t (k INTEGER, v INTEGER)", "s")
proof = prove("SELECT k FROM t WHERE v BETWEEN 1 AND 2", "SELECT k FROM t WHERE 1 <= v AND v <= 2",
              schema)
assert proof.proved, proof
assert check_proof(proof, schema).holds
assert PROFILES.names() == ["sound"]
assert not any(name.startswith("paper_") for name in RULES.names())
print("sound")
"""


def imported(path: Path) -> set[str]:
    text = path.read_text()
    if "etm_paper" not in text:  # most files: to read their trees takes seconds
        return set()
    tree = ast.parse(text)
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    plain = (node for node in ast.walk(tree) if isinstance(node, ast.Import))
    return modules | {alias.name for node in plain for alias in node.names}


def test_no_module_outside_the_folder_imports_from_it() -> None:
    outside = [path for path in PACKAGE.rglob("*.py") if "etm_paper" not in path.parts]
    assert not [path for path in outside if any(name.startswith(FOLDER) for name in imported(path))]


def test_only_the_registries_name_the_folder() -> None:
    naming = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "etm_paper" not in path.parts and FOLDER in path.read_text()
    }
    assert naming == REGISTRIES


@pytest.mark.slow
def test_sound_works_without_the_folder(tmp_path: Path) -> None:
    copy = tmp_path / "sqlverdict"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(copy / "prove" / "etm_paper")
    for name in REGISTRIES:
        path = copy / name
        text = path.read_text()
        path.write_text(text.replace(f', "{FOLDER}.rules"', ",").replace(f', "{FOLDER}"', ","))
    script = tmp_path / "use.py"
    script.write_text(USE)
    run = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "sound\n"), run.stderr
