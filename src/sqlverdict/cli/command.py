"""Commands whose options are the fields of a dataclass.

A command declares its options as the fields of a frozen dataclass, and gets them as one value::

    @dataclass(frozen=True, kw_only=True)
    class ShowArgs:
        run: Path = argument(type=FOLDER)
        case_id: str = argument(metavar="ID")
        as_json: bool = json_option()

    @command(ShowArgs, examples=["sqlverdict show runs/mine 17"])
    def show(args: ShowArgs) -> None:
        '''Show the case ID of a run.'''

Options that several commands share are a dataclass too, and a field of each of them
(:func:`group`). The help of a command with many options lists them by :class:`Heading`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from enum import StrEnum
from inspect import cleandoc
from typing import Any, TypeVar, cast

import click

Args = TypeVar("Args")

MANY_OPTIONS = 10
"""A command with more options than this lists them by heading."""


class Heading(StrEnum):
    """The headings of a command's help, in the order in which they stand there."""

    DATA = "Data"
    CASES = "Cases"
    QUESTIONS = "Questions"
    LABELS = "Labels"
    METRICS = "Metrics"
    EVIDENCE = "Evidence"
    JUDGE = "Judge"
    TRAINING = "Training"
    LINTS = "Lints"
    MODEL = "Language model"
    LIMITS = "Limits"
    OUTPUT = "Output"


class HeadedOption(click.Option):
    """An option that knows its heading in the help, and its former names.

    Args:
        names: What click takes: the parameter's name and the option's names.
        heading: Where the help lists it.
        aliases: Former names, which still work and are not in the help.
        settings: Everything else that click takes.
    """

    def __init__(
        self,
        names: Sequence[str],
        heading: Heading = Heading.OUTPUT,
        aliases: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        super().__init__([*names, *aliases], **settings)
        self.heading = heading
        self.aliases = tuple(aliases)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option's line in the help, without its former names."""
        every = self.opts
        self.opts = [name for name in every if name not in self.aliases]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = every


def _abbreviates(short: str, name: str) -> bool:
    """Whether an option's letters stand in another's in this order, the first at its start."""
    if not short.startswith("--") or short[:3] != name[:3]:
        return False
    letters = iter(name)
    return all(letter in letters for letter in short)


class HeadedCommand(click.Command):
    """A command whose help lists many options by heading."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the project file and the command line; a file without its option gets a hint."""
        try:
            line_options, _, order = self.make_parser(ctx).parse_args(args=list(args))
            if "help" not in line_options:
                from sqlverdict.cli.repeated_inputs import check_repeated

                check_repeated(order, ctx)
                self._read_project(ctx, args, line_options)
            return super().parse_args(ctx, args)
        except click.NoSuchOption as wrong:
            short = [name for name in self._option_names() if _abbreviates(wrong.option_name, name)]
            if not short:
                raise
            hint = f"Did you mean {' or '.join(short)}?"
            raise click.UsageError(f"No such option '{wrong.option_name}'. {hint}", ctx) from wrong
        except click.UsageError as wrong:
            own = any("--cases" in each.opts for each in self.params)
            if own and "unexpected extra argument" in wrong.message:
                hint = "Give the file of your questions with --cases, answers with --predictions."
                raise click.UsageError(f"{wrong.message}. {hint}", ctx) from wrong
            raise

    def _option_names(self) -> list[str]:
        return [name for each in self.params for name in each.opts if name.startswith("--")]

    def _read_project(
        self, ctx: click.Context, args: list[str], line_options: Mapping[str, Any]
    ) -> None:
        """Take the options of the project file as defaults, and say which."""
        if not any(each.name == "project" for each in self.params):
            return
        from sqlverdict.cli.project import read_project

        project = read_project(self, ctx, line_options)
        if not project.values:
            return
        ctx.default_map = project.values
        # Reports show the whole command, whatever part of it was typed.
        line = ctx.find_root().obj
        if isinstance(line, list):
            line[:] = [*line[: len(line) - len(args)], *project.arguments, *args]
        click.echo(f"options from {project.file}: {', '.join(project.values)}", err=True)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, by heading where there are many."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        if len(options) <= MANY_OPTIONS:
            super().format_options(ctx, formatter)
            return
        for heading in Heading:
            records = [
                record
                for option in options
                if getattr(option, "heading", Heading.OUTPUT) is heading
                if (record := option.get_help_record(ctx)) is not None
            ]
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def option(
    *names: str,
    heading: Heading | None = None,
    aliases: Sequence[str] = (),
    **settings: Any,
) -> Any:
    """A field that is an option; the field's name is the parameter's.

    Args:
        names: The option's names, such as ``--out``.
        heading: Where the help lists it, if not where the field's group stands.
        aliases: Former names, which still work and are not in the help.
        settings: What :class:`click.Option` takes. A default is shown in the help.
    """
    default = settings.get("default", MISSING)
    if default is MISSING:
        default = () if settings.get("multiple") else False if settings.get("is_flag") else None
    elif default not in ("", ()):
        settings.setdefault("show_default", True)
    if isinstance(settings.get("type"), click.IntRange):
        settings.setdefault("metavar", "N")

    def make(name: str, outer: Heading) -> click.Parameter:
        return HeadedOption([name, *names], heading or outer, aliases, **settings)

    return field(
        default=MISSING if settings.get("required") else default, metadata={"parameter": make}
    )


def argument(**settings: Any) -> Any:
    """A field that is an argument; the field's name is the parameter's.

    Args:
        settings: What :class:`click.Argument` takes.
    """

    def make(name: str, outer: Heading) -> click.Parameter:
        del outer
        return click.Argument([name], **settings)

    return field(
        default=MISSING if settings.get("required", True) else None, metadata={"parameter": make}
    )


def group(kind: type[Args], heading: Heading | None = None) -> Args:
    """A field that is a group of options.

    Args:
        kind: The group's dataclass. Its ``HEADING`` says where the help lists its options.
        heading: Another heading.
    """
    return field(default_factory=kind, metadata={"group": kind, "heading": heading})


def parameters(kind: type[Any], heading: Heading | None = None) -> Iterator[click.Parameter]:
    """The click parameters of a dataclass, those of its groups included.

    Args:
        kind: The dataclass.
        heading: Where the help lists its options, if not where the class says.
    """
    own = heading if heading is not None else getattr(kind, "HEADING", Heading.OUTPUT)
    for each in fields(kind):
        if "group" in each.metadata:
            yield from parameters(each.metadata["group"], each.metadata["heading"])
        else:
            yield _maker(each)(each.name, own)


def _maker(declared: Field[Any]) -> Callable[[str, Heading], click.Parameter]:
    if "parameter" not in declared.metadata:
        raise TypeError(f"the field {declared.name} is neither option, argument nor group")
    return cast("Callable[[str, Heading], click.Parameter]", declared.metadata["parameter"])


def build(kind: type[Args], values: Mapping[str, Any]) -> Args:
    """The dataclass, from click's values by parameter name."""
    return kind(
        **{
            each.name: build(each.metadata["group"], values)
            if "group" in each.metadata
            else values[each.name]
            for each in fields(kind)  # type: ignore[arg-type]
        }
    )


def command(
    kind: type[Args],
    *,
    examples: Sequence[str] = (),
    name: str | None = None,
    parent: click.Group | None = None,
) -> Callable[[Callable[[Args], int | None]], click.Command]:
    """Make a command of a function that takes one dataclass.

    Args:
        kind: The dataclass of its options.
        examples: Calls to show at the end of the help.
        name: The command's name, if not the function's.
        parent: The group that the command belongs to, for a subcommand.
    """

    def decorate(function: Callable[[Args], int | None]) -> click.Command:
        def call(**values: Any) -> int | None:
            return function(build(kind, values))

        created = HeadedCommand(
            name or function.__name__,
            callback=call,
            params=list(parameters(kind)),
            help=cleandoc(function.__doc__ or ""),
            epilog=examples_text(examples) if examples else None,
        )
        if parent is not None:
            parent.add_command(created)
        return created

    return decorate


def examples_text(lines: Sequence[str]) -> str:
    """Example calls as the end of a help text; click leaves them as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
