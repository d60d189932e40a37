"""The command ``sqlverdict``: finds the asked command's file, and turns errors into exit codes.

==== =====================================================
0    done, and every threshold is met
1    a threshold or regression failed
2    the call or a file is wrong
3    nothing could be evaluated
4    some cases could not be evaluated
5    a pair is both proved and refuted: a bug of ours; the run
     stops, and the same command goes on behind it
6    a file could not be read or written: full disk, rights
70   another bug of ours; its traceback is saved
130  interrupted; the same command resumes
==== =====================================================
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NoReturn

import click

from sqlverdict import __version__
from sqlverdict.cli import commands
from sqlverdict.files.escapes import escaping

_PACKAGE = "sqlverdict.cli.commands"
_BROKEN_PIPE = 128 + 13
"""What shells report for a program that the signal SIGPIPE ended."""

_EPILOG = """\b
Start here:
  sqlverdict demo

\b
Exit codes: 0 done, 1 a threshold or regression failed, 2 usage, 3 nothing could
be evaluated, 4 some cases could not be evaluated, 5 stopped at a contradiction
(a bug of ours, saved; resumable), 6 a file could not be read or written, 70 a bug
of ours (its traceback is saved), 130 interrupted (resumable).
"""


class Commands(click.Group):
    """The commands of this folder. None is imported before it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands' names: their files' names."""
        del ctx
        return sorted(_homes())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        del ctx
        home = _homes().get(cmd_name)
        if home is None:
            return None
        module = importlib.import_module(home)
        command: click.Command = getattr(module, cmd_name, None) or module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by folder, each by the first line of its file."""
        del ctx
        for folder, files in groupby(_files(), key=lambda each: each[0]):
            with formatter.section(_first_line(folder / "__init__.py")):
                formatter.write_dl([(file.stem, _first_line(file)) for _, file in files])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a typing mistake gets a hint."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            known = self.list_commands(ctx)
            near = get_close_matches(args[0], known, n=1) if args else []
            hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(known)}"
            raise click.UsageError(f"{error.format_message()} {hint}", ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the asked command; a reader that went away (``| head``) is no error of ours."""
        try:
            found = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _BROKEN_PIPE
        return found

    def main(self, args: Sequence[str] | None = None, *pos: Any, **named: Any) -> NoReturn:
        """Run a command and leave with its exit code."""
        given = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in given
        # Accepted anywhere: people add it at the end of the line that failed.
        rest = [arg for arg in given if arg != "--debug"]
        with escaping():
            self._main(rest, debug, *pos, **named)

    def _main(self, rest: list[str], debug: bool, *pos: Any, **named: Any) -> NoReturn:
        try:
            # Commands find their own line in ctx.obj, to write it into reports.
            found = super().main(rest, *pos, **{**named, "standalone_mode": False, "obj": rest})
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last border of all
            from sqlverdict.cli.failures import exit_code_of, message_of

            if debug:
                import traceback

                traceback.print_exception(error, file=sys.stderr)
            click.echo(message_of(error, rest), err=True)
            sys.exit(exit_code_of(error))
        sys.exit(found if isinstance(found, int) else 0)


@lru_cache(maxsize=1)
def _homes() -> dict[str, str]:
    """The module of each command, by the command's name; nothing is imported for it."""
    return {file.stem: f"{_PACKAGE}.{folder.name}.{file.stem}" for folder, file in _files()}


def _files() -> Iterator[tuple[Path, Path]]:
    """The files of commands, each with its folder."""
    for folder in sorted(Path(commands.__file__).parent.iterdir()):
        for file in sorted(folder.glob("*.py")):
            if file.stem != "__init__":
                yield folder, file


def _first_line(file: Path) -> str:
    """The first line of a file's docstring, read without importing the file."""
    with file.open(encoding="utf-8") as lines:
        text = lines.readline().strip().strip('"').rstrip(".")
    text = re.sub(r"^``[^`]*``: ", "", text)
    return text[:1].upper() + text[1:]


@click.command(
    cls=Commands,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="sqlverdict %(version)s")
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
def sqlverdict(debug: bool) -> None:
    """Say whether a text-to-SQL system's answers are right, with evidence."""
    del debug


def main() -> NoReturn:
    """The entry point of the console script."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter must not end a run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sqlverdict.main(prog_name="sqlverdict")
