"""Inputs on the command line: none is dropped in silence, and an empty path is no path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Invoke = Callable[..., Result]


@pytest.mark.parametrize(
    ("args", "advice"),
    [
        (("evaluate", "--cases", "a.csv", "--cases", "b.csv"), "Put the questions into one file"),
        (("doctor", "--databases", "a.db", "--databases", "b.db"), "Name the folder"),
        (("doctor", "--predictions", "a.csv", "--predictions", "b.csv"), "once for each"),
        (("agree", "run", "--labels", "a.csv", "--labels", "b.csv"), "label RUN --import FILE"),
        (("evaluate", "--benchmark", "spider", "--benchmark", "bird"), "Leave out all but one"),
        (("init", "--cases", "a.csv", "--cases", "b.csv"), "Put the questions into one file"),
    ],
)
def test_a_second_input_is_refused(invoke: Invoke, args: tuple[str, ...], advice: str) -> None:
    refusal = invoke(*args)
    assert refusal.exit_code == 2
    assert f"{args[-2]} is given twice and takes one value" in refusal.output
    assert advice in refusal.output


@pytest.mark.parametrize(
    "args",
    [
        ("evaluate", "--cases", "a.csv", "--out", ""),
        ("evaluate", "--cases", ""),
        ("evaluate", "--cases", "a.csv", "--databases", " "),
        ("evaluate", "--cases", "a.csv", "--predictions", ""),
        ("evaluate", "--cases", "a.csv", "--predictions", "bot="),
        ("evaluate", "--cases", "a.csv", "--golds", ""),
        ("show", "", "3"),
    ],
)
def test_an_empty_path_is_refused(invoke: Invoke, args: tuple[str, ...]) -> None:
    Path("a.csv").write_text("db_id,gold,prediction\nshop,SELECT 1,SELECT 1\n")
    refusal = invoke(*args)
    assert refusal.exit_code == 2
    assert "is empty. Expected a path" in refusal.output
    assert [file.name for file in Path().iterdir()] == ["a.csv"]


def test_an_empty_path_in_the_project_file_is_refused(invoke: Invoke) -> None:
    Path("a.csv").write_text("db_id,gold,prediction\nshop,SELECT 1,SELECT 1\n")
    Path("sqlverdict.toml").write_text("cases = 'a.csv'\nout = ''\n")
    refusal = invoke("evaluate")
    assert refusal.exit_code == 2
    assert "--out is empty" in refusal.output
