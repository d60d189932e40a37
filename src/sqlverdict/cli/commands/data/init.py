"""Write a project file: the options of evaluate, with comments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import click

from sqlverdict.cli.command import HeadedOption, Heading, command, option
from sqlverdict.cli.options.shared import FILE, databases_option
from sqlverdict.cli.project import COLUMNS, FILE_NAME, key_of, options_by_key
from sqlverdict.errors import BenchmarkError, DataError, UsageError
from sqlverdict.execute.engine import ENGINES
from sqlverdict.files.text import few_of
from sqlverdict.load.columns.guess import HEAD, GuessedColumns, guess_columns
from sqlverdict.load.columns.spellings import other_spellings
from sqlverdict.load.tables.table import SUFFIXES, open_table, table_format

_QUESTIONS = (*(suffix for suffixes in SUFFIXES.values() for suffix in suffixes), ".jsonl")
_START = """# Options of "sqlverdict evaluate", so that they need not be typed.
# The command line comes before this file. Paths are relative to this file.
# Remove the "#" in front of an option to set it; the values shown are the defaults, or examples.
# Options of a judge, and databases on a server, also need "--project sqlverdict.toml".
"""


@dataclass(frozen=True, kw_only=True)
class InitArgs:
    """The options of ``init``."""

    cases: Path | None = option(
        "--cases", type=FILE, help="Your questions. [default: the only such file in this folder]"
    )
    databases: str | None = databases_option()
    out: Path = option("--out", type=FILE, default=Path(FILE_NAME), help="The file to write.")
    overwrite: bool = option("--overwrite", is_flag=True, help="Replace an existing file.")


@command(
    InitArgs, examples=["sqlverdict init", "sqlverdict init --cases bot.csv --databases shop.db"]
)
def init(args: InitArgs) -> None:
    """Write sqlverdict.toml, a commented file of options that evaluate reads.

    It names your questions and your database, and says which column is which where the names do
    not. Check these lines, then run sqlverdict evaluate without options.
    """
    if args.out.exists() and not args.overwrite:
        raise UsageError(f"{args.out} exists. Give another --out, or replace it with --overwrite")
    folder = args.out.parent
    cases = args.cases or _only(folder, _QUESTIONS, "questions", "--cases")
    database = args.databases or _only(folder, _database_suffixes(), "databases", "--databases")
    guess = _guess(cases) if cases is not None else GuessedColumns(())
    values: dict[str, Any] = {}
    if cases is not None:
        values["cases"] = _relative(str(cases), folder)
    if database is not None:
        values["databases"] = _relative(str(database), folder)
    args.out.write_text("\n".join(_lines(values, guess)) + "\n", encoding="utf-8")
    click.echo(f"written to {args.out}")
    for name, value in values.items():
        click.echo(f"  {name} = {value}")
    for name, target in guess.columns.items():
        click.echo(f"  column {name!r} is read as {target}: a guess, please check")
    if guess.queries and not (guess.has_gold and guess.has_prediction):
        open_ = few_of(guess.queries)
        click.echo(f"  columns with SQL whose names do not say what they are: {open_}")
        click.echo(f"  write them into {args.out}, as gold and prediction")
    click.echo("next: sqlverdict evaluate")


def _only(folder: Path, suffixes: Sequence[str], what: str, name: str) -> Path | None:
    """The only file of a kind in a folder; several are named and none is taken."""
    files = sorted(
        file for file in folder.iterdir() if file.suffix.lower() in suffixes and file.is_file()
    )
    if len(files) > 1:
        names = few_of([file.name for file in files])
        click.echo(f"note: {what} may be any of {names}: choose with {name}", err=True)
    return files[0] if len(files) == 1 else None


def _database_suffixes() -> tuple[str, ...]:
    return tuple(dict.fromkeys(suffix for _, each in ENGINES.items() for suffix in each.suffixes))


def _guess(cases: Path) -> GuessedColumns:
    """A guess at the columns whose names are not ours, from the first rows of a table."""
    if table_format(cases) is None:
        return GuessedColumns(())
    try:
        table = open_table(cases, BenchmarkError)
        rows = [row for _, row in islice(table.rows, HEAD)]
        table.rows.close()
        return guess_columns(table.header, rows, {}, other_spellings(table.header, {}))
    except DataError as bad:
        click.echo(f"note: {bad}", err=True)
        return GuessedColumns(())


def _relative(path: str, folder: Path) -> str:
    """A path as seen from the folder of the file; a URL and a path elsewhere as they are."""
    try:
        return str(Path(path).relative_to(folder)) if "://" not in path else path
    except ValueError:
        return str(Path(path).absolute())


def _lines(values: dict[str, Any], guess: GuessedColumns) -> Iterator[str]:
    yield _START
    options = [each for each in options_by_key().values() if key_of(each) != COLUMNS]
    order = list(Heading)
    by_heading = sorted(options, key=lambda each: order.index(each.heading))
    for heading, group in groupby(by_heading, key=lambda each: each.heading):
        yield f"# {heading}"
        for each in group:
            yield from _entry(each, values)
        yield ""
    yield "# Which column of your file is which: gold, prediction, question, id, db_id ..."
    yield "[columns]"
    for name, target in guess.columns.items():
        yield f"{_text(name)} = {_text(target)}"
    for name in guess.queries if not (guess.has_gold and guess.has_prediction) else ():
        yield f'#{_text(name)} = "gold"   # or "prediction"'
    if not guess.columns and not guess.queries:
        yield '#"Answer" = "prediction"'


def _entry(each: HeadedOption, values: dict[str, Any]) -> Iterator[str]:
    key = key_of(each)
    for line in (each.help or "").split("\n"):
        yield f"## {line}"
    if key in values:
        yield f"{key} = {_text(values[key])}"
        return
    yield f"#{key} = {_example(each)}"


def _example(each: HeadedOption) -> str:
    default = each.default
    if each.is_flag:
        return "true"
    if isinstance(default, (int, float)) and not isinstance(default, bool):
        return str(default)
    if isinstance(default, str):
        return _text(default)
    number = isinstance(each.type, (click.types.IntParamType, click.types.FloatParamType))
    if number:
        return "1"
    example = _text(each.metavar or "")
    return f"[{example}]" if each.multiple else example


def _text(text: str) -> str:
    """A text as TOML writes it, which is as JSON does but for one letter."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
