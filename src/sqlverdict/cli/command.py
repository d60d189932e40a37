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
(:func:`group`; all kinds of fields are in ``options/fields.py``). The help of a command with many
options lists them by :class:`Heading`.

What few people change on a command line is a :func:`setting`: a line of the project file, or
``--set KEY=VALUE``. ``--help-all`` lists the settings, and options that ``--help`` leaves out.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import cleandoc
from itertools import islice
from typing import Any

import click

from sqlverdict.cli.options.fields import (
    SET,
    Args,
    HeadedOption,
    Heading,
    SettingsCommand,
    build,
    parameters,
)
from sqlverdict.cli.settings import read_set, setting_hint
from sqlverdict.errors import OptionName, SameCall, SqlverdictError

MANY_OPTIONS = 10
"""A command with more options than this lists them by heading."""
_HELP = ("-h", "--help")
HELP_ALL = "help_all"
"""The parameter of ``--help-all``."""
MOST_SHOWN = 30
"""``--help`` of a command with more options than this leaves out the rare ones."""

_HEADINGS = (
    Heading.DATA,
    Heading.QUESTIONS,
    Heading.LABELS,
    Heading.EVIDENCE,
    Heading.TRAINING,
)
_TEXT_INPUTS = ("benchmark", "predictions")
"""Inputs whose type is a plain text."""
_ADVICE = {
    "cases": "Put the questions into one file, or run the command once for each, with an --out of "
    "its own",
    "databases": "Name the folder that holds them; the field 'db_id' of a case names its database",
    "labels": "Put the labels into one file; 'sqlverdict label RUN --import FILE' takes several",
    "predictions": "Run the command once for each",
}


def _check_repeated(order: Sequence[click.Parameter], ctx: click.Context) -> None:
    """Refuse an input that is given twice where a command takes one: one would be left out.

    Other options may be repeated, and the last one counts: a script can add to a fixed command
    line.

    Args:
        order: The parameters of the command line, each as often as it stands there.
        ctx: The command's context, for the message.

    Raises:
        click.UsageError: an input stands there twice.
    """
    for option, times in Counter(each for each in order if _is_one_input(each)).items():
        if times > 1:
            advice = _ADVICE.get(option.name or "", "Leave out all but one")
            raise click.UsageError(
                f"{option.opts[0]} is given {'twice' if times == 2 else f'{times} times'} and "
                f"takes one value: the rest would not be read. {advice}.",
                ctx,
            )


def _is_one_input(parameter: click.Parameter) -> bool:
    if not isinstance(parameter, HeadedOption) or parameter.multiple:
        return False
    # Imported here: a list of commands needs no types of options.
    from sqlverdict.cli.options.shared import ReferenceType

    is_file = isinstance(parameter.type, click.Path) and parameter.heading in _HEADINGS
    is_named_input = isinstance(parameter.type, ReferenceType) or parameter.name in _TEXT_INPUTS
    return is_file or is_named_input


def _abbreviates(short: str, name: str) -> bool:
    """Whether an option's letters stand in another's in this order, the first at its start."""
    if not short.startswith("--") or short[:3] != name[:3]:
        return False
    letters = iter(name)
    return all(letter in letters for letter in short)


class HeadedCommand(SettingsCommand):
    """A command whose help lists many options by heading, and whose settings are no options.

    Args:
        name: Its name.
        parameters: Its options, settings and arguments.
        click_settings: Everything else that click takes.
    """

    def __init__(
        self, name: str, parameters: Sequence[click.Parameter], **click_settings: Any
    ) -> None:
        headed = [each for each in parameters if isinstance(each, HeadedOption)]
        settings = {each.key: each for each in headed if each.is_setting}
        options = [each for each in parameters if each not in settings.values()]
        if settings:
            options.append(_set_option(settings))
        super().__init__(name, params=options, **click_settings)
        self.settings = settings
        self._help_all = click.Option(
            [HELP_ALL, "--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            help="Show all options and settings, and exit.",
            callback=_show_all_help,
        )

    @property
    def lists_more(self) -> bool:
        """Whether ``--help-all`` lists more than ``--help``."""
        return bool(self.settings) or self._hides_rare

    @property
    def _hides_rare(self) -> bool:
        return sum(isinstance(each, click.Option) for each in self.params) > MOST_SHOWN

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """The names of ``--help``: click keeps those of the first context, whoever made it."""
        del ctx
        return list(_HELP)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, with those that every command has."""
        params = super().get_params(ctx)
        return [*params[:-1], self._help_all, *params[-1:]] if self.lists_more else params

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the project file and the command line; a file without its option gets a hint."""
        try:
            line_options, _, order = self.make_parser(ctx).parse_args(args=list(args))
            if not {"help", HELP_ALL} & line_options.keys():
                self._read_settings(ctx, args, line_options, order)
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as wrong:
            raise click.UsageError(
                f"No such option '{wrong.option_name}'.{self._hint(wrong)}", ctx
            ) from wrong
        except click.UsageError as wrong:
            own = any("--cases" in each.opts for each in self.params)
            if own and "unexpected extra argument" in wrong.message:
                hint = "Give the file of your questions with --cases, answers with --predictions."
                raise click.UsageError(f"{wrong.message}. {hint}", ctx) from wrong
            raise
        values = ctx.default_map or {}
        for each in self.settings.values():
            assert each.name is not None
            ctx.params[each.name] = values.get(each.name, each.usual)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; its errors name options as it spells them."""
        try:
            return super().invoke(ctx)
        except SqlverdictError as error:
            error.spelling = self._spell
            raise

    def _spell(self, part: OptionName | SameCall) -> str:
        """The command line's spelling: ``--out DIR``, or of a setting ``--set prices=FILE``."""
        if isinstance(part, SameCall) or part.name.replace("_", "-") not in self.settings:
            return str(part)
        setting = self.settings[part.name.replace("_", "-")]
        _, *values = part.words
        value = values[0] if values else "true" if part.value is True else ""
        return f"{setting.spelling}={shlex.quote(value)}" if value else setting.spelling

    def _hint(self, wrong: click.NoSuchOption) -> str:
        advice = setting_hint(wrong.option_name, self)
        if advice:
            return f" {advice}"
        short = [name for name in self._option_names() if _abbreviates(wrong.option_name, name)]
        near = short or wrong.possibilities or []
        return f" Did you mean {' or '.join(near)}?" if near else ""

    def _option_names(self) -> list[str]:
        return [name for each in self.params for name in each.opts if name.startswith("--")]

    def _read_settings(
        self,
        ctx: click.Context,
        args: list[str],
        line_options: Mapping[str, Any],
        order: Sequence[click.Parameter],
    ) -> None:
        """Take what ``--set`` and the project file say as defaults, and say what the file says."""
        changed = read_set(self, ctx, line_options.get(SET, ()))
        _check_repeated([*order, *changed.order], ctx)
        ctx.default_map = changed.values
        if not any(each.name == "project" for each in self.params):
            return
        from sqlverdict.cli.project import read_project

        project = read_project(self, ctx, {**changed.values, **line_options})
        if not project.values:
            return
        ctx.default_map = {**project.values, **changed.values}
        # Reports show the whole command, whatever part of it was typed.
        line = ctx.find_root().obj
        if isinstance(line, list):
            line[:] = [*line[: len(line) - len(args)], *project.arguments, *args]
        click.echo(f"options from {project.file}: {', '.join(project.keys)}", err=True)

    def full_help(self, ctx: click.Context) -> str:
        """The help with all options and settings."""
        ctx.meta[HELP_ALL] = True
        return self.get_help(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, by heading where there are many."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        if HELP_ALL in ctx.meta:
            # Before --set, --help-all and --help, which are last.
            options[-3:-3] = self.settings.values()
        elif self._hides_rare:
            options = [each for each in options if not getattr(each, "rare", False)]
        records = [
            (getattr(each, "heading", Heading.OUTPUT), each.get_help_record(ctx))
            for each in options
        ]
        if len(options) <= MANY_OPTIONS:
            with formatter.section("Options"):
                formatter.write_dl([record for _, record in records if record is not None])
            return
        for heading in Heading:
            own = [line for of, line in records if of is heading and line is not None]
            if own:
                with formatter.section(heading):
                    formatter.write_dl(own)


def _set_option(settings: Iterable[str]) -> HeadedOption:
    """``--set KEY=VALUE``."""
    return HeadedOption(
        [SET, "--set"],
        multiple=True,
        metavar="KEY=VALUE",
        help=f"Change a setting of --help-all: {', '.join(islice(settings, 3))} ... Repeatable.",
    )


def _show_all_help(ctx: click.Context, _option: click.Parameter, value: bool) -> None:
    """What ``--help-all`` does."""
    if value and isinstance(ctx.command, HeadedCommand):
        click.echo(ctx.command.full_help(ctx))
        ctx.exit()


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
            list(parameters(kind)),
            callback=call,
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
