"""Settings: ``--set KEY=VALUE``, the project file, ``--help-all``, and options that a command does not have."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import Result

from sqlverdict.cli.command import MOST_SHOWN, HeadedCommand
from sqlverdict.cli.main import all_commands
from sqlverdict.cli.options.fields import SET, HeadedOption
from sqlverdict.cli.run_cases import evaluate_args
from sqlverdict.cli.settings import settable
from sqlverdict.runlog.run import read_run

Invoke = Callable[..., Result]

TABLE = """id,gold,prediction
1,SELECT 1,SELECT 1
2,SELECT 1,SELECT 2
"""
EVALUATE = ("evaluate", "--cases", "bot.csv", "--databases", "shop.db", "--quiet", "--out", "run")
OWN = [each for each in all_commands() if isinstance(each, HeadedCommand)]


@pytest.fixture(autouse=True)
def _table(invoke: Invoke) -> None:
    Path("bot.csv").write_text(TABLE)
    Path("shop.db").touch()


def test_a_setting_comes_from_the_command_line_then_the_file_then_the_default(
    invoke: Invoke,
) -> None:
    invoke(*EVALUATE)
    assert read_run(Path("run")).manifest.limits["rows"] == 500_000
    Path("sqlverdict.toml").write_text("max-rows = 70\nmax-steps = 900000\n")
    done = invoke(*EVALUATE, "--overwrite", "--set", "max_rows=80")
    assert "options from sqlverdict.toml: max-steps" in done.stderr
    manifest = read_run(Path("run")).manifest
    assert (manifest.limits["rows"], manifest.limits["steps"]) == (80, 900_000)
    assert "--set max-steps=900000" in shlex.join(manifest.command)
    Path("sqlverdict.toml").unlink()
    limits = evaluate_args(Path("run"), manifest).limits
    assert (limits.max_rows, limits.max_steps) == (80, 900_000)


def test_an_option_comes_before_the_same_key_after_set(invoke: Invoke) -> None:
    invoke(*EVALUATE, "--set", "timeout=40")
    assert read_run(Path("run")).manifest.limits["seconds"] == 40
    invoke(*EVALUATE, "--overwrite", "--set", "timeout=40", "--timeout", "50")
    assert read_run(Path("run")).manifest.limits["seconds"] == 50


SAMPLES = {
    "boolean": "true",
    "integer": "7",
    "whole": "7",
    "float": "7.5",
    "number": "7.5",
    "datetime": "2024-02-03",
    "shard": "2/4",
    "column": "sql=gold",
}
"""A value of each type; of any other type a word."""


LINE_ONLY = ("project", "json", "column", SET)
"""Options that ``--set`` does not take; the page of options names them."""


def sample(own: HeadedOption) -> str:
    """A value that an option takes, and that is not its default."""
    if isinstance(own.type, click.Choice):
        return str(own.type.choices[-1])
    within = getattr(own.type, "max", None)
    if within is not None:
        return str(within / 2 if isinstance(own.type, click.FloatRange) else within)
    return SAMPLES.get(own.type.name.partition(" ")[0], "word")


def values_of(
    command: HeadedCommand, own: HeadedOption, words: tuple[str, ...]
) -> dict[str, object]:
    """What a command takes from these words about one option, and from what else it requires."""
    rest = [each for each in command.params if each.required and each is not own]
    line = [
        word
        for each in rest
        for word in ((each.opts[0], "word") if isinstance(each, click.Option) else ("word",))
    ]
    values = command.make_context(command.name, [*words, *line]).params
    return {name: value for name, value in values.items() if name != SET}


@pytest.mark.parametrize("command", OWN, ids=lambda each: each.name)
def test_set_takes_every_name_that_a_command_has(command: HeadedCommand) -> None:
    """An option behind ``--set`` is that option; where there are no settings, there is no ``--set``."""
    assert bool(command.settings) == any(each.name == SET for each in command.params)
    options = [each for each in command.params if isinstance(each, HeadedOption)]
    for own in [*options, *command.settings.values()] if command.settings else ():
        key, value = own.key, sample(own)
        if key in LINE_ONLY:
            continue
        by_set = values_of(command, own, ("--set", f"{key}={value}"))
        assert by_set[str(own.name)] not in (own.usual, None), key
        if not own.is_setting:
            words = (own.opts[0],) if own.is_flag else (own.opts[0], value)
            assert by_set == values_of(command, own, words), key


def test_a_command_without_settings_says_that_it_has_none(invoke: Invoke) -> None:
    refusal = invoke("show", "run", "--set", "verdict=incorrect")
    assert (refusal.exit_code, "show has no settings" in refusal.output) == (2, True)


def test_other_commands_take_their_settings_from_the_file(invoke: Invoke) -> None:
    Path("sqlverdict.toml").write_text('cases = "bot.csv"\ndatabases = "shop.db"\ntimeout = 0.5\n')
    done = invoke("doctor")
    assert "options from sqlverdict.toml: cases, databases, timeout" in done.stderr
    Path("fixed.jsonl").write_text('{"id": "1", "gold": "SELECT 1"}')
    Path("sqlverdict.toml").write_text(
        'cases = "bot.csv"\ngolds = "fixed.jsonl"\nno-cache = true\n'
    )
    assert "options from sqlverdict.toml: golds, no-cache" in invoke(*EVALUATE).stderr
    Path("sqlverdict.toml").write_text('cases = "bot.csv"\nlints = "null_golds"\n')
    done = invoke("build", "--lint-only", "--databases", "shop.db")
    assert "options from sqlverdict.toml: cases, lints" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--set", "maxrows=3"), "--set maxrows=3: 'maxrows' is no setting of"),
        (("--set", "maxrows=3"), "Did you mean 'max-rows'"),
        (("--set", "max-rows"), "--set max-rows: there is no =. Expected KEY=VALUE"),
        (("--set", "max-rows=some"), "--set max-rows=some: 'some' is not a valid whole number"),
        (("--set", "max-rows=0"), "--set max-rows=0: 0 is not in the range x>=1"),
        (("--set", "page=perhaps"), "--set page=perhaps: 'perhaps' is not a valid boolean"),
        (("--set", "cache="), "--set cache is empty. Expected a path"),
        (("--set", "gold-databases=a", "--set", "gold-databases=b"), "is given twice"),
        (("--set", "json=true"), "'json' is no setting of"),
        (("--max-rows", "3"), "give --set max-rows=VALUE, or a line in the project file"),
        (("--trust-role",), "give --set trust-role=true, or a line in the project file"),
        (("--gold", "gold.sql"), "No such option '--gold'. Give the gold file with --cases."),
        (
            ("--instances", "9"),
            "No such option '--instances'. It has another name now: --refute N.",
        ),
        (("--tmout", "3"), "Did you mean --timeout?"),
    ],
)
def test_what_cannot_be_set_is_refused_with_the_reason(
    invoke: Invoke, words: tuple[str, ...], message: str
) -> None:
    refusal = invoke(*EVALUATE, *words)
    assert refusal.exit_code == 2
    assert message in refusal.output


def test_a_command_without_a_project_file_names_none(invoke: Invoke) -> None:
    assert "give --set seconds=VALUE.\n" in invoke("pair", "SELECT 1", "--seconds", "3").output
    Path("sqlverdict.toml").write_text("share = 0.7\n")
    refusal = invoke(*EVALUATE)
    assert (refusal.exit_code, "the key 'share' is unknown" in refusal.output) == (2, True)


@pytest.mark.parametrize("command", OWN, ids=lambda each: each.name)
def test_help_is_short_and_help_all_is_whole(command: HeadedCommand) -> None:
    context = click.Context(command, info_name=command.name)
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    text = command.get_help(context)
    visible = [
        each for each in options if f"  {each.opts[0]} " in text or f", {each.opts[-1]} " in text
    ]
    assert len(visible) <= MOST_SHOWN
    whole = command.full_help(click.Context(command, info_name=command.name))
    assert all(each.opts[0] in whole for each in options)
    assert all(f"--set {key}=" in whole for key in command.settings)
    assert ("--help-all" in text) == command.lists_more


def test_no_command_has_a_key_twice() -> None:
    for command in OWN:
        keys = [*(name for each in command.params for name in each.opts)]
        assert not {f"--{key}" for key in command.settings} & set(keys)
        assert len(settable(command)) >= len(command.settings)


def test_the_engine_is_the_same_option_in_every_command_that_opens_databases() -> None:
    """Errors name it as an option, whatever the command is."""
    for command in OWN:
        assert "engine" not in command.settings, command.name
    owners = [each for each in OWN if any("--engine" in one.opts for one in each.params)]
    assert {"evaluate", "doctor", "audit", "lint"} <= {each.name for each in owners}
