"""No test asserts against the wall clock: a busy machine must not turn one red."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from tiers import THOROUGH
from timeouts import HANG_SECONDS, cpu_limit

TESTS = Path(__file__).resolve().parent
CLOCKS = {
    *("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time_ns"),
    *("process_time", "process_time_ns"),
}
"""``process_time`` is among them: :func:`timeouts.cpu_limit` is the one user of it."""

SUSPECT = re.compile(
    rf"\btimeout\b|\.(wait|join|alarm)\(\d|\b(time|datetime)\s*\.|{'|'.join(sorted(CLOCKS))}"
)
"""Without one of these words no line of a file can be wrong."""

WAITS = {"communicate", "wait", "join", "acquire", "run", "alarm", "get"}
WAITS_BY_PLACE = {"wait", "join", "alarm"}
"""Those whose first argument is a time."""
SHORTEST = 121
"""Seconds. Nothing that a test waits for takes so long; a shorter wait may be too short."""


def called(node: ast.AST) -> str:
    """The last name of what is called."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


def reads_the_clock(node: ast.AST) -> bool:
    """``time.time()``, ``perf_counter()`` and their like, anywhere in an expression."""
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="time" | "datetime"), attr=name)):
                if name in ("time", "now", "utcnow"):
                    return True
        if called(part) in CLOCKS:
            return True
    return False


def clock_names(tree: ast.AST) -> set[str]:
    """The variables of a file that hold a reading of the clock, or a list of readings."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if reads_the_clock(value):
                names.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]):
                if reads_the_clock(value):
                    names.add(name)
    return names


def short_wait(node: ast.AST) -> bool:
    """A call that gives up after some seconds."""
    if called(node) not in WAITS or not isinstance(node, ast.Call):
        return False
    limits = [word.value for word in node.keywords if word.arg == "timeout"]
    if called(node) in WAITS_BY_PLACE:
        limits += node.args[:1]
    return any(
        isinstance(limit, ast.Constant)
        and isinstance(limit.value, int | float)
        and 0 < limit.value < SHORTEST
        for limit in limits
    )


def complaints(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if not SUSPECT.search(text):  # most files: to read their trees takes seconds
        return
    tree = ast.parse(text)
    names = clock_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert | ast.While):
            used = {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
            if reads_the_clock(node.test) or used & names:
                yield f"{path.name}:{node.lineno}: depends on the clock"
        if short_wait(node):
            yield f"{path.name}:{node.lineno}: gives up early; use timeouts.HANG_SECONDS"


def test_no_test_asserts_against_the_wall_clock() -> None:
    files = sorted(TESTS.rglob("*.py"))
    assert [text for path in files for text in complaints(path)] == []


def test_an_assertion_against_the_clock_is_noticed(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "start = perf_counter()\nassert perf_counter() - start < 5\n"
        "while time.monotonic() < until: pass\nprocess.communicate(timeout=30)\n"
        "moments.append(time.time())\nassert moments[1] - moments[0] < 1\n"
        "seconds = time.process_time() - 3\nassert seconds < 1\n"
        "assert moment < 3\nthread.join(20)\nevent.wait()\nevent.wait(HANG_SECONDS)\n"
    )
    assert len(list(complaints(bad))) == 6


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers())
def test_a_machine_that_stalls_while_examples_are_made_fails_no_property(
    request: pytest.FixtureRequest, number: int
) -> None:
    own = request.function._hypothesis_internal_use_settings
    assert HealthCheck.too_slow in own.suppress_health_check
    assert HealthCheck.function_scoped_fixture in own.suppress_health_check


def test_examples_are_the_same_every_time_by_default() -> None:
    profile = settings.get_profile("fixed")
    assert (profile.derandomize, profile.database, profile.deadline) == (True, None, None)
    assert not settings.get_profile("thorough").derandomize


@pytest.mark.skipif(THOROUGH, reason="tries new examples each time")
def test_examples_do_not_depend_on_what_is_imported() -> None:
    provider = providers.HypothesisProvider(None)
    assert len(provider._local_constants) == 0


def test_work_that_explodes_is_stopped() -> None:
    def explode() -> None:
        while True:
            pass

    with pytest.raises(TimeoutError, match="CPU time"), cpu_limit(0.2):
        explode()


def test_hangs_are_told_from_slow_work() -> None:
    assert HANG_SECONDS >= 4 * SHORTEST
