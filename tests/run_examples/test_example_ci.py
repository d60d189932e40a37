"""The workflow in ``examples/ci``: its commands run as they stand, on the demo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from sqlverdict.load.benchmarks.demo import predictions_path
from timeouts import HANG_SECONDS

WORKFLOW = Path(__file__).resolve().parents[2] / "examples" / "ci" / "sqlverdict.yml"

Step = Callable[..., "subprocess.CompletedProcess[str]"]


def answers(**changed: str) -> str:
    """The demo's careful answers, with some of them replaced."""
    lines = predictions_path("careful").read_text(encoding="utf-8").splitlines()
    records = {record["id"]: record for record in map(json.loads, lines)}
    for case_id, sql in changed.items():
        assert case_id in records
        records[case_id] = {"id": case_id, "sql": sql}
    return "".join(json.dumps(record) + "\n" for record in records.values())


@pytest.fixture
def step(tmp_path: Path) -> Step:
    """Runs a step of the workflow, as its runner does."""
    steps = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]
    commands = {each["name"]: each["run"] for each in steps if "run" in each}
    programs = tmp_path / "programs"
    programs.mkdir()
    scripts = {
        "sqlverdict": f'exec "{sys.executable}" -m sqlverdict "$@"',
        "gh": 'echo "$@" >> gh.txt; [ "$2" != --paginate ] || echo "$KNOWN"',
    }
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)

    def run(name: str, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONIOENCODING": "utf-8",
            "CASES": "--benchmark demo --databases databases",
        }
        return subprocess.run(
            ["bash", "-e", "-c", commands[name]],
            cwd=tmp_path,
            env=os.environ | environment | settings,
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
            check=False,
        )

    return run


@pytest.mark.slow
def test_the_workflow_evaluates_checks_and_comments(step: Step, tmp_path: Path) -> None:
    (tmp_path / "eval").mkdir()
    wrong = "SELECT 'wrong'"
    lost = [f"observatory-{number:02}" for number in (1, 2, 3, 4)]
    # The second run of the baseline loses one question: so much is noise.
    contents = {
        "eval/main-1.jsonl": answers(),
        "eval/main-2.jsonl": answers(**{lost[0]: wrong}),
        "eval/main-3.jsonl": answers(),
        "predictions.jsonl": answers(**dict.fromkeys(lost, wrong)),
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    evaluated = step("evaluate")
    assert evaluated.returncode == 0, evaluated.stderr
    checked = step("check")
    assert (checked.returncode, checked.stderr) == (1, "")
    comment = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert "at most 1 regression, the noise of 3 runs in verdict`: 3 cases lost" in comment
    head, unsteady = comment.split("the runs of the baseline disagree: 1")
    for case_id in lost[1:]:
        assert f"- `{case_id}` (" in head
    assert f"- `{lost[0]}` (" in unsteady

    where = {"GITHUB_STEP_SUMMARY": "step.md", "GITHUB_REPOSITORY": "me/mine", "PR": "7"}
    for known, call in (
        ("", "pr comment 7 --body-file comment.md"),
        ("55", "api --method PATCH repos/me/mine/issues/comments/55 --field body=@comment.md"),
    ):
        assert step("comment", KNOWN=known, **where).returncode == 0
        assert (tmp_path / "gh.txt").read_text().splitlines()[-1] == call
    assert (tmp_path / "step.md").read_text(encoding="utf-8") == comment * 2


@pytest.mark.slow
def test_the_workflow_passes_a_system_that_did_not_change(step: Step, tmp_path: Path) -> None:
    (tmp_path / "eval").mkdir()
    for name in ("eval/main-1", "eval/main-2", "eval/main-3", "predictions"):
        (tmp_path / f"{name}.jsonl").write_text(answers(), encoding="utf-8")
    assert step("evaluate").returncode == 0
    checked = step("check")
    comment = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert checked.returncode == 0, comment
    assert "### sqlverdict: 4 conditions met" in comment
