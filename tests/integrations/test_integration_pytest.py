"""The pytest plug-in: readable failures, skips for unscored pairs, baselines, no cost otherwise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, blocks, make_shop

pytest_plugins = "pytester"

PLUGIN = "sqlverdict.integrations.pytest_plugin"
ENTRIES = {entry.value for entry in entry_points(group="pytest11")}
LOADED: tuple[str, ...] = () if PLUGIN in ENTRIES else ("-p", PLUGIN)
"""What loads the plug-in where the installed package has no entry point yet."""


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    database = pytester.path / "shop.sqlite"
    if not database.exists():
        make_shop(database)
    return pytester.runpytest_inprocess(*LOADED, "-p", "no:cacheprovider", *arguments)


def one_test(pytester: pytest.Pytester, prediction: str, gold: str = GOLD) -> None:
    pytester.makepyfile(
        test_shop=f"""
        def test_item(sql_verdict):
            sql_verdict.assert_correct({gold!r}, {prediction!r}, "shop.sqlite")
        """
    )


def test_the_example_of_the_docs_passes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_example=blocks("pytest")[0])
    result = run(pytester)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["sqlverdict: 1 correct"])


def test_a_failure_says_why_and_shows_no_trace_of_ours(pytester: pytest.Pytester) -> None:
    one_test(pytester, WRONG)
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*wrong answer: the gold's rows and 1 more*(row_superset)*", f"prediction: {WRONG}"]
    )
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_an_unscored_pair_skips_or_fails_as_set(pytester: pytest.Pytester) -> None:
    one_test(pytester, RIGHT, gold=BROKEN)
    result = run(pytester, "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*unscored: *GOLD_EXECUTION_ERROR*"])
    run(pytester, "-o", "sqlverdict_unscored=fail").assert_outcomes(failed=1)


@pytest.mark.slow
def test_a_baseline_expects_what_was_wrong_and_fails_what_was_right(
    pytester: pytest.Pytester,
) -> None:
    one_test(pytester, WRONG)
    run(pytester, "--sqlverdict-write-baseline", "wrong.json").assert_outcomes(failed=1)
    assert json.loads(Path("wrong.json").read_text()) == {"test_shop.py::test_item#1": "incorrect"}
    run(pytester, "--sqlverdict-baseline", "wrong.json").assert_outcomes(xfailed=1)
    Path("right.json").write_text('{"test_shop.py::test_item#1": "correct"}')
    result = run(pytester, "--sqlverdict-baseline", "right.json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["right in the baseline, now: wrong answer*"])
    Path("empty.json").write_text("{}")
    run(pytester, "--sqlverdict-baseline", "empty.json").assert_outcomes(failed=1)


@pytest.mark.parametrize("text", [None, "[]", "{"])
def test_a_baseline_that_cannot_be_read_is_a_usage_error(
    pytester: pytest.Pytester, text: str | None
) -> None:
    if text is not None:
        Path("bad.json").write_text(text)
    one_test(pytester, RIGHT)
    assert run(pytester, "--sqlverdict-baseline", "bad.json").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.slow
@pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
def test_a_baseline_is_written_by_one_process_under_xdist(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path / "shop.sqlite")
    pytester.makepyfile(
        test_shop=f"""
        import pytest

        @pytest.mark.parametrize("sql", [{RIGHT!r}, {WRONG!r}])
        def test_item(sql_verdict, sql):
            sql_verdict.assert_correct({GOLD!r}, sql, "shop.sqlite", id=sql)
        """
    )
    pytester.runpytest_subprocess(
        *LOADED, "-p", "xdist", "-n", "2", "--sqlverdict-write-baseline", "verdicts.json"
    )
    assert json.loads(Path("verdicts.json").read_text()) == {RIGHT: "correct", WRONG: "incorrect"}


@pytest.mark.slow
def test_a_run_without_the_fixture_loads_nothing_else_and_says_nothing(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        test_other="""
        import sys

        def test_nothing_is_loaded():
            ours = {name for name in sys.modules if name.startswith("sqlverdict")}
            plugin = "sqlverdict.integrations.pytest_plugin"
            assert ours == {"sqlverdict", "sqlverdict.integrations", plugin}
        """
    )
    command = [sys.executable, "-W", "error", "-m", "pytest", *LOADED, "-q"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout
    assert "sqlverdict" not in done.stdout


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    file = Path(__file__).resolve().parents[2] / "pyproject.toml"
    project = tomllib.loads(file.read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"sqlverdict": PLUGIN}
    assert find_spec(PLUGIN) is not None
