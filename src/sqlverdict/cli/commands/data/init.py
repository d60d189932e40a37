"""Write a project file: where your data are, and a few options with their defaults."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import Heading, option
from sqlverdict.cli.options.shared import FILE, databases_option
from sqlverdict.cli.own_data import OwnData, find_own_data
from sqlverdict.cli.project import COLUMNS, FILE_NAME, options_by_key
from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.atomic import write_text_at_once
from sqlverdict.files.references import is_server
from sqlverdict.files.text import few_of, need_file

_START = """# Options of "sqlverdict evaluate" that need not be typed. The command line comes first;
# paths are relative to this file. Remove a "#" to set an option: the values are the defaults.
# All options and settings: sqlverdict evaluate --help-all"""
_DEFAULTS = ("metrics", "prove", "no-sql", "allow-missing", "timeout", "max-rows", "overwrite")
"""The options that the file shows with their defaults."""


@dataclass(frozen=True, kw_only=True)
class InitArgs:
    """The options of ``init``."""

    cases: Path | None = option(
        "--cases",
        type=FILE,
        heading=Heading.DATA,
        help="Your questions. [default: the file in this folder that has golds]",
    )
    databases: str | None = databases_option()
    out: Path = option("--out", type=FILE, default=Path(FILE_NAME), help="The file to write.")
    overwrite: bool = option("--overwrite", is_flag=True, help="Replace an existing file.")


@command(
    InitArgs, examples=["sqlverdict init", "sqlverdict init --cases bot.csv --databases shop.db"]
)
def init(args: InitArgs) -> None:
    """Write sqlverdict.toml, a short file of options that evaluate and other commands read.

    It names your questions, your database and files of predictions for the questions, and says
    which column is which where the names do not. Check these lines, then run the command that it
    prints. Where several files may be the questions or the database, nothing is written, and the
    message has a command for each.
    """
    if args.out.exists() and not args.overwrite:
        raise UsageError(f"{args.out} exists. Give another --out, or replace it with --overwrite")
    if args.cases is not None:
        need_file(args.cases, DataError)
    folder = args.out.parent
    data = find_own_data(folder, args.cases, args.databases)
    guess = data.guess
    values: dict[str, Any] = {}
    if data.cases is not None:
        values["cases"] = _relative(str(data.cases), folder)
    if data.databases is not None:
        values["databases"] = _relative(data.databases, folder)
    if data.predictions:
        values["predictions"] = [_relative(str(file), folder) for file in data.predictions]
    write_text_at_once(args.out, "\n".join(_lines(values, data)) + "\n")
    click.echo(f"written to {args.out}")
    for name, value in values.items():
        click.echo(f"  {name} = {', '.join(value) if isinstance(value, list) else value}")
    for name, target in guess.columns.items():
        click.echo(f"  column {name!r} is read as {target}: a guess, please check")
    if _is_unclear(data):
        open_ = few_of(guess.queries)
        click.echo(f"  columns with SQL whose names do not say what they are: {open_}")
    elif data.problem:
        click.echo(f"  {data.problem}")
    click.echo(f"next: {_next(args, data)}")


def _is_unclear(data: OwnData) -> bool:
    """Whether the user has to say which column is the gold or the prediction."""
    guess = data.guess
    return bool(guess.queries) and not (
        guess.has_gold and (guess.has_prediction or data.predictions)
    )


def _next(args: InitArgs, data: OwnData) -> str:
    """What works now, or what is to be done before it does."""
    words = ["sqlverdict", "evaluate"]
    if args.out != Path(FILE_NAME) or (data.databases is not None and is_server(data.databases)):
        words += ["--project", str(args.out)]
    evaluate = shlex.join(words)
    if not data.problem:
        return evaluate
    if data.cases is None:
        return f"set cases, or benchmark and root, in {args.out}; then {evaluate}"
    if _is_unclear(data):
        if len(data.guess.queries) > 2 and data.guess.clear_gold is not None:
            return (
                f"say in {args.out}, under [columns], which is the gold; then {evaluate} prints "
                f"the command for all systems"
            )
        return f"say in {args.out}, under [columns], which is gold and prediction; then {evaluate}"
    if data.guess.has_gold and not data.guess.has_prediction and not data.predictions:
        return f"{evaluate} --predictions FILE"
    return f"correct it; then {evaluate}"


def _relative(path: str, folder: Path) -> str:
    """A path as seen from the folder of the file; a URL and a path elsewhere as they are."""
    try:
        return str(Path(path).relative_to(folder)) if "://" not in path else path
    except ValueError:
        return str(Path(path).absolute())


def _lines(values: Mapping[str, Any], data: OwnData) -> Iterator[str]:
    yield _START
    for key, value in values.items():
        yield f"{key} = {_value(value)}"
    known = options_by_key()
    for key in _DEFAULTS:
        yield f"#{key} = {_value(known[key].usual)}"
    columns = [*_columns(data)]
    if columns:
        yield "\n# Which column of your file is which: gold, prediction, question, id, db_id ..."
        yield f"[{COLUMNS}]"
    yield from columns


def _columns(data: OwnData) -> Iterator[str]:
    """The lines of the column map; where the user has to choose, the choices with a mark."""
    guess = data.guess
    for name, target in guess.columns.items():
        yield f"{_text(name)} = {_text(target)}"
    for name in guess.queries if _is_unclear(data) else ():
        field = "prediction" if guess.has_gold or guess.clear_gold not in (None, name) else "gold"
        other = "" if guess.has_gold or guess.clear_gold else '   # or "prediction"'
        yield f'#{_text(name)} = "{field}"{other}'


def _value(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(text: str) -> str:
    """A text as TOML writes it, which is as JSON does but for one letter."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
