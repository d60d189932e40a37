"""Messages of commands: what was found, what was expected, and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result

from error_parts import asks_for
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import OptionName
from sqlverdict.execute.engine import check_scratch
from sqlverdict.web.server import open_socket

Invoke = Callable[..., Result]

QUERIES = ("SELECT name FROM item WHERE price > 2", "SELECT name FROM item WHERE price > 3")


@pytest.fixture
def shop(tiny: Any) -> Path:
    return tiny.databases / "shop" / "shop.sqlite"


@pytest.mark.parametrize("command", ["pair", "prove", "refute"])
def test_a_database_that_is_missing_is_called_a_file(invoke: Invoke, command: str) -> None:
    result = invoke(command, *QUERIES, "--db", "nope.sqlite")
    assert result.exit_code == 2
    assert "nope.sqlite: there is no such file" in result.stderr


@pytest.mark.parametrize("command", ["pair", "refute"])
def test_a_server_for_the_search_is_refused_where_the_engine_has_none(
    invoke: Invoke, shop: Path, command: str
) -> None:
    server = "postgresql://localhost/test"
    result = invoke(command, *QUERIES, "--db", shop, "--set", f"scratch={server}")
    assert result.exit_code == 2
    assert f"--set scratch={server} names another server" in result.stderr
    assert "sqlite has no server" in result.stderr


def test_a_run_refuses_a_server_for_the_search_in_the_same_way(invoke: Invoke, tiny: Any) -> None:
    inputs = ("--cases", tiny.cases(), "--databases", tiny.databases)
    result = invoke("evaluate", *inputs, "--refute", 5, "--set", "scratch=x")
    assert "--set scratch=x names another server" in result.stderr
    # Where nothing is searched, it would be of no use either, and is refused by no one.
    assert invoke("evaluate", *inputs, "--set", "scratch=x").exit_code == 0


@pytest.mark.parametrize("scratch", ["mysql://localhost/test", "other.sqlite"])
def test_a_server_of_another_engine_is_refused_for_the_search(scratch: str) -> None:
    with asks_for(OptionName("scratch", scratch)):
        check_scratch("postgres", scratch)
    check_scratch("postgres", "postgres://localhost/test")


def test_another_run_is_told_by_metrics_and_stages(invoke: Invoke, tiny: Any) -> None:
    inputs = ("--cases", tiny.cases(), "--databases", tiny.databases, "--out", "run")
    assert invoke("evaluate", *inputs).exit_code == 0
    other = invoke("evaluate", *inputs, "--metrics", "ex,verdict", "--timeout", 5)
    assert other.exit_code == 2
    assert "run holds another run: its metrics are ex, this one has ex,verdict" in other.stderr
    assert "the limit seconds was 120, is 5" in other.stderr
    assert "{" not in other.stderr


def test_the_demo_refuses_what_is_no_server(invoke: Invoke) -> None:
    result = invoke("demo", "--server", "shop.sqlite")
    assert result.exit_code == 2
    assert "--server shop.sqlite is not the URL of a server" in result.stderr


def test_corrections_without_a_gold_say_which_fields_there_are(invoke: Invoke, tiny: Any) -> None:
    Path("labels.jsonl").write_text(json.dumps({"id": "0-0", "human": 1}) + "\n")
    inputs = ("--cases", tiny.cases(), "--databases", tiny.databases)
    result = invoke("evaluate", *inputs, "--golds", "labels.jsonl")
    assert "labels.jsonl, line 1: there is no gold. Expected one of 'gold'" in result.stderr
    assert "found 'id', 'human'" in result.stderr


def test_a_condition_that_no_case_has_is_a_whole_sentence(invoke: Invoke, tiny: Any) -> None:
    invoke("evaluate", "--cases", tiny.cases(), "--databases", tiny.databases, "--out", "run")
    result = invoke("show", "run", "--difficulty", "hard")
    assert "Its cases have no difficulty." in result.stderr


def test_a_time_that_is_none_gets_an_example(invoke: Invoke, tiny: Any) -> None:
    inputs = ("--cases", tiny.cases(), "--databases", tiny.databases)
    result = invoke("evaluate", *inputs, "--set", "now=tomorrow")
    assert "'tomorrow' is no time; expected 2025-01-31" in result.stderr
    assert "%" not in result.stderr


def test_what_is_no_number_is_called_so(invoke: Invoke) -> None:
    assert "'many' is not a valid whole number" in invoke("evaluate", "--refute", "many").stderr
    assert "'x' is not a valid number" in invoke("evaluate", "--timeout", "x").stderr


def test_a_folder_that_is_missing_is_no_manifest_that_cannot_be_read(invoke: Invoke) -> None:
    result = invoke("show", "nope")
    assert "no run at nope: there is no such folder." in result.stderr


def test_a_host_that_cannot_be_had_is_told_from_a_port() -> None:
    with asks_for("host"):
        open_socket("host.invalid", 0)


def test_the_help_of_all_settings_ends_with_help(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = sqlverdict.get_command(click.Context(sqlverdict), "view")
    assert view is not None
    # Somebody reads the command in a context without our settings: click keeps what it makes then.
    monkeypatch.setattr(view, "_help_option", None)
    view.get_params(click.Context(view))
    lines = invoke("view", "--help-all").stdout.splitlines()
    help_line = next(number for number, line in enumerate(lines) if "-h, --help" in line)
    assert not any(line.startswith("  --set") for line in lines[help_line:])
