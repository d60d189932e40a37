"""Options, settings and arguments as the fields of dataclasses; ``cli/command.py`` says how."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from enum import StrEnum
from typing import Any, TypeVar, cast

import click

Args = TypeVar("Args")

SET = "set"
"""The parameter of ``--set KEY=VALUE``."""


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
    """An option or a setting that knows its heading in the help.

    Args:
        names: What click takes: the parameter's name and the option's names.
        heading: Where the help lists it.
        rare: Only ``--help-all`` lists it.
        is_setting: It stands in the project file or after ``--set``, and is no option of its own.
        usual: Its value where nobody sets it.
        settings: Everything else that click takes.
    """

    def __init__(
        self,
        names: Sequence[str],
        heading: Heading = Heading.OUTPUT,
        *,
        rare: bool = False,
        is_setting: bool = False,
        usual: Any = None,
        **settings: Any,
    ) -> None:
        super().__init__([*names], **settings)
        if isinstance(self.type, click.IntRange | click.FloatRange):
            # As an error calls it: 'many' is not a valid integer range.
            self.type.name = "whole number" if isinstance(self.type, click.IntRange) else "number"
        self.heading = heading
        self.rare = rare
        self.is_setting = is_setting
        self.usual = usual

    @property
    def key(self) -> str:
        """Its name in a project file and after ``--set``."""
        return self.opts[0].removeprefix("--")

    @property
    def is_switch(self) -> bool:
        """Whether its value is true or false."""
        return isinstance(self.type, click.types.BoolParamType)

    @property
    def spelling(self) -> str:
        """How a user names it: ``--out``, or ``--set timeout`` for a setting."""
        return f"--set {self.key}" if self.is_setting else self.opts[0]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option's line in the help; a setting's is that of ``--set``."""
        record = super().get_help_record(ctx)
        if record is None or not self.is_setting:
            return record
        _, _, value = record[0].partition(" ")
        return f"{self.spelling}={'true|false' if self.is_switch else value}", record[1]


class SettingsCommand(click.Command):
    """A command that has settings besides its options.

    Attributes:
        settings: Those that stand in the project file or after ``--set``, by key.
    """

    settings: dict[str, HeadedOption]


def option(
    *names: str,
    heading: Heading | None = None,
    rare: bool = False,
    is_setting: bool = False,
    **settings: Any,
) -> Any:
    """A field that is an option; the field's name is the parameter's.

    Args:
        names: The option's names, such as ``--out``.
        heading: Where the help lists it, if not where the field's group stands.
        rare: Only ``--help-all`` lists it.
        is_setting: See :func:`setting`.
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
        return HeadedOption(
            [name, *names],
            heading or outer,
            rare=rare,
            is_setting=is_setting,
            usual=default,
            **settings,
        )

    return field(
        default=MISSING if settings.get("required") else default, metadata={"parameter": make}
    )


def setting(key: str, **settings: Any) -> Any:
    """A field that is set in the project file or by ``--set``, and is no option of its own.

    Args:
        key: Its name there.
        settings: What :func:`option` takes.
    """
    return option(f"--{key}", is_setting=True, **settings)


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
