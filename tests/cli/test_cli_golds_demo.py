"""``--golds`` over runs that no evaluate command made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from demo_runs import DemoRun
from sqlverdict.runlog.manifest import read_manifest

Invoke = Callable[..., Result]


@pytest.fixture
def overlay(tmp_path: Path) -> Callable[..., Path]:
    def write(*records: object, name: str = "fixed.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


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
