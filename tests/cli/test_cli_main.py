"""The command line itself: quick to start, one clear line for an error, the right exit code."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import Result

from sqlverdict.cli.commands.lists.explain import KINDS
from sqlverdict.cli.main import FIRST, FORMER, Commands, sqlverdict
from sqlverdict.errors import (
    DataError,
    Interrupted,
    NothingEvaluated,
    SqlverdictError,
    UsageError,
)
from timeouts import HANG_SECONDS

Invoke = Callable[..., Result]
NAMES = (
    sqlverdict.list_commands(click.Context(sqlverdict)) if isinstance(sqlverdict, Commands) else []
)
MOST_COMMANDS = 26
OURS = [name for name in NAMES if name != "doctor"]


def test_every_command_of_the_plan_is_there() -> None:
    planned = {"evaluate", "demo", "compare", "check", "leaderboard", "show", "pair"}
    assert planned | {"explain", "table", "bank", "refute"} <= set(NAMES)


def test_the_help_begins_with_what_a_newcomer_needs(invoke: Invoke) -> None:
    text = invoke("--help").output
    listing = text.partition("Start here:\n")[2].partition("  Exit codes:")[0]
    first, _, others = listing.partition("\n\n")
    assert tuple(re.findall(r"^  (\w+) ", first, re.MULTILINE)) == FIRST
    assert set(re.findall(r"^  (\w+) ", others, re.MULTILINE)) == set(NAMES) - set(FIRST)


def test_there_are_at_most_26_commands() -> None:
    """A new one takes the place of another."""
    leaves = 0
    for name in NAMES:
        command = sqlverdict.get_command(click.Context(sqlverdict), name)
        leaves += len(command.commands) if isinstance(command, click.Group) else 1
    assert leaves <= MOST_COMMANDS


@pytest.mark.parametrize("former", FORMER)
def test_a_former_command_names_the_one_to_give_instead(invoke: Invoke, former: str) -> None:
    """Its options may have other names now, so none of the words that were typed is repeated."""
    result = invoke(*former.split(), "a b", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert former not in NAMES
    line, more = result.stderr.splitlines()[-2:]
    assert line.strip() == f"sqlverdict {FORMER[former]}"
    name, *words = FORMER[former].split()
    assert more == f"'sqlverdict {name} --help' has its options"
    command = sqlverdict.get_command(click.Context(sqlverdict), name)
    assert command is not None
    if isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    known = {opt for each in command.params for opt in each.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_a_kind_or_member_that_is_not_there_gets_a_hint(invoke: Invoke) -> None:
    for args, hint in (
        (("metrik",), "there is no kind 'metrik'. Did you mean 'metric'"),
        (("ves",), "a member: sqlverdict explain metric ves"),
        (("metric", "vse"), "Did you mean 'ves'?"),
        (("engines", "--profile", "sound"), "--profile is for rules"),
    ):
        result = invoke("explain", *args)
        assert (result.exit_code, hint in result.stderr) == (2, True), result.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_member_is_listed_and_explained(invoke: Invoke, kind: str) -> None:
    assert re.search(rf"^{kind} ", invoke("explain").output, re.MULTILINE)
    rows = json.loads(invoke("explain", kind, "--json").output)
    assert all(row["what"] for row in rows)
    first = rows[0]["name"]
    one = json.loads(invoke("explain", kind, first, "--json").output)
    assert one["name"] == first
    text = invoke("explain", kind, first).output
    assert text.count("\n") > 1
    assert not re.search(r": *$", text.partition("\n\n")[0], re.MULTILINE), "nothing to say"


def test_help_imports_no_command_and_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from sqlverdict.cli.main import sqlverdict\n"
        "try: sqlverdict.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('rich', 'sqlglot', 'msgspec')"
        " or m.startswith('sqlverdict.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    assert set(re.findall(r"'([\w.]+)'", loaded)) == {
        "sqlverdict.cli",
        "sqlverdict.cli.commands",
        "sqlverdict.cli.main",
        # The border to the terminal: a regular expression and a stream.
        "sqlverdict.files",
        "sqlverdict.files.escapes",
    }
    assert "Evaluate predictions against a benchmark" in done.stdout


@pytest.mark.slow
def test_asking_one_command_imports_only_that_one() -> None:
    code = (
        "import sys\n"
        "from sqlverdict.cli.main import sqlverdict\n"
        "try: sqlverdict.main(['evaluate', '--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted(m for m in sys.modules if m.startswith('sqlverdict.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    assert "sqlverdict.cli.commands.runs.evaluate" in loaded
    assert "sqlverdict.cli.commands.runs.demo" not in loaded


@pytest.mark.slow
def test_evaluating_without_a_judge_loads_no_model_client(tmp_path: Path) -> None:
    line = '{"id": "1", "db_id": "d", "gold": "SELECT a FROM t", "prediction": "SELECT a FROM t"}'
    (tmp_path / "cases.jsonl").write_text(line)
    args = ["evaluate", "--cases", "cases.jsonl", "--workers", "0", "--quiet", "--out", "run"]
    code = (
        "import sys\n"
        "from sqlverdict.cli.main import sqlverdict\n"
        f"try: sqlverdict.main({args})\n"
        "except SystemExit: pass\n"
        "print(sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    loaded = set(re.findall(r"'([\w.]+)'", done.stdout.splitlines()[-1]))
    assert "sqlverdict.report.one_run.junit" in loaded, "the run came to its end"
    assert loaded & {"http.client", "ssl", "urllib.request", "sqlglot"} == set()
    assert not [name for name in loaded if name.startswith(("sqlverdict.llm", "sqlverdict.judge"))]


@pytest.mark.parametrize("name", OURS)
def test_the_help_of_a_command_teaches_with_examples(invoke: Invoke, name: str) -> None:
    result = invoke(name, "--help")
    assert result.exit_code == 0
    assert "Examples:" in result.output
    assert f"sqlverdict {name}" in result.output


@pytest.mark.parametrize("name", ["", *NAMES])
def test_no_help_holds_a_control_character(invoke: Invoke, name: str) -> None:
    """A mark for the help's writer came through, spelt out."""
    assert "\\x" not in invoke(*filter(None, [name]), "--help").output


@pytest.mark.parametrize("name", NAMES)
def test_each_command_has_a_line_in_the_help(invoke: Invoke, name: str) -> None:
    assert re.search(rf"^  {name} +[A-Z`]", invoke("--help").output, re.MULTILINE)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("wrong call"), 2),
        (DataError("wrong file", reason="wrong_kind"), 2),
        (NothingEvaluated("nothing"), 3),
        (Interrupted("stopped"), 130),
        (KeyboardInterrupt(), 130),
    ],
)
def test_errors_become_one_line_and_their_exit_code(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    @click.command()
    def fails() -> None:
        raise error

    monkeypatch.setattr(Commands, "get_command", lambda *_: fails)
    result = invoke("fails")
    assert result.exit_code == code
    assert "Traceback" not in result.output
    if isinstance(error, SqlverdictError):
        assert result.stderr == f"error: {error}\n"


def test_debug_shows_the_traceback_wherever_it_stands(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def fails() -> None:
        raise UsageError("wrong call")

    monkeypatch.setattr(Commands, "get_command", lambda *_: fails)
    for args in (("--debug", "fails"), ("fails", "--debug")):
        result = invoke(*args)
        assert result.exit_code == 2
        assert "Traceback" in result.stderr
        assert "UsageError: wrong call" in result.stderr


@pytest.mark.parametrize(
    "error",
    [
        KeyError("a bug"),
        RecursionError("too deep"),
        MemoryError(),
        AssertionError(),
        sqlite3.OperationalError("no such table: x"),
    ],
)
def test_a_bug_of_ours_is_70_with_a_saved_traceback_and_never_1(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    @click.command()
    @click.option("--base-url")
    def fails(base_url: str) -> None:
        raise error

    monkeypatch.setattr(Commands, "get_command", lambda *_: fails)
    result = invoke("fails", "--base-url", "http://host/v1?code=SECRET")
    assert result.exit_code == 70
    assert "Traceback" not in result.output
    assert "Please report it" in result.stderr
    file = Path(result.stderr.partition("The traceback is in ")[2].partition(". Please")[0])
    saved = file.read_text()
    file.unlink()
    assert f"{type(error).__name__}" in saved
    assert "Traceback" in saved
    assert "SECRET" not in saved


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            OSError(28, "No space left on device", "runs/x/results.jsonl"),
            "runs/x/results.jsonl: No",
        ),
        (PermissionError(13, "Permission denied", "out"), "out: Permission denied"),
        (OSError("something else"), "something else"),
        (sqlite3.OperationalError("database or disk is full"), "disk is full"),
    ],
)
def test_a_file_that_cannot_be_read_or_written_is_6(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    @click.command()
    def fails() -> None:
        raise error

    monkeypatch.setattr(Commands, "get_command", lambda *_: fails)
    result = invoke("fails")
    assert result.exit_code == 6
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_mistyped_command_or_option_gets_a_hint(invoke: Invoke) -> None:
    result = invoke("evalute")
    assert (result.exit_code, "Did you mean 'evaluate'?" in result.stderr) == (2, True)
    result = invoke("evaluate", "--predictoins", "x")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: No such option")
    assert "Try 'sqlverdict evaluate --help'" in result.stderr
    assert "Did you mean --databases?" in invoke("evaluate", "--db", "shop.sqlite").stderr


def test_no_command_and_the_word_help_print_the_help(invoke: Invoke) -> None:
    for args in ((), ("help",), ("--help",)):
        result = invoke(*args)
        assert result.exit_code == 0
        assert result.output.startswith("Usage: sqlverdict")
    assert "ID..." in invoke("help", "show").output


def test_the_version_is_told(invoke: Invoke) -> None:
    assert re.fullmatch(r"sqlverdict \d+\.\d+\.\d+\S*\n", invoke("--version").output)


@pytest.mark.slow
def test_python_m_runs_the_program() -> None:
    line = [sys.executable, "-m", "sqlverdict", "--version"]
    process = subprocess.run(line, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"sqlverdict \d+\.\d+\.\d+\S*\n", process.stdout)
    wrong = subprocess.run([*line[:3], "evalute"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, "Did you mean 'evaluate'?" in wrong.stderr) == (2, True)


@pytest.mark.slow
def test_the_commands_page_shows_what_the_program_prints() -> None:
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    for names in ([], ["evaluate"], ["abstain", "run"]):
        line = [sys.executable, "-m", "sqlverdict", *names, "--help-all" if names else "--help"]
        wide = os.environ | {"COLUMNS": "120"}
        process = subprocess.run(line, capture_output=True, text=True, check=True, env=wide)
        assert f"```text\n{process.stdout.rstrip()}\n```" in page


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_failed_threshold() -> None:
    code = "from sqlverdict.cli.main import main; main()"
    writer = subprocess.Popen(
        [sys.executable, "-c", code, "explain", "metric", "ves"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    writer.stdout.close()
    assert writer.wait(timeout=HANG_SECONDS) == 141
    assert writer.stderr.read() == ""
    writer.stderr.close()
