"""No test is held against the wall clock: a busy machine must not turn one red."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from patience import PATIENCE, processor_time

TESTS = Path(__file__).resolve().parent
CLOCKS = {"perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time_ns"}
WAITS = {"communicate", "wait", "join", "acquire", "run", "alarm", "get"}
SHORTEST = 120
"""Seconds. Nothing that a test waits for takes so long; a shorter wait may be too short."""


def called(node: ast.AST) -> str:
    """The last name of what is called."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


def reads_the_clock(node: ast.AST) -> bool:
    """``time.time()``, ``perf_counter()`` and their like."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="time"), attr="time")):
            return True
    return called(node) in CLOCKS


def short_wait(node: ast.AST) -> bool:
    """A call that gives up after some seconds."""
    if called(node) not in WAITS or not isinstance(node, ast.Call):
        return False
    limits = [word.value for word in node.keywords if word.arg == "timeout"]
    return any(isinstance(limit, ast.Constant) and limit.value < SHORTEST for limit in limits)


def complaints(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert | ast.While):
            for part in ast.walk(node.test):
                if reads_the_clock(part):
                    yield f"{path.name}:{node.lineno}: held against the wall clock"
        if short_wait(node):
            yield f"{path.name}:{node.lineno}: gives up early; use patience.PATIENCE"


@pytest.mark.parametrize("folder", sorted({path.parent for path in TESTS.rglob("*.py")}), ids=str)
def test_no_test_is_held_against_the_wall_clock(folder: Path) -> None:
    assert [text for path in sorted(folder.glob("*.py")) for text in complaints(path)] == []


def test_it_would_be_noticed(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "began = perf_counter()\nassert perf_counter() - began < 5\n"
        "while time.monotonic() < until: pass\nprocess.communicate(timeout=30)\n"
    )
    assert len(list(complaints(bad))) == 3


def test_examples_are_the_same_every_time_unless_asked_otherwise() -> None:
    profile = settings.get_profile("fixed")
    assert (profile.derandomize, profile.database, profile.deadline) == (True, None, None)
    assert not settings.get_profile("thorough").derandomize


def test_work_that_explodes_is_stopped() -> None:
    def explode() -> None:
        while True:
            pass

    with pytest.raises(TimeoutError, match="processor's time"), processor_time(0.2):
        explode()


def test_patience_is_long() -> None:
    assert PATIENCE >= 5 * SHORTEST
