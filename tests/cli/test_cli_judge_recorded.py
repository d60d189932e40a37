"""``evaluate --judge recorded``: verdicts that came with the cases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Invoke = Callable[..., Result]


def scores(folder: Path) -> dict[str, dict[str, float | None]]:
    lines = (folder / "results.jsonl").read_text().splitlines()
    return {line["id"]: line["scores"] for line in map(json.loads, lines)}


def recorded_lines(tmp_path: Path) -> Path:
    """Cases as somebody else wrote them: verdicts under names, EX among them."""
    file = tmp_path / "others.jsonl"
    lines = [
        {
            "id": name,
            "part": name[0],
            "db_id": "shop",
            "question": "Which?",
            "gold": "SELECT name FROM item",
            "prediction": f"SELECT name FROM item WHERE id = {number}",
            "verdicts": verdicts,
        }
        for number, (name, verdicts) in enumerate(
            {
                "a1": {"old/EX": 1.0, "m/J": 1.0},
                "a2": {"old/EX": 0.0, "m/J": 1.0},
                "b1": {"old/EX": 0.0, "m/J": 0.5},
            }.items()
        )
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


MAP = (
    *("--column", "verdicts=recorded.verdicts"),
    *("--column", "verdicts.old/EX=recorded.equal"),
    *("--column", "part=tags.part"),
)


def test_recorded_verdicts_of_a_named_judge_are_asked(invoke: Invoke, tmp_path: Path) -> None:
    out = tmp_path / "run"
    call = ("evaluate", "--cases", recorded_lines(tmp_path), *MAP, "--workers", 0, "--out", out)
    result = invoke(*call, "--metrics", "ex,flex", "--judge", "recorded", "--model", "m/J")
    assert result.exit_code == 4, result.output
    assert scores(out) == {
        "a1": {"ex": 1.0, "flex": 1.0},
        "a2": {"ex": 0.0, "flex": 1.0},
        "b1": {"ex": 0.0, "flex": None},
    }
    assert json.loads((out / "manifest.json").read_text())["stages"]["judge"] == (
        "recorded@1, model m/J"
    )
    view = invoke("show", out, "a2")
    assert "recorded: the answers differ; the answers themselves are not kept" in view.output
    assert "recorded opinion right: m/J" in view.output
    other = invoke(*call, "--column", "id=id", "--metrics", "ex")
    assert other.exit_code != 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "m/K"], "has no recorded verdicts of 'm/K'"),
        ([], "--judge recorded needs --model NAME"),
        (["--model", "m/J", "--dry-run"], "leave out --dry-run"),
        (["--model", "m/J", "--predictions", "FILE"], "leave out --predictions"),
    ],
)
def test_recorded_verdicts_that_cannot_be_had_are_refused(
    invoke: Invoke, tmp_path: Path, options: list[str], message: str
) -> None:
    file = recorded_lines(tmp_path)
    arguments = [str(file) if option == "FILE" else option for option in options]
    result = invoke("evaluate", "--cases", file, *MAP, "--judge", "recorded", *arguments)
    assert result.exit_code == 2
    assert message in result.output
