"""The command ``sqlverdict``: imports the command that is called, and turns errors into exit codes.

This file imports no command and nothing heavy: ``--help`` and ``--version`` answer at once.
"""

from __future__ import annotations

import importlib
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NoReturn

import click

from sqlverdict import __version__
from sqlverdict.cli import commands
from sqlverdict.files.escapes import escaping

_PACKAGE = "sqlverdict.cli.commands"

SECTIONS = ("runs", "pairs", "data", "labels", "lists")
"""The folders of commands, in the order in which the help lists them."""
FIRST = ("demo", "evaluate", "show", "view", "compare", "check", "leaderboard", "doctor")
"""The commands that a newcomer needs: the help lists them before all others."""

FORMER: Mapping[str, str] = {
    "ablate": "agree RUN --labels FILE --context all --model NAME",
    "abstain apply": "abstain run LINE",
    "abstain list": "explain methods",
    "bank export": "bank --export FILE",
    "bank import": "bank --import FILE",
    "bank list": "bank",
    "bank suite": "bank --suite DIRECTORY",
    "benchmarks": "explain benchmarks",
    "calibrate": "agree RUN --labels FILE --calibrate --out FILE",
    "categories": "table RUN --of categories",
    "contributions": "table RUN --of contributions --schema PATH",
    "engines": "explain engines",
    "list": "show RUN",
    "merge": "evaluate --merge RUN --merge RUN --out DIRECTORY",
    "metrics": "explain metrics",
    "presets": "explain presets",
    "query": "pair SQL",
    "rescore": "leaderboard RUN --golds FILE",
    "replay": "refute --replay FILE",
    "rules": "explain rules",
    "trials": "table RUN --of trials",
}
"""What to give instead of commands that are gone."""

INTERRUPTED = 130
_is_terminated = False
"""Whether SIGTERM came."""
_BROKEN_PIPE = 128 + 13
"""What shells report for a program that the signal SIGPIPE ended."""

EXIT_CODES = {
    0: "done, and every threshold is met",
    1: "a threshold was missed, or there is a regression",
    2: "the call or an input file is wrong",
    3: "no case could be evaluated",
    4: "some cases could not be evaluated",
    5: "a pair is both proved and refuted, a bug of sqlverdict: the case is saved and\n"
    "       the run stops; run the same command again to continue after it",
    6: "a file could not be read or written (disk full, read-only)",
    7: "too few labels to tell whether a minimum accuracy is reached",
    70: "another bug of sqlverdict; its traceback is saved",
    INTERRUPTED: "interrupted (Ctrl-C, SIGTERM); run the same command again to continue",
}
"""What each exit code means."""

_EPILOG = "\b\nExit codes:\n" + "\n".join(
    f"  {code:<4} {meaning}" for code, meaning in EXIT_CODES.items()
)


class Commands(click.Group):
    """The commands of the folder ``commands``. Each is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, which are those of their files."""
        del ctx
        return sorted(_modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        del ctx
        module = _modules().get(cmd_name)
        if module is None:
            return None
        command: click.Command = getattr(importlib.import_module(module), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the first commands, then the others by folder, each by its file's first line."""
        del ctx
        every = {file.stem: file for _, file in _files()}
        sections = [("Start here", [every[name] for name in FIRST])]
        for folder, files in groupby(_files(), key=lambda each: each[0]):
            others = [file for _, file in files if file.stem not in FIRST]
            sections.append((_first_line(folder / "__init__.py"), others))
        for heading, files_there in sections:
            with formatter.section(heading):
                formatter.write_dl([(file.stem, _first_line(file)) for file in files_there])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a former name or a typing mistake gets a hint."""
        check_former(args)
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            known = self.list_commands(ctx)
            near = get_close_matches(args[0], known, n=1) if args else []
            hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(known)}"
            raise click.UsageError(f"{error.format_message()} {hint}", ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that went away (``| head``) is not an error."""
        try:
            exit_code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _BROKEN_PIPE
        return exit_code

    def main(self, args: Sequence[str] | None = None, *pos: Any, **settings: Any) -> NoReturn:
        """Run a command and leave with its exit code."""
        every = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in every
        # Accepted anywhere: people add it at the end of the line that failed.
        rest = [arg for arg in every if arg != "--debug"] or ["--help"]
        if rest[0] == "help":
            rest = [*rest[1:], "--help"]
        with escaping():
            self._main(rest, debug, *pos, **settings)

    def _main(self, rest: list[str], debug: bool, *pos: Any, **settings: Any) -> NoReturn:
        try:
            # Commands find their own line in ctx.obj, to write it into reports.
            exit_code = super().main(
                rest, *pos, **{**settings, "standalone_mode": False, "obj": rest}
            )
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every error ends here
            from sqlverdict.cli.failures import exit_code_of, json_of, message_of

            if debug:
                import traceback

                traceback.print_exception(error, file=sys.stderr)
            click.echo(message_of(error, rest, terminated=_is_terminated), err=True)
            if content := json_of(error, rest):
                click.echo(content)
            sys.exit(INTERRUPTED if _is_terminated else exit_code_of(error))
        if _is_terminated:
            # A server ends by itself.
            from sqlverdict.cli.failures import termination_text

            click.echo(termination_text(), err=True)
            sys.exit(INTERRUPTED)
        sys.exit(exit_code if isinstance(exit_code, int) else 0)


@lru_cache(maxsize=1)
def _modules() -> dict[str, str]:
    """The module of each command, by the command's name; nothing is imported."""
    return {file.stem: f"{_PACKAGE}.{folder.name}.{file.stem}" for folder, file in _files()}


def all_commands() -> Iterator[click.Command]:
    """Every command, and those of its groups; imports all of them."""
    context = click.Context(sqlverdict)
    for name in sqlverdict.list_commands(context):
        command = sqlverdict.get_command(context, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from command.commands.values()


def _files() -> Iterator[tuple[Path, Path]]:
    """The files of commands, each with its folder, section by section."""
    for section in SECTIONS:
        folder = Path(commands.__file__).parent / section
        for file in sorted(folder.glob("*.py")):
            if file.stem != "__init__":
                yield folder, file


def _first_line(file: Path) -> str:
    """The first line of a file's docstring, read without importing the file."""
    with file.open(encoding="utf-8") as lines:
        text = lines.readline().strip().strip('"').rstrip(".")
    text = re.sub(r"^``[^`]*``: ", "", text)
    return text[:1].upper() + text[1:]


def check_former(args: Sequence[str]) -> None:
    """Refuse the name of a command that is gone.

    Args:
        args: The words after ``sqlverdict``.

    Raises:
        UsageError: they begin with such a name; the message has the command to give instead.
    """
    for length in (2, 1):
        former = " ".join(args[:length])
        if former in FORMER:
            from sqlverdict.errors import UsageError

            new = FORMER[former]
            name = new.partition(" ")[0]
            raise UsageError(
                f"the command {former} has another name now. Use:\n  sqlverdict {new}\n"
                f"'sqlverdict {name} --help' has its options"
            )


@click.command(
    cls=Commands,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="sqlverdict %(version)s")
@click.option("--debug", is_flag=True, help="Print the traceback of an error.")
def sqlverdict(debug: bool) -> None:
    """Decide whether a text-to-SQL system's answers are right, with evidence."""
    del debug


def end_at_sigterm() -> None:
    """From now on SIGTERM ends a command as Ctrl-C does; where it is ignored, it stays so.

    Schedulers, containers and shutdowns send it. Without a handler a process ends at once, and
    says nothing. A second one does end it at once.
    """
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_signal: int, _frame: object) -> None:
    global _is_terminated
    _is_terminated = True
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise KeyboardInterrupt


def main() -> NoReturn:
    """The entry point of the program."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter must not end a run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    end_at_sigterm()
    sqlverdict.main(prog_name="sqlverdict")
