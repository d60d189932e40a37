"""The examples run as they stand; the README's snippet as a script, in a pool, in a notebook."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from timeouts import HANG_SECONDS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
OUTPUTS = {
    "own_metric/score.py": "{'ex': 0.0, 'row_overlap': 0.667}",
    "own_engine/score.py": "1.0",
    "reward.py": (
        "right            1.0 proved\nright by luck    0.3 refuted_match\n"
        "wrong            0.0 row_superset\nhostile         -0.1 blocked\n"
        "endless         -0.1 timed_out\nno SQL           0.0 no_sql"
    ),
}


def snippet() -> str:
    """The README's Python code, its last expression printed."""
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    return str(code).replace("sv.compare_answers(", "assert sv.compare_answers(")


def run(script: Path, folder: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with the database that the README's snippet reads."""
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    with connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
        connection.execute("INSERT INTO item VALUES (1), (2)")
    connection.close()
    return tmp_path


def test_every_example_is_named_in_the_table() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    links = {target.split("/")[0] for target in re.findall(r"\]\(([^)]+)\)", text)}
    assert {each.name for each in EXAMPLES.iterdir()} - {"README.md", "__pycache__"} == links


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_a_script_prints_what_it_says(name: str) -> None:
    script = EXAMPLES / name
    assert run(script, script.parent) == OUTPUTS[name]


POOL = """\
import multiprocessing


def work(number):
{body}
    return run.estimate("ex").value


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(work, range(3)) == [1.0] * 3
"""


@pytest.mark.slow
def test_the_readme_runs_as_a_script_and_in_a_pool(shop: Path) -> None:
    script = shop / "script.py"
    start = "import multiprocessing\n\nmultiprocessing.set_start_method('spawn')\n"
    script.write_text(start + snippet())
    assert run(script, shop) == "1.0 [<Verdict.CORRECT: 'correct'>]"
    body = "".join(f"    {line}" for line in snippet().splitlines(keepends=True))
    script.write_text(POOL.format(body=body))
    run(script, shop)


@pytest.mark.slow
def test_the_notebook_and_the_readme_in_it(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat: Any = pytest.importorskip("nbformat", reason="the extra dev is not installed")
    nbclient: Any = pytest.importorskip("nbclient", reason="the extra dev is not installed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.read(EXAMPLES / "first_steps.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    notebook.cells.append(nbformat.v4.new_code_cell(snippet()))
    client = nbclient.NotebookClient(
        notebook, timeout=HANG_SECONDS, resources={"metadata": {"path": str(shop)}}
    )
    client.execute()
    outputs = [str(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]
    assert "text/html" in outputs[1]
    assert "proved" in outputs[2]
    assert "0.003" in outputs[3]
    assert "('2',)" in outputs[4]
    assert "1.0 [<Verdict.CORRECT: 'correct'>]" in outputs[5]
