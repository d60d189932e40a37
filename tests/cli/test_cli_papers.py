"""``docs/papers.md``: every table and figure is there, and its commands on the demo run as they stand."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from frozen_outlines import METRICS, frozen, outline

Invoke = Callable[..., Result]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "papers.md"
NUMBERS = {
    "FLEX table": range(1, 19),
    "FLEX figure": range(1, 17),
    "ETM table": range(1, 7),
    "ETM figure": (*range(1, 8), "A1"),
    "TrustSQL table": range(1, 13),
    "TrustSQL figure": range(1, 3),
}
FACTS = PAGE.with_suffix("")
CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Row:
    """One row of the page."""

    name: str
    commands: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def on_demo(self) -> tuple[str, ...]:
        """The commands that need nothing but the package; the example has a test of its own."""
        return tuple(
            command
            for command in self.commands
            if command.startswith(("sqlverdict ", "python -c"))
            and "$" not in command
            and not re.search(r"--(?:judge|benchmark trustsql)", command)
        )


def rows() -> Iterator[Row]:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| (?:FLEX|ETM|TrustSQL) ", line):
            name, command, value, paper, why = (part.strip() for part in line[1:-1].split("|"))
            assert paper, f"{name}: the paper's value is missing"
            del why
            yield Row(name.strip(), tuple(CODE.findall(command)), tuple(CODE.findall(value)))


ROWS = list(rows())
DEMO_ROWS = [row for row in ROWS if row.on_demo]


def _parts(name: str) -> Iterator[tuple[str, str]]:
    """``FLEX tables 10 to 12`` as its single tables, ``FLEX figures 3 and 8`` as these two."""
    paper, kind, numbers = name.split(" ", 2)
    numbers_of_table = re.findall(r"A?\d+", numbers)
    if " to " in numbers:
        numbers_of_table = [
            str(number) for number in range(int(numbers_of_table[0]), int(numbers_of_table[1]) + 1)
        ]
    for number in numbers_of_table:
        yield f"{paper} {kind.removesuffix('s')}", number


def fact_parts() -> Iterator[tuple[str, str]]:
    """The tables and figures of the pages that ``reproduce`` makes."""
    papers = {"flex": "FLEX", "etm": "ETM", "trustsql": "TrustSQL"}
    for file in sorted(FACTS.glob("*.json")):
        for exhibit in json.loads(file.read_text("utf-8"))["exhibits"]:
            for name in exhibit["names"]:
                kind, number = name.split()
                yield f"{papers[file.stem]} {kind}", number


def test_every_table_and_figure_has_a_row() -> None:
    results = [*fact_parts(), *(each for row in ROWS for each in _parts(row.name))]
    assert len(results) == len(set(results))
    expected = {(kind, str(number)) for kind, numbers in NUMBERS.items() for number in numbers}
    assert set(results) == expected


@pytest.fixture(scope="module")
def folder(demo_run: Any) -> Path:
    """Where the page's first block has run."""
    folder: Path = demo_run.folder
    text = re.search(
        r"```bash\n.*\ncat > dogs.sql <<'END'\n(.*?)END\n```", PAGE.read_text("utf-8"), re.DOTALL
    )
    assert text is not None
    (folder / "dogs.sql").write_text(text[1])
    return folder


def _expanded(word: str, folder: Path) -> list[str]:
    """A word as a shell gives it on: ``*`` at the end of a path stands for what is there."""
    if not word.endswith("/*"):
        return [word]
    return sorted(str(path) for path in (folder / word[:-2]).iterdir())


def _output(command: str, folder: Path, invoke: Invoke) -> str:
    program, *args = shlex.split(command)
    if program == "python":
        done = subprocess.run([sys.executable, *args], capture_output=True, text=True, check=True)
        return done.stdout
    result = invoke(*(word for arg in args for word in _expanded(arg, folder)))
    assert result.exit_code == 0, f"{command}\n{result.output}"
    return result.output


@pytest.mark.slow
def test_the_commands_on_the_demo_print_our_values(
    folder: Path, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    outputs: dict[str, str] = {}
    for row in DEMO_ROWS:
        for command in row.on_demo:
            if command not in outputs:
                outputs[command] = _output(command, folder, invoke)
        printed = "".join(outputs[command] for command in row.on_demo)
        files = " ".join(path.name for path in folder.glob("*/*.svg"))
        missing = [value for value in row.values if value not in printed + files]
        assert missing == [], f"{row.name} prints\n{printed[-3000:]}"


@pytest.mark.slow
@pytest.mark.parametrize("system", ["bold", "careful", "rough"])
def test_the_demo_is_as_frozen(system: str, folder: Path) -> None:
    """In the metrics that the page names; ``tests/corpus`` has the others, for a part of the cases."""
    before = frozen(f"demo_{system}")
    lines = (folder / "demo" / system / "results.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["id"] for record in records] == list(before)
    changed, later = [], []
    for record in records:
        now, then = outline(record), before[record["id"]]
        scores = zip(METRICS, now.pop("scores"), then.pop("scores"), strict=True)
        if "witness" in then and "witness" not in now:
            # The demo tries fewer databases.
            later.append(record["id"])
            del then["witness"], then["situation"], now["situation"]
        same_scores = all(one == other for name, one, other in scores if name in record["scores"])
        if now != then or not same_scores:
            changed.append((now, then))
    assert changed == []
    assert len(later) <= 1
