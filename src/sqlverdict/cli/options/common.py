"""Options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sqlverdict.files.secrets import without_secrets

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
ANY_PATH = click.Path(path_type=Path)


def as_json(command: F) -> F:
    """``--json``: the result as JSON on standard output, figures as fractions."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON (fractions, not %).")(
        command
    )


def null_keys(command: F) -> F:
    """``--null-keys``: SQLite's letter instead of what a declared key means."""
    text = "A primary key may hold NULL where SQLite allows it. [default: never]"
    return click.option("--null-keys", is_flag=True, help=text)(command)


def run_argument(name: str, **settings: Any) -> Callable[[F], F]:
    """A run folder as an argument."""
    return click.argument(name, type=FOLDER, metavar=name.upper(), **settings)


def run_arguments(command: F) -> F:
    """One or more run folders as ``runs``."""
    return click.argument("runs", type=FOLDER, metavar="RUN...", nargs=-1, required=True)(command)


def examples(*lines: str) -> str:
    """An epilog of example calls, kept as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def command_line() -> str:
    """The command that is running, as it can be given again, but for secrets in URLs."""
    given = click.get_current_context().find_root().obj or []
    return shlex.join(["sqlverdict", *map(without_secrets, given)])


def print_json(content: Any) -> None:
    """Print a value as indented JSON."""
    import msgspec

    def plain(value: Any) -> Any:
        if isinstance(value, Path):
            return str(value)
        raise TypeError(f"{type(value).__name__} is no JSON")

    text = msgspec.json.format(msgspec.json.encode(content, enc_hook=plain), indent=2)
    from sqlverdict.files.escapes import json_escaped

    click.echo(json_escaped(text.decode()))
