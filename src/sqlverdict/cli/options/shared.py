"""Options that several commands share, and what every command prints."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from sqlverdict.cli.options.fields import (
    SET,
    HeadedOption,
    Heading,
    SettingsCommand,
    argument,
    option,
    setting,
)
from sqlverdict.cli.settings import settable
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import LONGEST, Limits
from sqlverdict.files.atomic import write_text_at_once
from sqlverdict.files.escapes import json_escaped
from sqlverdict.files.references import as_existing, check_reference
from sqlverdict.files.secrets import without_secrets
from sqlverdict.runlog.merge import Shard


class PathName(click.Path):
    """A path; an empty text is none, and not the current folder."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """The path.

        Raises:
            UsageError: the text is empty.
        """
        check_not_empty(os.fspath(value), _spelling(param))
        return super().convert(value, param, ctx)


def _spelling(param: click.Parameter | None) -> str:
    """How a user names a parameter."""
    if isinstance(param, HeadedOption):
        return param.spelling
    return param.opts[0] if param is not None else "the path"


def check_not_empty(text: str, name: str) -> None:
    """Refuse an empty path, as from a variable that is not set.

    Raises:
        UsageError: it is empty.
    """
    if not text.strip():
        raise UsageError(f"{name} is empty. Expected a path; is a variable of the shell not set?")


class NumberRange(click.FloatRange):
    """A number within bounds; NaN and infinity are none: a limit of NaN would limit nothing."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number."""
        number = float(super().convert(value, param, ctx))
        if not abs(number) <= LONGEST:
            self.fail(f"{value} is not a number of at most {LONGEST:,}.", param, ctx)
        return number


FILE = PathName(path_type=Path, dir_okay=False)
FOLDER = PathName(path_type=Path, file_okay=False)
ANY_PATH = PathName(path_type=Path)
POSITIVE = NumberRange(0, min_open=True)
OPEN_UNIT = NumberRange(0, 1, min_open=True, max_open=True)


class ReferenceType(click.ParamType):  # type: ignore[type-arg]  # not generic in click 8.1
    """A database reference: a path, or a URL without a password."""

    name = "path or url"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The reference as it was given.

        Raises:
            UsageError: it holds a password, or is empty.
        """
        del ctx
        check_not_empty(str(value), _spelling(param))
        return as_existing(check_reference(str(value)))


REFERENCE = ReferenceType()


class ReadText(click.ParamType):  # type: ignore[type-arg]  # not generic in click 8.1
    """A value that a function reads from its text.

    Args:
        name: What the help calls it.
        read: Reads the text; a ``ValueError`` of it says what was expected.
    """

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value."""
        try:
            return self._read(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _names(text: str) -> tuple[str, ...]:
    """``a, b`` as ``("a", "b")``."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _shard(text: str) -> Shard:
    """``2/4`` as the second of four shards."""
    number, _, of = text.partition("/")
    try:
        return Shard(int(number), int(of))
    except ValueError:
        raise ValueError(f"{text!r} is not a shard; expected 1/4, 2/4 and so on") from None


def _column(text: str) -> tuple[str, str]:
    """``sql=gold`` as ``("sql", "gold")``: a column of the user's file, and what it is read as.

    Raises:
        UsageError: it is not of this form.
    """
    column, sign, target = (part.strip() for part in text.partition("="))
    if not sign or not column or not target:
        raise UsageError(
            f"--column {text!r}: expected NAME=FIELD, a column of the file and the field to "
            f"read it as, such as sql=gold"
        )
    return column, target


def split_name(text: str) -> tuple[str, Path]:
    """``name=FILE`` or ``FILE``, which is named after its stem.

    Raises:
        UsageError: the file has no name.
    """
    name, sign, file = text.partition("=")
    if sign and name and not Path(text).exists():
        check_not_empty(file, f"the path in {text!r}")
        return name, Path(file)
    check_not_empty(text, "the path of a file")
    return Path(text).stem, Path(text)


NAMES = ReadText("names", _names)
SHARD = ReadText("shard", _shard)
COLUMN = ReadText("column", _column)
OVERLAY_FILE = ReadText("overlay", split_name)
"""``[NAME=]FILE``: a set of corrected golds."""


def json_option() -> Any:
    """``--json``: the result as JSON on standard output, figures as fractions."""
    text = "Print JSON (fractions, not percentages)."
    return option("--json", is_flag=True, heading=Heading.OUTPUT, help=text)


def quiet_option(text: str = "Do not show progress.") -> Any:
    """``--quiet``."""
    return option("--quiet", is_flag=True, heading=Heading.OUTPUT, help=text)


def figures_option(what: str) -> Any:
    """``--figures``: the folder of the SVG figures that a command can draw."""
    return option("--figures", type=FOLDER, help=f"Write SVG figures to this folder: {what}.")


def write_figures(folder: Path | None, figures: Mapping[str, str]) -> list[Path]:
    """Write figures, from file name to SVG, to the folder of ``--figures``, where one is given."""
    if folder is None:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in figures]
    for path, svg in zip(paths, figures.values(), strict=True):
        write_text_at_once(path, svg + "\n")
    return paths


def html_option() -> Any:
    """``--html``: the runs as one page."""
    text = "Write the runs as one HTML page, with every case, to this file."
    return option("--html", type=FILE, heading=Heading.OUTPUT, help=text)


def schema_option(text: str = "tables.json, CREATE statements, DDL JSON, or a folder.") -> Any:
    """``--schema``."""
    return option("--schema", type=ANY_PATH, heading=Heading.DATA, help=text)


def databases_option() -> Any:
    """``--databases``."""
    text = (
        "The folder of the databases, in any usual layout, one database file, or a URL such as "
        "postgresql://host/{db_id}."
    )
    return option(
        "--databases", type=REFERENCE, metavar="PATH|URL", heading=Heading.DATA, help=text
    )


def limit_option() -> Any:
    """``--limit``: fewer cases."""
    return option(
        "--limit", type=click.IntRange(1), heading=Heading.DATA, help="Only the first N cases."
    )


def show_option(default: int, what: str) -> Any:
    """``--show``: how much to print."""
    return option("--show", type=click.IntRange(0), default=default, help=f"Print {what}.")


def null_keys_setting() -> Any:
    """The setting ``null-keys``: declared keys may hold NULL where SQLite allows it."""
    text = "A primary key may hold NULL where SQLite allows it. [default: never]"
    return setting("null-keys", is_flag=True, heading=Heading.EVIDENCE, help=text)


def force_option() -> Any:
    """``--force``: compare runs whose cases differ."""
    text = "Pair cases by id even if their questions or golds differ."
    return option("--force", is_flag=True, heading=Heading.DATA, help=text)


def workers_option() -> Any:
    """``--workers``."""
    text = (
        "Worker processes. 0 uses this process, which cannot interrupt a single long step of a "
        "query. [default: one per core]"
    )
    return option("--workers", type=click.IntRange(0), heading=Heading.LIMITS, help=text)


def seed_setting(text: str = "The seed of every random choice.") -> Any:
    """The setting ``seed``."""
    return setting("seed", type=int, default=0, metavar="N", heading=Heading.LIMITS, help=text)


def trust_role_setting() -> Any:
    """The setting ``trust-role`` of the commands that run queries."""
    return setting(
        "trust-role",
        is_flag=True,
        heading=Heading.LIMITS,
        help="Run queries on a server as the role of the URL, whatever it may do. "
        "[default: as a role that may only read]",
    )


def scratch_setting() -> Any:
    """The setting ``scratch`` of the commands that search for witnesses."""
    return setting(
        "scratch",
        type=REFERENCE,
        metavar="URL",
        heading=Heading.EVIDENCE,
        help="Search for witnesses on this server, of the same engine and version. "
        "[default: on that of the database]",
    )


def timeout_option(*, is_setting: bool = True) -> Any:
    """The setting ``timeout`` of the commands that run queries; an option of ``evaluate``."""
    return option(
        "--timeout",
        is_setting=is_setting,
        type=POSITIVE,
        default=Limits().seconds,
        metavar="SECONDS",
        heading=Heading.LIMITS,
        help="Timeout per query.",
    )


def run_argument() -> Any:
    """A run folder."""
    return argument(type=FOLDER, metavar="RUN")


def runs_argument(*, required: bool = True) -> Any:
    """One or more run folders."""
    metavar = "RUN..." if required else "[RUN...]"
    return argument(type=FOLDER, metavar=metavar, nargs=-1, required=required)


def command_line() -> str:
    """The command that is running, as it can be given again, without secrets in URLs."""
    return shlex.join(["sqlverdict", *command_words()])


def command_words() -> tuple[str, ...]:
    """The words of the command that is running, without secrets in URLs."""
    return tuple(map(without_secrets, click.get_current_context().find_root().obj or ()))


def options_on_line() -> dict[str, str]:
    """The options and settings of the command line: how each is spelled, by parameter's name."""
    context = click.get_current_context()
    options = {
        each.name: each.opts[0]
        for each in context.command.params
        if isinstance(each, click.Option) and each.name is not None
        if context.get_parameter_source(each.name) is ParameterSource.COMMANDLINE
    }
    if options.pop(SET, None) is None or not isinstance(context.command, SettingsCommand):
        return options
    known = settable(context.command)
    for text in context.params[SET]:
        own = known[text.partition("=")[0].strip().replace("_", "-")]
        options[str(own.name)] = own.spelling
    return options


def print_json(content: Any) -> None:
    """Print a value as indented JSON."""
    click.echo(json_text(content))


def json_text(content: Any) -> str:
    """A value as indented JSON."""
    text = msgspec.json.format(msgspec.json.encode(content, enc_hook=_plain), indent=2)
    return json_escaped(text.decode())


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
