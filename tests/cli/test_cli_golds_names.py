"""``--golds`` by its former name, and over runs that no evaluate command made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from demo_runs import DemoRun
from sqlverdict.files.sealed_json import write_sealed_json
from sqlverdict.runlog.manifest import read_manifest

Invoke = Callable[..., Result]
RIGHT = "SELECT count(*) FROM item WHERE price > 1"
FIXED = "SELECT count(*) FROM item WHERE price > 2"


@pytest.fixture
def overlay(tmp_path: Path) -> Callable[..., Path]:
    def write(*records: object, name: str = "fixed.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


def test_the_former_option_names_the_new_one(invoke: Invoke, tmp_path: Path) -> None:
    old = invoke("evaluate", "--cases", "a.csv", "--gold-overlay", "fixed.jsonl")
    assert (old.exit_code, "Give --golds." in old.stderr) == (2, True)
    old = invoke("doctor", "--cases", "a.csv", "--set", "gold-overlay=fixed.jsonl")
    assert (old.exit_code, "It is called golds now." in old.stderr) == (2, True)
    project = tmp_path / "sqlverdict.toml"
    project.write_text("gold-overlay = 'fixed.jsonl'\n")
    old = invoke("evaluate", "--project", project)
    assert (old.exit_code, "It is called golds now." in old.stderr) == (2, True)


def test_a_run_whose_command_has_the_former_option(
    tiny,
    invoke: Invoke,
    overlay: Callable[..., Path],  # type: ignore[no-untyped-def]
) -> None:
    fixed = overlay({"id": "0", "gold": FIXED})
    where = ("--cases", tiny.gold, "--databases", tiny.databases, "--out", "runs", "--workers", 0)
    predictions = tiny.predictions(RIGHT, name="b.txt")
    invoke("evaluate", *where, "--predictions", predictions, "--quiet", "--golds", fixed)
    manifest = Path("runs/manifest.json")
    fields = json.loads(manifest.read_text())
    words = ["--gold-overlay" if word == "--golds" else word for word in fields["command"]]
    write_sealed_json(manifest, {**fields, "command": words})
    other = overlay({"id": "1", "gold": RIGHT}, name="other.jsonl")
    result = invoke("leaderboard", "runs", "--golds", other)
    assert result.exit_code == 0, result.output
    command = json.loads(Path("runs/golds/other/manifest.json").read_text())["command"]
    assert [word for word in command if "overlay" in word] == []


GOLD = "SELECT COUNT(*) FROM telescope WHERE aperture_m > 1"


@pytest.mark.slow
def test_runs_of_the_demo(demo_run: DemoRun, invoke: Invoke, overlay: Callable[..., Path]) -> None:
    """A stranger tries the demo first; its runs have no command in their manifests."""
    fixed = overlay({"id": "observatory-01", "gold": GOLD, "reason": "large ones"})
    folders = [demo_run.folder / "demo" / name for name in ("bold", "careful")]
    result = invoke("leaderboard", *folders, "--golds", fixed, "--out", "under", "--json")
    assert result.exit_code == 0, result.output
    board = json.loads(result.stdout)
    assert [each["id"] for each in board["questions"]] == ["observatory-01"]
    assert {each["golds"] for each in board["places"]} == {"run", "fixed"}
    again = read_manifest(Path("under/bold/fixed"))
    first = read_manifest(folders[0])
    assert (again.limits, again.stages) == (first.limits, first.stages)
    assert again.command[:3] == ("evaluate", "--benchmark", "demo")


@pytest.mark.slow
def test_a_run_of_the_demo_with_a_detector_says_what_to_do(
    demo_run: DemoRun, invoke: Invoke, overlay: Callable[..., Path]
) -> None:
    fixed = overlay({"id": "observatory-01", "gold": GOLD})
    folder = demo_run.folder / "demo" / "careful-confidence"
    refusal = invoke("leaderboard", folder, "--golds", fixed)
    assert refusal.exit_code == 2
    assert "Only bold, careful, rough on sqlite can be run again" in refusal.stderr
    assert "Make the run with evaluate" in refusal.stderr
